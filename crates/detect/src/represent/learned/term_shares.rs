//! What a word by itself adds to its weight, whatever the document: computed once for a model.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use lookalike_statistics::Statistics;

use super::observations::{Observation, per_thousand};
use super::stop_words::ProseWords;
use super::weights::{FoldedWeights, Share};

/// Word hash → share and whether it is a stop word, one look-up for both.
///
/// Words that add what an unknown word adds are left out: half of a vocabulary occurs once. Each
/// word that is left has a slot of its own, chosen by multiplying its hash with the factor of its
/// group: a look-up reads one slot and has nothing to guess.
#[derive(Debug)]
pub(super) struct TermShares {
    /// The odd factor of each group of words that have their lowest bits in common; 0 where none
    /// was found.
    factors: Vec<u32>,
    slots: Vec<Slot>,
    /// The highest bits of the product are the slot.
    shift: u32,
    /// The words of the groups without a factor, by hash.
    homeless: Vec<Slot>,
    unknown: i64,
}

/// What is known of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TermShare {
    pub(super) share: Share,
    pub(super) is_stop_word: bool,
}

/// Frequencies below it are those of nearly all words; what they add is computed once.
const USUAL_FREQUENCIES: u32 = 256;
/// Factors below it are tried for a group.
const MOST_FACTORS: u32 = 1 << 16;
/// Groups have four words on average; trying to place a much larger one would take too long.
const LARGEST_GROUP: usize = 64;

/// A place in the table; all zeros where no word has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Slot {
    hash: u64,
    /// What is known of the word, as its difference (XOR) to an unknown one.
    packed: i64,
}

impl TermShare {
    fn packed(self) -> i64 {
        self.share.0 << 1 | i64::from(self.is_stop_word)
    }

    #[inline]
    fn unpacked(packed: i64) -> Self {
        Self { share: Share(packed >> 1), is_stop_word: packed & 1 == 1 }
    }
}

impl TermShares {
    /// The shares of all words that statistics, query log or stop words know.
    pub(super) fn new(
        weights: &FoldedWeights,
        statistics: &Statistics,
        query_frequency: &BTreeMap<u64, u32>,
        stop_words: &ProseWords,
    ) -> Self {
        let share = |frequency: u32, asked: u32| {
            let frequency = per_thousand(statistics, frequency);
            weights.share(Observation::DocumentFrequency, frequency)
                + weights.share(Observation::AverageDocumentFrequency, frequency)
                + weights.share(Observation::MedianDocumentFrequency, frequency)
                + weights.share(Observation::QueryFrequency, asked as f32)
        };
        let usual: Vec<Share> =
            (0..USUAL_FREQUENCIES).map(|frequency| share(frequency, 0)).collect();
        let share = |frequency: u32, asked: u32| match usual.get(frequency as usize) {
            Some(usual) if asked == 0 => *usual,
            _ => share(frequency, asked),
        };
        let unknown = TermShare { share: share(0, 0), is_stop_word: false };
        let known = |(hash, frequency): (u64, u32)| {
            let share = share(frequency, query_frequency.get(&hash).copied().unwrap_or(0));
            let known = TermShare { share, is_stop_word: stop_words.contains(hash) };
            (known != unknown).then_some((hash, known))
        };
        let elsewhere = query_frequency.keys().copied().chain(stop_words.hashes());
        let elsewhere = elsewhere.map(|hash| (hash, statistics.document_frequency(hash)));
        let mut known: Vec<_> = statistics.iter().chain(elsewhere).filter_map(known).collect();
        // Some stand in two of the three; their share is the same.
        // Nearly all of them are in order, which a stable sort makes use of.
        known.sort_by_key(|(hash, _)| *hash);
        known.dedup_by_key(|(hash, _)| *hash);
        let slot = |&(hash, known): &(u64, TermShare)| Slot {
            hash,
            packed: known.packed() ^ unknown.packed(),
        };
        Self::of_slots(&known.iter().map(slot).collect::<Vec<_>>(), unknown.packed())
    }

    /// Stop words alone: what else is known of a word is left out.
    pub(super) fn of_stop_words(stop_words: &ProseWords) -> Self {
        let known = TermShare { share: Share::default(), is_stop_word: true }.packed();
        let mut known: Vec<Slot> =
            stop_words.hashes().map(|hash| Slot { hash, packed: known }).collect();
        known.sort_unstable_by_key(|slot| slot.hash);
        Self::of_slots(&known, TermShare { share: Share::default(), is_stop_word: false }.packed())
    }

