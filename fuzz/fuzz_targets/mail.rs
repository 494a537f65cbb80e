//! Any bytes as `a.eml`: a document, or the reason why there is none.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lookalike_fuzz::read_document("a.eml", bytes);
});
