//! The distinct hashes of one document at a time, without sorting and without clearing.

use std::collections::BTreeSet;

/// A set of hashes that is emptied in constant time, for loops over many documents.
///
/// An open-addressing table whose slots carry the number of the document that filled them: a slot
/// of an earlier document counts as empty. Term hashes are public, so that a text can be written
/// whose words all want the same slots: what finds no room near its slot goes into a tree, which
/// no choice of words can slow down.
#[derive(Clone, Debug, Default)]
pub struct DistinctHashes {
    slots: Vec<Slot>,
    generation: u32,
    hashes: Vec<u64>,
    crowded_out: BTreeSet<u64>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    hash: u64,
    generation: u32,
}

const SMALLEST_TABLE: usize = 1024;

/// Slots that are looked at for one hash. In a table that is half full at most, hashes of honest
/// texts have more neighbors than this once in 10²⁰ documents.
const PROBES: usize = 256;

/// Where a hash is or belongs.
enum Found {
    Known,
    Free(usize),
    /// All slots near it are taken.
    NoRoom,
}

impl DistinctHashes {
    /// Forgets all hashes and keeps the memory.
    pub fn clear(&mut self) {
        self.hashes.clear();
        self.crowded_out.clear();
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            // After 2³² documents the stamps of the first ones would look fresh again.
            self.slots.fill(Slot::default());
            self.generation = 1;
        }
    }

    /// Adds a hash; true if it was not there yet.
    #[inline]
    pub fn insert(&mut self, hash: u64) -> bool {
        match self.seek(hash) {
            Found::Known => false,
            Found::Free(free) => {
                self.push(hash, free);
                true
            }
            Found::NoRoom => self.insert_crowded(hash),
        }
    }

    /// Looks for a hash near its slot.
    #[inline]
    fn seek(&self, hash: u64) -> Found {
        let mask = self.slots.len().wrapping_sub(1);
        for step in 0..PROBES {
            let position = (hash as usize).wrapping_add(step) & mask;
            // There is always a free slot, unless there is no table yet.
            let Some(slot) = self.slots.get(position) else { return Found::Free(position) };
            if slot.generation != self.generation {
                return Found::Free(position);
            }
            if slot.hash == hash {
                return Found::Known;
            }
        }
        Found::NoRoom
    }

    /// Adds a hash that is not there yet.
    fn push(&mut self, hash: u64, free: usize) {
        if self.hashes.len() * 2 >= self.slots.len() {
            self.grow();
            self.place(hash);
        } else {
            self.slots[free] = Slot { hash, generation: self.generation };
        }
        self.hashes.push(hash);
    }

    /// Adds a hash whose neighborhood is full.
    #[cold]
    fn insert_crowded(&mut self, hash: u64) -> bool {
        let is_new = self.crowded_out.insert(hash);
        if is_new {
            self.hashes.push(hash);
        }
        is_new
    }

    /// Puts a hash that is not there yet where it belongs.
    fn place(&mut self, hash: u64) {
        match self.seek(hash) {
            Found::Free(free) => self.slots[free] = Slot { hash, generation: self.generation },
            Found::Known => {}
            Found::NoRoom => {
                self.crowded_out.insert(hash);
            }
        }
    }

    /// The distinct hashes in the order of their first appearance.
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// How many distinct hashes there are.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    #[cold]
    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(SMALLEST_TABLE);
        self.slots.clear();
        self.slots.resize(size, Slot::default());
        self.generation = 1;
        self.crowded_out.clear();
        for number in 0..self.hashes.len() {
            self.place(self.hashes[number]);
        }
    }
}

#[cfg(test)]
mod tests {
    use lookalike_text::term_hash;
    use proptest::prelude::*;

    use super::*;
    use crate::flood::words_with_hashes;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn equals_a_set_for_document_after_document(
            documents in proptest::collection::vec(
                proptest::collection::vec(0u64..3_000, 0..2_000), 1..5)
        ) {
            let mut distinct = DistinctHashes::default();
            for document in documents {
                distinct.clear();
                let mut expected = BTreeSet::new();
                for hash in document {
                    prop_assert_eq!(distinct.insert(hash), expected.insert(hash));
                }
                let mut hashes = distinct.hashes().to_vec();
                hashes.sort_unstable();
                prop_assert_eq!(hashes, expected.into_iter().collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn words_that_want_the_same_slots_do_not_queue_up() {
        // Slots of a table of 2²⁰ come from the lower bits: these leave 4,096 of them to all.
        let words = words_with_hashes(20_000, |hash| hash >> 12 & 0xff == 0x5a);
        let hashes: Vec<u64> = words.iter().map(|word| term_hash(word)).collect();
        let mut distinct = DistinctHashes::default();
        distinct.clear();
        // Twice, so that those without a slot are found again.
        for (number, &hash) in hashes.iter().chain(&hashes).enumerate() {
            assert_eq!(distinct.insert(hash), number < hashes.len());
        }
        assert_eq!(distinct.hashes(), hashes);
        assert!(distinct.crowded_out.len() > hashes.len() / 4);
        distinct.clear();
        assert!(distinct.insert(hashes[0]) && distinct.crowded_out.is_empty());
    }

    #[test]
    fn stamps_that_wrap_around_do_not_bring_old_hashes_back() {
        let mut distinct = DistinctHashes::default();
        distinct.insert(7);
        distinct.generation = u32::MAX;
        distinct.clear();
        assert!(distinct.insert(7));
    }
}
