//! Formats whose rows are pieces of the file: JSON Lines and arrays, CSV, mbox, web archives.

use std::path::PathBuf;

use super::evidence::EvidenceNames;
use super::fields;
use super::pipe::Pipe;
use super::shelf::Shelf;
use super::sink::Sink;
use super::{Fate, Stop};
use crate::CorpusError;
use crate::block::RecordKind;
use crate::read::json_array;
use crate::source::Compression;

/// Where the rows of one file go.
pub(crate) struct RecordPaths {
    /// Rows that stay; unless they go into a pipe.
    pub kept: Option<PathBuf>,
    /// Rows that go.
    pub removed: Option<PathBuf>,
    /// Rows that hold no document; made when there is one.
    pub unreadable: Option<PathBuf>,
}

/// The outputs of one file.
pub(crate) struct RecordOutput {
    kind: RecordKind,
    compression: Compression,
    names: EvidenceNames,
    kept: Option<Shelf>,
    removed: Option<Shelf>,
    unreadable: Option<Sink>,
    unreadable_path: Option<PathBuf>,
}

impl RecordOutput {
    pub(crate) fn create(
        paths: RecordPaths,
        kind: &RecordKind,
        compression: Compression,
        names: &EvidenceNames,
    ) -> Result<Self, Stop> {
        let sink = |path: Option<PathBuf>| {
            path.map(|path| Shelf::create(&path, kind, compression))
                .transpose()
                .map_err(Stop::Failed)
        };
        let (mut kept, mut removed) = (sink(paths.kept)?, sink(paths.removed)?);
        if let RecordKind::Csv(header) = kind {
            let instead = names.instead(|name| header.names().iter().any(|taken| taken == name));
            if let Some(names) = instead {
                return Err(Stop::Taken(names));
            }
            if let Some(kept) = &mut kept {
                kept.sink.write_row(&header.raw)?;
            }
            if let Some(removed) = &mut removed {
                removed.sink.write(&fields::csv_header(header, names))?;
            }
        }
        Ok(Self {
            kind: kind.clone(),
            compression,
            names: names.clone(),
            kept,
            removed,
            unreadable: None,
            unreadable_path: paths.unreadable,
        })
    }

    pub(crate) fn write(
        &mut self,
        row: &[u8],
        fate: &Fate,
        pipe: Option<&mut Pipe<'_>>,
    ) -> Result<(), Stop> {
        match fate {
            Fate::Unreadable => self.put_aside(row)?,
            Fate::Kept => {
                if let Some(pipe) = pipe {
                    match &self.kind {
                        RecordKind::JsonArray(_) => pipe.row(&json_array::line(row))?,
                        _ => pipe.row(row)?,
                    }
                } else if let Some(kept) = &mut self.kept {
                    kept.put(row)?;
                }
            }
            Fate::Removed { duplicate_of, score } => {
                let Some(removed) = &mut self.removed else { return Ok(()) };
                let row = match &self.kind {
                    RecordKind::Json(_) | RecordKind::JsonArray(_) => {
                        let row = json_array::element_of(&self.kind, row);
                        if let Some(names) = self.names.instead_in_json(row) {
                            return Err(Stop::Taken(names));
                        }
                        fields::json_row(row, &self.names, duplicate_of, *score)
                    }
                    RecordKind::Csv(header) => {
                        fields::csv_row(row, header, &duplicate_of.text, *score)
                    }
                    RecordKind::Mbox | RecordKind::Warc => {
                        fields::message(row, &duplicate_of.text, *score)
                    }
                };
                removed.put(&row)?;
            }
        }
        Ok(())
    }

    /// Keeps the bytes of a row that could not be read.
    fn put_aside(&mut self, row: &[u8]) -> Result<(), CorpusError> {
        let Some(path) = self.unreadable_path.as_ref().filter(|_| !row.is_empty()) else {
            return Ok(());
        };
        let sink = match self.unreadable.take() {
            Some(sink) => sink,
            None => Sink::create(path, self.compression)?,
        };
        self.unreadable.insert(sink).write_row(row)
    }

    pub(crate) fn finish(self) -> Result<(), CorpusError> {
        [self.kept, self.removed].into_iter().flatten().try_for_each(Shelf::finish)?;
        self.unreadable.map_or(Ok(()), Sink::finish)
    }
}
