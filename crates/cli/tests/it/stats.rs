//! `lookalike stats`.

use crate::program::{OTHER, STORY, Workplace};

#[test]
fn merged_counts_equal_the_counts_of_everything() {
    let place = Workplace::new();
    let one = place.rows("one.jsonl", &[("a", STORY), ("b", OTHER)]);
    let two = place.rows("two.jsonl", &[("c", STORY)]);
    place.succeed(&["stats", &one, "--out", "one.stats"]);
    place.succeed(&["stats", &two, "--out", "two.stats"]);
    place.succeed(&["stats", &one, &two, "--out", "all.stats"]);
    place.succeed(&["stats", "--merge", "one.stats", "two.stats", "--out", "merged.stats"]);
    let show = |file: &str| place.succeed(&["stats", "--show", file]).stdout;
    assert_eq!(show("merged.stats"), show("all.stats"));
    assert!(show("all.stats").contains("documents  3"), "{}", show("all.stats"));
}

#[test]
fn a_foreign_lexicon_can_sign_and_a_damaged_one_is_refused() {
    let place = Workplace::new();
    let input = place.rows("in.jsonl", &[("a", STORY), ("b", STORY), ("c", OTHER)]);
    place.succeed(&["stats", &input, "--method", "imatch", "--out", "own.stats"]);
    place.succeed(&["find", &input, "--method", "imatch", "--stats", "own.stats", "--out", "out"]);
    assert_eq!(place.summary("out")["removed"], 1);
    let mut bytes = std::fs::read(place.path("own.stats")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    place.file("bad.stats", &bytes);
    let run = place.run(&["find", &input, "--method", "imatch", "--stats", "bad.stats"]);
    assert_eq!(run.status, 1);
    assert!(run.stderr.contains("bad.stats") && run.stderr.contains("damaged"), "{}", run.stderr);
}

#[test]
fn an_existing_file_is_not_overwritten_by_accident() {
    let place = Workplace::new();
    let input = place.rows("in.jsonl", &[("a", STORY)]);
    place.succeed(&["stats", &input, "--out", "x.stats"]);
    let run = place.run(&["stats", &input, "--out", "x.stats"]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("--force"), "{}", run.stderr);
}
