//! Any bytes as what an index consists of, or as people's words in it, with the header and the
//! checksums that they need: read in every way, or refused with a sentence.
#![no_main]

use lookalike_fuzz::index;

libfuzzer_sys::fuzz_target!(|input: (bool, &[u8])| {
    let (is_manifest, bytes) = input;
    let name = if is_manifest { "MANIFEST" } else { "judgments-3" };
    let mut file = index::golden(name)[..40].to_vec();
    file.extend_from_slice(bytes);
    let seed = index::seed(&file);
    index::fix_blocks(&mut file, 40, seed);
    index::read_all(name, file);
});
