//! A file with rows, in the middle of being read.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::buffers::Buffers;
use super::csv::{CsvRecords, Header, delimiter};
use super::json_array::{Elements, begins_array};
use super::jsonl::FieldLookup;
use super::mbox::Messages;
#[cfg(feature = "parquet")]
use super::parquet::FileRows;
use super::records::{Boundary, Limits, Lines, RecordReader};
use super::warc::WarcRecords;
use crate::InputOptions;
use crate::block::{Content, RecordKind};
use crate::corpus::Shared;
use crate::source::{Format, Source};

/// Which columns of a columnar file a pass reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Projection {
    /// Those that [`InputOptions`] names.
    Needed,
    /// All, to write them again.
    All,
}

/// A file with rows, in the middle of being read.
pub(crate) struct SourceReader {
    source: Arc<Source>,
    rows: Rows,
    /// What its rows would be, as long as none has come.
    empty: Option<Content>,
}

enum Rows {
    Records(RecordReader, RecordKind),
    /// CSV whose header has not been read yet.
    Headless(RecordReader),
    #[cfg(feature = "parquet")]
    Batches(Box<super::parquet::BatchReader>),
    /// Nothing more can be read.
    Ended,
}

impl SourceReader {
    /// Opens a file; `input` opens its bytes where rows are cut from them.
    ///
    /// # Errors
    /// The reason why nothing can be read from it, in words.
    pub(crate) fn open(
        source: &Arc<Source>,
        shared: &Shared,
        #[cfg_attr(not(feature = "parquet"), expect(unused_variables, reason = "columns only"))]
        projection: Projection,
        input: impl Fn() -> io::Result<Box<dyn Read + Send>>,
    ) -> Result<Self, String> {
        let records = |boundary: Box<dyn Boundary>| {
            let input = input().map_err(|error| error.to_string())?;
            let limits = Limits {
                block_bytes: shared.block_bytes,
                max_row_bytes: shared.options.max_row_bytes,
                stop: shared.stop.clone(),
            };
            Ok::<_, String>(RecordReader::new(input, boundary, &shared.buffers, limits))
        };
        let rows = match source.format {
            Format::Json if begins_array(source) => {
                let kind = RecordKind::JsonArray(FieldLookup::choose(&shared.options));
                Rows::Records(records(Box::<Elements>::default())?, kind)
            }
            Format::JsonLines | Format::Json => {
                let kind = RecordKind::Json(FieldLookup::choose(&shared.options));
                Rows::Records(records(Box::new(Lines))?, kind)
            }
            Format::Warc => {
                Rows::Records(records(Box::<WarcRecords>::default())?, RecordKind::Warc)
            }
            Format::Mbox => Rows::Records(records(Box::<Messages>::default())?, RecordKind::Mbox),
            Format::Csv | Format::Tsv => {
                Rows::Headless(records(Box::new(CsvRecords::new(delimiter(source.format))))?)
            }
            #[cfg(feature = "parquet")]
            Format::Parquet => Rows::Batches(Box::new(super::parquet::BatchReader::open(
                source,
                &shared.options,
                projection,
                shared.block_bytes,
            )?)),
            _ => return Err("the file is one document and has no rows".into()),
        };
        let empty = match &rows {
            Rows::Records(_, kind) => Some(no_records(source, kind, &shared.buffers)),
            #[cfg(feature = "parquet")]
            Rows::Batches(reader) => reader.no_rows().map(|batch| {
                let source = Arc::clone(source);
                Content::Batch { source, batch, first_number: 1 }
            }),
            Rows::Headless(_) | Rows::Ended => None,
        };
        Ok(Self { source: Arc::clone(source), rows, empty })
    }

    /// A block without rows that tells what the file is, if it has no rows.
    pub(crate) fn take_empty(&mut self) -> Option<Content> {
        self.empty.take()
    }

    /// The next rows, or `None` after the last ones.
    pub(crate) fn next_content(
        &mut self,
        options: &InputOptions,
        consumed: &AtomicU64,
    ) -> Option<Content> {
        let content = self.next_rows(options, consumed)?;
        self.empty = None;
        Some(content)
    }

    fn next_rows(&mut self, options: &InputOptions, consumed: &AtomicU64) -> Option<Content> {
        let source = Arc::clone(&self.source);
        match std::mem::replace(&mut self.rows, Rows::Ended) {
            Rows::Records(mut reader, kind) => {
                let (bytes, rows) = reader.next_records()?;
                self.rows = Rows::Records(reader, kind.clone());
                Some(Content::Records { source, kind, bytes, rows })
            }
            Rows::Headless(reader) => self.after_header(reader, options, consumed),
            #[cfg(feature = "parquet")]
            Rows::Batches(mut reader) => match reader.next_rows(consumed)? {
                FileRows::Batch(batch, first_number) => {
                    self.rows = Rows::Batches(reader);
                    Some(Content::Batch { source, batch, first_number })
                }
                FileRows::Refused(row, reason) => {
                    self.rows = Rows::Batches(reader);
                    Some(Content::Problem { source, row, reason })
                }
                FileRows::Damaged(reason) => Some(Content::Problem { source, row: None, reason }),
            },
            Rows::Ended => None,
        }
    }

    fn after_header(
        &mut self,
        mut reader: RecordReader,
        options: &InputOptions,
        consumed: &AtomicU64,
    ) -> Option<Content> {
        let (bytes, mut rows) = reader.next_records()?;
        let first = rows.remove(0);
        let header = first.problem.map_or_else(
            || {
                let raw = &bytes[first.start..first.end];
                Header::parse(raw, delimiter(self.source.format), options)
            },
            |problem| Err(problem.reason),
        );
        let source = Arc::clone(&self.source);
        let kind = match header {
            Ok(header) => RecordKind::Csv(Arc::new(header)),
            Err(reason) => return Some(Content::Problem { source, row: None, reason }),
        };
        self.rows = Rows::Records(reader, kind.clone());
        if rows.is_empty() {
            self.empty = Some(Content::Records { source, kind, bytes, rows });
            return self.next_rows(options, consumed);
        }
        Some(Content::Records { source, kind, bytes, rows })
    }
}

fn no_records(source: &Arc<Source>, kind: &RecordKind, buffers: &Arc<Buffers>) -> Content {
    let (bytes, rows) = (buffers.take(), Vec::new());
    Content::Records { source: Arc::clone(source), kind: kind.clone(), bytes, rows }
}
