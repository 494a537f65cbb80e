//! `lookalike explain`.

use crate::program::{OTHER, STORY, Workplace, read};

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

#[test]
fn the_score_of_a_pair_that_fails_is_the_exact_one() {
    let place = Workplace::new();
    let words: Vec<String> = (0..200).map(|number| format!("word{number}")).collect();
    let edited: Vec<String> = (0..200)
        .map(|number| format!("word{}", number + if number < 120 { 0 } else { 500 }))
        .collect();
    place.file("a.txt", words.join(" "));
    place.file("b.txt", edited.join(" "));
    let arguments =
        ["explain", "a.txt", "b.txt", "--set", "recall=0.999", "--format", "json", "--threshold"];
    let score = |threshold: &str| {
        let run = place.succeed(&[&arguments[..], &[threshold]].concat());
        let explanation: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        (explanation["duplicate"].as_bool().unwrap(), explanation["score"].as_f64().unwrap())
    };
    let (found, exact) = score("0.3");
    assert!(found);
    // 116 of the 196 shingles of each are shared.
    assert!((exact - 116.0 / 276.0).abs() < 1e-9, "{exact}");
    assert_eq!(score("0.95"), (false, exact));
}

#[test]
fn a_pair_found_against_a_known_collection_is_explained_as_found() {
    let place = Workplace::new();
    let known: Vec<(String, String)> = (0..40)
        .map(|number| {
            let text = (0..30).map(|place| format!("word{} ", (number * 13 + place * 7) % 97));
            (format!("k{number}"), text.collect::<String>())
        })
        .collect();
    // Words of the new documents are rare among the known ones only.
    let new: Vec<(String, String)> = (0..40)
        .map(|number| (format!("n{number}"), format!("{} and and and", known[number / 4].1)))
        .collect();
    let rows = |name: &str, rows: &[(String, String)]| {
        let rows: Vec<(&str, &str)> = rows.iter().map(|(id, text)| (&**id, &**text)).collect();
        place.rows(name, &rows)
    };
    let (new, known) = (rows("new.jsonl", &new), rows("known.jsonl", &known));
    let method = ["--method", "imatch", "--set", "rule=IDF-L-30"];
    place.succeed(&[&["find", &new, "--against", &known, "--out", "out"][..], &method].concat());
    let pairs = read(&place.path("out").join("pairs.jsonl"));
    assert!(pairs.lines().count() > 0);
    for line in pairs.lines() {
        let pair: serde_json::Value = serde_json::from_str(line).unwrap();
        let (a, b) = (pair["a"].as_str().unwrap(), pair["b"].as_str().unwrap());
        let explain = ["explain", a, b, "--in", &new, "--against", &known, "--format", "json"];
        let run = place.succeed(&[&explain[..], &method].concat());
        let explanation: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(explanation["duplicate"], true, "{pair}");
        let [told, found] = [&explanation["score"], &pair["score"]].map(|s| s.as_f64().unwrap());
        assert!((told - found).abs() < 1e-6, "{pair}");
    }
}

#[test]
fn what_is_rounded_stays_true() {
    let place = Workplace::new();
    let words = |range: std::ops::Range<usize>| -> String {
        range.map(|number| format!("word{number}")).collect::<Vec<_>>().join(" ")
    };
    // 250 of 1251 words in common are a Jaccard of 0.19984.
    place.file("a.txt", words(0..750));
    place.file("b.txt", words(500..1251));
    let arguments = ["explain", "a.txt", "b.txt", "--ngram", "1", "--threshold", "0.2"];
    let run = place.succeed(&arguments);
    assert!(run.stdout.contains("not duplicates, score 0.199"), "{}", run.stdout);
    place.file("c.txt", words(0..749));
    let run = place.succeed(&["explain", "a.txt", "c.txt", "--ngram", "1"]);
    assert!(run.stdout.contains(": duplicates, score 0.999"), "{}", run.stdout);
    assert!(run.stdout.contains("99.8 % of a.txt is in c.txt, 100 % the other"), "{}", run.stdout);
}

#[test]
fn what_only_the_removed_text_has_is_told_wherever_it_goes() {
    let place = Workplace::new();
    let words: Vec<String> = (0..120).map(|number| format!("word{number}")).collect();
    let (kept, own) = (words.join(" "), "and the harbour master says no");
    let rows = [("a", kept.clone()), ("b", format!("{kept} {own}"))];
    let rows: Vec<(&str, &str)> = rows.iter().map(|(id, text)| (*id, text.as_str())).collect();
    let input = place.rows("in.jsonl", &rows);
    let table = place.file("in.csv", format!("id,text\na,{kept}\nb,{kept} {own}\n"));
    let settings = ["--method", "wordlsh", "--report", "--out"];
    place.succeed(&[&["dedup", &input], &settings[..], &["lines"]].concat());
    let removed: serde_json::Value =
        serde_json::from_str(&read(&place.path("lines").join("removed.jsonl"))).unwrap();
    assert_eq!(removed["accounted"], 0.952381, "{removed}");
    place.succeed(&[&["dedup", &table], &settings[..], &["table"]].concat());
    let removed = read(&place.path("table").join("removed.csv"));
    assert!(removed.starts_with("id,text,duplicate_of,score,accounted\n"), "{removed}");
    assert!(removed.ends_with(",0.952381\n"), "{removed}");
    let page = read(&place.path("lines").join("report.html"));
    let told = format!("6 of 126 words; the longest passage: {own}");
    assert!(page.contains("Duplicates that say most of their own") && page.contains(&told));
    let run = place.succeed(&["explain", "a", "b", "--in", &input, "--method", "exact"]);
    assert!(run.stdout.contains("only in a: 0 of 120 words\n"), "{}", run.stdout);
    assert!(run.stdout.contains(&format!("only in b: {told}")), "{}", run.stdout);
    // Who asks for the method alone gets what it had before.
    let alone = ["dedup", &input, "--method", "wordlsh", "--accounted", "0", "--out", "alone"];
    place.succeed(&alone);
    assert!(!read(&place.path("alone").join("removed.jsonl")).contains("accounted"));
}
