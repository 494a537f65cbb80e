//! The hashes of many terms at once, where the processor has wide registers.
//!
//! The hash of a short term is some twenty operations on one register. Wide registers do them for
//! four or eight terms together; terms of more than eight bytes, one in seven, need a product of
//! 128 bits and are hashed one by one. Same values as [`term_hash`](crate::term_hash).

use crate::by_register_width;
use crate::hash::{HASH_PADDING, general_hash, hash_1_to_3, hash_4_to_8, hash_9_to_16};

/// Terms that are hashed together.
pub(crate) const BATCH: usize = 32;

/// Terms that wait to be hashed, in reading order.
#[derive(Debug)]
pub(crate) struct HashBatch {
    /// The first eight bytes of each term and what stands behind it, or its hash.
    low: [u64; BATCH],
    /// The next eight bytes.
    high: [u64; BATCH],
    /// The bytes of each term; 0 where its hash is known.
    lengths: [u64; BATCH],
    /// The places of the terms of more than eight bytes.
    long: [u8; BATCH],
    n_terms: usize,
    n_long: usize,
}

impl HashBatch {
    /// No term yet.
    pub(crate) fn new() -> Self {
        Self {
            low: [0; BATCH],
            high: [0; BATCH],
            lengths: [0; BATCH],
            long: [0; BATCH],
            n_terms: 0,
            n_long: 0,
        }
    }

    /// How many terms wait.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.n_terms
    }

    /// Whether the next term would not find room.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.n_terms == BATCH
    }

    /// Adds `buffer[start..end]`, where at least [`HASH_PADDING`] bytes follow `start`.
    #[inline]
    pub(crate) fn push_term(&mut self, buffer: &[u8], start: usize, end: usize) {
        let length = end - start;
        match buffer.get(start..).and_then(<[u8]>::first_chunk::<HASH_PADDING>) {
            Some(window) if length.wrapping_sub(1) < HASH_PADDING => {
                let both = u128::from_le_bytes(*window);
                self.push(both as u64, (both >> 64) as u64, length);
            }
            _ => self.push_hash(general_hash(&buffer[start..end])),
        }
    }

    /// Adds a term whose hash is known.
    #[inline]
    pub(crate) fn push_hash(&mut self, hash: u64) {
        self.push(hash, 0, 0);
    }

    #[inline]
    fn push(&mut self, low: u64, high: u64, length: usize) {
        let place = self.n_terms % BATCH;
        self.low[place] = low;
        self.high[place] = high;
        self.lengths[place] = length as u64;
        // Long terms come at random: noting each term and keeping the long ones needs no branch.
        self.long[self.n_long % BATCH] = place as u8;
        self.n_long += usize::from(length > 8);
        self.n_terms += 1;
    }

    /// The hashes of the terms so far, which are forgotten.
    #[inline(never)]
    pub(crate) fn take(&mut self) -> &[u64] {
        let mut hashes = self.low;
        hash_lanes(&mut hashes, &self.lengths);
        for place in &self.long[..self.n_long] {
            let place = usize::from(*place) % BATCH;
            let (low, high) = (self.low[place], self.high[place]);
            hashes[place] = hash_9_to_16(low, high, self.lengths[place] as u32);
        }
        self.low = hashes;
        let n_terms = std::mem::take(&mut self.n_terms);
        self.n_long = 0;
        &self.low[..n_terms]
    }
}

/// Whether this processor hashes faster in batches.
#[inline]
pub(crate) fn is_worthwhile() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

by_register_width! {
    /// Replaces the words of terms of one to eight bytes by their hashes, and leaves those of
    /// length 0.
    fn hash_lanes(words: &mut [u64; BATCH], lengths: &[u64; BATCH]) {
        512 => hash_each(words, lengths),
        256 => hash_each(words, lengths),
        _ => hash_each(words, lengths),
    }
}

/// The plain form of [`hash_lanes`], without branches so that the compiler makes it wide.
#[expect(clippy::inline_always, reason = "it is compiled for the processor of its caller")]
#[inline(always)]
fn hash_each(words: &mut [u64; BATCH], lengths: &[u64; BATCH]) {
    for (word, length) in words.iter_mut().zip(lengths) {
        let length = *length as u32;
        let (short, middle) = (hash_1_to_3(*word, length), hash_4_to_8(*word, length));
        let hash = if length >= 4 { middle } else { short };
        *word = if length == 0 { *word } else { hash };
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::hash::padded_hash;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

        #[test]
        fn a_batch_has_the_hashes_of_its_terms(
            buffer in proptest::collection::vec(any::<u8>(), 60),
            terms in proptest::collection::vec((0usize..30, 0usize..25), 0..=BATCH),
        ) {
            let mut batch = HashBatch::new();
            let mut expected = Vec::new();
            for (start, length) in terms {
                let hash = padded_hash(&buffer, start, start + length);
                // Some terms come with their hash.
                if start % 5 == 0 {
                    batch.push_hash(hash);
                } else {
                    batch.push_term(&buffer, start, start + length);
                }
                expected.push(hash);
            }
            prop_assert_eq!(batch.is_full(), expected.len() == BATCH);
            prop_assert_eq!(batch.take(), expected.as_slice());
            prop_assert_eq!(batch.take(), &[]);
        }

        #[test]
        fn wide_registers_hash_as_plain_ones_do(
            words in proptest::array::uniform32(any::<u64>()),
            lengths in proptest::array::uniform32(0u64..=8),
        ) {
            let (mut wide, mut plain) = (words, words);
            hash_lanes(&mut wide, &lengths);
            hash_each(&mut plain, &lengths);
            prop_assert_eq!(wide, plain);
        }
    }
}
