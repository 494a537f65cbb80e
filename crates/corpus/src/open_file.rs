//! A file of a pass, opened when it is its turn or before.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use crate::block::Content;
use crate::compression::Window;
use crate::corpus::Shared;
use crate::read::reader::{Projection, SourceReader};
use crate::source::Source;

/// The longest row of a file that is opened before its turn.
const LONGEST_ROW: usize = 16 << 20;

/// A file in the middle of being read.
pub(crate) struct OpenFile {
    source: Arc<Source>,
    projection: Projection,
    reader: SourceReader,
    /// How many blocks it has given.
    n_contents: usize,
    /// Bytes taken from disk since somebody asked, and all before that.
    consumed: Arc<AtomicU64>,
    told: u64,
    /// How reading goes where it is bounded.
    bounds: Option<Arc<Bounds>>,
}

impl OpenFile {
    /// Opens a file whose turn it is.
    ///
    /// # Errors
    /// The reason why nothing can be read from it, in words.
    pub(crate) fn new(
        source: &Arc<Source>,
        shared: &Shared,
        projection: Projection,
    ) -> Result<Self, String> {
        let consumed = Arc::default();
        let open = || source.open(&consumed, Window::Largest);
        let reader = SourceReader::open(source, shared, projection, open)?;
        let source = Arc::clone(source);
        Ok(Self { source, projection, reader, n_contents: 0, consumed, told: 0, bounds: None })
    }

    /// Opens a file before its turn, to be read within bounded memory.
    ///
    /// # Errors
    /// As [`OpenFile::new`].
    pub(crate) fn ahead(
        source: &Arc<Source>,
        shared: &Shared,
        projection: Projection,
    ) -> Result<Self, String> {
        let consumed = Arc::default();
        let bounds = Arc::<Bounds>::default();
        let open = || {
            let inner = source.open(&consumed, Window::Small)?;
            Ok(Box::new(Bounded { inner, bounds: Arc::clone(&bounds) }) as Box<dyn Read + Send>)
        };
        let reader = SourceReader::open(source, shared, projection, open)?;
        let (source, bounds) = (Arc::clone(source), Some(bounds));
        Ok(Self { source, projection, reader, n_contents: 0, consumed, told: 0, bounds })
    }

    /// Whether something went wrong that might go well without bounds.
    pub(crate) fn has_failed(&self) -> bool {
        self.bounds.as_ref().is_some_and(|bounds| bounds.failed.load(Ordering::Relaxed))
    }

    /// The next rows, or `None` after the last ones.
    pub(crate) fn next_content(&mut self, shared: &Shared) -> Option<Content> {
        if let Some(bounds) = &self.bounds {
            bounds.since_rows.store(0, Ordering::Relaxed);
        }
        let content = self.reader.next_content(&shared.options, &self.consumed);
        self.n_contents += usize::from(content.is_some());
        content
    }

    /// The same for a file whose turn it is: what bounds stop is read again without them.
    pub(crate) fn next_content_in_turn(&mut self, shared: &Shared) -> Option<Content> {
        let n_contents = self.n_contents;
        let content = self.next_content(shared);
        if !self.has_failed() {
            return content;
        }
        let told = self.told;
        match Self::new(&self.source, shared, self.projection) {
            Ok(file) => *self = file,
            Err(reason) => {
                let source = Arc::clone(&self.source);
                return Some(Content::Problem { source, row: None, reason });
            }
        }
        // The same bytes are cut into the same blocks.
        for _ in 0..n_contents {
            self.next_content(shared)?;
        }
        let content = self.next_content(shared);
        let again = self.consumed.load(Ordering::Relaxed);
        self.consumed.store(again.saturating_sub(told), Ordering::Relaxed);
        self.told = told.min(again);
        content
    }

    /// A block without rows that tells what the file is, if it has no rows.
    pub(crate) fn take_empty(&mut self) -> Option<Content> {
        self.reader.take_empty()
    }

    /// How many bytes were taken from disk since this was last asked.
    pub(crate) fn take_consumed(&mut self) -> u64 {
        let consumed = self.consumed.swap(0, Ordering::Relaxed);
        self.told += consumed;
        consumed
    }
}

/// How reading within bounds goes.
#[derive(Default)]
struct Bounds {
    /// Bytes since the last rows were complete.
    since_rows: AtomicUsize,
    failed: AtomicBool,
}

/// A file that is given up rather than read at any cost.
struct Bounded {
    inner: Box<dyn Read + Send>,
    bounds: Arc<Bounds>,
}

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = if self.bounds.since_rows.load(Ordering::Relaxed) > LONGEST_ROW {
            Err(io::Error::other("a row is too long to be read ahead"))
        } else {
            self.inner.read(buffer)
        };
        match &read {
            Ok(got) => {
                self.bounds.since_rows.fetch_add(*got, Ordering::Relaxed);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => self.bounds.failed.store(true, Ordering::Relaxed),
        }
        read
    }
}
