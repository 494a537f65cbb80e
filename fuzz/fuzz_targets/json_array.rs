//! Any bytes as a JSON array.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut array = b"[".to_vec();
    array.extend_from_slice(bytes);
    lookalike_fuzz::read("a.json", &array);
});
