//! Runs on disk, read by all threads: each reads a part of all runs and sorts it.
//!
//! Runs are written part by part, so that it is known where each part is, and nothing is sorted before: to
//! sort what stands together is faster than to sort it run by run and to merge it, even on one thread.

use std::ops::Range;
use std::path::Path;

use crate::IndexError;
use crate::radix::{DIGITS, in_turns, sort, threads};
use crate::sorter::{decode, encode};
use crate::spill::SpillFile;

/// Records that are read from a run at a time.
const READ_RECORDS: usize = 1 << 13;
/// Parts that are held in memory at once for each thread, at least.
const PARTS_PER_THREAD: usize = 2;

/// Where the parts of a run are in the file, in records.
#[derive(Debug)]
pub(crate) struct RunParts {
    /// Where each begins, and after them the end of the last.
    edges: Vec<u64>,
}

impl RunParts {
    /// A run without parts so far.
    pub(crate) fn starting_at(start: u64) -> Self {
        let mut edges = Vec::with_capacity(DIGITS + 1);
        edges.push(start);
        Self { edges }
    }

    /// Adds the next part.
    pub(crate) fn push(&mut self, n_records: usize) {
        let end = self.edges.last().map_or(0, |start| start + n_records as u64);
        self.edges.push(end);
    }
}

/// Runs of one file by their parts.
#[derive(Debug)]
pub(crate) struct SpilledParts<const WIDTH: usize> {
    spill: SpillFile,
    runs: Vec<RunParts>,
    n_records: usize,
    /// Parts that have room in memory at once.
    at_once: usize,
}

impl<const WIDTH: usize> SpilledParts<WIDTH> {
    /// The parts of these runs, if enough of them have room where `memory_records` could be sorted;
    /// else gives file and runs back.
    pub(crate) fn new(
        spill: SpillFile,
        runs: Vec<RunParts>,
        run_ends: &[u64],
        memory_records: usize,
    ) -> Result<Self, (SpillFile, Vec<RunParts>)> {
        let lengths = (0..DIGITS).map(|part| pieces(&runs, part).map(length).sum::<u64>());
        // Records with their bytes, and what was made of those before.
        let at_once = memory_records as u64 / 2 / lengths.max().unwrap_or(0).max(1);
        if runs.len() < run_ends.len() || at_once < (threads() * PARTS_PER_THREAD) as u64 {
            return Err((spill, runs));
        }
        let n_records = run_ends.last().copied().unwrap_or(0) as usize;
        Ok(Self { spill, runs, n_records, at_once: at_once.min(DIGITS as u64) as usize })
    }

    /// Reads and sorts each part, makes something of it and hands that to `take` in order. No two
    /// parts have a first word in common.
    pub(crate) fn visit<T: Send, E: From<IndexError> + Send>(
        self,
        make: impl Fn(Vec<[u32; WIDTH]>) -> T + Sync,
        mut take: impl FnMut(T) -> Result<(), E> + Send,
    ) -> Result<(), E> {
        let made = |scratch: &mut Vec<_>, part: usize| {
            let mut records = self.read(part)?;
            sort(&mut records, scratch);
            Ok(make(records))
        };
        let take = |made: Result<T, IndexError>| take(made?);
        let has_records = |part: &usize| pieces(&self.runs, *part).map(length).any(|n| n > 0);
        let parts = (0..DIGITS).filter(has_records);
        in_turns(parts, self.n_records, self.at_once, made, take)
    }

    fn read(&self, part: usize) -> Result<Vec<[u32; WIDTH]>, IndexError> {
        let n_records: u64 = pieces(&self.runs, part).map(length).sum();
        let mut records = Vec::with_capacity(n_records as usize);
        for piece in pieces(&self.runs, part) {
            read_piece(&self.spill, piece, &mut records)?;
        }
        Ok(records)
    }
}

/// These runs with each of their parts sorted, in a file in `folder`: runs that are merged.
pub(crate) fn sorted_runs<const WIDTH: usize>(
    spill: &SpillFile,
    runs: &[RunParts],
    folder: &Path,
) -> Result<SpillFile, IndexError> {
    let mut sorted = SpillFile::create(folder)?;
    let (mut records, mut scratch, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
    for edges in runs.iter().flat_map(|run| run.edges.windows(2)) {
        records.clear();
        read_piece::<WIDTH>(spill, edges[0]..edges[1], &mut records)?;
        sort(&mut records, &mut scratch);
        for some in records.chunks(READ_RECORDS) {
            bytes.clear();
            encode(some, &mut bytes);
            sorted.append(&bytes)?;
        }
    }
    Ok(sorted)
}

/// Appends the records of a piece of a file.
fn read_piece<const WIDTH: usize>(
    spill: &SpillFile,
    mut piece: Range<u64>,
    records: &mut Vec<[u32; WIDTH]>,
) -> Result<(), IndexError> {
    let mut bytes = Vec::new();
    while !piece.is_empty() {
        let count = length(piece.clone()).min(READ_RECORDS as u64);
        bytes.resize(count as usize * WIDTH * 4, 0);
        spill.read_at(piece.start * (WIDTH * 4) as u64, &mut bytes)?;
        records.extend(bytes.chunks_exact(WIDTH * 4).map(decode::<WIDTH>));
        piece.start += count;
    }
    Ok(())
}

/// Where a part of each run is.
fn pieces(runs: &[RunParts], part: usize) -> impl Iterator<Item = Range<u64>> {
    runs.iter().map(move |run| run.edges[part]..run.edges[part + 1])
}

fn length(piece: Range<u64>) -> u64 {
    piece.end - piece.start
}
