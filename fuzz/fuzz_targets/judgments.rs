//! Any bytes as a file of judged pairs: pairs, or a sentence.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let path = lookalike_fuzz::file("pairs.jsonl", bytes);
    if let Err(error) = lookalike::read_judgments(&path) {
        assert!(!error.to_string().is_empty());
    }
});
