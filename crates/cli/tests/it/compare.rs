//! `lookalike compare`.

use serde_json::{Value, json};

use crate::program::{OTHER, STORY, Workplace, read};

const COLUMNS: [&str; 14] = [
    "method",
    "precision",
    "recall",
    "f1",
    "f1_low",
    "f1_high",
    "max_f1",
    "threshold",
    "best_precision",
    "best_recall",
    "best_f1",
    "bytes_per_document",
    "documents_per_second",
    "ignored",
];

fn documents(place: &Workplace) -> String {
    let row = |id: &str, text: &str, cluster: &str| {
        format!("{}\n", json!({"id": id, "text": text, "cluster": cluster}))
    };
    let copy = STORY.replace("Tuesday", "Monday");
    let rows = row("a", STORY, "ferry") + &row("b", &copy, "ferry") + &row("c", OTHER, "harvest");
    place.file("labelled.jsonl", rows)
}

fn table(place: &Workplace) -> Vec<Value> {
    serde_json::from_str(&read(&place.path("out").join("table.json"))).unwrap()
}

#[test]
fn the_table_has_the_promised_columns_and_a_picture_beside_it() {
    let place = Workplace::new();
    let input = documents(&place);
    let methods = "minhash:ngram=1,exact";
    place.succeed(&["compare", &input, "--methods", methods, "--halvings", "0", "--out", "out"]);
    let rows = table(&place);
    assert_eq!(rows.len(), 2);
    for row in &rows {
        let mut columns: Vec<&str> = row.as_object().unwrap().keys().map(String::as_str).collect();
        let mut expected = COLUMNS.to_vec();
        columns.sort_unstable();
        expected.sort_unstable();
        assert_eq!(columns, expected);
    }
    assert_eq!((&rows[0]["recall"], &rows[1]["recall"]), (&json!(1.0), &json!(0.0)));
    assert!(read(&place.path("out").join("plot.svg")).starts_with("<svg"));
}

#[test]
fn judged_pairs_take_the_place_of_clusters() {
    let place = Workplace::new();
    let input = documents(&place);
    let pairs =
        "{\"a\":\"a\",\"b\":\"b\",\"near_duplicate\":1}\n{\"a\":\"b\",\"b\":\"c\",\"label\":0}\n";
    let judgments = place.file("pairs.jsonl", pairs);
    // By the name that `train` and `tune` have for it as well.
    for (flag, out) in [("--judged", "again"), ("--judgments", "out")] {
        let mut arguments = vec!["compare", &input, flag, &judgments, "--out", out];
        arguments.extend(["--methods", "minhash:ngram=1", "--halvings", "0"]);
        place.succeed(&arguments);
    }
    assert_eq!(table(&place)[0]["f1"], 1.0);
}

#[test]
fn an_unknown_method_is_an_error_in_what_was_typed() {
    let place = Workplace::new();
    let input = documents(&place);
    let run = place.run(&["compare", &input, "--methods", "nosuch"]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("nosuch"), "{}", run.stderr);
}
