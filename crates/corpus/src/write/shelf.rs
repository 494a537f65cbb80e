//! One side of a file's rows, put together as its format wants it.

use std::io::Write;
use std::path::Path;

use flate2::write::GzEncoder;

use super::sink::Sink;
use crate::CorpusError;
use crate::block::RecordKind;
use crate::read::{json_array, warc};
use crate::source::Compression;

/// A file with the rows that stay, or with those that go.
pub(crate) struct Shelf {
    pub sink: Sink,
    format: Format,
    n_rows: u64,
}

/// What stands around rows.
enum Format {
    /// Line ends.
    Lines,
    /// Brackets and commas.
    Array,
    /// Blank lines; compressed records are compressed one by one, so that programs can go to any
    /// of them.
    Archive { by_record: bool },
}

impl Shelf {
    pub(crate) fn create(
        path: &Path,
        kind: &RecordKind,
        compression: Compression,
    ) -> Result<Self, CorpusError> {
        let by_record = compression == Compression::Gzip;
        let (format, compression) = match kind {
            RecordKind::JsonArray(_) => (Format::Array, compression),
            RecordKind::Warc if by_record => (Format::Archive { by_record }, Compression::None),
            RecordKind::Warc => (Format::Archive { by_record }, compression),
            _ => (Format::Lines, compression),
        };
        Ok(Self { sink: Sink::create(path, compression)?, format, n_rows: 0 })
    }

    /// Adds a row as it came, or with the evidence in it.
    pub(crate) fn put(&mut self, row: &[u8]) -> Result<(), CorpusError> {
        self.n_rows += 1;
        match self.format {
            Format::Lines => self.sink.write_row(row),
            Format::Array => {
                self.sink.write(if self.n_rows == 1 { b"[\n" } else { b",\n" })?;
                self.sink.write(json_array::element(row))
            }
            Format::Archive { by_record } => {
                let mut record = warc::without_gap(row).to_vec();
                record.extend_from_slice(b"\r\n\r\n");
                if by_record {
                    let mut member = GzEncoder::new(Vec::new(), flate2::Compression::default());
                    let packed = member.write_all(&record).and_then(|()| member.finish());
                    record = packed.map_err(|error| self.sink.failed(error))?;
                }
                self.sink.write(&record)
            }
        }
    }

    pub(crate) fn finish(mut self) -> Result<(), CorpusError> {
        match self.format {
            Format::Array => {
                let end: &[u8] = if self.n_rows == 0 { b"[]\n" } else { b"\n]\n" };
                self.sink.write(end)?;
            }
            // A file of no bytes is no gzip file, but one that was cut off.
            Format::Archive { by_record: true } if self.n_rows == 0 => {
                let empty = GzEncoder::new(Vec::new(), flate2::Compression::default()).finish();
                let empty = empty.map_err(|error| self.sink.failed(error))?;
                self.sink.write(&empty)?;
            }
            Format::Lines | Format::Archive { .. } => {}
        }
        self.sink.finish()
    }
}
