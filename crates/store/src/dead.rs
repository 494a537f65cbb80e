//! The documents that are removed but still stand in a segment.

use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::bytes::{Put, Take};

const WORDS: usize = 512;
const BITS: u32 = WORDS as u32 * 64;

/// A set of document numbers that is cheap to copy: copies share all that they have in common.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dead {
    chunks: Vec<Option<Arc<[u64; WORDS]>>>,
    count: u64,
}

impl Dead {
    pub fn contains(&self, number: u32) -> bool {
        let chunk = self.chunks.get((number / BITS) as usize).and_then(Option::as_ref);
        chunk.is_some_and(|chunk| chunk[(number % BITS / 64) as usize] >> (number % 64) & 1 == 1)
    }

    /// Adds a number; whether it is new.
    pub fn insert(&mut self, number: u32) -> bool {
        let place = (number / BITS) as usize;
        if self.chunks.len() <= place {
            self.chunks.resize(place + 1, None);
        }
        let chunk = self.chunks[place].get_or_insert_with(|| Arc::new([0; WORDS]));
        let word = &mut Arc::make_mut(chunk)[(number % BITS / 64) as usize];
        let bit = 1 << (number % 64);
        let new = *word & bit == 0;
        *word |= bit;
        self.count += u64::from(new);
        new
    }

    /// Takes a number out.
    pub fn remove(&mut self, number: u32) {
        if self.contains(number) {
            let place = (number / BITS) as usize;
            let Some(chunk) = &mut self.chunks[place] else { return };
            Arc::make_mut(chunk)[(number % BITS / 64) as usize] &= !(1 << (number % 64));
            self.count -= 1;
        }
    }

    pub fn len(&self) -> u64 {
        self.count
    }

    /// The numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.within(0..=u32::MAX)
    }

    /// The numbers within a range, ascending.
    pub fn within(&self, range: RangeInclusive<u32>) -> impl Iterator<Item = u32> + '_ {
        let (first, last) = range.into_inner();
        let chunks = (first / BITS) as usize..=(last / BITS) as usize;
        let chunks = chunks.start().to_owned()..(chunks.end() + 1).min(self.chunks.len());
        chunks
            .filter_map(|place| Some((place as u32 * BITS, self.chunks[place].as_deref()?)))
            .flat_map(|(start, words)| {
                words.iter().enumerate().map(move |(at, word)| (start + at as u32 * 64, *word))
            })
            .flat_map(|(start, word)| Ones(word).map(move |bit| start + bit))
            .filter(move |number| (first..=last).contains(number))
    }

    /// Whether any number within a range is in the set.
    pub fn touches(&self, range: RangeInclusive<u32>) -> bool {
        self.within(range).next().is_some()
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.put_u32((self.chunks.len() * WORDS) as u32);
        for chunk in &self.chunks {
            for word in chunk.as_deref().unwrap_or(&[0; WORDS]) {
                bytes.put_u64(*word);
            }
        }
        bytes
    }

    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut take = Take(bytes);
        let n_words = take.u32()? as usize;
        let words = take.u64s(n_words)?;
        let mut dead = Self::default();
        for (at, word) in words.iter().enumerate() {
            for bit in Ones(u64::from_le_bytes(*word)) {
                dead.insert(u32::try_from(at * 64).ok()?.checked_add(bit)?);
            }
        }
        take.0.is_empty().then_some(dead)
    }
}

/// The places of the ones in a word.
struct Ones(u64);

impl Iterator for Ones {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let bit = (self.0 != 0).then(|| self.0.trailing_zeros())?;
        self.0 &= self.0 - 1;
        Some(bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_do_not_see_later_changes_and_bytes_read_back() {
        let mut dead = Dead::default();
        for number in [0, 63, 64, 40_000, 40_001, 100_000] {
            assert!(dead.insert(number));
            assert!(!dead.insert(number));
        }
        let earlier = dead.clone();
        dead.insert(7);
        dead.remove(40_000);
        assert_eq!(earlier.iter().collect::<Vec<_>>(), [0, 63, 64, 40_000, 40_001, 100_000]);
        assert_eq!(dead.iter().collect::<Vec<_>>(), [0, 7, 63, 64, 40_001, 100_000]);
        assert_eq!((earlier.len(), dead.len()), (6, 6));
        assert_eq!(dead.within(8..=40_001).collect::<Vec<_>>(), [63, 64, 40_001]);
        assert!(!dead.touches(65..=40_000) && dead.touches(40_001..=40_001));
        let read = Dead::decode(&dead.encode()).unwrap();
        assert_eq!(read.iter().collect::<Vec<_>>(), dead.iter().collect::<Vec<_>>());
        assert!(Dead::decode(&dead.encode()[1..]).is_none());
    }
}
