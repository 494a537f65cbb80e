//! One pass over the input, block by block.

use std::sync::Arc;

use crate::Block;
use crate::block::Content;
use crate::corpus::Shared;
use crate::memory::NextRows;
use crate::open_file::OpenFile;
use crate::read::reader::Projection;
use crate::read_ahead::{ReadAhead, Waiting};
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
    file: Option<OpenFile>,
    /// Other threads that read files before their turn, and what they have left of the file at hand.
    ahead: Option<Arc<ReadAhead>>,
    waiting: Option<Waiting>,
    /// How far rows in memory have been read.
    next_rows: NextRows,
    /// Bytes taken from disk since the last block, counted where decompression begins.
    consumed: u64,
}

impl Blocks {
    pub(crate) fn new(shared: Arc<Shared>, projection: Projection) -> Self {
        Self {
            shared,
            projection,
            with_empty_files: false,
            next_source: 0,
            next_ordinal: 0,
            file: None,
            ahead: None,
            waiting: None,
            next_rows: NextRows::default(),
            consumed: 0,
        }
    }

    /// The same blocks, and one without rows for every file that has none.
    pub(crate) fn with_empty_files(self) -> Self {
        Self { with_empty_files: true, ..self }
    }

    /// Lets other threads of so many read files before their turn; `None` where there is nothing to
    /// gain. To be asked for before the first block.
    pub fn read_ahead(&mut self, threads: usize) -> Option<Arc<ReadAhead>> {
        self.ahead = ReadAhead::new(&self.shared, self.projection, threads).map(Arc::new);
        self.ahead.clone()
    }

    fn next_content(&mut self) -> Option<Content> {
        let Shared { memory, options, block_bytes, .. } = &*self.shared;
        if let Some(memory) = memory {
            let (content, bytes) =
                memory.next_content(&mut self.next_rows, &options.text_key, *block_bytes)?;
            self.consumed += bytes;
            return Some(content);
        }
        loop {
            if self.shared.stop.is_set() {
                return None;
            }
            let content = self.next_of_file();
            if content.is_some() {
                return content;
            }
            let number = self.next_source;
            let source = Arc::clone(self.shared.sources.get(number)?);
            if source.format.is_one_document() {
                return Some(self.next_files());
            }
            self.next_source += 1;
            self.waiting = self.ahead.as_ref().and_then(|ahead| ahead.take(number));
            if self.waiting.is_some() {
                continue;
            }
            let opened = match &source.problem {
                Some(problem) => Err(problem.clone()),
                None => OpenFile::new(&source, &self.shared, self.projection),
            };
            match opened {
                Ok(file) => self.file = Some(file),
                Err(reason) => return Some(Content::Problem { source, row: None, reason }),
            }
        }
    }

    /// The next rows of the file at hand; `None` if there are no more.
    fn next_of_file(&mut self) -> Option<Content> {
        if let (Some(ahead), Some(mut waiting)) = (&self.ahead, self.waiting.take()) {
            if let Some((content, consumed)) = ahead.next_content(&mut waiting) {
                self.waiting = Some(waiting);
                self.consumed += consumed;
                return Some(content);
            }
            self.file = Some(waiting.file);
        }
        let mut file = self.file.take()?;
        let content = file.next_content_in_turn(&self.shared);
        self.consumed += file.take_consumed();
        if content.is_some() {
            self.file = Some(file);
            return content;
        }
        file.take_empty().filter(|_| self.with_empty_files && !self.shared.stop.is_set())
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
        self.consumed += size;
        Content::Files(files)
    }
}

impl Iterator for Blocks {
    type Item = Block;

    fn next(&mut self) -> Option<Block> {
        let content = self.next_content()?;
        let block = Block {
            first_ordinal: self.next_ordinal,
            consumed_bytes: std::mem::take(&mut self.consumed),
            options: Arc::clone(&self.shared.options),
            content,
            incomplete: Arc::clone(&self.shared.incomplete),
        };
        self.next_ordinal += block.n_rows() as u64;
        Some(block)
    }
}
