//! Term hash → document frequency, in one flat table.
//!
//! Ordered linear probing (Amble and Knuth 1974): a term's home is given by the leading bits of
//! its hash, and all entries stand in ascending order of hash. So the table is the same whatever
//! the order of insertion, iteration is sorted, merging and reading a file are linear, and a
//! look-up mostly touches one cache line.

/// One place in the table; free when `frequency` is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Slot {
    pub hash: u64,
    pub frequency: u32,
    /// Where the term's text is kept, counted from 1; 0 when it is not kept.
    pub text: u32,
}

/// The table: `capacity` homes, and a tail for what is pushed past the last one.
///
/// There is always a free slot at the end, so that every scan ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TermTable {
    slots: Vec<Slot>,
    /// 64 minus the number of bits that choose a home.
    shift: u32,
    n_terms: usize,
}

const SMALLEST_BITS: u32 = 8;

impl Default for TermTable {
    fn default() -> Self {
        Self::with_bits(SMALLEST_BITS)
    }
}

impl TermTable {
    fn with_bits(bits: u32) -> Self {
        Self { slots: vec![Slot::default(); (1 << bits) + 1], shift: 64 - bits, n_terms: 0 }
    }

    /// The table of entries that come in ascending order of hash, each hash once.
    pub fn from_ascending(n_terms: usize, entries: impl Iterator<Item = Slot>) -> Self {
        let mut bits = SMALLEST_BITS;
        while is_full(n_terms, bits) {
            bits += 1;
        }
        let mut table = Self::with_bits(bits);
        let mut next_free = 0;
        for entry in entries {
            let position = table.home(entry.hash).max(next_free);
            next_free = position + 1;
            if next_free >= table.slots.len() {
                table.slots.resize(next_free + 1, Slot::default());
            }
            table.slots[position] = entry;
            table.n_terms += 1;
        }
        table
    }

    pub fn len(&self) -> usize {
        self.n_terms
    }

    #[inline]
    fn home(&self, hash: u64) -> usize {
        (hash >> self.shift) as usize
    }

    /// The slot of a term, or the one before which it would stand.
    #[inline]
    fn seek(&self, hash: u64) -> usize {
        let mut position = self.home(hash);
        while self.slots[position].frequency != 0 && self.slots[position].hash < hash {
            position += 1;
        }
        position
    }

    #[inline]
    pub fn find(&self, hash: u64) -> Option<&Slot> {
        let slot = &self.slots[self.seek(hash)];
        (slot.frequency != 0 && slot.hash == hash).then_some(slot)
    }

    /// Adds to the frequency of a term and gives its slot, new or old.
    #[inline]
    pub fn count(&mut self, hash: u64, documents: u32) -> &mut Slot {
        let mut position = self.seek(hash);
        let found = self.slots[position];
        if found.frequency == 0 || found.hash != hash {
            position = self.insert_at(position, hash);
        }
        let slot = &mut self.slots[position];
        slot.frequency = slot.frequency.saturating_add(documents);
        slot
    }

    /// Makes room for a new term and gives its position.
    fn insert_at(&mut self, mut position: usize, hash: u64) -> usize {
        if is_full(self.n_terms + 1, 64 - self.shift) {
            let grown = Self::from_ascending(self.n_terms + 1, self.iter().copied());
            *self = grown;
            position = self.seek(hash);
        }
        let mut free = position;
        while self.slots[free].frequency != 0 {
            free += 1;
        }
        if free + 1 == self.slots.len() {
            self.slots.push(Slot::default());
        }
        self.slots.copy_within(position..free, position + 1);
        self.slots[position] = Slot { hash, frequency: 0, text: 0 };
        self.n_terms += 1;
        position
    }

    /// The entries in ascending order of hash.
    pub fn iter(&self) -> impl Iterator<Item = &Slot> {
        self.slots.iter().filter(|slot| slot.frequency != 0)
    }

    /// The entries in ascending order of hash, to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Slot> {
        self.slots.iter_mut().filter(|slot| slot.frequency != 0)
    }
}

/// Whether so many terms are more than two thirds of the homes.
fn is_full(n_terms: usize, bits: u32) -> bool {
    n_terms * 3 > (1usize << bits) * 2
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// Hashes that crowd the first and the last homes.
    fn crowded() -> impl Strategy<Value = u64> {
        prop_oneof![0u64..400, (u64::MAX - 400)..=u64::MAX, any::<u64>()]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn equals_a_map_and_does_not_depend_on_the_order(
            mut hashes in proptest::collection::vec(crowded(), 0..900)
        ) {
            let mut table = TermTable::default();
            let mut expected = BTreeMap::new();
            for &hash in &hashes {
                table.count(hash, 1);
                *expected.entry(hash).or_insert(0) += 1;
            }
            let entries: Vec<_> = table.iter().map(|slot| (slot.hash, slot.frequency)).collect();
            prop_assert_eq!(entries, expected.clone().into_iter().collect::<Vec<_>>());
            prop_assert_eq!(table.len(), expected.len());
            for hash in hashes.iter().copied().chain(0..500) {
                let found = table.find(hash).map(|slot| slot.frequency);
                prop_assert_eq!(found, expected.get(&hash).copied());
            }
            hashes.reverse();
            let mut reversed = TermTable::default();
            for &hash in &hashes {
                reversed.count(hash, 1);
            }
            prop_assert_eq!(&reversed, &table);
            let again = TermTable::from_ascending(table.len(), table.iter().copied());
            prop_assert_eq!(again, table);
        }
    }
}
