//! `decide`: the method and the threshold from the collection itself.

use crate::program::{STORY, Workplace, read};

#[test]
fn the_line_is_drawn_without_an_answer_and_the_configuration_finds_the_stories() {
    let place = Workplace::new();
    let input = place.stories("in.jsonl", 40);
    let run = place.succeed(&["decide", &input, "--out", "c.toml"]);
    for word in ["← the line", "hills at", "duplicates: rare 4-grams", "--config c.toml"] {
        assert!(run.stdout.contains(word), "{word}: {}", run.stdout);
    }
    let config = read(&place.path("c.toml"));
    assert!(config.starts_with("# ") && config.contains("method = \"rarity\""), "{config}");
    let run = place.succeed(&["find", &input, "--config", "c.toml"]);
    assert!(run.stdout.contains("40 clusters"), "{}", run.stdout);
    place.succeed(&["dedup", &input, "--config", "c.toml", "--out", "clean"]);
    let again = place.run(&["decide", &input, "--out", "c.toml"]);
    assert_eq!(again.status, 2);
    assert!(again.stderr.contains("--force"), "{}", again.stderr);
}

#[test]
fn where_nothing_divides_the_pairs_it_says_so_and_asks() {
    let place = Workplace::new();
    let unlike = place.rows("unlike.jsonl", &[("a", STORY), ("b", crate::program::OTHER)]);
    let run = place.succeed(&["decide", &unlike, "--out", "c.toml"]);
    assert!(run.stdout.contains("cannot tell"), "{}", run.stdout);
    assert!(run.stdout.contains("lookalike label"), "{}", run.stdout);
    place.succeed(&["find", &unlike, "--config", "c.toml"]);
    let run = place.succeed(&["decide", &unlike, "--format", "json"]);
    let told: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert!(told["decision"]["line"].is_null(), "{told}");
}

#[test]
fn what_cannot_be_read_is_named() {
    let place = Workplace::new();
    let run = place.run(&["decide", "nowhere.jsonl"]);
    assert_eq!(run.status, 1);
    assert!(run.stderr.contains("nowhere.jsonl"), "{}", run.stderr);
}

#[test]
fn what_there_is_too_little_of_is_said_in_a_sentence() {
    let place = Workplace::new();
    let none = place.file("none.jsonl", String::new());
    let run = place.succeed(&["decide", &none]);
    assert!(run.stdout.starts_with("cannot tell: no two of 0 documents"), "{}", run.stdout);
    let input = place.stories("in.jsonl", 12);
    place.succeed(&["label", &input, "--questions", "3", "--out", "open.jsonl"]);
    let run = place.run(&["tune", &input, "--judged", "open.jsonl", "--out", "t.toml"]);
    assert!(
        run.status == 2 && run.stderr.contains("none of its pairs is answered"),
        "{}",
        run.stderr
    );
}
