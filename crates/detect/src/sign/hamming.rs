//! Bit signatures within a Hamming distance: their comparison, and keys that miss none.
//!
//! The bits are cut into blocks; every choice of all but k blocks is one table, and the bits of
//! the chosen blocks are the key in it (Manku, Jain, Das Sarma 2007). Signatures that differ in at
//! most k bits differ in at most k blocks, and so agree in one of the tables.

use crate::BucketKey;
use crate::random::mix64;

/// Keys of fewer bits put too many strangers into one bucket.
const ENOUGH_BITS: usize = 24;

/// A document should not cost more rows than this where fewer do.
const MOST_TABLES: usize = 64;

/// The tables that find signatures of so many bits within so many differences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HammingTables {
    /// Ends of the blocks, in bits.
    ends: Vec<usize>,
    /// For each table, the blocks it leaves out, ascending.
    left_out: Vec<Vec<usize>>,
    seed: u64,
}

impl HammingTables {
    /// Tables for signatures of `bits` bits that differ in at most `distance`.
    ///
    /// With `distance` + 1 blocks there are that many tables, each with a short key; more blocks
    /// give longer keys and more tables. Blocks are added while keys are shorter than 24 bits
    /// and there are at most 64 tables.
    pub fn new(bits: usize, distance: usize, seed: u64) -> Self {
        let distance = distance.min(bits.saturating_sub(1));
        let mut n_blocks = distance + 1;
        let key_bits = |n_blocks: usize| bits * (n_blocks - distance) / n_blocks;
        while key_bits(n_blocks) < ENOUGH_BITS
            && n_blocks < bits
            && n_choices(n_blocks + 1, distance) <= MOST_TABLES
        {
            n_blocks += 1;
        }
        let ends = (1..=n_blocks).map(|block| block * bits / n_blocks).collect();
        Self { ends, left_out: choices(n_blocks, distance), seed }
    }

    /// How many keys a signature has.
    pub fn n_tables(&self) -> usize {
        self.left_out.len()
    }

    /// Appends the key of each table.
    pub fn keys(&self, words: &[u64], keys: &mut Vec<BucketKey>) {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let blocks: Vec<u64> = starts
            .zip(&self.ends)
            .enumerate()
            .map(|(block, (from, to))| {
                mix64(block_hash(words, from, *to) ^ mix64(block as u64 + 1))
            })
            .collect();
        let all = blocks.iter().fold(0u64, |sum, block| sum.wrapping_add(*block));
        keys.reserve(self.left_out.len());
        for (table, left_out) in self.left_out.iter().enumerate() {
            let chosen = left_out.iter().fold(all, |sum, out| sum.wrapping_sub(blocks[*out]));
            keys.push(BucketKey(mix64(chosen ^ mix64(self.seed ^ table as u64))));
        }
    }
}

/// In how many bits two signatures of the same length differ.
pub fn hamming_distance(left: &[u64], right: &[u64]) -> u32 {
    left.iter().zip(right).map(|(l, r)| (l ^ r).count_ones()).sum()
}

/// A hash of the bits `from..to`, which may span words.
fn block_hash(words: &[u64], from: usize, to: usize) -> u64 {
    let mut hash = 0;
    let mut position = from;
    while position < to {
        let (word, offset) = (position / 64, position % 64);
        let width = (64 - offset).min(to - position);
        let bits = words.get(word).copied().unwrap_or(0) >> offset;
        hash = mix64(hash ^ (bits & (u64::MAX >> (64 - width)))).wrapping_add(width as u64);
        position += width;
    }
    hash
}

/// n choose k, capped well above any number of tables allowed.
fn n_choices(n: usize, k: usize) -> usize {
    (0..k.min(n - k)).fold(1usize, |product, i| (product * (n - i) / (i + 1)).min(1 << 20))
}

/// Every choice of k out of n, in ascending order.
pub(super) fn choices(n: usize, k: usize) -> Vec<Vec<usize>> {
    let mut found = vec![Vec::new()];
    for chosen in 1..=k {
        found = found
            .into_iter()
            .flat_map(|choice| {
                let next = choice.last().map_or(0, |last| last + 1);
                // Leave enough items for the choices still to make.
                let end = n + chosen - k;
                (next..end).map(move |item| [choice.as_slice(), &[item]].concat())
            })
            .collect();
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn keys(tables: &HammingTables, words: &[u64]) -> Vec<BucketKey> {
        let mut keys = Vec::new();
        tables.keys(words, &mut keys);
        keys
    }

    #[test]
    fn the_number_of_tables_follows_manku() {
        // 64 bits, distance 3: five blocks, ten tables with keys of 25 bits.
        assert_eq!(HammingTables::new(64, 3, 0).n_tables(), 10);
        assert_eq!(HammingTables::new(64, 0, 0).n_tables(), 1);
        assert_eq!(HammingTables::new(384, 10, 0).n_tables(), 11);
        assert_eq!(HammingTables::new(64, 20, 0).n_tables(), 21);
        assert_eq!(HammingTables::new(64, 64, 0).n_tables(), 64);
        assert_eq!(choices(4, 2), [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
    }

    #[test]
    fn far_signatures_share_no_key() {
        let tables = HammingTables::new(64, 3, 0);
        let (left, right) = (keys(&tables, &[mix64(1)]), keys(&tables, &[mix64(2)]));
        assert!(left.iter().all(|key| !right.contains(key)));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]
        #[test]
        fn signatures_within_the_distance_share_a_key(
            words in proptest::collection::vec(any::<u64>(), 6),
            flips in proptest::collection::vec(0usize..384, 0..12),
            shape in proptest::sample::select(vec![(64, 3), (64, 6), (128, 7), (100, 5), (384, 12)]),
        ) {
            let (bits, distance) = shape;
            let tables = HammingTables::new(bits, distance, 1);
            let mut other = words.clone();
            for flip in flips.iter().take(distance) {
                other[(flip % bits) / 64] ^= 1 << (flip % bits % 64);
            }
            let n_words = bits.div_ceil(64);
            prop_assert!(hamming_distance(&words[..n_words], &other[..n_words]) as usize <= distance);
            let (left, right) = (keys(&tables, &words), keys(&tables, &other));
            prop_assert!(left.iter().zip(&right).any(|(l, r)| l == r));
        }
    }
}
