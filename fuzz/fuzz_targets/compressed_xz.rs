//! Any bytes as `a.jsonl.xz`: rows or reasons, the same whatever the size of blocks.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lookalike_fuzz::read("a.jsonl.xz", bytes);
});
