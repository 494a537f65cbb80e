//! Any bytes as a model, with the checksum that they need: refused, or read as what writes the same
//! again.
#![no_main]

use lookalike_detect::Model;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let bytes = lookalike_fuzz::with_checksum(bytes);
    if let Ok(model) = Model::from_bytes(&bytes) {
        let again = Model::from_bytes(&model.to_bytes()).expect("what we wrote");
        assert_eq!(model.fingerprint(), again.fingerprint());
    }
});
