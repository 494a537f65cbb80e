//! What becomes of the rows of a block: made on whichever thread is free, written in order later.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use super::evidence::EvidenceNames;
use super::layout::Layout;
use super::rows::Rows;
use super::{Decisions, Fate, Removal, Stop, Written, fields};
use crate::CorpusError;
use crate::block::{Block, Content, RecordKind};
use crate::read::buffers::Buffer;
use crate::read::json_array;
use crate::read::jsonl::FieldLookup;
use crate::row::digest;
use crate::source::{Compression, Source};

/// How rows are made.
pub(crate) struct Rendering<'r, D> {
    pub decisions: &'r D,
    pub names: &'r EvidenceNames,
    /// Whether kept rows go into a pipe, uncompressed and on lines.
    pub keeps_in_pipe: bool,
    /// Whether there is a folder for all others.
    pub has_folder: bool,
}

/// The rows of a block of records, by what becomes of them.
#[derive(Default)]
pub(crate) struct RecordRows {
    pub kept: Rows,
    pub removed: Rows,
    pub unreadable: Rows,
}

/// A block that is ready to be written.
pub(crate) struct Piece {
    /// How many rows there are up to its end.
    pub n_rows: u64,
    pub written: Written,
    pub content: PieceContent,
}

pub(crate) enum PieceContent {
    /// Rows, some of which stand in the bytes of the block.
    Records { source: Arc<Source>, kind: RecordKind, bytes: Option<Buffer>, rows: RecordRows },
    /// Rows of columns, with what becomes of each.
    #[cfg(feature = "parquet")]
    Batch { source: Arc<Source>, batch: arrow_array::RecordBatch, fates: Vec<Fate> },
    /// Files that are one document each, with what becomes of each and what was read of it.
    Files(Vec<(Arc<Source>, Fate, u64)>),
    /// Nothing of a file that could not be read.
    Nothing,
}

