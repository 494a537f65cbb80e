//! The durable index: documents stay prepared on disk, and each new one is checked against them.
//!
//! [`Index`] is the one writer, [`IndexReader`] reads beside it, and both hand out an
//! [`IndexSnapshot`], which answers every question on one consistent state. What finds and judges is
//! the method that the index was created with, its artefacts included; `lookalike-store` keeps the bytes.

mod add;
mod cache;
mod candidates;
mod check;
mod create;
mod export;
mod find;
mod health;
mod look;
mod questions;
mod rows;
mod stored;

use std::path::Path;
use std::sync::{Arc, Mutex};

use lookalike_store::{Batch, Folder, Options, Reader, Store};

pub use add::{AddStatus, AddedDocument, Addition, AdditionAnswer, OnMatch};
pub use check::{CheckStatus, CheckedDocument, LISTED_MATCHES, Match};
pub use create::{IndexError, IndexOptions, StoredParts};
pub use export::{ADDED, described};
pub use health::{IndexStat, IndexVerification, LexiconFit};
pub use look::StoredDocument;
pub use lookalike_store::{Judgment, OnDuplicate, Said, StoreError, Word};
pub use questions::JudgedDocuments;
pub use rows::indexed_document;

use self::create::Opened;
use crate::ByteSize;

/// How many documents a batch of the command line holds at most.
pub const BATCH_DOCUMENTS: usize = 1000;
/// The log becomes a segment at a share of the memory limit, but never past this: whoever opens the
/// index reads all of it first.
const LARGEST_LOG: u64 = 16 << 20;

/// The one writer of a durable index.
#[derive(Debug)]
pub struct Index {
    store: Store,
    opened: Arc<Opened>,
    adding: Mutex<()>,
}

/// A reader of a durable index, in this process or another.
#[derive(Debug)]
pub struct IndexReader {
    reader: Reader,
    opened: Arc<Opened>,
}

/// One consistent state of an index.
#[derive(Clone, Debug)]
pub struct IndexSnapshot {
    store: lookalike_store::Snapshot,
    opened: Arc<Opened>,
    /// The time at which questions are asked: what has expired by then is not there.
    now: u64,
}

/// How much of a memory limit documents take that are ready to be judged: features made again from
/// a stored text cost as much as signing it.
fn known_bytes(memory: ByteSize) -> usize {
    memory.bytes() / 8 * 3
}

/// How a store behaves within a memory limit.
fn store_options(memory: ByteSize) -> Options {
    let bytes = memory.bytes();
    Options {
        log_bytes: (bytes as u64 / 8).clamp(1 << 16, LARGEST_LOG),
        cache_bytes: bytes / 4,
        ..Options::default()
    }
}

impl Index {
    /// Opens an index for writing; there is at most one writer.
    ///
    /// # Errors
    /// There is no index, another process writes it, a file is damaged, or it was made by another
    /// version of the method.
    pub fn open(path: &Path, memory: ByteSize) -> Result<Self, IndexError> {
        let store = Store::open(Arc::new(Folder::new(path)), store_options(memory))?;
        let opened = Arc::new(Opened::read(&store.snapshot(), memory)?);
        Ok(Self { store, opened, adding: Mutex::default() })
    }

