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

/// Pages of one site: a notice that most have at one place, in ever other stories.
fn pages_with_a_notice() -> Vec<(String, String)> {
    let sentence = |page: usize, number: usize| {
        let word = |place: usize| format!("w{}", (page * 977 + number * 89 + place * 7) % 4096);
        (0..30).map(word).collect::<Vec<_>>().join(" ") + "."
    };
    (0..12)
        .map(|page| {
            let mut paragraphs: Vec<String> =
                (0..16).map(|number| sentence(page, number)).collect();
            // Eight of twelve have it third; the others anywhere, and none at one place from the end.
            let place = if page % 3 == 1 { 3 + page } else { 2 };
            let notice = "This site is not liable for the pages of others. ".repeat(40);
            paragraphs.insert(place, notice);
            paragraphs.truncate(place + 1 + page % 12);
            (format!("p{page:02}"), paragraphs.join("\n\n"))
        })
        .collect()
}

/// Pages of one notice and one story: five have the story at one place, seven elsewhere, and each
/// has some words of its own. Whether the story counts as part of the template decides whether the
/// pages are otherwise different.
fn pages_that_share_a_story() -> Vec<(String, String)> {
    let words = |name: &str, count: usize| {
        (0..count).map(|number| format!("{name}{number}")).collect::<Vec<_>>().join(" ")
    };
    (0..12)
        .map(|page: usize| {
            let own = |number: usize| words(&format!("own{page}x{number}x"), 6);
            let before = page.saturating_sub(4);
            let mut paragraphs = vec![words("notice", 600)];
            paragraphs.extend((0..before).map(own));
            paragraphs.push(words("story", 200));
            paragraphs.extend((before..before + page + 3).map(own));
            (format!("s{page:02}"), paragraphs.join("\n\n"))
        })
        .collect()
}

#[test]
fn no_order_of_rows_takes_a_story_for_boilerplate() {
    let place = Workplace::new();
    let mut rows = pages_that_share_a_story();
    for _ in 0..2 {
        let input = write(&place, "pages.jsonl", &rows);
        let find = ["find", &input, "--ignore-boilerplate", "10", "--threshold", "0.7"];
        place.succeed(&[&find[..], &["--out", "out", "--force"]].concat());
        assert_eq!(place.summary("out")["removed"], 11);
        rows.reverse();
    }
}

#[test]
fn the_order_of_rows_does_not_change_what_is_boilerplate() {
    let place = Workplace::new();
    let rows = pages_with_a_notice();
    let mut expected = None;
    for step in [1, 5, 7, 11] {
        let shuffled: Vec<_> = (0..12).map(|number| rows[number * step % 12].clone()).collect();
        let input = write(&place, "pages.jsonl", &shuffled);
        for (threads, memory) in [("1", "1G"), ("2", "4K")] {
            let mut results = Vec::new();
            for method in ["minhash", "exact", "simhash"] {
                let find = ["find", &input, "--method", method, "--ignore-boilerplate", "10"];
                let how = ["--threads", threads, "--memory", memory, "--keep", "longest"];
                place.succeed(&[&find[..], &how, &["--out", "out", "--force"]].concat());
                results.push(read(&place.path("out/clusters.jsonl")));
            }
            let boilerplate = ["boilerplate", &input, "--out", "report.jsonl", "--force"];
            place.succeed(&[&boilerplate[..], &["--threads", threads]].concat());
            results.push(read(&place.path("report.jsonl")));
            assert!(results[3].contains("not liable"), "{}", results[3]);
            assert_eq!(
                &results,
                expected.get_or_insert_with(|| results.clone()),
                "{step} {threads}"
            );
        }
    }
}
