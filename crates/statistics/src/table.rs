//! Term hash → document frequency, in one flat table.
//!
//! Ordered linear probing (Amble and Knuth 1974): a term's home is given by the leading bits of
//! its hash, and all entries stand in ascending order of hash. So the table is the same whatever
//! the order of insertion, iteration is sorted, merging and reading a file are linear, and a
//! look-up mostly touches one cache line.
//!
//! Term hashes are public: a text can be written whose words all want the same few homes. What
//! would stand too far from its home goes into a tree beside the table, so that no choice of words
//! costs more than some hundred steps a word.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use rayon::prelude::*;

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
/// There is always a free slot at the end, so that every scan ends. No entry stands further than
/// [`REACH`] from its home. Two tables are equal when they have the same entries.
#[derive(Clone, Debug)]
pub(crate) struct TermTable {
    slots: Vec<Slot>,
    /// Entries for which there was no room near their homes.
    crowded_out: BTreeMap<u64, Slot>,
    /// 64 minus the number of bits that choose a home.
    shift: u32,
    n_terms: usize,
}

const SMALLEST_BITS: u32 = 8;

/// The leading bits by which several threads divide all hashes among them.
const PART_BITS: u32 = 4;

/// How far from its home an entry may stand. At two thirds full, honest hashes stand this far from
/// home once in 10¹⁶ terms.
const REACH: usize = 512;

impl Default for TermTable {
    fn default() -> Self {
        Self::with_bits(SMALLEST_BITS)
    }
}

impl TermTable {
    fn with_bits(bits: u32) -> Self {
        Self {
            slots: vec![Slot::default(); (1 << bits) + 1],
            crowded_out: BTreeMap::new(),
            shift: 64 - bits,
            n_terms: 0,
        }
    }

    /// The same, cleared by all threads: the system hands out fresh memory page by page.
    fn with_bits_by_all(bits: u32) -> Self {
        let slots = rayon::iter::repeat_n(Slot::default(), (1 << bits) + 1).collect();
        Self { slots, crowded_out: BTreeMap::new(), shift: 64 - bits, n_terms: 0 }
    }

    /// The table of entries that come in ascending order of hash, each hash once.
    pub fn from_ascending(n_terms: usize, entries: impl Iterator<Item = Slot>) -> Self {
        let mut table = Self::with_bits(enough_bits(n_terms));
        let mut next_free = 0;
        for entry in entries {
            let home = table.home(entry.hash);
            let position = home.max(next_free);
            table.n_terms += 1;
            if position > home + REACH {
                table.crowded_out.insert(entry.hash, entry);
                continue;
            }
            next_free = position + 1;
            if next_free >= table.slots.len() {
                table.slots.resize(next_free + 1, Slot::default());
            }
            table.slots[position] = entry;
        }
        table
    }

    /// The entries of both tables, with the sum of their frequencies; `take_text` says where the
    /// text of a term is that only the other table keeps.
    pub fn merged(&self, other: &Self, take_text: impl FnMut(u32) -> u32) -> Self {
        let n_terms = in_both(self.iter(), other.iter()).count();
        Self::from_ascending(n_terms, sums(self.iter(), other.iter(), take_text))
    }