    /// Writes down who writes this index, for processes that want to write it as well.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn announce(path: &Path, who: &str) -> std::io::Result<()> {
        Folder::new(path).announce(who)
    }

    /// The state as of the last change, at this time in milliseconds since 1970.
    pub fn snapshot(&self, clock: u64) -> IndexSnapshot {
        let store = self.store.snapshot();
        IndexSnapshot { now: store.now(clock), store, opened: Arc::clone(&self.opened) }
    }

    /// Removes documents by id; returns how many were there.
    ///
    /// # Errors
    /// The disk refuses; then nothing is removed.
    pub fn remove(&self, ids: Vec<String>, clock: u64) -> Result<usize, IndexError> {
        let batch = Batch { time: clock, removed_ids: ids, ..Batch::default() };
        Ok(self.store.commit(batch)?.removed)
    }

    /// Removes the documents that were added before a time; returns how many there were.
    ///
    /// # Errors
    /// The disk refuses; then nothing is removed.
    pub fn remove_before(&self, before: u64, clock: u64) -> Result<usize, IndexError> {
        self.remove_where(clock, |head, _| head.added < before)
    }

    /// Removes the documents that have expired; returns how many there were.
    ///
    /// They are invisible without it; removing them lets the next merge reclaim their room.
    ///
    /// # Errors
    /// The disk refuses; then nothing is removed.
    pub fn expire(&self, clock: u64) -> Result<usize, IndexError> {
        self.remove_where(clock, |head, now| head.expires <= now)
    }

    /// Removes documents by the numbers that [`IndexSnapshot::numbers`] gave; returns how many were
    /// still there.
    ///
    /// # Errors
    /// The disk refuses; then nothing is removed.
    pub fn remove_numbers(&self, numbers: Vec<u32>, clock: u64) -> Result<usize, IndexError> {
        let batch = Batch { time: clock, removed_numbers: numbers, ..Batch::default() };
        Ok(self.store.commit(batch)?.removed)
    }

    fn remove_where(
        &self,
        clock: u64,
        matches: impl Fn(&lookalike_store::Head, u64) -> bool,
    ) -> Result<usize, IndexError> {
        let snapshot = self.store.snapshot();
        let now = snapshot.now(clock);
        let mut removed_numbers = Vec::new();
        for scanned in snapshot.scan(0, false) {
            let head = scanned?.head;
            if matches(&head, now) {
                removed_numbers.push(head.number);
            }
        }
        self.remove_numbers(removed_numbers, clock)
    }

    /// Writes down the verdict of a person without a name on two ids: `None` takes an earlier one back.
    ///
    /// # Errors
    /// Both ids are the same, or the disk refuses.
    pub fn judge(
        &self,
        left: &str,
        right: &str,
        duplicate: Option<bool>,
        clock: u64,
    ) -> Result<(), IndexError> {
        let word = duplicate.map_or(Word::Withdrawn, Word::of);
        self.judge_all(vec![Judgment::new(left, right, word, clock)], clock)
    }

    /// Writes down verdicts on pairs of ids together, each said at a time of its own.
    ///
    /// # Errors
    /// Two ids of a pair are the same, or the disk refuses; then none is written.
    pub fn judge_all(&self, mut judgments: Vec<Judgment>, clock: u64) -> Result<(), IndexError> {
        for judgment in &mut judgments {
            if judgment.left == judgment.right {
                return Err(IndexError::SameId(judgment.left.clone()));
            }
            // Nothing was said later than now.
            judgment.time = judgment.time.min(clock);
        }
        self.store.commit(Batch { time: clock, judgments, ..Batch::default() })?;
        Ok(())
    }

    /// Makes one segment of all and reclaims the room of what was removed or has expired.
    ///
    /// # Errors
    /// The disk refuses; nothing is lost.
    pub fn compact(&self, clock: u64) -> Result<(), IndexError> {
        Ok(self.store.compact(self.store.snapshot().now(clock))?)
    }
}

impl IndexReader {
    /// Opens an index for reading.
    ///
    /// # Errors
    /// As [`Index::open`], but a writer does not matter.
    pub fn open(path: &Path, memory: ByteSize) -> Result<Self, IndexError> {
        let options = store_options(memory);
        let reader = Reader::open(Arc::new(Folder::new(path)), options.cache_bytes)?;
        let opened = Arc::new(Opened::read(&reader.snapshot(), memory)?);
        Ok(Self { reader, opened })
    }

    /// The state as it is now, at this time in milliseconds since 1970.
    ///
    /// # Errors
    /// A file is damaged or missing.
    pub fn snapshot(&self, clock: u64) -> Result<IndexSnapshot, IndexError> {
        let store = self.reader.refresh()?;
        Ok(IndexSnapshot { now: store.now(clock), store, opened: Arc::clone(&self.opened) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_an_index_stay_within_the_memory_limit() {
        for limit in ["2M", "64M", "512M", "8G"] {
            let memory: ByteSize = limit.parse().unwrap();
            let Options { log_bytes, cache_bytes, .. } = store_options(memory);
            // What the log holds is there a second time while it becomes a segment.
            let all = log_bytes as usize * 2 + cache_bytes + known_bytes(memory);
            assert!(all <= memory.bytes() / 8 * 7, "{limit}: {all}");
            assert!(log_bytes <= 16 << 20, "whoever opens the index reads {log_bytes} bytes first");
        }
    }
}
