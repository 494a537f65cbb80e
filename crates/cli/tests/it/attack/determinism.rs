//! Threads, memory, order, shards and compression change nothing, whatever the method.

use std::io::Write;

use lookalike_detect::DetectorConfig;

use super::{Chance, families, rounds};
use crate::program::{Workplace, read};

/// Methods that need a model; `train` has tests of its own.
const LEARNED: [&str; 4] = ["andd", "andd-cosine", "andd-jaccard", "svm"];

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
    let variants = [
        ("plain.jsonl", "1", "1G"),
        ("plain.jsonl", "3", "64K"),
        ("shuffled.jsonl", "2", "1G"),
        ("shards", "2", "64K"),
    ];
    for (method, _) in DetectorConfig::METHODS.iter().filter(|(name, _)| !LEARNED.contains(name)) {
        let mut expected = None;
        for (input, threads, memory) in variants {
            let flags = ["--threads", threads, "--memory", memory, "--keep", "max:rank"];
            let all = ["dedup", input, "--out", "out", "--force", "-q", "--method", method];
            place.succeed(&[&all[..], &flags].concat());
            let files = ["clusters.jsonl", "pairs.jsonl"].map(|name| {
                read(&place.path("out").join(name)).lines().map(str::to_owned).collect::<Vec<_>>()
            });
            let [clusters, pairs] = files;
            let result = [clusters, pairs, rows_of(&place, "kept"), rows_of(&place, "removed")];
            let expected = expected.get_or_insert_with(|| result.clone());
            assert!(result == *expected, "{method} {input} {threads} {memory}");
        }
        place.succeed(&[
            "find",
            "packed.jsonl.gz",
            "--out",
            "out",
            "--force",
            "-q",
            "--method",
            method,
            "--keep",
            "max:rank",
        ]);
        let [clusters, ..] = expected.unwrap();
        assert_eq!(read(&place.path("out/clusters.jsonl")).lines().collect::<Vec<_>>(), clusters);
    }
}