    /// Finds a factor for each group, the largest groups first, in a table that is at most two
    /// thirds full.
    fn of_slots(known: &[Slot], unknown: i64) -> Self {
        let n_slots = (known.len() + known.len() / 2).next_power_of_two().max(2);
        let n_groups = known.len().div_ceil(4).next_power_of_two();
        let group = |slot: &Slot| slot.hash as usize & (n_groups - 1);
        let mut ends = vec![0; n_groups];
        for slot in known {
            ends[group(slot)] += 1;
        }
        let mut order: Vec<u32> = (0..n_groups as u32).collect();
        order.sort_by_key(|&group| Reverse(ends[group as usize]));
        let mut end = 0;
        for own in &mut ends {
            // Where the group begins, until its words are there.
            end += std::mem::replace(own, end);
        }
        let mut words = vec![Slot::default(); known.len()];
        for slot in known {
            let end = &mut ends[group(slot)];
            words[*end] = *slot;
            *end += 1;
        }
        let mut table = Self {
            factors: vec![0; n_groups],
            slots: vec![Slot::default(); n_slots],
            shift: 64 - n_slots.trailing_zeros(),
            homeless: Vec::new(),
            unknown,
        };
        for group in order {
            let group = group as usize;
            let start = group.checked_sub(1).map_or(0, |before| ends[before]);
            table.place(group, &words[start..ends[group]]);
        }
        table.homeless.sort_unstable_by_key(|slot| slot.hash);
        table
    }

    /// Gives each word of a group a free slot of its own.
    fn place(&mut self, group: usize, words: &[Slot]) {
        let mut places = Vec::new();
        let most = if words.len() > LARGEST_GROUP { 0 } else { MOST_FACTORS };
        for factor in (1..most).step_by(2) {
            places.clear();
            places.extend(words.iter().map(|word| self.slot(word.hash, factor)));
            let is_free = |(n, place): (usize, &usize)| {
                self.slots[*place] == Slot::default() && !places[..n].contains(place)
            };
            if places.iter().enumerate().all(is_free) {
                self.factors[group] = factor;
                for (place, word) in places.iter().zip(words) {
                    self.slots[*place] = *word;
                }
                return;
            }
        }
        // Hashes that are no better than this come from a damaged model, or from a collection that
        // was written against the table.
        self.homeless.extend_from_slice(words);
    }

    #[inline]
    fn slot(&self, hash: u64, factor: u32) -> usize {
        (hash.wrapping_mul(u64::from(factor)) >> self.shift) as usize
    }

    /// What is known of a word.
    #[inline]
    pub(super) fn get(&self, hash: u64) -> TermShare {
        let factor = self.factors[hash as usize & (self.factors.len() - 1)];
        if factor == 0 {
            return self.search(hash);
        }
        let slot = self.slots[self.slot(hash, factor)];
        // Chosen, not jumped to: which words are known cannot be predicted.
        let if_known = -i64::from(slot.hash == hash);
        TermShare::unpacked(self.unknown ^ (slot.packed & if_known))
    }

    /// What is known of a word whose group has no factor.
    #[cold]
    fn search(&self, hash: u64) -> TermShare {
        let found = self.homeless.binary_search_by_key(&hash, |slot| slot.hash);
        let difference = found.map_or(0, |place| self.homeless[place].packed);
        TermShare::unpacked(self.unknown ^ difference)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    #[test]
    fn known_words_have_what_is_known_and_others_what_an_unknown_word_has() {
        let mut generator = SplitMix64::new(8);
        for n_known in [0, 1, 2, 3, 100, 20_000] {
            let known: Vec<Slot> = (1..=n_known)
                .map(|packed| Slot { hash: generator.next_u64(), packed: 2 * packed })
                .collect();
            let unknown = 0x10;
            let table = TermShares::of_slots(&known, unknown);
            assert_eq!(table.homeless, []);
            for slot in &known {
                assert_eq!(table.get(slot.hash), TermShare::unpacked(slot.packed ^ unknown));
            }
            for hash in (0..10).chain((0..n_known).map(|_| generator.next_u64())) {
                assert_eq!(table.get(hash), TermShare::unpacked(unknown));
            }
        }
    }

    #[test]
    fn words_without_a_slot_are_found_all_the_same() {
        let known: Vec<Slot> = (0..300).map(|n| Slot { hash: n << 20, packed: 7 }).collect();
        let table = TermShares::of_slots(&known, 0);
        assert_eq!(table.homeless.len(), known.len());
        assert!(known.iter().all(|slot| table.get(slot.hash) == TermShare::unpacked(7)));
        assert_eq!(table.get(1 << 40), TermShare::unpacked(0));
    }
}
