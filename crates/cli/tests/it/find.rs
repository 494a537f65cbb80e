//! `lookalike find`.

use serde_json::json;

use crate::program::{OTHER, STORY, Workplace};

#[test]
fn clusters_and_pairs_have_the_fields_of_the_contract() {
    let place = Workplace::new();
    let loud = STORY.to_uppercase();
    let input = place.rows("in.jsonl", &[("b", STORY), ("a", &loud), ("c", OTHER)]);
    let run =
        place.succeed(&["find", &input, "--out", "out", "--method", "exact", "--match", "words"]);
    assert!(run.stdout.contains("3 documents: 2 would stay, 1 copies"), "{}", run.stdout);
    assert_eq!(
        place.result("out/clusters.jsonl"),
        [
            json!({"id": "b", "cluster": "b", "size": 2, "keeper": true, "score": 1.0}),
            json!({"id": "a", "cluster": "b", "size": 2, "keeper": false, "score": 1.0}),
        ]
    );
    assert_eq!(place.result("out/pairs.jsonl"), [json!({"a": "a", "b": "b", "score": 1.0})]);
    let summary = place.summary("out");
    assert_eq!(summary["method"], "exact");
    assert_eq!(summary["clusters"], 1);
    assert_eq!(summary["largest_cluster"], 2);
    assert_eq!(summary["skipped_comparisons"], 0);
}

#[test]
fn the_stored_configuration_gives_the_same_result_again() {
    let place = Workplace::new();
    let edited = STORY.replace("Tuesday", "Monday");
    let input = place.rows("in.jsonl", &[("a", STORY), ("b", &edited), ("c", OTHER)]);
    place.succeed(&[
        "find",
        &input,
        "--out",
        "one",
        "--method",
        "minhash",
        "--threshold",
        "0.6",
        "--keep",
        "longest",
    ]);
    place.succeed(&["find", &input, "--out", "two", "--config", "one/config.toml"]);
    for name in ["clusters.jsonl", "pairs.jsonl", "config.toml"] {
        let (one, two) = (place.path("one").join(name), place.path("two").join(name));
        assert_eq!(crate::program::read(&one), crate::program::read(&two), "{name}");
    }
    assert_eq!(place.result("one/pairs.jsonl").len(), 1);
}

#[test]
fn standard_input_is_read_as_json_lines() {
    let place = Workplace::new();
    let input = place.rows("in.jsonl", &[("a", STORY), ("b", STORY)]);
    let output = place
        .command(&["find", "-", "--out", "out", "--method", "exact"])
        .stdin(std::fs::File::open(input).unwrap())
        .output()
        .unwrap();
    assert!(output.status.success());
    assert_eq!(place.summary("out")["removed"], 1);
}

#[test]
fn verification_can_refuse_what_the_keys_would_accept() {
    let place = Workplace::new();
    // Two documents share their rare words and nothing else; each half of the others has the
    // common words of one of them, so that the rule drops those.
    let rare = "quartz marmot fjord juniper zeppelin obelisk walrus thimble";
    let halves = [
        "table window garden street morning evening people letter",
        "river mountain village market summer winter children bridge",
    ];
    let mut rows = vec![
        ("a".to_owned(), format!("{rare} {}", halves[0])),
        ("b".to_owned(), format!("{rare} {}", halves[1])),
    ];
    for (number, letter) in ('a'..='t').enumerate() {
        let own: Vec<String> =
            (0..6).map(|word| format!("{letter}own{}", "x".repeat(word))).collect();
        rows.push((
            format!("filler-{letter}"),
            format!("{} {}", halves[number % 2], own.join(" ")),
        ));
    }
    let borrowed: Vec<(&str, &str)> = rows.iter().map(|(id, text)| (&**id, &**text)).collect();
    let input = place.rows("in.jsonl", &borrowed);
    let removed = |verify: &str| {
        place.succeed(&[
            "find",
            &input,
            "--method",
            "imatch",
            "--set",
            "rule=IDF-L-50",
            "--verify",
            verify,
            "--out",
            "out",
            "--force",
            "--quiet",
        ]);
        place.summary("out")["removed"].as_u64().unwrap()
    };
    assert_eq!(removed("none"), 1);
    assert_eq!(removed("jaccard:0.3"), 1);
    assert_eq!(removed("jaccard:0.5"), 0);
    assert_eq!(removed("cosine:0.6"), 0);
    assert_eq!(place.run(&["find", &input, "--verify", "jaccard:7"]).status, 2);
}

#[test]
fn json_format_prints_the_summary() {
    let place = Workplace::new();
    let input = place.rows("in.jsonl", &[("a", STORY), ("b", OTHER)]);
    let run = place.succeed(&["find", &input, "--format", "json"]);
    let summary: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(summary["documents"], 2);
}

#[test]
fn two_empty_documents_are_too_short_and_never_duplicates() {
    let place = Workplace::new();
    let input = place.rows("in.jsonl", &[("a", ""), ("b", ""), ("c", " \n"), ("d", STORY)]);
    for method in ["exact", "syntactic", "imatch", "minhash"] {
        place.succeed(&["find", &input, "--out", method, "--method", method]);
        let summary = place.summary(method);
        assert_eq!(summary["too_short"], 3, "{method}");
        assert_eq!(summary["clusters"], 0, "{method}");
    }
}
