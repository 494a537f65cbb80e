//! Any bytes as `a.warc`: rows or reasons, the same whatever the size of blocks.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lookalike_fuzz::read("a.warc", bytes);
});
