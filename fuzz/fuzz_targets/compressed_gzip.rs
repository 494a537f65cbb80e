//! Any bytes as `a.jsonl.gz`: rows or reasons.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lookalike_fuzz::read_compressed("a.jsonl.gz", bytes);
});
