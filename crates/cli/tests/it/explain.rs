//! `lookalike explain`.

use crate::program::{OTHER, STORY, Workplace};

#[test]
fn two_files_are_compared_and_their_difference_shown() {
    let place = Workplace::new();
    place.file("a.txt", STORY);
    place.file("b.txt", STORY.replace("Tuesday", "Monday"));
    let run =
        place.succeed(&["explain", "a.txt", "b.txt", "--method", "minhash", "--threshold", "0.5"]);
    assert!(run.stdout.contains(": duplicates, score 0."), "{}", run.stdout);
    assert!(run.stdout.contains("[-Tuesday-]{+Monday+}"), "{}", run.stdout);
    let run = place.succeed(&["explain", "a.txt", "a.txt", "--method", "exact"]);
    assert!(run.stdout.contains(": duplicates, score 1.000"), "{}", run.stdout);
}

#[test]
fn ids_are_looked_up_in_a_collection() {
    let place = Workplace::new();
    let input = place.rows("in.jsonl", &[("a", STORY), ("b", STORY), ("c", OTHER)]);
    let run = place
        .succeed(&["explain", "a", "c", "--in", &input, "--method", "imatch", "--format", "json"]);
    let explanation: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(explanation["duplicate"], false);
    assert_eq!(explanation["keys"]["shared"], 0);
    let run = place.run(&["explain", "a", "zebra", "--in", &input]);
    assert_eq!(run.status, 1);
    assert!(run.stderr.contains("zebra"), "{}", run.stderr);
}