    /// The same where the other table keeps no texts, on all threads of the current pool: each part
    /// of all hashes has homes of its own.
    pub fn merged_without_texts(&self, other: &Self) -> Self {
        let parts = || (0..1_usize << PART_BITS).into_par_iter();
        let both = |part| (self.part(part), other.part(part));
        let count = |part| {
            let (own, others) = both(part);
            in_both(own, others).count()
        };
        let n_terms = parts().map(count).sum();
        let mut table = Self::with_bits_by_all(enough_bits(n_terms));
        let (shift, n_homes) = (table.shift, 1 << (64 - table.shift - PART_BITS));
        let slots = table.slots.par_chunks_mut(n_homes);
        let left_over: Vec<Vec<Slot>> = slots
            .zip(parts())
            .map(|(slots, part)| {
                let (own, others) = both(part);
                fill(slots, |hash| (hash >> shift) as usize % n_homes, sums(own, others, |_| 0))
            })
            .collect();
        table.n_terms = n_terms - left_over.iter().map(Vec::len).sum::<usize>();
        for entry in left_over.into_iter().flatten() {
            let position = table.seek(entry.hash);
            *table.elsewhere(position, entry.hash) = entry;
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

    /// The slot of a term, or the one before which it would stand; at most one step out of reach,
    /// where an entry of a later home stands or none.
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
        if slot.frequency != 0 && slot.hash == hash {
            return Some(slot);
        }
        if self.crowded_out.is_empty() { None } else { self.crowded_out.get(&hash) }
    }

    /// Adds to the frequency of a term and gives its slot, new or old.
    #[inline]
    pub fn count(&mut self, hash: u64, documents: u32) -> &mut Slot {
        let position = self.seek(hash);
        let found = self.slots[position];
        let is_here = found.frequency != 0 && found.hash == hash;
        let slot = if is_here { &mut self.slots[position] } else { self.elsewhere(position, hash) };
        slot.frequency = slot.frequency.saturating_add(documents);
        slot
    }

    /// The slot of a term that is not at the position where it would stand: one without a
    /// frequency, unless the term was crowded out before.
    fn elsewhere(&mut self, mut position: usize, hash: u64) -> &mut Slot {
        let is_crowded_out = !self.crowded_out.is_empty() && self.crowded_out.contains_key(&hash);
        if !is_crowded_out {
            if is_full(self.n_terms + 1, 64 - self.shift) {
                let grown = Self::from_ascending(self.n_terms + 1, self.iter().copied());
                *self = grown;
                position = self.seek(hash);
            }
            self.n_terms += 1;
            let new = Slot { hash, frequency: 0, text: 0 };
            if let Some(free) = self.free_within_reach(position, hash) {
                self.slots.copy_within(position..free, position + 1);
                self.slots[position] = new;
                return &mut self.slots[position];
            }
        }
        self.crowded_out.entry(hash).or_insert(Slot { hash, frequency: 0, text: 0 })
    }

    /// The first free slot from a position on, if a term with this hash may take the position and
    /// push what follows towards it: then none of them leaves the reach of its home either, which
    /// comes behind that of the term.
    fn free_within_reach(&mut self, position: usize, hash: u64) -> Option<usize> {
        let end = self.home(hash) + REACH + 1;
        let free = (position..end).find(|&free| self.slots[free].frequency == 0)?;
        if free + 1 == self.slots.len() {
            self.slots.push(Slot::default());
        }
        Some(free)
    }

    /// The entries in ascending order of hash.
    pub fn iter(&self) -> impl Iterator<Item = &Slot> {
        together(self.slots.iter().filter(|slot| slot.frequency != 0), self.crowded_out.values())
    }

    /// The entries whose hashes begin with these [`PART_BITS`], in the same order.
    fn part(&self, part: usize) -> impl Iterator<Item = &Slot> {
        let first = (part as u64) << (64 - PART_BITS);
        let last = first | u64::MAX >> PART_BITS;
        let slots = self.slots[self.seek(first)..].iter().filter(|slot| slot.frequency != 0);
        let crowded_out = self.crowded_out.range(first..=last).map(|(_, slot)| slot);
        together(slots.take_while(move |slot| slot.hash <= last), crowded_out)
    }

    /// The entries in ascending order of hash, to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Slot> {
        let mut slots = self.slots.iter_mut().filter(|slot| slot.frequency != 0).peekable();
        let mut crowded_out = self.crowded_out.values_mut().peekable();
        std::iter::from_fn(move || match (slots.peek(), crowded_out.peek()) {
            (Some(slot), Some(other)) if other.hash < slot.hash => crowded_out.next(),
            (None, Some(_)) => crowded_out.next(),
            _ => slots.next(),
        })
    }
}

/// The entries of a table and those that were crowded out, in ascending order of hash.
fn together<'a>(
    slots: impl Iterator<Item = &'a Slot>,
    crowded_out: impl Iterator<Item = &'a Slot>,
) -> impl Iterator<Item = &'a Slot> {
    let (mut slots, mut crowded_out) = (slots.peekable(), crowded_out.peekable());
    std::iter::from_fn(move || match (slots.peek(), crowded_out.peek()) {
        (Some(slot), Some(other)) if other.hash < slot.hash => crowded_out.next(),
        (None, Some(_)) => crowded_out.next(),
        _ => slots.next(),
    })
}

/// Puts entries that come in ascending order of hash as near to their homes among these slots as they
/// can be; returns those without room.
fn fill(
    slots: &mut [Slot],
    home: impl Fn(u64) -> usize,
    entries: impl Iterator<Item = Slot>,
) -> Vec<Slot> {
    let mut next_free = 0;
    let mut left_over = Vec::new();
    for entry in entries {
        let home = home(entry.hash);
        let position = home.max(next_free);
        match slots.get_mut(position).filter(|_| position <= home + REACH) {
            Some(slot) => {
                *slot = entry;
                next_free = position + 1;
            }
            None => left_over.push(entry),
        }
    }
    left_over
}

