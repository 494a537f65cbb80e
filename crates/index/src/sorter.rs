//! External sort of fixed-width records: in memory up to a limit, in runs on disk past it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::path::{Path, PathBuf};

use crate::IndexError;
use crate::radix::{Parts, SortedParts};
use crate::spill::SpillFile;
use crate::spilled_parts::{RunParts, SpilledParts, sorted_runs};

/// A record, and room for the parts to grow and for one of them to be sorted.
const RECORDS_PER_RECORD: usize = 2;
/// Even an absurdly small limit must not make a run of every row.
const SMALLEST_RUN: usize = 16;
const WRITE_BYTES: usize = 1 << 18;
const LEAST_READ_RECORDS: usize = 256;
/// What a run gains from being read in larger pieces than these is nothing.
const MOST_READ_RECORDS: usize = 1 << 16;
const MERGED_RECORDS: usize = 4096;
/// Runs of fewer records are sorted and then merged; of longer ones, the parts are sorted when they are read.
const RECORDS_OF_PARTS: usize = if cfg!(test) { 64 } else { 1 << 14 };

/// Sorts records of `WIDTH` 32-bit words in lexicographic order.
#[derive(Debug)]
pub(crate) struct RecordSorter<const WIDTH: usize> {
    records: Parts<WIDTH>,
    run_records: usize,
    folder: PathBuf,
    spill: Option<SpillFile>,
    /// Where each run ends in the file, in records.
    run_ends: Vec<u64>,
    /// Where its parts end; not for short runs, of which there may be many.
    run_parts: Vec<RunParts>,
}

impl<const WIDTH: usize> RecordSorter<WIDTH> {
    const RECORD_BYTES: usize = WIDTH * 4;

    /// A sorter for records whose first word is at most `largest`, as far as is known.
    pub(crate) fn new(largest: u32, memory_bytes: usize, folder: &Path) -> Self {
        let run_records = memory_bytes / (Self::RECORD_BYTES * RECORDS_PER_RECORD);
        Self {
            records: Parts::new(largest),
            run_records: run_records.max(SMALLEST_RUN),
            folder: folder.to_owned(),
            spill: None,
            run_ends: Vec::new(),
            run_parts: Vec::new(),
        }
    }

    pub(crate) fn push(&mut self, record: [u32; WIDTH]) -> Result<(), IndexError> {
        if self.records.length() == self.run_records {
            self.spill_run()?;
        }
        self.records.push(record);
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<SortedRecords<WIDTH>, IndexError> {
        if self.spill.is_some() {
            self.spill_run()?;
        }
        match self.spill {
            Some(spill) => {
                // Runs are read when the room they were sorted in has been given back.
                drop(self.records);
                match SpilledParts::new(spill, self.run_parts, &self.run_ends, self.run_records) {
                    Ok(parts) => Ok(SortedRecords::Parts(parts)),
                    Err((mut spill, runs)) => {
                        if !runs.is_empty() {
                            spill = sorted_runs::<WIDTH>(&spill, &runs, &self.folder)?;
                        }
                        Merge::new(spill, &self.run_ends, self.run_records)
                            .map(SortedRecords::Merge)
                    }
                }
            }
            None => Ok(SortedRecords::Memory(self.records.into_sorted())),
        }
    }

    fn spill_run(&mut self) -> Result<(), IndexError> {
        let spill = match &mut self.spill {
            Some(spill) => spill,
            none => none.insert(SpillFile::create(&self.folder)?),
        };
        let mut bytes = Vec::with_capacity(2 * WRITE_BYTES);
        let mut parts = RunParts::starting_at(self.run_ends.last().copied().unwrap_or(0));
        let mut write = |part: &[[u32; WIDTH]]| {
            parts.push(part.len());
            for some in part.chunks(WRITE_BYTES / Self::RECORD_BYTES) {
                encode(some, &mut bytes);
                if bytes.len() >= WRITE_BYTES {
                    spill.append(&bytes)?;
                    bytes.clear();
                }
            }
            Ok(())
        };
        if self.run_records >= RECORDS_OF_PARTS {
            self.records.drain(|part| write(part))?;
            self.run_parts.push(parts);
        } else {
            self.records.drain_sorted(write)?;
        }
        spill.append(&bytes)?;
        self.run_ends.push(spill.length() / Self::RECORD_BYTES as u64);
        Ok(())
    }
}

/// The records in order, each once for every time it was pushed.
#[derive(Debug)]
pub(crate) enum SortedRecords<const WIDTH: usize> {
    Memory(SortedParts<WIDTH>),
    /// On disk, in parts each of which has room in memory.
    Parts(SpilledParts<WIDTH>),
    Merge(Merge<WIDTH>),
}

impl<const WIDTH: usize> SortedRecords<WIDTH> {
    /// Hands over the records in order, as many at a time as is convenient.
    pub(crate) fn visit(
        self,
        mut take: impl FnMut(&[[u32; WIDTH]]) -> Result<(), IndexError> + Send,
    ) -> Result<(), IndexError> {
        match self {
            Self::Memory(parts) => parts.visit(|part| part, |part| take(&part)),
            Self::Parts(parts) => parts.visit(|part| part, |part| take(&part)),
            Self::Merge(mut merge) => loop {
                let batch = merge.next_batch()?;
                if batch.is_empty() {
                    return Ok(());
                }
                take(&batch)?;
            },
        }
    }

