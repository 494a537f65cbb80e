//! One pass over the input, block by block.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::Block;
use crate::block::Content;
use crate::corpus::Shared;
use crate::read::records::{Lines, RecordReader};
use crate::source::{Format, Source};

/// At most so many small files share a block.
const MAX_FILES: usize = 256;

/// An iterator over the blocks of a corpus; owns what it needs, so it can move to a thread.
pub struct Blocks {
    shared: Arc<Shared>,
    next_source: usize,
    next_ordinal: u64,
    reader: Option<SourceReader>,
    /// Bytes taken from disk, counted where decompression begins.
    consumed: Arc<AtomicU64>,
}

/// A file in the middle of being read.
struct SourceReader {
    source: Arc<Source>,
    records: RecordReader<Lines>,
}

impl Blocks {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            next_source: 0,
            next_ordinal: 0,
            reader: None,
            consumed: Arc::new(AtomicU64::new(0)),
        }
    }

    fn next_content(&mut self) -> Option<Content> {
        loop {
            if let Some(reader) = &mut self.reader {
                if let Some(content) = reader.next_content() {
                    return Some(content);
                }
                self.reader = None;
            }
            let source = Arc::clone(self.shared.sources.get(self.next_source)?);
            if source.format.is_one_document() {
                return Some(self.next_files());
            }
            self.next_source += 1;
            if let Some(problem) = &source.problem {
                let reason = problem.clone();
                return Some(Content::Problem { source, reason });
            }
            match self.open(&source) {
                Ok(reader) => self.reader = Some(reader),
                Err(reason) => return Some(Content::Problem { source, reason }),
            }
        }
    }

    fn open(&self, source: &Arc<Source>) -> Result<SourceReader, String> {
        let failed = |error: std::io::Error| error.to_string();
        let options = &self.shared.options;
        match source.format {
            Format::JsonLines => {
                let input = source.open(&self.consumed).map_err(failed)?;
                let records =
                    RecordReader::new(input, Lines, self.shared.block_bytes, options.max_row_bytes);
                Ok(SourceReader { source: Arc::clone(source), records })
            }
            _ => Err("this format is not read yet".into()),
        }
    }

    /// The run of one-document files that starts at the next source.
    fn next_files(&mut self) -> Content {
        let first = self.next_source;
        let mut bytes = 0;
        let files: Vec<Arc<Source>> = self.shared.sources[first..]
            .iter()
            .take_while(|source| {
                let room = bytes < self.shared.block_bytes as u64;
                bytes += source.size_bytes;
                source.format.is_one_document() && room
            })
            .take(MAX_FILES)
            .cloned()
            .collect();
        self.next_source += files.len();
        let size = files.iter().map(|source| source.size_bytes).sum();
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
            consumed_bytes: self.consumed.load(Ordering::Relaxed),
            options: Arc::clone(&self.shared.options),
            content,
        };
        self.next_ordinal += block.n_rows() as u64;
        Some(block)
    }
}

impl SourceReader {
    fn next_content(&mut self) -> Option<Content> {
        let (bytes, rows) = self.records.next_records()?;
        Some(Content::Records { source: Arc::clone(&self.source), bytes, rows })
    }
}
