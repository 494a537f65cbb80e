//! Some megabytes of whole rows, read on one thread and parsed on another.

use std::ops::Range;
use std::sync::Arc;

use crate::memory::OwnedDocument;
use crate::read::buffers::Buffer;
use crate::read::records::RawRow;
use crate::read::{csv, files, json_array, jsonl, visible, warc};
use crate::row::{Incomplete, Problem, Raw, digest};
use crate::source::Source;
use crate::{InputOptions, Row, RowDocument, RowPlace, Unreadable};

/// Consecutive rows of one input file, or several one-document files.
#[derive(Debug)]
pub struct Block {
    pub(crate) first_ordinal: u64,
    pub(crate) consumed_bytes: u64,
    pub(crate) options: Arc<InputOptions>,
    pub(crate) content: Content,
    pub(crate) incomplete: Arc<Incomplete>,
}

#[derive(Debug)]
pub(crate) enum Content {
    /// Records of a file, not yet parsed.
    Records { source: Arc<Source>, kind: RecordKind, bytes: Buffer, rows: Vec<RawRow> },
    /// Rows of a columnar file.
    #[cfg(feature = "parquet")]
    Batch { source: Arc<Source>, batch: arrow_array::RecordBatch, first_number: u64 },
    /// Some of the documents of a list.
    Documents { source: Arc<Source>, documents: Arc<Vec<OwnedDocument>>, rows: Range<usize> },
    /// Files that are one document each, not yet opened.
    Files(Vec<Arc<Source>>),
    /// A file that gives nothing, or nothing more, but the reason why; or a single row of one.
    Problem { source: Arc<Source>, row: Option<u64>, reason: String },
}

/// What the records of a block are.
#[derive(Clone, Debug)]
pub(crate) enum RecordKind {
    Json(jsonl::FieldLookup),
    JsonArray(jsonl::FieldLookup),
    Csv(Arc<csv::Header>),
    Mbox,
    Warc,
}

impl Content {
    /// The size of the rows, uncompressed; for files not yet opened their size on disk.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Content::Records { bytes, .. } => bytes.len() as u64,
            #[cfg(feature = "parquet")]
            Content::Batch { batch, .. } => batch.get_array_memory_size() as u64,
            Content::Documents { documents, rows, .. } => {
                documents[rows.clone()].iter().map(|document| document.text.len() as u64).sum()
            }
            Content::Files(sources) => sources.iter().map(|source| source.size_bytes).sum(),
            Content::Problem { .. } => 0,
        }
    }
}

impl Block {
    /// The ordinal of the first row; the others follow without gaps.
    pub fn first_ordinal(&self) -> u64 {
        self.first_ordinal
    }

    /// How many rows there are, readable or not.
    pub fn n_rows(&self) -> usize {
        match &self.content {
            Content::Records { rows, .. } => rows.len(),
            #[cfg(feature = "parquet")]
            Content::Batch { batch, .. } => batch.num_rows(),
            Content::Documents { rows, .. } => rows.len(),
            Content::Files(sources) => sources.len(),
            Content::Problem { .. } => 1,
        }
    }

    /// The size of the rows, uncompressed; for files not yet opened their size on disk.
    pub fn bytes(&self) -> u64 {
        self.content.bytes()
    }

    /// How many bytes of the input files were read to make this block.
    ///
    /// Over a pass they add up to [`Corpus::size_bytes`](crate::Corpus::size_bytes).
    pub fn consumed_bytes(&self) -> u64 {
        self.consumed_bytes
    }

