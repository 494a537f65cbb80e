//! Formats whose rows are pieces of the file: JSON Lines and arrays, CSV, mbox, web archives.

use std::path::PathBuf;

use super::Stop;
use super::evidence::EvidenceNames;
use super::fields;
use super::layout::Layout;
use super::pipe::Pipe;
use super::render::RecordRows;
use super::shelf::Shelf;
use super::sink::{Sink, has_line_end};
use crate::CorpusError;
use crate::block::RecordKind;
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
    compression: Compression,
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
        let layout = Layout::of(kind, compression);
        let shelf = |path: Option<PathBuf>| {
            path.map(|path| Shelf::create(&path, layout)).transpose().map_err(Stop::Failed)
        };
        let (mut kept, mut removed) = (shelf(paths.kept)?, shelf(paths.removed)?);
        if let RecordKind::Csv(header) = kind {
            let instead = names.instead(|name| header.names().iter().any(|taken| taken == name));
            if let Some(names) = instead {
                return Err(Stop::Taken(names));
            }
            if let Some(kept) = &mut kept {
                kept.put_header(&header.raw)?;
                if !has_line_end(&header.raw) {
                    kept.put_header(b"\n")?;
                }
            }
            if let Some(removed) = &mut removed {
                removed.put_header(&fields::csv_header(header, names))?;
            }
        }
        let unreadable_path = paths.unreadable;
        Ok(Self { compression, kept, removed, unreadable: None, unreadable_path })
    }

    /// Adds the rows of a block with these bytes.
    pub(crate) fn write(
        &mut self,
        rows: &RecordRows,
        block: &[u8],
        pipe: Option<&mut Pipe<'_>>,
    ) -> Result<(), CorpusError> {
        if let Some(pipe) = pipe {
            pipe.rows(&rows.kept, block)?;
        } else if let Some(kept) = &mut self.kept {
            kept.put(&rows.kept, block)?;
        }
        if let Some(removed) = &mut self.removed {
            removed.put(&rows.removed, block)?;
        }
        let Some(path) = self.unreadable_path.as_ref().filter(|_| rows.unreadable.len() > 0) else {
            return Ok(());
        };
        let sink = match self.unreadable.take() {
            Some(sink) => sink,
            None => Sink::create(path, self.compression)?,
        };
        self.unreadable.insert(sink).write_rows(&rows.unreadable, block)
    }

    pub(crate) fn finish(self) -> Result<(), CorpusError> {
        [self.kept, self.removed].into_iter().flatten().try_for_each(Shelf::finish)?;
        self.unreadable.map_or(Ok(()), Sink::finish)
    }
}
