//! Signatures and stored bytes never change silently: fixed documents, every method, files of each.
//!
//! Learned methods sign with models that are committed: what training ends in may differ in its
//! last bits between systems, what a model does may not.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lookalike_detect::{Artifacts, Detector, DetectorConfig, Model, Scratch};
use lookalike_testkit::{artifacts_for, corpus};
use lookalike_text::Document;
use xxhash_rust::xxh3::xxh3_64;

/// Texts beyond plain English: other scripts, marks, digits, repetition, almost nothing.
const ODD: &[&str] = &[
    "Überraschung im Hafen: die Fähre fährt wieder! Der Kapitän grüßt alle Fahrgäste an Bord.",
    "Το πλοίο έμεινε στο λιμάνι μέχρι το μεσημέρι, επειδή η ομίχλη ήταν πολύ πυκνή.",
    "港口小镇在星期二早晨被浓雾笼罩，渡轮一直停在码头，直到中午才离开。",
    "Паром вышел из гавани только после полудня, когда туман над каналом рассеялся.",
    "ﬁne print: e\u{301}clair, naïve café, 12:30, v2.0, ½ price, snake_case and CamelCase",
    "ferry ferry ferry ferry ferry ferry ferry ferry",
    "fog",
];

/// A story and the edited copy of it.
const PAIR: [usize; 2] = [0, 5];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/golden")
}

/// The detector of a method with the artefacts of the tiny corpus, its model from a file.
fn build(config: &DetectorConfig) -> Detector {
    let artifacts = if config.needs_model() {
        let kind = if config.name() == "andd-cosine" { "andd" } else { config.name() };
        let file = folder().join(format!("models/{kind}.model"));
        if std::env::var_os("BLESS_MODELS").is_some() {
            let model = artifacts_for(config).model.unwrap();
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, model.to_bytes()).unwrap();
        }
        let model = Model::from_bytes(&fs::read(&file).unwrap()).unwrap();
        Artifacts { model: Some(Arc::new(model)), ..Artifacts::default() }
    } else {
        artifacts_for(config)
    };
    config.build(&artifacts).unwrap()
}

/// Writes the file where `BLESS` is set; else, whether it holds this.
fn is_golden(file: &Path, content: &[u8]) -> bool {
    if std::env::var_os("BLESS").is_some() {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
        return true;
    }
    fs::read(file).unwrap_or_default() == content
}

const ADVICE: &str = "stored indexes and results no longer fit. If that is meant (or the method is \
     new), raise its version (`fingerprint.rs`), run `BLESS=1 cargo test -p lookalike-detect golden` and \
     commit the files with the reason";

#[test]
fn signatures_are_those_of_the_golden_files() {
    let mut changed = Vec::new();
    for (name, _) in DetectorConfig::METHODS {
        let detector = build(&DetectorConfig::named(name).unwrap());
        let file = folder().join(format!("signatures/{name}.txt"));
        if !is_golden(&file, describe(&detector).as_bytes()) {
            changed.push(*name);
        }
    }
    assert!(changed.is_empty(), "signatures of {changed:?} changed: {ADVICE}");
}

#[test]
fn prepared_documents_are_those_of_the_golden_files() {
    let mut changed = Vec::new();
    for (name, _) in DetectorConfig::METHODS {
        let detector = build(&DetectorConfig::named(name).unwrap());
        let prepare = |number: usize| {
            let document = Document::from_text(corpus::STORIES[number]);
            detector.prepare(&document, &mut Scratch::default()).unwrap().to_bytes()
        };
        let now = PAIR.map(prepare);
        let files = PAIR.map(|number| folder().join(format!("prepared/{name}-{number}.bin")));
        let same = files.iter().zip(&now).all(|(file, bytes)| is_golden(file, bytes));
        // What was stored once is read and judged as on the day it was stored.
        let stored = files.map(|file| {
            let bytes =
                fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            detector.read_prepared(&bytes)
        });
        let verdict = match &stored {
            [Ok(left), Ok(right)] => {
                let verdict = detector.judge(left, right);
                let score = detector.score(left, right);
                format!("duplicate {}, score {score:.9}\n", verdict.duplicate)
            }
            refused => format!("{refused:?}\n"),
        };
        let file = folder().join(format!("prepared/{name}.txt"));
        if !is_golden(&file, verdict.as_bytes()) || !same {
            changed.push(format!("{name}: {verdict}"));
        }
    }
    assert!(changed.is_empty(), "prepared documents of {changed:?} changed: {ADVICE}");
}

/// One line a document: how many words and keys, and a hash of each.
fn describe(detector: &Detector) -> String {
    let mut lines = String::new();
    let mut scratch = Scratch::default();
    for (number, text) in corpus::STORIES.iter().chain(ODD).enumerate() {
        match detector.sign(&Document::from_text(text), &mut scratch) {
            Ok(signed) => {
                let words = &signed.signature.0;
                let keys: Vec<u64> = signed.keys.iter().map(|key| key.0).collect();
                let (n_words, n_keys) = (words.len(), keys.len());
                let (words, keys) = (hash(words), hash(&keys));
                writeln!(lines, "{number} {n_words} words {words:016x}, {n_keys} keys {keys:016x}")
            }
            Err(rejection) => writeln!(lines, "{number} {}", rejection.name()),
        }
        .unwrap();
    }
    lines
}

fn hash(words: &[u64]) -> u64 {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    xxh3_64(&bytes)
}