/// The entries of two tables with the sum of their frequencies, in ascending order of hash.
fn sums<'a>(
    own: impl Iterator<Item = &'a Slot>,
    others: impl Iterator<Item = &'a Slot>,
    mut take_text: impl FnMut(u32) -> u32,
) -> impl Iterator<Item = Slot> {
    in_both(own, others).map(move |(own, others)| {
        let hash = own.or(others).map_or(0, |slot| slot.hash);
        let frequency = |slot: Option<&Slot>| slot.map_or(0, |slot| slot.frequency);
        let text = |slot: Option<&Slot>| slot.map_or(0, |slot| slot.text);
        Slot {
            hash,
            frequency: frequency(own).saturating_add(frequency(others)),
            text: if text(own) == 0 { take_text(text(others)) } else { text(own) },
        }
    })
}

/// The entries of two tables in ascending order of hash, those of one hash together.
fn in_both<'a>(
    own: impl Iterator<Item = &'a Slot>,
    others: impl Iterator<Item = &'a Slot>,
) -> impl Iterator<Item = (Option<&'a Slot>, Option<&'a Slot>)> {
    let (mut own, mut others) = (own.peekable(), others.peekable());
    std::iter::from_fn(move || {
        let order = match (own.peek(), others.peek()) {
            (Some(first), Some(second)) => first.hash.cmp(&second.hash),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return None,
        };
        Some(match order {
            Ordering::Less => (own.next(), None),
            Ordering::Greater => (None, others.next()),
            Ordering::Equal => (own.next(), others.next()),
        })
    })
}

impl PartialEq for TermTable {
    fn eq(&self, other: &Self) -> bool {
        self.n_terms == other.n_terms && self.iter().eq(other.iter())
    }
}

impl Eq for TermTable {}

/// How many bits must choose a home for so many terms.
fn enough_bits(n_terms: usize) -> u32 {
    let mut bits = SMALLEST_BITS;
    while is_full(n_terms, bits) {
        bits += 1;
    }
    bits
}

/// Whether so many terms are more than two thirds of the homes.
fn is_full(n_terms: usize, bits: u32) -> bool {
    n_terms * 3 > (1usize << bits) * 2
}

#[cfg(test)]
mod tests {
    use lookalike_text::term_hash;
    use proptest::prelude::*;

    use super::*;
    use crate::flood::words_with_hashes;

    /// Hashes that crowd the first and the last homes, and those of two parts beside each other.
    fn crowded() -> impl Strategy<Value = u64> {
        let edge = 5_u64 << (64 - PART_BITS);
        prop_oneof![0u64..400, (u64::MAX - 400)..=u64::MAX, edge - 400..edge + 40, any::<u64>()]
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
            prop_assert_eq!(&again, &table);
            let mut halves = [TermTable::default(), TermTable::default()];
            for (place, &hash) in hashes.iter().enumerate() {
                halves[place % 2].count(hash, 1);
            }
            prop_assert_eq!(&halves[0].merged(&halves[1], |text| text), &table);
            let in_parts = halves[0].merged_without_texts(&halves[1]);
            prop_assert_eq!(&in_parts, &table);
            prop_assert!(hashes.iter().all(|hash| in_parts.find(*hash) == table.find(*hash)));
        }
    }

    #[test]
    fn words_of_one_home_stay_within_reach_or_go_into_the_tree() {
        let words = words_with_hashes(20_000, |hash| hash >> 56 == 0x5a);
        let mut table = TermTable::default();
        let mut expected = BTreeMap::new();
        for (number, word) in words.iter().chain(&words[..9_000]).enumerate() {
            let hash = term_hash(word);
            table.count(hash, 1 + number as u32 % 2);
            *expected.entry(hash).or_insert(0) += 1 + number as u32 % 2;
        }
        for (position, slot) in table.slots.iter().enumerate() {
            assert!(slot.frequency == 0 || position - table.home(slot.hash) <= REACH);
        }
        assert!(table.crowded_out.len() > words.len() / 4);
        let entries: Vec<_> = table.iter().map(|slot| (slot.hash, slot.frequency)).collect();
        assert_eq!(entries, expected.into_iter().collect::<Vec<_>>());
        assert!(words.iter().all(|word| table.find(term_hash(word)).is_some()));
        assert_eq!(table.len(), words.len());
        let again = TermTable::from_ascending(table.len(), table.iter().copied());
        assert_eq!(again, table);
    }
}
