//! The distinct hashes of one document at a time, without sorting and without clearing.

/// A set of hashes that is emptied in constant time, for loops over many documents.
///
/// An open-addressing table whose slots carry the number of the document that filled them: a slot
/// of an earlier document counts as empty.
#[derive(Clone, Debug, Default)]
pub struct DistinctHashes {
    slots: Vec<Slot>,
    generation: u32,
    hashes: Vec<u64>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    hash: u64,
    generation: u32,
}

const SMALLEST_TABLE: usize = 1024;

impl DistinctHashes {
    /// Forgets all hashes and keeps the memory.
    pub fn clear(&mut self) {
        self.hashes.clear();
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
            Some(free) => {
                self.push(hash, free);
                true
            }
            None => false,
        }
    }

    /// The position of the free slot where a hash belongs; `None` if it is there already.
    #[inline]
    fn seek(&self, hash: u64) -> Option<usize> {
        let mask = self.slots.len().wrapping_sub(1);
        let mut position = hash as usize & mask;
        loop {
            // There is always a free slot, unless there is no table yet.
            let Some(slot) = self.slots.get(position) else { return Some(position) };
            if slot.generation != self.generation {
                return Some(position);
            }
            if slot.hash == hash {
                return None;
            }
            position = (position + 1) & mask;
        }
    }

    /// Adds a hash that is not there yet.
    fn push(&mut self, hash: u64, mut free: usize) {
        if self.hashes.len() * 2 >= self.slots.len() {
            self.grow();
            free = self.seek(hash).unwrap_or(free);
        }
        self.slots[free] = Slot { hash, generation: self.generation };
        self.hashes.push(hash);
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
        for &hash in &self.hashes {
            if let Some(free) = self.seek(hash) {
                self.slots[free] = Slot { hash, generation: 1 };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

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
    fn stamps_that_wrap_around_do_not_bring_old_hashes_back() {
        let mut distinct = DistinctHashes::default();
        distinct.insert(7);
        distinct.generation = u32::MAX;
        distinct.clear();
        assert!(distinct.insert(7));
    }
}
