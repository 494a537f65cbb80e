//! Any bytes as what an index consists of, or as people's words in it, with the header and the
//! checksums that they need: read in every way, or refused with a sentence.
#![no_main]

use lookalike_fuzz::index;

libfuzzer_sys::fuzz_target!(|input: (bool, &[u8])| {
    let (is_manifest, bytes) = input;
    let mut files = index::golden();
    if let Some(file) = files.get_mut(if is_manifest { "MANIFEST" } else { "judgments-3" }) {
        file.truncate(40);
        file.extend_from_slice(bytes);
        let seed = index::seed(file);
        index::fix_blocks(file, 40, seed);
    }
    index::read_all(files);
});
