//! Sorting pairs with their score, which may be many more than the documents.

use std::path::Path;

use crate::IndexError;
use crate::sorter::{RecordSorter, SortedRecords};

/// Sorts scored pairs of numbers, in memory or in runs on disk.
///
/// The numbers are the caller's: document ids, or places in the order of the output.
#[derive(Debug)]
pub struct PairSorter(RecordSorter<4>);

impl PairSorter {
    /// A sorter that holds at most about `memory_bytes` and spills to `temporary_folder`.
    pub fn new(memory_bytes: usize, temporary_folder: &Path) -> Self {
        Self(RecordSorter::new(u32::MAX, memory_bytes, temporary_folder))
    }

    /// Adds one pair.
    pub fn push(&mut self, left: u32, right: u32, score: f64) -> Result<(), IndexError> {
        let bits = score.to_bits();
        self.0.push([left, right, (bits >> 32) as u32, bits as u32])
    }

    /// Sorts what was pushed.
    pub fn finish(self) -> Result<SortedPairs, IndexError> {
        let records = self.0.finish()?;
        Ok(SortedPairs { records, batch: Vec::new().into_iter() })
    }
}

/// Pairs by ascending left, then right number.
#[derive(Debug)]
pub struct SortedPairs {
    records: SortedRecords<4>,
    batch: std::vec::IntoIter<[u32; 4]>,
}

impl SortedPairs {
    /// The next pair, or `None` after the last.
    #[expect(clippy::should_implement_trait, reason = "`?` at each pair reads better than items")]
    pub fn next(&mut self) -> Result<Option<(u32, u32, f64)>, IndexError> {
        if self.batch.len() == 0 {
            self.batch = self.records.next_batch()?.into_iter();
        }
        Ok(self.batch.next().map(|[left, right, high, low]| {
            (left, right, f64::from_bits(u64::from(high) << 32 | u64::from(low)))
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_survive_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        let mut sorter = PairSorter::new(0, folder.path());
        for number in 0..100_u32 {
            sorter.push(99 - number, number, 1.0 / f64::from(number + 3)).unwrap();
        }
        let mut pairs = sorter.finish().unwrap();
        for left in 0..100 {
            let expected = (left, 99 - left, 1.0 / f64::from(99 - left + 3));
            assert_eq!(pairs.next().unwrap(), Some(expected));
        }
        assert_eq!(pairs.next().unwrap(), None);
    }
}