impl<D: Decisions> Rendering<'_, D> {
    /// Makes the rows of a block ready, after making sure that they are those that were judged.
    pub(crate) fn render(&self, block: Block) -> Result<Piece, Stop> {
        let first = block.first_ordinal;
        let n_rows = first + block.n_rows() as u64;
        let path = path_of(&block);
        let changed = || Stop::Failed(CorpusError::Changed(path.clone()));
        if n_rows > self.decisions.n_rows() {
            return Err(changed());
        }
        let fates: Vec<Fate> = (first..n_rows).map(|row| self.decisions.fate(row)).collect();
        let mut written = Written::default();
        for fate in &fates {
            written.count(fate);
        }
        let header = block.header_digest();
        #[cfg(feature = "parquet")]
        if matches!(block.content, Content::Batch { .. }) {
            let mut is_same = true;
            block.visit(|row| is_same &= row.digest() == self.decisions.digest(row.ordinal));
            if !is_same {
                return Err(changed());
            }
        }
        let digests = first..;
        let content = match block.content {
            Content::Records { source, kind, bytes, rows } => {
                let mut made = RecordRows::default();
                let layouts = self.layouts(&kind, source.compression);
                for ((row, fate), ordinal) in rows.iter().zip(&fates).zip(digests) {
                    let place = row.start..row.end;
                    if digest(&bytes[place.clone()], header) != self.decisions.digest(ordinal) {
                        return Err(changed());
                    }
                    self.add(&mut made, &layouts, &kind, &Record::OfBlock(&bytes, place), fate)?;
                }
                Self::pack(&mut made, &layouts, &bytes)?;
                PieceContent::Records { source, kind, bytes: Some(bytes), rows: made }
            }
            #[cfg(feature = "parquet")]
            Content::Batch { source, batch, .. } => PieceContent::Batch { source, batch, fates },
            Content::Documents { source, documents, rows } => {
                let kind = RecordKind::Json(FieldLookup::choose(&block.options));
                let mut made = RecordRows::default();
                let layouts = self.layouts(&kind, source.compression);
                for ((document, fate), ordinal) in documents[rows].iter().zip(&fates).zip(digests) {
                    let row = document.to_json(ordinal);
                    self.add(&mut made, &layouts, &kind, &Record::Made(&row), fate)?;
                }
                Self::pack(&mut made, &layouts, &[])?;
                PieceContent::Records { source, kind, bytes: None, rows: made }
            }
            Content::Files(sources) => {
                let expected = digests.map(|ordinal| self.decisions.digest(ordinal));
                let files = sources.into_iter().zip(fates).zip(expected);
                PieceContent::Files(
                    files.map(|((source, fate), digest)| (source, fate, digest)).collect(),
                )
            }
            Content::Problem { .. } if fates[0] != Fate::Unreadable => return Err(changed()),
            Content::Problem { .. } => PieceContent::Nothing,
        };
        Ok(Piece { n_rows, written, content })
    }

    fn layouts(&self, kind: &RecordKind, compression: Compression) -> Layouts {
        let of_file = Layout::of(kind, compression);
        Layouts {
            kept: if self.keeps_in_pipe { Layout::lines(Compression::None) } else { of_file },
            removed: of_file,
            unreadable: Layout::lines(compression),
        }
    }

    fn add(
        &self,
        made: &mut RecordRows,
        layouts: &Layouts,
        kind: &RecordKind,
        record: &Record<'_>,
        fate: &Fate,
    ) -> Result<(), Stop> {
        let added = match (fate, record) {
            (Fate::Kept, _) if self.keeps_in_pipe && matches!(kind, RecordKind::JsonArray(_)) => {
                made.kept.add(layouts.kept, &json_array::line(record.bytes()))
            }
            (Fate::Kept, _) => record.add_to(&mut made.kept, layouts.kept),
            (Fate::Unreadable, _) if !self.has_folder || record.bytes().is_empty() => Ok(()),
            (Fate::Unreadable, _) => record.add_to(&mut made.unreadable, layouts.unreadable),
            (Fate::Removed(_), _) if !self.has_folder => Ok(()),
            (Fate::Removed(removal), _) => {
                let row = self.with_evidence(kind, record.bytes(), removal)?;
                made.removed.add(layouts.removed, &row)
            }
        };
        added.map_err(packing_failed)
    }

    fn with_evidence(
        &self,
        kind: &RecordKind,
        row: &[u8],
        removal: &Removal,
    ) -> Result<Vec<u8>, Stop> {
        Ok(match kind {
            RecordKind::Json(_) | RecordKind::JsonArray(_) => {
                let row = json_array::element_of(kind, row);
                if let Some(names) = self.names.instead_in_json(row) {
                    return Err(Stop::Taken(names));
                }
                fields::json_row(row, self.names, removal)
            }
            RecordKind::Csv(header) => fields::csv_row(row, header, self.names, removal),
            RecordKind::Mbox | RecordKind::Warc => fields::message(row, self.names, removal),
        })
    }

    fn pack(made: &mut RecordRows, layouts: &Layouts, block: &[u8]) -> Result<(), Stop> {
        let RecordRows { kept, removed, unreadable } = made;
        kept.pack(layouts.kept.compression, block)
            .and_then(|()| removed.pack(layouts.removed.compression, block))
            .and_then(|()| unreadable.pack(layouts.unreadable.compression, block))
            .map_err(packing_failed)
    }
}

struct Layouts {
    kept: Layout,
    removed: Layout,
    unreadable: Layout,
}

/// A row as it was read.
enum Record<'b> {
    OfBlock(&'b [u8], std::ops::Range<usize>),
    Made(&'b [u8]),
}

impl Record<'_> {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::OfBlock(block, place) => &block[place.clone()],
            Self::Made(bytes) => bytes,
        }
    }

    fn add_to(&self, rows: &mut Rows, layout: Layout) -> io::Result<()> {
        match self {
            Self::OfBlock(block, place) => rows.add_of_block(layout, block, place.clone()),
            Self::Made(bytes) => rows.add(layout, bytes),
        }
    }
}

fn packing_failed(source: io::Error) -> Stop {
    Stop::Failed(CorpusError::Write { path: PathBuf::from("compressed rows"), source })
}

/// The file a block was read from.
pub(crate) fn path_of(block: &Block) -> PathBuf {
    match &block.content {
        Content::Records { source, .. }
        | Content::Documents { source, .. }
        | Content::Problem { source, .. } => source.path.clone(),
        #[cfg(feature = "parquet")]
        Content::Batch { source, .. } => source.path.clone(),
        Content::Files(sources) => {
            sources.first().map(|source| source.path.clone()).unwrap_or_default()
        }
    }
}
