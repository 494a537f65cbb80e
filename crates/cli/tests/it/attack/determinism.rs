//! Threads, memory, order, shards and compression change nothing, whatever the method.

use std::io::Write;

use lookalike_detect::DetectorConfig;
use serde_json::json;

use super::{Chance, families, rounds};
use crate::program::{Workplace, read};

/// Trains the models that learned methods need.
fn train(place: &Workplace, input: &str) {
    for (model, arguments) in [
        ("andd", &["andd"][..]),
        ("andd-cosine", &["andd"]),
        ("andd-jaccard", &["andd", "--similarity", "extended-jaccard"]),
        ("svm", &["svm"]),
    ] {
        let file = format!("{model}.model");
        let rest = [input, "--out", &file, "--halvings", "0", "-q"];
        place.succeed(&[&["train"][..], arguments, &rest].concat());
    }
}

/// The flags that choose a method, its model among them where it needs one.
fn method_flags(method: &str) -> Vec<String> {
    let mut flags = vec!["--method".to_owned(), method.to_owned()];
    if DetectorConfig::named(method).unwrap().needs_model() {
        flags.extend(["--model".to_owned(), format!("{method}.model")]);
    }
    flags
}

/// Pages of one template, some of them in pairs; `rank` is unique.
fn pages(n_pages: usize) -> Vec<String> {
    let mut chance = Chance(5);
    let mut sentences = |count: usize| -> String {
        let mut sentence = || {
            let words: Vec<String> =
                (0..14).map(|_| format!("w{}", chance.below(90_000))).collect();
            format!("The {} was {}. ", words[..7].join(" "), words[7..].join(" "))
        };
        (0..count).map(|_| sentence()).collect()
    };
    let template = sentences(10);
    let mut rows = Vec::new();
    let mut first = String::new();
    for page in 0..n_pages {
        if page % 8 != 1 {
            first = sentences(1);
        }
        let text = format!("{template}\n\n{first}{}", sentences(2));
        let rank = page * 37 % n_pages;
        rows.push(format!("{}\n", json!({"id": page.to_string(), "text": text, "rank": rank})));
    }
    rows
}

fn packed(rows: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(rows.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// All kept and removed rows of a run, sorted, from however many files.
fn rows_of(place: &Workplace, kind: &str) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    let single = place.path(&format!("out/{kind}.jsonl"));
    if single.exists() {
        rows.extend(read(&single).lines().map(str::to_owned));
    } else if let Ok(shards) = std::fs::read_dir(place.path(&format!("out/{kind}"))) {
        for shard in shards {
            rows.extend(read(&shard.unwrap().path()).lines().map(str::to_owned));
        }
    }
    rows.sort();
    rows
}

#[test]
fn nothing_but_the_documents_and_the_configuration_decides() {
    let place = Workplace::new();
    let rows = families(rounds(20, 300));
    let mut shuffled = rows.clone();
    let mut chance = Chance(11);
    for place in (1..shuffled.len()).rev() {
        shuffled.swap(place, chance.below(place + 1));
    }
    place.file("plain.jsonl", rows.concat());
    place.file("shuffled.jsonl", shuffled.concat());
    for (number, shard) in rows.chunks(rows.len() / 3 + 1).enumerate() {
        place.file(&format!("shards/{number}.jsonl"), shard.concat());
    }
    place.file("packed.jsonl.gz", packed(&rows.concat()));
    train(&place, "plain.jsonl");
    let variants = [
        ("plain.jsonl", "1", "1G"),
        ("plain.jsonl", "3", "64K"),
        ("shuffled.jsonl", "2", "1G"),
        ("shards", "2", "64K"),
    ];
    for (method, _) in DetectorConfig::METHODS {
        let chosen = method_flags(method);
        let chosen: Vec<&str> = chosen.iter().map(String::as_str).collect();
        let mut expected = None;
        for (input, threads, memory) in variants {
            let flags = ["--threads", threads, "--memory", memory, "--keep", "max:rank"];
            let all = ["dedup", input, "--out", "out", "--force", "-q"];
            place.succeed(&[&all[..], &chosen, &flags].concat());
            let files = ["clusters.jsonl", "pairs.jsonl"].map(|name| {
                read(&place.path("out").join(name)).lines().map(str::to_owned).collect::<Vec<_>>()
            });
            let [clusters, pairs] = files;
            let result = [clusters, pairs, rows_of(&place, "kept"), rows_of(&place, "removed")];
            let expected = expected.get_or_insert_with(|| result.clone());
            assert!(result == *expected, "{method} {input} {threads} {memory}");
        }
        let packed = ["dedup", "packed.jsonl.gz", "--out", "out", "--force", "-q"];
        place.succeed(&[&packed[..], &chosen, &["--keep", "max:rank"]].concat());
        let [clusters, ..] = expected.unwrap();
        assert_eq!(read(&place.path("out/clusters.jsonl")).lines().collect::<Vec<_>>(), clusters);
    }
}

#[test]
fn nothing_else_decides_in_a_crowd_either() {
    let place = Workplace::new();
    let rows = pages(rounds(160, 2000));
    let mut shuffled = rows.clone();
    let mut chance = Chance(13);
    for place in (1..shuffled.len()).rev() {
        shuffled.swap(place, chance.below(place + 1));
    }
    place.file("plain.jsonl", rows.concat());
    place.file("shuffled.jsonl", shuffled.concat());
    for method in ["minhash", "minwise", "wordlsh", "paragraph", "longsentences", "spotsigs"] {
        for (limit, pairs) in [("3", "clusters"), ("3", "all"), ("1000", "clusters")] {
            let mut expected = None;
            for (input, threads, memory) in [
                ("plain.jsonl", "1", "1G"),
                ("plain.jsonl", "3", "64K"),
                ("shuffled.jsonl", "2", "1G"),
            ] {
                let find = ["find", input, "--out", "out", "--force", "-q", "--method", method];
                let how = ["--threads", threads, "--memory", memory, "--keep", "max:rank"];
                let what = ["--max-comparisons", limit, "--pairs", pairs, "--threshold", "0.7"];
                place.succeed(&[&find[..], &how, &what].concat());
                let files = ["clusters.jsonl", "pairs.jsonl"];
                let files = files.map(|name| read(&place.path("out").join(name)));
                let summary = place.summary("out");
                let counts = ["skipped_comparisons", "candidate_pairs", "crowd"];
                let result = (files, counts.map(|name| summary[name].clone()));
                let expected = expected.get_or_insert_with(|| result.clone());
                assert!(result == *expected, "{method} {limit} {pairs} {input} {threads}");
            }
        }
    }
}
