//! Which paragraphs may repeat, from one look at all of them.
//!
//! Most paragraphs of a collection stand in it once; to sort where all of them stand would be to sort
//! for nothing. Paragraphs share counters by their hashes, so that a counter never has less than any of
//! its paragraphs, and those of a low one are out of the question.

/// Upper bounds of how often paragraphs occur.
#[derive(Debug)]
pub struct MostOccurrences {
    /// As many as a power of two.
    counters: Vec<u8>,
}

impl MostOccurrences {
    /// Nothing counted yet, with at most so many counters, one byte each.
    pub fn new(most_counters: usize) -> Self {
        let n_counters = (most_counters / 2 + 1).next_power_of_two();
        Self { counters: vec![0; n_counters] }
    }

    fn place(&self, hash: u64) -> usize {
        // The sorted rows and maps of hashes go by the high bits: these are independent of them.
        hash as usize & (self.counters.len() - 1)
    }

    /// Counts a paragraph.
    pub fn add(&mut self, hash: u64) {
        let place = self.place(hash);
        let counter = &mut self.counters[place];
        *counter = counter.saturating_add(1);
    }

    /// Whether a paragraph may have been counted at least so often.
    pub fn may_reach(&self, hash: u64, n_occurrences: usize) -> bool {
        usize::from(self.counters[self.place(hash)]) >= n_occurrences.min(usize::from(u8::MAX))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]
        #[test]
        fn a_paragraph_that_occurs_often_enough_is_never_ruled_out(
            hashes in prop::collection::vec(0_u64..40, 0..600),
            most_counters in 0_usize..200,
        ) {
            let mut bounds = MostOccurrences::new(most_counters);
            for hash in &hashes {
                bounds.add(*hash);
            }
            for hash in 0..40 {
                let n_occurrences = hashes.iter().filter(|other| **other == hash).count();
                prop_assert!(bounds.may_reach(hash, n_occurrences));
                // Where there are counters enough, the others are.
                if most_counters >= 128 && n_occurrences < 255 {
                    prop_assert!(!bounds.may_reach(hash, n_occurrences + 1));
                }
            }
        }
    }
}
