//! Any bytes as a document that a method prepared, with the fingerprint and the checksum that they
//! need: refused, or read as what writes the same again and can be judged.
#![no_main]

use std::sync::OnceLock;

use lookalike::{Artifacts, Config, Method};

/// One method for each kind of evidence.
fn methods() -> &'static [Method] {
    static METHODS: OnceLock<Vec<Method>> = OnceLock::new();
    METHODS.get_or_init(|| {
        let method = |name: &&str| {
            let config = Config::for_method(name).expect("a method");
            Method::new(&config, Artifacts::default()).expect("its own parameters")
        };
        ["exact", "simhash", "spotsigs", "minhash", "paragraph"].iter().map(method).collect()
    })
}

libfuzzer_sys::fuzz_target!(|input: (u8, &[u8])| {
    let (choice, bytes) = input;
    let method = &methods()[usize::from(choice) % methods().len()];
    let mut bytes = bytes.to_vec();
    if let Some(place) = bytes.get_mut(8..24) {
        place.copy_from_slice(&method.fingerprint().to_le_bytes());
    }
    let bytes = lookalike_fuzz::with_checksum(&bytes);
    if let Ok(prepared) = method.read_prepared(&bytes) {
        assert_eq!(prepared.to_bytes(), bytes);
        method.judge(&prepared, &prepared).expect("prepared by this method");
        method.score(&prepared, &prepared).expect("prepared by this method");
    }
});
