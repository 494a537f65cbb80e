//! Any bytes as a segment of an index, with the header, the length and the checksums that they need:
//! read in every way, or refused with a sentence.
#![no_main]

use lookalike_fuzz::index;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut segment = index::golden("segment-2").to_vec();
    for (place, byte) in segment.iter_mut().skip(40).zip(bytes) {
        *place = *byte;
    }
    let seed = index::seed(&segment);
    index::fix_blocks(&mut segment, 40, seed);
    index::read_all("segment-2", segment);
});
