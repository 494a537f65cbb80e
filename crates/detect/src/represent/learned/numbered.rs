//! The words of a text, numbered in the order of their first appearance.
//!
//! Whether a word of the text is a new one cannot be predicted, and a wrong guess costs more than
//! all the rest: so each is written down as if it were new, and counted where it is.
//!
//! Hashes of words are public, so that a text can be written whose words all want the same slots.
//! Such a text is numbered anew with a map whose hashing nobody can foresee; the numbers are the
//! same.

use hashbrown::HashMap;

/// The words of one text at a time.
#[derive(Debug, Default)]
pub(super) struct NumberedWords {
    /// An open-addressing table of numbers plus 1; 0 where a slot is free.
    slots: Vec<u32>,
    /// The distinct words, from 1 on. A free slot leads to 0, where the word at hand stands while
    /// it is looked for: one comparison ends the search for known words and new ones alike.
    distinct: Vec<DistinctWord>,
    n_distinct: usize,
    /// The number of each word of the text in turn.
    text: Vec<u32>,
    /// The numbers of a text whose words crowd the table, which is then not used.
    crowded: Option<HashMap<u64, u32>>,
}

/// Slots that are looked at for one word: at most half of them are taken, so that the words of
/// honest texts have more neighbors than this once in 10²⁰ texts.
const PROBES: usize = 256;

/// The slots for most texts, 32 KiB of them.
const FIRST_TABLE: usize = 8192;

/// A distinct word of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct DistinctWord {
    pub(super) hash: u64,
    /// Its first place among the words of the text.
    pub(super) first: u32,
}

impl NumberedWords {
    /// Numbers the words of a text, given by their hashes in turn; earlier ones are forgotten.
    pub(super) fn number(&mut self, hashes: &[u64]) {
        // At least half of the slots stay free. Most texts need no larger table than the first.
        let n_slots = (2 * hashes.len() + 1).next_power_of_two().min(FIRST_TABLE);
        self.n_distinct = 0;
        self.crowded = None;
        self.text.clear();
        if self.number_by_table(n_slots, hashes).is_none() {
            self.number_by_map(hashes);
        }
    }

    /// Numbers the words with a table of at least so many slots; `None` if they crowd it.
    fn number_by_table(&mut self, n_slots: usize, hashes: &[u64]) -> Option<()> {
        self.make_table(n_slots)?;
        let mut left = hashes;
        while !left.is_empty() {
            // As many as there is room for, were they all new.
            let room = self.slots.len() / 2 - self.n_distinct;
            let (some, rest) = left.split_at(room.min(left.len()));
            self.number_some(some)?;
            left = rest;
            if 4 * self.n_distinct > self.slots.len() {
                self.make_table(4 * self.slots.len())?;
            }
        }
        Some(())
    }

    /// The plain way, for texts that crowd the table.
    #[cold]
    fn number_by_map(&mut self, hashes: &[u64]) {
        let mut numbers = HashMap::new();
        self.distinct.clear();
        self.distinct.push(DistinctWord::default());
        self.text.clear();
        for (&hash, first) in hashes.iter().zip(0..) {
            let next = numbers.len() as u32;
            let number = *numbers.entry(hash).or_insert(next);
            if number == next {
                self.distinct.push(DistinctWord { hash, first });
            }
            self.text.push(number);
        }
        self.n_distinct = numbers.len();
        self.crowded = Some(numbers);
    }

    /// An empty table of so many slots, then the words so far; `None` if they crowd it.
    fn make_table(&mut self, n_slots: usize) -> Option<()> {
        self.slots.clear();
        self.slots.resize(n_slots, 0);
        if self.distinct.len() < n_slots / 2 + 2 {
            self.distinct.resize(n_slots / 2 + 2, DistinctWord::default());
        }
        for number in 1..=self.n_distinct {
            let home = self.distinct[number].hash as usize;
            let mut places = (0..PROBES).map(|step| home.wrapping_add(step) & (n_slots - 1));
            let position = places.find(|position| self.slots[*position] == 0)?;
            self.slots[position] = number as u32;
        }
        Some(())
    }