    /// Parses every row in order.
    pub fn visit(&self, mut visitor: impl FnMut(Row<'_>)) {
        self.visit_rows(&mut |_| true, &mut visitor);
    }

    /// Parses the rows whose ordinal is selected; the others cost next to nothing.
    pub fn visit_selected(
        &self,
        mut selected: impl FnMut(u64) -> bool,
        mut visitor: impl FnMut(Row<'_>),
    ) {
        self.visit_rows(&mut selected, &mut visitor);
    }

    /// The parsers are compiled once, not for every caller.
    fn visit_rows(&self, selected: &mut dyn FnMut(u64) -> bool, visitor: &mut dyn FnMut(Row<'_>)) {
        let options = &*self.options;
        let mut room = Vec::new();
        let header_digest = self.header_digest();
        for (ordinal, place) in
            (self.first_ordinal..).zip(0..self.n_rows()).filter(|(ordinal, _)| selected(*ordinal))
        {
            match &self.content {
                Content::Records { source, kind, bytes, rows } => {
                    let row = &rows[place];
                    let record = &bytes[row.start..row.end];
                    let parsed = match &row.problem {
                        Some(problem) => Err((**problem).clone()),
                        None => kind
                            .parse(record, options, &mut room, || {
                                format!("{}:{}", source.id_name, row.number)
                            })
                            .and_then(|row| seen(row, options, kind.has_fields()))
                            .map_err(Problem::from),
                    };
                    let raw = Raw::Bytes { bytes: record, seed: header_digest };
                    visitor(self.row(ordinal, source, Some(row.number), parsed, raw));
                }
                #[cfg(feature = "parquet")]
                Content::Batch { source, batch, first_number } => {
                    let number = first_number + place as u64;
                    let parsed = crate::read::parquet::parse(batch, place, options, || {
                        if source.is_in_memory() {
                            return ordinal.to_string();
                        }
                        format!("{}:{number}", source.id_name)
                    });
                    let parsed = parsed.and_then(|row| seen(row, options, true));
                    let parsed = parsed.map_err(Problem::from);
                    visitor(self.row(ordinal, source, Some(number), parsed, Raw::Fields));
                }
                Content::Documents { source, documents, rows } => {
                    let document = &documents[rows.start + place];
                    visitor(self.row(
                        ordinal,
                        source,
                        Some(ordinal + 1),
                        Ok(document.row(ordinal)),
                        Raw::Fields,
                    ));
                }
                Content::Files(sources) => {
                    let source = &sources[place];
                    files::visit(source, options, |parsed, bytes| {
                        let raw = Raw::Bytes { bytes, seed: 0 };
                        visitor(self.row(ordinal, source, None, parsed, raw));
                    });
                }
                Content::Problem { source, row, reason } => {
                    let problem = Problem { reason: reason.clone(), incomplete: row.is_none() };
                    visitor(self.row(ordinal, source, *row, Err(problem), Raw::Fields));
                }
            }
        }
    }

    fn row<'a>(
        &self,
        ordinal: u64,
        source: &'a Source,
        number: Option<u64>,
        parsed: Result<RowDocument<'a>, Problem>,
        raw: Raw<'a>,
    ) -> Row<'a> {
        let place = RowPlace { file: &source.name, row: number };
        let content = parsed.map_err(|Problem { reason, incomplete }| {
            let row = Unreadable { place: place.to_string(), reason, incomplete };
            if incomplete {
                self.incomplete.note(ordinal, &row);
            }
            row
        });
        Row { ordinal, place, content, raw }
    }

    /// A digest of the header that explains the rows, where there is one.
    pub(crate) fn header_digest(&self) -> u64 {
        match &self.content {
            Content::Records { kind: RecordKind::Csv(header), .. } => digest(&header.raw, 0),
            _ => 0,
        }
    }
}

/// The row as later stages see it: pages in a field become what a reader sees of them.
fn seen<'a>(
    row: RowDocument<'a>,
    options: &InputOptions,
    has_fields: bool,
) -> Result<RowDocument<'a>, String> {
    if options.html && has_fields { visible(row) } else { Ok(row) }
}

impl RecordKind {
    /// Whether the text is a field among others, which may hold a page.
    fn has_fields(&self) -> bool {
        matches!(self, Self::Json(_) | Self::JsonArray(_) | Self::Csv(_))
    }

    fn parse<'a>(
        &'a self,
        record: &'a [u8],
        options: &InputOptions,
        room: &'a mut Vec<u8>,
        fallback_id: impl FnOnce() -> String,
    ) -> Result<RowDocument<'a>, String> {
        match self {
            Self::Json(lookup) => jsonl::parse(record, options, *lookup, room, fallback_id),
            Self::JsonArray(lookup) => {
                jsonl::parse(json_array::element(record), options, *lookup, room, fallback_id)
            }
            Self::Csv(header) => csv::parse(record, header, fallback_id),
            Self::Warc => warc::parse(record, options, fallback_id),
            #[cfg(feature = "mail")]
            Self::Mbox => {
                let message = crate::read::mail::from_mbox(record)?;
                crate::read::mail::parse(message, options, fallback_id)
            }
            #[cfg(not(feature = "mail"))]
            Self::Mbox => Err("this build cannot read mail".into()),
        }
    }
}
