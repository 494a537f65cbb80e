//! Any bytes as a boilerplate file, with the checksum that they need: refused, or read as what
//! writes the same again.
#![no_main]

use lookalike_statistics::boilerplate::BoilerplateSet;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let bytes = lookalike_fuzz::with_checksum(bytes);
    if let Ok(set) = BoilerplateSet::from_bytes(&bytes) {
        let again = BoilerplateSet::from_bytes(&set.to_bytes()).expect("what we wrote");
        assert_eq!(set.fingerprint(), again.fingerprint());
    }
});
