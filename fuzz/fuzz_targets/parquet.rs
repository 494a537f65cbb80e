//! Any bytes as `a.parquet`: rows or reasons, the same whatever the size of blocks.
#![no_main]

libfuzzer_sys::fuzz_target!(
    init: {
        // The fuzzer's hook ends the process; panics of the library that the reader catches are none.
        lookalike_corpus::keep_quiet_about_caught_panics();
    },
    |bytes: &[u8]| {
        lookalike_fuzz::read("a.parquet", bytes);
    }
);
