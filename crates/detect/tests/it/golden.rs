//! Signatures never change silently: fixed documents, every method, one file each.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use lookalike_detect::{Detector, DetectorConfig, Scratch};
use lookalike_testkit::{build, corpus};
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

#[test]
fn signatures_are_those_of_the_golden_files() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/golden/signatures");
    let bless = std::env::var_os("BLESS").is_some();
    let mut changed = Vec::new();
    for (name, _) in DetectorConfig::METHODS {
        let config = DetectorConfig::named(name).unwrap();
        // What a learned method signs follows from a model that is trained here, and training takes
        // exponentials from the system's library: the last bits may differ between systems.
        if config.needs_model() {
            continue;
        }
        let detector = build(&config);
        let signatures = describe(&detector);
        let file = folder.join(format!("{name}.txt"));
        if bless {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&file, signatures).unwrap();
        } else if fs::read_to_string(&file).unwrap_or_default() != signatures {
            changed.push(*name);
        }
    }
    assert!(
        changed.is_empty(),
        "the signatures of {changed:?} are not those of testdata/golden/signatures: stored indexes \
         and results no longer fit. If that is meant (or the method is new), run `BLESS=1 cargo \
         test -p lookalike-detect golden` and commit the files with the reason"
    );
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
