//! How often each word of a document occurs.

/// Slots that are looked at for one hash: honest texts need far fewer in a table half empty. Term
/// hashes are public, so that a text can be written whose words all want the same slots.
const PROBES: usize = 128;

/// Each distinct hash with how often it occurs, in any order; at most `most` hashes come.
pub(super) fn word_counts(
    most: usize,
    hashes: impl Iterator<Item = u64> + Clone,
) -> Vec<(u64, u32)> {
    counted_in_table(most, hashes.clone()).unwrap_or_else(|| counted_by_sorting(hashes))
}

/// The same without sorting; `None` where too many want the same slots.
fn counted_in_table(most: usize, hashes: impl Iterator<Item = u64>) -> Option<Vec<(u64, u32)>> {
    // By slot, the place in `counts` and one more; 0 where nothing is.
    let mut slots = vec![0_u32; (2 * most).next_power_of_two()];
    let mask = slots.len() - 1;
    let mut counts: Vec<(u64, u32)> = Vec::with_capacity(most.min(1024));
    'hashes: for hash in hashes {
        for step in 0..PROBES {
            let slot = &mut slots[(hash as usize).wrapping_add(step) & mask];
            match (*slot as usize).checked_sub(1) {
                None => {
                    counts.push((hash, 1));
                    *slot = counts.len() as u32;
                    continue 'hashes;
                }
                Some(place) if counts[place].0 == hash => {
                    counts[place].1 += 1;
                    continue 'hashes;
                }
                Some(_) => {}
            }
        }
        return None;
    }
    Some(counts)
}

/// The plain version.
fn counted_by_sorting(hashes: impl Iterator<Item = u64>) -> Vec<(u64, u32)> {
    let mut hashes: Vec<u64> = hashes.collect();
    hashes.sort_unstable();
    let count = |same: &[u64]| (same[0], same.len() as u32);
    hashes.chunk_by(|left, right| left == right).map(count).collect()
}

/// A few words that are looked for among many, each with a value.
pub(super) struct FewWords<V> {
    /// Ascending hashes.
    words: Vec<(u64, V)>,
    /// A bit for the lowest byte of each hash: one look tells most other words apart.
    bits: [u64; 4],
}

impl<V: Copy + Ord> FewWords<V> {
    /// The words with these hashes and values; of one hash the least value.
    pub(super) fn new(mut words: Vec<(u64, V)>) -> Self {
        words.sort_unstable();
        words.dedup_by_key(|word| word.0);
        let mut bits = [0; 4];
        for (hash, _) in &words {
            bits[(hash / 64 % 4) as usize] |= 1 << (hash % 64);
        }
        Self { words, bits }
    }

    /// The value of a word that is among them.
    #[inline]
    pub(super) fn get(&self, hash: u64) -> Option<V> {
        if self.bits[(hash / 64 % 4) as usize] >> (hash % 64) & 1 == 0 {
            return None;
        }
        let place = self.words.binary_search_by_key(&hash, |word| word.0).ok()?;
        Some(self.words[place].1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(128) })]
        #[test]
        fn a_table_counts_as_sorting_does(
            words in prop::collection::vec((0u64..9, 0u64..300), 0..400),
            spread in prop_oneof![Just(1u64), Just(1 << 40), Just(0x9e37_79b9_7f4a_7c15)],
        ) {
            let hashes = words.iter().map(|(high, low)| (high * 300 + low).wrapping_mul(spread));
            let mut counted = word_counts(words.len(), hashes.clone());
            counted.sort_unstable();
            prop_assert_eq!(counted, counted_by_sorting(hashes));
        }

        #[test]
        fn few_words_are_told_from_all_others(words in prop::collection::vec((0u64..900, 1usize..9), 0..20)) {
            let few = FewWords::new(words.clone());
            for hash in 0..900 {
                let expected = words.iter().filter(|word| word.0 == hash).map(|word| word.1).min();
                prop_assert_eq!(few.get(hash), expected);
            }
        }
    }

    #[test]
    fn words_that_all_want_one_slot_are_counted_by_sorting() {
        let hashes = || (0..1000_u64).map(|number| number << 40);
        assert!(counted_in_table(1000, hashes()).is_none());
        assert_eq!(word_counts(1000, hashes()).len(), 1000);
    }
}
