//! One side of a file's rows, put together as its format wants it.

use std::path::Path;

use super::layout::{Format, Layout};
use super::pack;
use super::rows::Rows;
use super::sink::Sink;
use crate::CorpusError;
use crate::source::Compression;

/// A file with the rows that stay, or with those that go.
pub(crate) struct Shelf {
    sink: Sink,
    layout: Layout,
    n_rows: u64,
}

impl Shelf {
    pub(crate) fn create(path: &Path, layout: Layout) -> Result<Self, CorpusError> {
        Ok(Self { sink: Sink::create(path, layout.compression)?, layout, n_rows: 0 })
    }

    /// Adds the line with the names of columns.
    pub(crate) fn put_header(&mut self, header: &[u8]) -> Result<(), CorpusError> {
        self.sink.write(header)
    }

    /// Adds rows as they came, or with the evidence in them.
    pub(crate) fn put(&mut self, rows: &Rows, block: &[u8]) -> Result<(), CorpusError> {
        if rows.len() == 0 {
            return Ok(());
        }
        if let Format::Array = self.layout.format {
            let is_first = self.n_rows == 0;
            self.sink.write(if is_first { b"[\n" } else { Layout::BETWEEN_ELEMENTS })?;
        }
        self.n_rows += rows.len();
        self.sink.write_rows(rows, block)
    }

    pub(crate) fn finish(mut self) -> Result<(), CorpusError> {
        match self.layout.format {
            Format::Array => {
                let end: &[u8] = if self.n_rows == 0 { b"[]\n" } else { b"\n]\n" };
                self.sink.write(end)?;
            }
            // The records are members; without any the file would be one that was cut off.
            Format::Archive { by_record: true } if self.n_rows == 0 => {
                let empty = pack::frame(Compression::Gzip, 0, |_| Ok(()));
                let empty = empty.map_err(|error| self.sink.failed(error))?;
                self.sink.write(&empty)?;
            }
            Format::Lines | Format::Archive { .. } => {}
        }
        self.sink.finish()
    }
}
