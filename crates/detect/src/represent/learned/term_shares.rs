//! What a word by itself adds to its weight, whatever the document: computed once for a model.

use std::collections::BTreeMap;

use lookalike_statistics::Statistics;

use super::observations::{Observation, per_thousand};
use super::stop_words::StopWords;
use super::weights::{FoldedWeights, Share};

/// Word hash → share and whether it is a stop word, one look-up for both.
///
/// Words that add what an unknown word adds are left out: half of a vocabulary occurs once.
#[derive(Debug)]
pub(super) struct TermShares {
    slots: Vec<Slot>,
    /// What stands for a hash in free slots: one that no known word has. They hold the share of
    /// an unknown word, so that a look-up need not ask whether it found something.
    free: u64,
}

/// What is known of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TermShare {
    pub(super) share: Share,
    pub(super) is_stop_word: bool,
}

/// A place in the table.
#[derive(Clone, Copy, Debug)]
struct Slot {
    hash: u64,
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
        stop_words: &StopWords,
    ) -> Self {
        let share = |frequency: u32, asked: u32| {
            let frequency = per_thousand(statistics, frequency);
            weights.share(Observation::DocumentFrequency, frequency)
                + weights.share(Observation::AverageDocumentFrequency, frequency)
                + weights.share(Observation::MedianDocumentFrequency, frequency)
                + weights.share(Observation::QueryFrequency, asked as f32)
        };
        let unknown = TermShare { share: share(0, 0), is_stop_word: false };
        let known = |(hash, frequency): (u64, u32)| {
            let share = share(frequency, query_frequency.get(&hash).copied().unwrap_or(0));
            let known = TermShare { share, is_stop_word: stop_words.contains(hash) };
            (known != unknown).then_some((hash, known))
        };
        // Some stand in two of the three; their share is the same.
        let elsewhere = query_frequency.keys().copied().chain(stop_words.hashes());
        let elsewhere = elsewhere.map(|hash| (hash, statistics.document_frequency(hash)));
        let known: Vec<_> = statistics.iter().chain(elsewhere).filter_map(known).collect();
        let is_known = |hash: &u64| known.iter().any(|(known, _)| known == hash);
        let free = (0..=known.len() as u64).find(|hash| !is_known(hash)).unwrap_or(0);
        let size = (2 * known.len()).next_power_of_two().max(2);
        let slots = vec![Slot { hash: free, packed: unknown.packed() }; size];
        let mut table = Self { slots, free };
        for (hash, share) in known {
            let position = table.seek(hash);
            table.slots[position] = Slot { hash, packed: share.packed() };
        }
        table
    }

    /// What is known of a word.
    #[inline]
    pub(super) fn get(&self, hash: u64) -> TermShare {
        TermShare::unpacked(self.slots[self.seek(hash)].packed)
    }

    /// The position of a word, or of the free slot where it belongs; half of all are free.
    #[inline]
    #[expect(clippy::needless_bitwise_bool, reason = "which of the two it is cannot be predicted")]
    fn seek(&self, hash: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut position = hash as usize & mask;
        loop {
            let found = self.slots[position].hash;
            if (found == hash) | (found == self.free) {
                return position;
            }
            position = (position + 1) & mask;
        }
    }
}
