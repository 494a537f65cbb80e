//! A run over small documents against every pair of them judged by itself.
#![no_main]

use std::collections::BTreeMap;

use lookalike::{Artifacts, Config, Context, Corpus, Document, Interrupt, Method, Silent, find};

/// Makes the fuzzer's thread a pool of one, which runs on one thread then use: starting another and
/// waiting for it takes longer than such a run.
fn use_this_thread() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
    std::mem::forget(pool.expect("a thread that belongs to no pool"));
}

libfuzzer_sys::fuzz_target!(init: use_this_thread(), |input: (u8, Vec<Vec<u8>>)| {
    let (choice, documents) = input;
    let name = ["minhash", "exact", "spotsigs", "wordlsh", "longsentences", "simhash"]
        [usize::from(choice) % 6];
    // Words of few letters, so that documents have much in common.
    let word = |letter: &u8| {
        ["the ", "fog ", "was ", "a ", "sea ", "is ", "pier. ", "old "][usize::from(letter % 8)]
    };
    let texts: Vec<String> =
        documents.iter().take(24).map(|d| d.iter().take(60).map(word).collect()).collect();
    let mut config = Config::for_method(name).expect("a method");
    config.run.pairs = lookalike::PairsWritten::All;
    config.run.max_comparisons = usize::MAX;
    config.run.threads = if choice < 240 { 1 } else { 3 };
    let (interrupt, folder) = (Interrupt::new(), std::env::temp_dir());
    let context = Context { progress: &Silent, interrupt: &interrupt, temp_dir: &folder };
    let findings = find(&Corpus::from_documents(texts.clone()), &config, &context).expect("a run");
    let found: BTreeMap<(String, String), u64> = findings
        .pairs()
        .map(|pair| {
            let pair = pair.expect("pairs in memory");
            let (a, b) = (pair.a.id.to_owned(), pair.b.id.to_owned());
            ((a.clone().min(b.clone()), a.max(b)), pair.score.to_bits())
        })
        .collect();
    let method = Method::new(&config, Artifacts::default()).expect("its own parameters");
    let prepared: Vec<_> =
        texts.iter().map(|text| method.prepare(&Document::from_text(text)).ok()).collect();
    let mut expected = BTreeMap::new();
    for (right, second) in prepared.iter().enumerate() {
        for (left, first) in prepared[..right].iter().enumerate() {
            let (Some(first), Some(second)) = (first, second) else { continue };
            let verdict = method.judge(first, second).expect("prepared by this method");
            if verdict.duplicate {
                let (a, b) = (left.to_string(), right.to_string());
                expected.insert((a.clone().min(b.clone()), a.max(b)), verdict.score.to_bits());
            }
        }
    }
    assert_eq!(found, expected, "{name} {texts:?}");
});
