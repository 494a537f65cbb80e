//! A file that is being written, compressed as its extension says.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::pack;
use super::rows::Rows;
use crate::CorpusError;
use crate::source::Compression;

/// What comes in small pieces is compressed when it is as much as this.
const FRAME_BYTES: usize = 1 << 20;

/// A file that is being written.
pub(crate) struct Sink {
    path: PathBuf,
    file: BufWriter<File>,
    compression: Compression,
    /// What waits to be compressed together.
    waiting: Vec<u8>,
    is_empty: bool,
}

impl Sink {
    /// Begins a file, and the folders above it.
    pub(crate) fn create(path: &Path, compression: Compression) -> Result<Self, CorpusError> {
        let file = create_file(path)
            .map_err(|source| CorpusError::Write { path: path.to_owned(), source })?;
        Ok(Self {
            path: path.to_owned(),
            file: BufWriter::with_capacity(1 << 18, file),
            compression,
            waiting: Vec::new(),
            is_empty: true,
        })
    }

    /// The error of something that was to be written here.
    pub(crate) fn failed(&self, source: io::Error) -> CorpusError {
        CorpusError::Write { path: self.path.clone(), source }
    }

    /// Appends bytes.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), CorpusError> {
        if self.compression == Compression::None {
            return self.put(bytes);
        }
        self.waiting.extend_from_slice(bytes);
        if self.waiting.len() >= FRAME_BYTES { self.pack_waiting() } else { Ok(()) }
    }

    /// Appends rows of a block with these bytes.
    pub(crate) fn write_rows(&mut self, rows: &Rows, block: &[u8]) -> Result<(), CorpusError> {
        if !rows.is_packed() {
            return rows.visit(block, &mut |bytes| self.write(bytes));
        }
        self.pack_waiting()?;
        rows.visit(block, &mut |bytes| self.put(bytes))
    }

    /// Writes out everything that is still in memory.
    pub(crate) fn finish(mut self) -> Result<(), CorpusError> {
        self.pack_waiting()?;
        if self.is_empty {
            // A file of no bytes is no compressed file, but one that was cut off.
            let nothing = pack::frame(self.compression, 0, |_| Ok(()));
            let nothing = nothing.map_err(|error| self.failed(error))?;
            self.put(&nothing)?;
        }
        let Self { path, file, .. } = self;
        let written = file.into_inner().map_err(io::IntoInnerError::into_error);
        written
            .and_then(|file| file.sync_all())
            .map_err(|source| CorpusError::Write { path, source })
    }

    fn pack_waiting(&mut self) -> Result<(), CorpusError> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let waiting = std::mem::take(&mut self.waiting);
        let packed = pack::frame(self.compression, waiting.len(), |out| out.write_all(&waiting));
        let packed = packed.map_err(|error| self.failed(error))?;
        self.put(&packed)
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), CorpusError> {
        self.is_empty &= bytes.is_empty();
        self.file.write_all(bytes).map_err(|error| self.failed(error))
    }
}

/// Whether a row ends its line.
pub(crate) fn has_line_end(row: &[u8]) -> bool {
    row.ends_with(b"\n") || row.ends_with(b"\r")
}

/// A new file, and the folders above it.
pub(crate) fn create_file(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    File::create(path)
}