    /// Makes something of some records at a time, on all threads where they can be had, and hands
    /// that over in order. Records with the same first word are always together.
    pub(crate) fn visit_parts<T: Send, E: From<IndexError> + Send>(
        self,
        make: impl Fn(Vec<[u32; WIDTH]>) -> T + Sync,
        mut take: impl FnMut(T) -> Result<(), E> + Send,
    ) -> Result<(), E> {
        match self {
            Self::Memory(parts) => parts.visit(make, take),
            Self::Parts(parts) => parts.visit(make, take),
            Self::Merge(mut merge) => loop {
                let mut batch = merge.next_batch()?;
                let Some(word) = batch.last().map(|record| record[0]) else { return Ok(()) };
                while let Some(record) = merge.next_if_first(word)? {
                    batch.push(record);
                }
                take(make(batch))?;
            },
        }
    }
}

/// Merges sorted runs of one file.
#[derive(Debug)]
pub(crate) struct Merge<const WIDTH: usize> {
    spill: SpillFile,
    runs: Vec<Run<WIDTH>>,
    /// The first record of each run that is not used up.
    heads: BinaryHeap<Reverse<([u32; WIDTH], usize)>>,
}

impl<const WIDTH: usize> Merge<WIDTH> {
    fn new(spill: SpillFile, run_ends: &[u64], memory_records: usize) -> Result<Self, IndexError> {
        let read_records = memory_records / run_ends.len().max(1);
        let read_records = read_records.clamp(LEAST_READ_RECORDS, MOST_READ_RECORDS);
        let starts = std::iter::once(0).chain(run_ends.iter().copied());
        let mut runs: Vec<Run<WIDTH>> = starts
            .zip(run_ends)
            .map(|(next, &end)| Run { next, end, read_records, records: Vec::new().into_iter() })
            .collect();
        let mut heads = BinaryHeap::with_capacity(runs.len());
        for (number, run) in runs.iter_mut().enumerate() {
            heads.extend(run.next(&spill)?.map(|record| Reverse((record, number))));
        }
        Ok(Self { spill, runs, heads })
    }

    /// The records that come next; none at the end.
    pub(crate) fn next_batch(&mut self) -> Result<Vec<[u32; WIDTH]>, IndexError> {
        let mut batch = Vec::with_capacity(MERGED_RECORDS);
        while batch.len() < MERGED_RECORDS {
            match self.next()? {
                Some(record) => batch.push(record),
                None => break,
            }
        }
        Ok(batch)
    }

    /// The next record if this is its first word.
    fn next_if_first(&mut self, word: u32) -> Result<Option<[u32; WIDTH]>, IndexError> {
        match self.heads.peek() {
            Some(Reverse((record, _))) if record[0] == word => self.next(),
            _ => Ok(None),
        }
    }

