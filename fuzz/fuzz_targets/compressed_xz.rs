//! Any bytes as `a.jsonl.xz`: rows or reasons.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lookalike_fuzz::read_compressed("a.jsonl.xz", bytes);
});
