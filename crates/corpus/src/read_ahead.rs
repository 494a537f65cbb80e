//! Compressed files after the one at hand, read by threads that would wait otherwise.
//!
//! A file is decompressed from its beginning to its end, which keeps one thread busy, however many
//! there are. Where other files follow they are begun meanwhile. Their rows wait until the files
//! before them have been handed out, so that rows have the same numbers whatever was read ahead;
//! what waits is bounded, and so is what one file may take to read.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::block::Content;
use crate::corpus::Shared;
use crate::open_file::OpenFile;
use crate::read::reader::Projection;
use crate::source::{Compression, Format, Source};

/// What a file may take that is read ahead: one half for rows that wait, the other for the decoder
/// and the longest row.
const FILE_BYTES: usize = 64 << 20;
/// Files after the one at hand that are looked at.
const MOST_FILES: usize = 64;

/// Reads files ahead of a pass; several threads may do so at once.
pub struct ReadAhead {
    shared: Arc<Shared>,
    projection: Projection,
    /// Files that may be in the middle of being read.
    most_open: usize,
    files: Mutex<Files>,
    /// A thread has put a file back.
    put_back: Condvar,
    /// Bytes of rows that wait.
    waiting_bytes: AtomicU64,
}

#[derive(Default)]
struct Files {
    /// The first file that the pass has not come to.
    first: usize,
    ahead: BTreeMap<usize, Ahead>,
}

/// A file that was begun ahead.
enum Ahead {
    /// Some thread is reading it.
    InHand,
    Waiting(Box<Waiting>),
    /// It takes too much memory, or is damaged: it is read when it is its turn.
    GivenUp,
}

/// A file and those of its rows that were read ahead.
pub(crate) struct Waiting {
    pub(crate) file: OpenFile,
    /// Rows with the bytes taken from disk for them.
    contents: VecDeque<(Content, u64)>,
    /// Whether these are all that are left of it.
    has_ended: bool,
}

impl ReadAhead {
    /// Reads ahead of a pass that has not begun; `None` where there is nothing to gain, or no room.
    pub(crate) fn new(
        shared: &Arc<Shared>,
        projection: Projection,
        threads: usize,
    ) -> Option<Self> {
        let most_open = (shared.read_ahead_bytes / FILE_BYTES).min(threads);
        let n_files = shared.sources.iter().filter(|source| is_worth_it(source)).take(2).count();
        (threads > 1 && most_open > 0 && n_files > 1).then(|| Self {
            shared: Arc::clone(shared),
            projection,
            most_open,
            files: Mutex::default(),
            put_back: Condvar::new(),
            waiting_bytes: AtomicU64::new(0),
        })
    }

    /// Reads some rows ahead; false if there is nothing to read, or no room for it.
    pub fn read_some(&self) -> bool {
        let Some((number, waiting)) = self.begin() else { return false };
        let mut hand = InHand { ahead: self, number, outcome: Ahead::GivenUp };
        if let Some(waiting) = self.read_on(number, waiting) {
            hand.outcome = Ahead::Waiting(Box::new(waiting));
        }
        true
    }

    /// What was read ahead of a file whose turn it is; waits for a thread that is about it.
    pub(crate) fn take(&self, number: usize) -> Option<Waiting> {
        let mut files = self.files();
        files.first = number + 1;
        while matches!(files.ahead.get(&number), Some(Ahead::InHand)) {
            files = self.put_back.wait(files).unwrap_or_else(PoisonError::into_inner);
        }
        match files.ahead.remove(&number) {
            Some(Ahead::Waiting(waiting)) => Some(*waiting),
            _ => None,
        }
    }

    /// The next rows that were read ahead, and the bytes taken from disk for them.
    pub(crate) fn next_content(&self, waiting: &mut Waiting) -> Option<(Content, u64)> {
        let (content, consumed) = waiting.contents.pop_front()?;
        self.waiting_bytes.fetch_sub(content.bytes(), Ordering::Relaxed);
        Some((content, consumed))
    }

    fn files(&self) -> MutexGuard<'_, Files> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the first file in hand of which more can be read, begun or not.
    fn begin(&self) -> Option<(usize, Option<Waiting>)> {
        let most_waiting = (self.most_open * FILE_BYTES / 2) as u64;
        if self.waiting_bytes.load(Ordering::Relaxed) >= most_waiting {
            return None;
        }
        let mut files = self.files();
        let mut n_open = 0;
        let sources = self.shared.sources.iter().enumerate().skip(files.first).take(MOST_FILES);
        for (number, source) in sources {
            let is_next = match files.ahead.get(&number) {
                Some(Ahead::Waiting(waiting)) => !waiting.has_ended,
                None => n_open < self.most_open && is_worth_it(source),
                Some(Ahead::InHand) => {
                    n_open += 1;
                    false
                }
                Some(Ahead::GivenUp) => false,
            };
            if is_next {
                return match files.ahead.insert(number, Ahead::InHand) {
                    Some(Ahead::Waiting(waiting)) => Some((number, Some(*waiting))),
                    _ => Some((number, None)),
                };
            }
        }
        None
    }

    /// Reads the next rows of a file; `None` if it must be read when it is its turn.
    fn read_on(&self, number: usize, waiting: Option<Waiting>) -> Option<Waiting> {
        let source = &self.shared.sources[number];
        let mut waiting = match waiting {
            Some(waiting) => waiting,
            None => Waiting {
                file: OpenFile::ahead(source, &self.shared, self.projection).ok()?,
                contents: VecDeque::new(),
                has_ended: false,
            },
        };
        let content = waiting.file.next_content(&self.shared);
        if waiting.file.has_failed() || self.shared.stop.is_set() {
            while self.next_content(&mut waiting).is_some() {}
            return None;
        }
        match content {
            Some(content) => {
                self.waiting_bytes.fetch_add(content.bytes(), Ordering::Relaxed);
                let consumed = waiting.file.take_consumed();
                waiting.contents.push_back((content, consumed));
            }
            None => waiting.has_ended = true,
        }
        Some(waiting)
    }
}

/// Whether a file takes long to read, and bounded memory.
fn is_worth_it(source: &Source) -> bool {
    // Whether JSON is an array is found out by opening it without a bound.
    let has_rows = !source.format.is_one_document() && source.format != Format::Json;
    has_rows && source.compression != Compression::None && source.problem.is_none()
}

/// A file that a thread has in hand, and what becomes of it; given up if the thread panics, so that
/// nobody waits for it.
struct InHand<'a> {
    ahead: &'a ReadAhead,
    number: usize,
    outcome: Ahead,
}

impl Drop for InHand<'_> {
    fn drop(&mut self) {
        let outcome = std::mem::replace(&mut self.outcome, Ahead::GivenUp);
        self.ahead.files().ahead.insert(self.number, outcome);
        self.ahead.put_back.notify_all();
    }
}
