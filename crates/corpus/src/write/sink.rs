//! A file that is being written, compressed as its extension says.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::write::GzEncoder;

use crate::CorpusError;
use crate::source::Compression;

/// A file that is being written.
pub(crate) struct Sink {
    path: PathBuf,
    encoder: Encoder,
}

enum Encoder {
    Plain(BufWriter<File>),
    Gzip(GzEncoder<BufWriter<File>>),
    Zstd(zstd::stream::write::Encoder<'static, BufWriter<File>>),
    Xz(Box<lzma_rust2::XzWriter<BufWriter<File>>>),
    Bzip2(bzip2::write::BzEncoder<BufWriter<File>>),
}

impl Sink {
    /// Begins a file, and the folders above it.
    pub(crate) fn create(path: &Path, compression: Compression) -> Result<Self, CorpusError> {
        let begin = || {
            let buffered = BufWriter::with_capacity(1 << 18, create_file(path)?);
            Ok(match compression {
                Compression::None => Encoder::Plain(buffered),
                Compression::Gzip => {
                    Encoder::Gzip(GzEncoder::new(buffered, flate2::Compression::default()))
                }
                Compression::Zstd => {
                    let mut encoder = zstd::stream::write::Encoder::new(buffered, 3)?;
                    encoder.include_checksum(true)?;
                    Encoder::Zstd(encoder)
                }
                Compression::Xz => {
                    let options = lzma_rust2::XzOptions::with_preset(6);
                    Encoder::Xz(Box::new(lzma_rust2::XzWriter::new(buffered, options)?))
                }
                Compression::Bzip2 => Encoder::Bzip2(bzip2::write::BzEncoder::new(
                    buffered,
                    bzip2::Compression::default(),
                )),
            })
        };
        let path = path.to_owned();
        match begin() {
            Ok(encoder) => Ok(Self { path, encoder }),
            Err(source) => Err(CorpusError::Write { path, source }),
        }
    }

    /// The error of something that was to be written here.
    pub(crate) fn failed(&self, source: io::Error) -> CorpusError {
        CorpusError::Write { path: self.path.clone(), source }
    }

    /// Appends bytes.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), CorpusError> {
        let written = match &mut self.encoder {
            Encoder::Plain(file) => file.write_all(bytes),
            Encoder::Gzip(file) => file.write_all(bytes),
            Encoder::Zstd(file) => file.write_all(bytes),
            Encoder::Xz(file) => file.write_all(bytes),
            Encoder::Bzip2(file) => file.write_all(bytes),
        };
        written.map_err(|error| self.failed(error))
    }

    /// Appends a row; the last one of a file may lack its line end, and another may follow it now.
    pub(crate) fn write_row(&mut self, row: &[u8]) -> Result<(), CorpusError> {
        self.write(row)?;
        if has_line_end(row) { Ok(()) } else { self.write(b"\n") }
    }

    /// Writes out everything that is still in memory.
    pub(crate) fn finish(self) -> Result<(), CorpusError> {
        let flushed = match self.encoder {
            Encoder::Plain(file) => close(file),
            Encoder::Gzip(file) => file.finish().and_then(close),
            Encoder::Zstd(file) => file.finish().and_then(close),
            Encoder::Xz(file) => file.finish().and_then(close),
            Encoder::Bzip2(file) => file.finish().and_then(close),
        };
        flushed.map_err(|source| CorpusError::Write { path: self.path, source })
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

fn close(file: BufWriter<File>) -> io::Result<()> {
    file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
}
