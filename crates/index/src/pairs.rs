//! Scored pairs in order, which may be many more than the documents.

use std::path::{Path, PathBuf};

use crate::IndexError;
use crate::array::{ArrayBuilder, Fixed, SpillArray};
use crate::sorter::RecordSorter;

/// Pairs read from disk at a time.
const PAIRS_AT_ONCE: usize = 1024;

/// Two numbers of the caller's and a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoredPair {
    /// The number by which pairs are sorted first.
    pub left: u32,
    /// The other number.
    pub right: u32,
    /// The score.
    pub score: f64,
    /// A further share; not a number where there is none.
    pub accounted: f32,
}

impl Fixed for ScoredPair {
    // A power of two, so that pages of working files hold whole pairs.
    const WIDTH: usize = 32;

    fn write(self, bytes: &mut Vec<u8>) {
        (u64::from(self.left) << 32 | u64::from(self.right)).write(bytes);
        self.score.to_bits().write(bytes);
        u64::from(self.accounted.to_bits()).write(bytes);
        0_u64.write(bytes);
    }

    fn read(bytes: &[u8]) -> Self {
        let (numbers, scores) = bytes.split_at(8);
        let (score, rest) = scores.split_at(8);
        let numbers = u64::read(numbers);
        let score = f64::from_bits(u64::read(score));
        let accounted = f32::from_bits(u64::read(&rest[..8]) as u32);
        Self { left: (numbers >> 32) as u32, right: numbers as u32, score, accounted }
    }
}

/// Sorts scored pairs of numbers, in memory or in runs on disk.
///
/// The numbers are the caller's: document ids, or places in the order of the output.
#[derive(Debug)]
pub struct PairSorter {
    sorter: RecordSorter<5>,
    memory_bytes: usize,
    folder: PathBuf,
}

impl PairSorter {
    /// A sorter for numbers up to `largest` that holds at most about `memory_bytes` and spills to
    /// `temporary_folder`.
    pub fn new(largest: u32, memory_bytes: usize, temporary_folder: &Path) -> Self {
        let sorter = RecordSorter::new(largest, memory_bytes, temporary_folder);
        Self { sorter, memory_bytes, folder: temporary_folder.to_owned() }
    }

    /// Adds one pair.
    pub fn push(&mut self, pair: ScoredPair) -> Result<(), IndexError> {
        let ScoredPair { left, right, score, accounted } = pair;
        let bits = score.to_bits();
        self.sorter.push([left, right, (bits >> 32) as u32, bits as u32, accounted.to_bits()])
    }

    /// Sorts what was pushed; the same pair with the same score is there once.
    pub fn finish(self) -> Result<PairTable, IndexError> {
        let mut pairs = ArrayBuilder::new(self.memory_bytes, &self.folder);
        let mut last = None;
        self.sorter.finish()?.visit(|batch| {
            for &record in batch {
                if last == Some(record) {
                    continue;
                }
                last = Some(record);
                let [left, right, high, low, accounted] = record;
                let accounted = f32::from_bits(accounted);
                let score = f64::from_bits(u64::from(high) << 32 | u64::from(low));
                pairs.append(&[ScoredPair { left, right, score, accounted }])?;
            }
            Ok(())
        })?;
        let length = pairs.length();
        Ok(PairTable { pairs: pairs.finish()?, length })
    }
}

/// Pairs by ascending left, then right number; can be read any number of times.
#[derive(Debug)]
pub struct PairTable {
    pairs: SpillArray<ScoredPair>,
    length: u64,
}

impl PairTable {
    /// The number of pairs.
    pub fn len(&self) -> u64 {
        self.length
    }

    /// Whether there is no pair.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// All pairs in order; an item is an error where a working file cannot be read.
    pub fn iter(&self) -> impl Iterator<Item = Result<ScoredPair, IndexError>> + '_ {
        let mut next = 0;
        let mut batch: std::vec::IntoIter<ScoredPair> = Vec::new().into_iter();
        std::iter::from_fn(move || {
            if batch.len() == 0 {
                if next >= self.length {
                    return None;
                }
                match self.pairs.read_across(next, PAIRS_AT_ONCE.min((self.length - next) as usize))
                {
                    Ok(pairs) => {
                        next += pairs.len() as u64;
                        batch = pairs.into_iter();
                    }
                    Err(error) => {
                        next = self.length;
                        return Some(Err(error));
                    }
                }
            }
            batch.next().map(Ok)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_survive_the_disk_and_can_be_read_again() {
        for memory_bytes in [0, 700, 1 << 20] {
            check(memory_bytes);
        }
    }

    fn check(memory_bytes: usize) {
        let pair = |left, right| {
            let score = 1.0 / f64::from(right + 3);
            ScoredPair { left, right, score, accounted: 0.5 + right as f32 }
        };
        let folder = tempfile::tempdir().unwrap();
        let mut sorter = PairSorter::new(9, memory_bytes, folder.path());
        for number in 0..100_u32 {
            sorter.push(pair(99 - number, number)).unwrap();
        }
        sorter.push(pair(0, 99)).unwrap();
        let pairs = sorter.finish().unwrap();
        assert_eq!(pairs.len(), 100, "the same pair is there once");
        for _ in 0..2 {
            let read: Vec<ScoredPair> = pairs.iter().map(Result::unwrap).collect();
            let expected: Vec<ScoredPair> = (0..100).map(|left| pair(left, 99 - left)).collect();
            assert_eq!(read, expected);
        }
    }
}
