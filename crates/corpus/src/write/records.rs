//! Formats whose rows are pieces of the file: JSON Lines, CSV, mbox.

use std::path::Path;
use std::sync::Arc;

use super::Fate;
use super::fields;
use super::sink::{Finished, Sink};
use crate::CorpusError;
use crate::block::RecordKind;
use crate::read::csv::Header;
use crate::source::Compression;

/// A pair of files of one format.
pub(crate) struct RecordOutput {
    kind: RecordKind,
    compression: Compression,
    kept: Sink,
    removed: Sink,
}

impl RecordOutput {
    pub(crate) fn create(
        out_dir: &Path,
        name: &str,
        kind: &RecordKind,
        compression: Compression,
    ) -> Result<Self, CorpusError> {
        let mut kept = Sink::create(out_dir, &format!("kept{name}"), compression)?;
        let mut removed = Sink::create(out_dir, &format!("removed{name}"), compression)?;
        if let RecordKind::Csv(header) = kind {
            kept.write(&with_line_end(&header.raw))?;
            removed.write(&fields::csv_header(header))?;
        }
        Ok(Self { kind: kind.clone(), compression, kept, removed })
    }

    /// Whether rows of this kind belong here; CSV files must agree on their header.
    pub(crate) fn takes(&self, kind: &RecordKind, compression: Compression) -> bool {
        let same_kind = match (&self.kind, kind) {
            (RecordKind::Json(_), RecordKind::Json(_)) | (RecordKind::Mbox, RecordKind::Mbox) => {
                true
            }
            (RecordKind::Csv(ours), RecordKind::Csv(theirs)) => same_header(ours, theirs),
            _ => false,
        };
        same_kind && self.compression == compression
    }

    pub(crate) fn write(&mut self, row: &[u8], fate: &Fate) -> Result<(), CorpusError> {
        match fate {
            Fate::Unreadable => Ok(()),
            Fate::Kept => {
                self.kept.write(row)?;
                if row.ends_with(b"\n") || row.ends_with(b"\r") {
                    return Ok(());
                }
                self.kept.write(b"\n")
            }
            Fate::Removed { duplicate_of, score } => {
                let row = match &self.kind {
                    RecordKind::Json(_) => fields::json_row(row, duplicate_of, *score),
                    RecordKind::Csv(header) => fields::csv_row(row, header, duplicate_of, *score),
                    RecordKind::Mbox => fields::message(row, duplicate_of, *score),
                };
                self.removed.write(&with_line_end(&row))
            }
        }
    }

    pub(crate) fn finish(self, complete: &mut Vec<Finished>) -> Result<(), CorpusError> {
        complete.push(self.kept.finish()?);
        complete.push(self.removed.finish()?);
        Ok(())
    }
}

fn same_header(ours: &Arc<Header>, theirs: &Arc<Header>) -> bool {
    Arc::ptr_eq(ours, theirs)
        || (ours.delimiter == theirs.delimiter && ours.raw.trim_ascii() == theirs.raw.trim_ascii())
}

/// The last row of a file may lack its line end; another row may follow it now.
fn with_line_end(row: &[u8]) -> Vec<u8> {
    let mut row = row.to_vec();
    if !row.ends_with(b"\n") && !row.ends_with(b"\r") {
        row.push(b'\n');
    }
    row
}
