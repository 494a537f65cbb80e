//! Threads, memory and input order change nothing.

use crate::program::{OTHER, STORY, Workplace, read};

/// Documents of many clusters: each story with one word replaced, several times over.
fn collection() -> Vec<(String, String)> {
    let words: Vec<&str> = STORY.split(' ').chain(OTHER.split(' ')).collect();
    (0..240)
        .map(|number| {
            let family = number / 4;
            let mut text: Vec<String> = words
                .iter()
                .enumerate()
                .map(|(place, word)| format!("{word}{}", (family * 7 + place * 3) % 11))
                .collect();
            text[number % 4 * 9] = format!("edited{number}");
            (format!("d{:03}", (number * 89) % 240), text.join(" "))
        })
        .collect()
}

fn write(place: &Workplace, name: &str, rows: &[(String, String)]) -> String {
    let borrowed: Vec<(&str, &str)> =
        rows.iter().map(|(id, text)| (id.as_str(), text.as_str())).collect();
    place.rows(name, &borrowed)
}

#[test]
fn counting_and_signing_in_one_reading_gives_what_two_readings_give() {
    let place = Workplace::new();
    let mut rows = collection();
    rows.push(("empty".into(), String::new()));
    rows.push(("short".into(), "two words".into()));
    let input = write(&place, "rows.jsonl", &rows);
    place.file("rows.jsonl", read(&place.path("rows.jsonl")) + "no row at all\n");
    place.succeed(&["stats", &input, "--method", "imatch", "--out", "own.stats"]);
    let find = ["find", &input, "--method", "imatch", "--out"];
    place.succeed(&[&find[..], &["once", "--memory", "4K"]].concat());
    place.succeed(&[&find[..], &["twice", "--stats", "own.stats"]].concat());
    for name in ["clusters.jsonl", "pairs.jsonl", "unreadable.jsonl"] {
        let result = |folder: &str| read(&place.path(folder).join(name));
        assert_eq!(result("once"), result("twice"), "{name}");
        assert!(!result("once").is_empty(), "{name}");
    }
    let counts = |folder: &str| {
        let summary = place.summary(folder);
        ["removed", "too_short", "too_short_reasons", "unreadable"].map(|key| summary[key].clone())
    };
    assert_eq!(counts("once"), counts("twice"));
}

#[test]
fn threads_memory_and_row_order_do_not_change_a_byte() {
    let place = Workplace::new();
    let rows = collection();
    let straight = write(&place, "straight.jsonl", &rows);
    let mut reversed = rows.clone();
    reversed.reverse();
    let reversed = write(&place, "reversed.jsonl", &reversed);
    for method in ["exact", "imatch", "minhash"] {
        for shape in ["star", "components"] {
            for pairs in ["clusters", "all"] {
                let mut expected = None;
                for (input, threads, memory) in [
                    (&straight, "1", "1G"),
                    (&straight, "2", "1G"),
                    (&reversed, "1", "1G"),
                    (&straight, "2", "4K"),
                ] {
                    place.succeed(&[
                        "find",
                        input,
                        "--out",
                        "out",
                        "--force",
                        "--method",
                        method,
                        "--threads",
                        threads,
                        "--memory",
                        memory,
                        "--keep",
                        "longest then id",
                        "--cluster",
                        shape,
                        "--pairs",
                        pairs,
                    ]);
                    let result = ["clusters.jsonl", "pairs.jsonl"]
                        .map(|name| read(&place.path("out").join(name)));
                    let expected = expected.get_or_insert_with(|| result.clone());
                    assert_eq!(
                        &result, expected,
                        "{method} {shape} {pairs} {input} {threads} {memory}"
                    );
                }
            }
        }
    }
    assert!(!read(&place.path("out/clusters.jsonl")).is_empty());
}