    /// Numbers some more words of the text, of which there is room for all; `None` if they crowd
    /// the table.
    fn number_some(&mut self, hashes: &[u64]) -> Option<()> {
        let first = self.text.len();
        self.text.resize(first + hashes.len(), 0);
        let mask = self.slots.len() - 1;
        let slots = &mut self.slots[..=mask];
        let distinct = &mut self.distinct[..];
        let mut next = self.n_distinct as u32 + 1;
        for ((&hash, number), first) in
            hashes.iter().zip(&mut self.text[first..]).zip(first as u32..)
        {
            distinct[0].hash = hash;
            let home = hash as usize & mask;
            let mut position = home;
            let found = loop {
                let found = slots[position & mask];
                if distinct[found as usize].hash == hash {
                    break found;
                }
                position += 1;
                if position == home + PROBES {
                    return None;
                }
            };
            let is_new = found == 0;
            let known = if is_new { next } else { found };
            distinct[next as usize] = DistinctWord { hash, first };
            slots[position & mask] = known;
            *number = known - 1;
            next += u32::from(is_new);
        }
        self.n_distinct = next as usize - 1;
        Some(())
    }

    /// The distinct words in the order of their numbers.
    pub(super) fn distinct(&self) -> &[DistinctWord] {
        self.distinct.get(1..=self.n_distinct).unwrap_or_default()
    }

    /// The number of each word of the text in turn.
    pub(super) fn text(&self) -> &[u32] {
        &self.text
    }

    /// The number of a word, if the text has it.
    pub(super) fn find(&self, hash: u64) -> Option<u32> {
        if let Some(numbers) = &self.crowded {
            return numbers.get(&hash).copied();
        }
        let mask = self.slots.len().checked_sub(1)?;
        let mut position = hash as usize & mask;
        loop {
            let number = self.slots[position].checked_sub(1)?;
            if self.distinct[number as usize + 1].hash == hash {
                return Some(number);
            }
            position = (position + 1) & mask;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::random::SplitMix64;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]
        #[test]
        fn words_are_numbered_as_they_first_appear(
            texts in proptest::collection::vec(
                // Equal low bits, so that words meet in the table; 0 is a hash like any other.
                proptest::collection::vec((0u64..60).prop_map(|word| (word % 7) | (word << 40)), 0..200), 1..4)
        ) {
            let mut words = NumberedWords::default();
            for text in texts {
                words.number(&text);
                let mut expected: Vec<DistinctWord> = Vec::new();
                for (first, &hash) in (0..).zip(&text) {
                    if !expected.iter().any(|word| word.hash == hash) {
                        expected.push(DistinctWord { hash, first });
                    }
                }
                prop_assert_eq!(words.distinct(), expected.as_slice());
                for (&number, &hash) in words.text().iter().zip(&text) {
                    prop_assert_eq!(expected[number as usize].hash, hash);
                    prop_assert_eq!(words.find(hash), Some(number));
                }
                prop_assert_eq!(words.text().len(), text.len());
                prop_assert_eq!(words.find(99), None);
            }
        }
    }

    #[test]
    fn texts_of_many_words_get_larger_tables() {
        let mut generator = SplitMix64::new(6);
        let distinct: Vec<u64> = (0..40_000).map(|_| generator.next_u64()).collect();
        let text: Vec<u64> = (0..100_000).map(|place| distinct[place % 40_000]).collect();
        let mut words = NumberedWords::default();
        for text in [&text[..], &distinct, &text[..10]] {
            words.number(text);
            assert_eq!(words.distinct().len(), text.len().min(40_000));
            for (place, (&number, &hash)) in words.text().iter().zip(text).enumerate() {
                assert_eq!(number as usize, place % 40_000);
                assert_eq!(words.find(hash), Some(number));
            }
        }
    }

    #[test]
    fn words_that_crowd_the_table_are_numbered_all_the_same() {
        let mut generator = SplitMix64::new(8);
        // All in one 256th of a table of 2²⁰ slots, in no order.
        let crowd: Vec<u64> =
            (0..30_000).map(|_| generator.next_u64() & !(0xff << 12) & !0xff).collect();
        let mut words = NumberedWords::default();
        words.number(&[crowd.as_slice(), &crowd[..100]].concat());
        assert!(words.crowded.is_some());
        assert_eq!(words.distinct().len(), 30_000);
        let numbers: Vec<u32> = (0..30_000).chain(0..100).collect();
        assert_eq!(words.text(), numbers);
        assert_eq!((words.find(crowd[777]), words.find(1)), (Some(777), None));
        let places = words.distinct().iter().zip(&crowd).zip(0..);
        assert!(places.into_iter().all(|((w, h), first)| *w == DistinctWord { hash: *h, first }));
        // The next text goes by table again.
        words.number(&[5, 6, 5]);
        assert!(words.crowded.is_none());
        assert_eq!(words.text(), [0, 1, 0]);
    }

    #[test]
    fn before_the_first_text_no_word_is_known() {
        assert_eq!(NumberedWords::default().find(0), None);
        assert!(NumberedWords::default().distinct().is_empty());
    }
}
