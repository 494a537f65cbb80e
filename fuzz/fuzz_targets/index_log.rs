//! Any bytes as a record of an index's log, or as the segment in it, with the checksums that they
//! need: read in every way, or refused with a sentence.
#![no_main]

use lookalike_fuzz::index;

libfuzzer_sys::fuzz_target!(|input: (bool, u8, u8, &[u8])| {
    let (is_whole, next, n_removed, bytes) = input;
    let mut payload = bytes.to_vec();
    if !is_whole {
        let mut segment = std::mem::take(&mut payload);
        index::fix_blocks(&mut segment, 0, 0);
        payload.extend_from_slice(&1u64.to_le_bytes());
        payload.extend_from_slice(&u32::from(next).to_le_bytes());
        payload.extend_from_slice(&u32::from(n_removed).to_le_bytes());
        for number in 0..u32::from(n_removed) {
            payload.extend_from_slice(&number.to_le_bytes());
        }
        payload.extend_from_slice(&0u32.to_le_bytes());
        payload.extend_from_slice(&(segment.len() as u32).to_le_bytes());
        payload.extend_from_slice(&segment);
        payload.resize(payload.len().next_multiple_of(8), 0);
    }
    index::read_all("log-4", index::log_of(&payload));
});