    fn next(&mut self) -> Result<Option<[u32; WIDTH]>, IndexError> {
        let Some(mut head) = self.heads.peek_mut() else { return Ok(None) };
        let Reverse((record, number)) = *head;
        match self.runs[number].next(&self.spill)? {
            Some(following) => head.0.0 = following,
            None => drop(PeekMut::pop(head)),
        }
        Ok(Some(record))
    }
}

#[derive(Debug)]
struct Run<const WIDTH: usize> {
    /// The next record to read from the file, and where the run ends, in records.
    next: u64,
    end: u64,
    read_records: usize,
    records: std::vec::IntoIter<[u32; WIDTH]>,
}

impl<const WIDTH: usize> Run<WIDTH> {
    fn next(&mut self, spill: &SpillFile) -> Result<Option<[u32; WIDTH]>, IndexError> {
        if self.records.len() == 0 && self.next < self.end {
            let count = (self.end - self.next).min(self.read_records as u64);
            let record_bytes = WIDTH * 4;
            let mut bytes = vec![0; count as usize * record_bytes];
            spill.read_at(self.next * record_bytes as u64, &mut bytes)?;
            let records: Vec<_> = bytes.chunks_exact(record_bytes).map(decode).collect();
            self.records = records.into_iter();
            self.next += count;
        }
        Ok(self.records.next())
    }
}

/// Appends the bytes of records.
pub(crate) fn encode<const WIDTH: usize>(records: &[[u32; WIDTH]], bytes: &mut Vec<u8>) {
    for word in records.as_flattened() {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
}

pub(crate) fn decode<const WIDTH: usize>(bytes: &[u8]) -> [u32; WIDTH] {
    let mut record = [0; WIDTH];
    for (word, bytes) in record.iter_mut().zip(bytes.as_chunks().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    record
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sorted(records: &[[u32; 3]], memory_bytes: usize) -> Vec<[u32; 3]> {
        let folder = tempfile::tempdir().unwrap();
        let mut sorter = RecordSorter::new(u32::MAX, memory_bytes, folder.path());
        for record in records {
            sorter.push(*record).unwrap();
        }
        let mut result = Vec::new();
        let take = |batch: &[[u32; 3]]| {
            result.extend_from_slice(batch);
            Ok(())
        };
        sorter.finish().unwrap().visit(take).unwrap();
        result
    }

    /// The same by parts; no two of them may have a first word in common.
    fn sorted_by_parts(records: &[[u32; 3]], memory_bytes: usize) -> Vec<[u32; 3]> {
        let folder = tempfile::tempdir().unwrap();
        let mut sorter = RecordSorter::new(8, memory_bytes, folder.path());
        for record in records {
            sorter.push(*record).unwrap();
        }
        let mut result: Vec<[u32; 3]> = Vec::new();
        let take = |part: Vec<[u32; 3]>| {
            let before = result.last().map(|record| record[0]);
            assert!(before.is_none() || before < part.first().map(|record| record[0]));
            result.extend_from_slice(&part);
            Ok::<(), IndexError>(())
        };
        sorter.finish().unwrap().visit_parts(|part| part, take).unwrap();
        result
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn spilled_order_is_memory_order(
            records in prop::collection::vec([0..9_u32, 0..9_u32, 0..99_u32], 0..600),
        ) {
            let mut expected = records.clone();
            expected.sort_unstable();
            prop_assert_eq!(sorted(&records, 0), expected.clone());
            prop_assert_eq!(sorted(&records, 3000), expected.clone());
            prop_assert_eq!(sorted(&records, 1 << 20), expected.clone());
            let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
            for memory_bytes in [0, 3000, 6000, 1 << 20] {
                prop_assert_eq!(&sorted_by_parts(&records, memory_bytes), &expected);
                let on_threads = || sorted_by_parts(&records, memory_bytes);
                prop_assert_eq!(&pool.install(on_threads), &expected);
            }
        }
    }

    #[test]
    fn spilling_into_a_missing_folder_is_an_error() {
        let mut sorter = RecordSorter::<3>::new(5, 0, Path::new("no/such/folder"));
        let pushed = (0..100).try_for_each(|number| sorter.push([number, 0, 0]));
        assert!(matches!(pushed, Err(IndexError::Create { .. })));
    }
}
