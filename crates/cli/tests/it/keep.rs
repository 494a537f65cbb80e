//! `--keep`: which copy stays, and what is said of rows that the rule cannot use.

use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::program::{OTHER, STORY, Workplace};

/// Copies of one story with these fields, as `a`, `b`, `c`, …
fn copies(place: &Workplace, rows: &[Value]) -> String {
    let line = |(number, row): (usize, &Value)| {
        let mut row = row.clone();
        row["id"] = json!(char::from(b'a' + number as u8).to_string());
        row["text"] = json!(STORY);
        row.to_string() + "\n"
    };
    let lines: String = rows.iter().enumerate().map(line).collect();
    place.file("in.jsonl", lines)
}

fn kept(place: &Workplace, input: &str, rule: &str) -> String {
    place
        .succeed(&["dedup", input, "--out", "out", "--force", "--method", "exact", "--keep", rule]);
    place.result("out/kept.jsonl")[0]["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_field_that_no_row_has_is_an_error() {
    let place = Workplace::new();
    let input = copies(&place, &[json!({"quality": 1}), json!({"quality": 2})]);
    for rule in ["max:qualty", "newest:mtime", "prefer:nope=a,b", "longest then min:qualty"] {
        let run = place.run(&["find", &input, "--out", "out", "--keep", rule]);
        assert_eq!(run.status, 2, "{rule}: {}", run.stderr);
        assert!(run.stderr.contains("no row has the field"), "{rule}: {}", run.stderr);
        assert!(!place.path("out").exists());
    }
    let run = place.run(&["find", &input, "--keep", "newest:quality then max:quality"]);
    assert_eq!(run.status, 0, "numbers are dates: {}", run.stderr);
}

#[test]
fn an_id_field_that_no_row_has_is_an_error() {
    let place = Workplace::new();
    let input = copies(&place, &[json!({"key": 1}), json!({})]);
    let run = place.run(&["find", &input, "--id-key", "ke"]);
    assert_eq!(run.status, 2, "{}", run.stderr);
    assert!(run.stderr.contains("no row has the field `ke`"), "{}", run.stderr);
    for method in ["minhash", "imatch"] {
        place.succeed(&["find", &input, "--id-key", "key", "--method", method]);
    }
    // The usual field may be absent, and rows may be numbered.
    let nameless = place.file("n.jsonl", format!("{}\n", json!({"text": STORY})));
    place.succeed(&["find", &nameless]);
    place.succeed(&["find", &nameless, "--id-key", "row"]);
    let run = place.run(&["find", &nameless, "--id-key", "id2", "--method", "imatch"]);
    assert_eq!(run.status, 2, "{}", run.stderr);
}

#[test]
fn rows_that_the_rule_cannot_use_are_counted_and_told() {
    let place = Workplace::new();
    let rows = [json!({}), json!({"date": "soon"}), json!({"date": "2024-01-01"})];
    let input = copies(&place, &rows);
    let run = place.succeed(&[
        "find",
        &input,
        "--out",
        "out",
        "--method",
        "exact",
        "--keep",
        "newest:date",
    ]);
    assert!(run.stdout.contains("1 row has no `date`"), "{}", run.stdout);
    assert!(run.stdout.contains("1 row has no date in it"), "{}", run.stdout);
    assert!(run.stdout.contains("document `b`"), "{}", run.stdout);
    let told = &place.summary("out")["keep"][0];
    assert_eq!((&told["absent"], &told["unusable"]), (&json!(1), &json!(1)));
    assert_eq!(told["first_unusable"], "b");
    assert_eq!(kept(&place, &input, "newest:date"), "c");
}

#[test]
fn dates_are_compared_as_dates() {
    let place = Workplace::new();
    let dates = |dates: [&str; 2]| {
        let rows: Vec<Value> = dates.iter().map(|date| json!({"date": date})).collect();
        copies(&place, &rows)
    };
    let input = dates(["31 Dec 2023", "15 Mar 2024"]);
    assert_eq!(kept(&place, &input, "newest:date"), "b");
    let input = dates(["2024-03-15T05:00:00Z", "2024-03-15T10:00:00+09:00"]);
    assert_eq!(kept(&place, &input, "newest:date"), "a");
    let input = dates(["Fri, 15 Mar 2024 10:00:00 +0200", "1710460800000"]);
    assert_eq!(kept(&place, &input, "oldest:date"), "b");
}

#[test]
fn ties_stay_in_reading_order_unless_ids_are_asked_for() {
    let place = Workplace::new();
    let rows = place.rows("in.jsonl", &[("z", STORY), ("b", OTHER), ("a", STORY)]);
    assert_eq!(kept(&place, &rows, "longest"), "z");
    assert_eq!(kept(&place, &rows, "longest then first"), "z");
    let run = ["dedup", &rows, "--out", "out", "--force", "--method", "exact", "--keep"];
    place.succeed(&[&run[..], &["longest then id"]].concat());
    assert_eq!(place.result("out/removed.jsonl")[0]["id"], "z");
}

#[test]
fn several_rules_count_in_order() {
    let place = Workplace::new();
    let rows = [
        json!({"source": "mirror", "rank": 1}),
        json!({"source": "agency", "rank": 9}),
        json!({"source": "agency", "rank": 2}),
    ];
    let input = copies(&place, &rows);
    assert_eq!(kept(&place, &input, "prefer:source=agency,mirror then min:rank"), "c");
    assert_eq!(kept(&place, &input, "prefer:source=agency,mirror then max:rank"), "b");
    assert_eq!(kept(&place, &input, "min:rank"), "a");
    // The stored configuration says the same again.
    let config = crate::program::read(&place.path("out/config.toml"));
    assert!(config.contains("keep = \"min:rank\""), "{config}");
}

#[test]
fn files_of_a_folder_are_kept_by_date_size_or_path() {
    let place = Workplace::new();
    place.file("in/a/one.txt", format!("{STORY}   \n"));
    place.file("in/b/two.txt", STORY);
    let date = |name: &str, seconds: u64| {
        let file = std::fs::File::open(place.path(name)).unwrap();
        file.set_modified(UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
    };
    date("in/a/one.txt", 1_000_000_000);
    date("in/b/two.txt", 1_700_000_000);
    for (rule, kept) in [
        ("newest:file.modified", "b/two.txt"),
        ("oldest:file.modified", "a/one.txt"),
        ("max:file.size", "a/one.txt"),
        ("min:file.size", "b/two.txt"),
        ("prefer:file.path=*/b/*", "b/two.txt"),
        ("prefer:file.path=*/a/*", "a/one.txt"),
    ] {
        place.succeed(&[
            "dedup", "in", "--out", "out", "--force", "--method", "exact", "--keep", rule,
        ]);
        assert!(place.path("out/kept").join(kept).exists(), "{rule}");
        assert_eq!(place.result("out/removed.jsonl").len(), 1, "{rule}");
    }
}
