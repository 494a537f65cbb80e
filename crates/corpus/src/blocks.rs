//! One pass over the input, block by block.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::Block;
use crate::block::Content;
use crate::corpus::Shared;
use crate::memory::NextRows;
use crate::read::reader::{Projection, SourceReader};
use crate::source::Source;

/// At most so many small files share a block.
const MAX_FILES: usize = 256;

/// An iterator over the blocks of a corpus; owns what it needs, so it can move to a thread.
pub struct Blocks {
    shared: Arc<Shared>,
    projection: Projection,
    /// Whether a file without rows gives a block all the same.
    with_empty_files: bool,
    next_source: usize,
    next_ordinal: u64,
    reader: Option<SourceReader>,
    /// How far rows in memory have been read.
    next_rows: NextRows,
    /// Bytes taken from disk since the last block, counted where decompression begins.
    consumed: Arc<AtomicU64>,
}

impl Blocks {
    pub(crate) fn new(shared: Arc<Shared>, projection: Projection) -> Self {
        Self {
            shared,
            projection,
            with_empty_files: false,
            next_source: 0,
            next_ordinal: 0,
            reader: None,
            next_rows: NextRows::default(),
            consumed: Arc::new(AtomicU64::new(0)),
        }
    }

    /// The same blocks, and one without rows for every file that has none.
    pub(crate) fn with_empty_files(self) -> Self {
        Self { with_empty_files: true, ..self }
    }

    fn next_content(&mut self) -> Option<Content> {
        let Shared { memory, options, block_bytes, .. } = &*self.shared;
        if let Some(memory) = memory {
            let (content, bytes) =
                memory.next_content(&mut self.next_rows, &options.text_key, *block_bytes)?;
            self.consumed.fetch_add(bytes, Ordering::Relaxed);
            return Some(content);
        }
        loop {
            if self.shared.stop.is_set() {
                return None;
            }
            if let Some(reader) = &mut self.reader {
                if let Some(content) = reader.next_content(&self.shared.options, &self.consumed) {
                    return Some(content);
                }
                let empty = reader.take_empty().filter(|_| self.with_empty_files);
                self.reader = None;
                if empty.is_some() && !self.shared.stop.is_set() {
                    return empty;
                }
            }
            let source = Arc::clone(self.shared.sources.get(self.next_source)?);
            if source.format.is_one_document() {
                return Some(self.next_files());
            }
            self.next_source += 1;
            let opened = match &source.problem {
                Some(problem) => Err(problem.clone()),
                None => SourceReader::open(&source, &self.shared, self.projection, &self.consumed),
            };
            match opened {
                Ok(reader) => self.reader = Some(reader),
                Err(reason) => return Some(Content::Problem { source, row: None, reason }),
            }
        }
    }

    /// The run of one-document files that starts at the next source.
    fn next_files(&mut self) -> Content {
        let mut size = 0;
        let files: Vec<Arc<Source>> = self.shared.sources[self.next_source..]
            .iter()
            .take(MAX_FILES)
            .take_while(|source| {
                let fits = source.format.is_one_document() && size < self.shared.block_bytes as u64;
                size += if fits { source.size_bytes } else { 0 };
                fits
            })
            .cloned()
            .collect();
        self.next_source += files.len();
        self.consumed.fetch_add(size, Ordering::Relaxed);
        Content::Files(files)
    }
}

impl Iterator for Blocks {
    type Item = Block;

    fn next(&mut self) -> Option<Block> {
        let content = self.next_content()?;
        let block = Block {
            first_ordinal: self.next_ordinal,
            consumed_bytes: self.consumed.swap(0, Ordering::Relaxed),
            options: Arc::clone(&self.shared.options),
            content,
            incomplete: Arc::clone(&self.shared.incomplete),
        };
        self.next_ordinal += block.n_rows() as u64;
        Some(block)
    }
}
