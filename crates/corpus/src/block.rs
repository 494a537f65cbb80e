//! Some megabytes of whole rows, read on one thread and parsed on another.

use std::sync::Arc;

use crate::read::records::RawRow;
use crate::read::{files, jsonl};
use crate::source::{Format, Source};
use crate::{InputOptions, Place, Row, RowDocument, Unreadable};

/// Consecutive rows of one input file, or several one-document files.
#[derive(Debug)]
pub struct Block {
    pub(crate) first_ordinal: u64,
    pub(crate) consumed_bytes: u64,
    pub(crate) options: Arc<InputOptions>,
    pub(crate) content: Content,
}

#[derive(Debug)]
pub(crate) enum Content {
    /// Records of a file, not yet parsed.
    Records { source: Arc<Source>, bytes: Vec<u8>, rows: Vec<RawRow> },
    /// Files that are one document each, not yet opened.
    Files(Vec<Arc<Source>>),
    /// A file that gives nothing but the reason why.
    Problem { source: Arc<Source>, reason: String },
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
            Content::Files(sources) => sources.len(),
            Content::Problem { .. } => 1,
        }
    }

    /// The size of the rows, uncompressed; for files not yet opened their size on disk.
    pub fn bytes(&self) -> u64 {
        match &self.content {
            Content::Records { bytes, .. } => bytes.len() as u64,
            Content::Files(sources) => sources.iter().map(|source| source.size_bytes).sum(),
            Content::Problem { .. } => 0,
        }
    }

    /// How much of [`Corpus::size_bytes`](crate::Corpus::size_bytes) was read up to this block.
    pub fn consumed_bytes(&self) -> u64 {
        self.consumed_bytes
    }

    /// Parses every row in order.
    pub fn visit(&self, visitor: impl FnMut(Row<'_>)) {
        self.visit_selected(|_| true, visitor);
    }

    /// Parses the rows whose ordinal is selected; the others cost next to nothing.
    pub fn visit_selected(
        &self,
        mut selected: impl FnMut(u64) -> bool,
        mut visitor: impl FnMut(Row<'_>),
    ) {
        let first = self.first_ordinal;
        match &self.content {
            Content::Records { source, bytes, rows } => {
                for (ordinal, row) in (first..).zip(rows).filter(|(ordinal, _)| selected(*ordinal))
                {
                    let place = Place { file: &source.name, row: Some(row.number) };
                    let parsed = match &row.problem {
                        Some(problem) => Err(problem.to_string()),
                        None => self.parse(source, &bytes[row.start..row.end], row.number),
                    };
                    visitor(make_row(ordinal, place, parsed));
                }
            }
            Content::Files(sources) => {
                for (ordinal, source) in
                    (first..).zip(sources).filter(|(ordinal, _)| selected(*ordinal))
                {
                    let place = Place { file: &source.name, row: None };
                    files::visit(source, &self.options, |parsed| {
                        visitor(make_row(ordinal, place, parsed));
                    });
                }
            }
            Content::Problem { source, reason } => {
                if selected(first) {
                    let place = Place { file: &source.name, row: None };
                    visitor(make_row(first, place, Err(reason.clone())));
                }
            }
        }
    }

    fn parse<'a>(
        &'a self,
        source: &'a Source,
        record: &'a [u8],
        number: u64,
    ) -> Result<RowDocument<'a>, String> {
        let fallback_id = || format!("{}:{number}", source.id_name);
        match source.format {
            Format::JsonLines => jsonl::parse(record, &self.options, fallback_id),
            _ => Err("this format is not read yet".into()),
        }
    }
}

fn make_row<'a>(
    ordinal: u64,
    place: Place<'a>,
    parsed: Result<RowDocument<'a>, String>,
) -> Row<'a> {
    let content = parsed.map_err(|reason| Unreadable { place: place.to_string(), reason });
    Row { ordinal, place, content }
}
