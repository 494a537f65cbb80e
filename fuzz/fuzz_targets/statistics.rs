//! Any bytes as a statistics file, with the checksum that they need: refused, or read as what writes
//! the same again.
#![no_main]

use lookalike_statistics::Statistics;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let bytes = lookalike_fuzz::with_checksum(bytes);
    if let Ok(statistics) = Statistics::from_bytes(&bytes) {
        let again = Statistics::from_bytes(&statistics.to_bytes()).expect("what we wrote");
        assert_eq!(statistics.fingerprint(), again.fingerprint());
    }
});
