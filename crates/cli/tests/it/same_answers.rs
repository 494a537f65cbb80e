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

#[test]
fn threads_memory_and_row_order_do_not_change_a_byte() {
    let place = Workplace::new();
    let rows = collection();
    let write = |name: &str, rows: &[(String, String)]| {
        let borrowed: Vec<(&str, &str)> =
            rows.iter().map(|(id, text)| (id.as_str(), text.as_str())).collect();
        place.rows(name, &borrowed)
    };
    let straight = write("straight.jsonl", &rows);
    let mut reversed = rows.clone();
    reversed.reverse();
    let reversed = write("reversed.jsonl", &reversed);
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
                        "longest",
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
