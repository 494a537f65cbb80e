//! One file of the input: its format, its compression, and how it is opened.

use std::fs::{self, File};
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

pub use crate::compression::Compression;
use crate::compression::{Window, decompress, split_name};
pub(crate) use crate::compression::{compression_by_content, compression_of};

/// What is inside a file, by its extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// One JSON object a line.
    #[serde(rename = "jsonl")]
    JsonLines,
    /// A JSON array of objects, or else one object a line.
    Json,
    /// Comma-separated values with a header row.
    Csv,
    /// Tab-separated values with a header row.
    Tsv,
    /// Apache Parquet.
    Parquet,
    /// Many messages in one file.
    Mbox,
    /// A web archive: WARC, or WET, which has the text of its pages.
    Warc,
    /// Plain text or Markdown, one document.
    Text,
    /// An HTML page, one document.
    Html,
    /// One message, as `.eml` or in a Maildir.
    Mail,
    /// A Word document.
    Docx,
    /// An `OpenDocument` text.
    Odt,
    /// PDF.
    Pdf,
}

impl Format {
    /// Whether the file is one document rather than rows.
    pub fn is_one_document(self) -> bool {
        matches!(self, Self::Text | Self::Html | Self::Mail | Self::Docx | Self::Odt | Self::Pdf)
    }

    /// Why this build cannot read the format, where it cannot.
    pub(crate) fn missing_feature(self) -> Option<&'static str> {
        match self {
            Self::Parquet if !cfg!(feature = "parquet") => Some("parquet"),
            Self::Mbox | Self::Mail if !cfg!(feature = "mail") => Some("mail"),
            Self::Html if !cfg!(feature = "html") => Some("html"),
            Self::Docx | Self::Odt | Self::Pdf if !cfg!(feature = "documents") => Some("documents"),
            _ => None,
        }
    }
}

/// One file of the input.
#[derive(Clone, Debug)]
pub struct Source {
    /// Where the file is.
    pub path: PathBuf,
    /// The path as people gave it, for messages.
    pub name: String,
    /// The path by which documents are known: relative to the folder that was given.
    pub id_name: String,
    /// What is inside.
    pub format: Format,
    /// How it is compressed.
    pub compression: Compression,
    /// Its size on disk.
    pub size_bytes: u64,
    /// When it was last written to.
    pub modified: Option<SystemTime>,
    /// Why nothing can be read from it, if that is known already.
    pub problem: Option<String>,
    /// The bytes where there is no file of that name.
    pub(crate) held: Option<Held>,
}

/// Bytes that no file of a source's name has.
#[derive(Clone, Debug)]
pub(crate) enum Held {
    /// What came out of a stream.
    Spooled(Arc<File>),
    /// What was in memory from the beginning.
    Memory(Arc<[u8]>),
}

impl Source {
    /// Whether the file is as it was when it was found.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.problem.is_some()
            || self.held.is_some()
            || fs::metadata(&self.path).is_ok_and(|now| {
                now.len() == self.size_bytes && now.modified().ok() == self.modified
            })
    }

    /// Whether its rows take longer to read than to copy: they must be decompressed first.
    pub fn is_slow(&self) -> bool {
        let is_packed = self.compression != Compression::None || self.format == Format::Parquet;
        is_packed && !self.format.is_one_document()
    }

    /// Whether there is no file: rows that were in memory from the beginning.
    #[cfg(feature = "parquet")]
    pub(crate) fn is_in_memory(&self) -> bool {
        self.path.as_os_str().is_empty()
    }

    /// Opens the file and undoes its compression; bytes taken from disk are added to `consumed`.
    pub(crate) fn open(
        &self,
        consumed: &Arc<AtomicU64>,
        window: Window,
    ) -> io::Result<Box<dyn Read + Send>> {
        let counted = Counted { inner: self.raw()?, consumed: Arc::clone(consumed) };
        decompress(counted, self.compression, window)
    }

    /// The bytes as they are on disk.
    pub(crate) fn raw(&self) -> io::Result<Box<dyn Read + Send>> {
        Ok(match &self.held {
            Some(Held::Spooled(file)) => Box::new(Spooled { file: Arc::clone(file), offset: 0 }),
            Some(Held::Memory(bytes)) => Box::new(Cursor::new(Arc::clone(bytes))),
            None => Box::new(File::open(&self.path)?),
        })
    }

    /// The whole content of a one-document file, or `None` when it is longer than `limit`.
    pub(crate) fn read_whole(&self, limit: usize) -> io::Result<Option<Vec<u8>>> {
        let mut bytes = Vec::with_capacity((self.size_bytes as usize).min(limit) + 1);
        decompress(self.raw()?, self.compression, Window::Largest)?
            .take(limit as u64 + 1)
            .read_to_end(&mut bytes)?;
        Ok((bytes.len() <= limit).then_some(bytes))
    }
}

/// Format and compression by the file's name, if the extension is known.
pub(crate) fn format_of(path: &Path) -> Option<(Format, Compression)> {
    let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
    let (stem, compression) = split_name(&name);
    let format = match stem.rsplit_once('.')?.1 {
        "jsonl" | "ndjson" => Format::JsonLines,
        "json" => Format::Json,
        "csv" => Format::Csv,
        "tsv" => Format::Tsv,
        "parquet" if compression == Compression::None => Format::Parquet,
        "mbox" => Format::Mbox,
        "warc" | "wet" => Format::Warc,
        "txt" | "md" => Format::Text,
        "html" | "htm" => Format::Html,
        "eml" => Format::Mail,
        "docx" | "docm" => Format::Docx,
        "odt" => Format::Odt,
        "pdf" => Format::Pdf,
        _ => return None,
    };
    Some((format, compression))
}

/// The whole text of a small file beside the input, its compression undone by its extension.
///
/// # Errors
/// The file cannot be read, or is no UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    io::read_to_string(decompress(File::open(path)?, compression_of(path), Window::Largest)?)
}

/// A file without a name, which several passes may read at once.
struct Spooled {
    file: Arc<File>,
    offset: u64,
}

impl Read for Spooled {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = read_at(&self.file, buffer, self.offset)?;
        self.offset += got as u64;
        Ok(got)
    }
}

/// Reads from a place of a file that does not move with the reading.
#[cfg(unix)]
pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}

/// A file that tells how far it has been read, for progress.
struct Counted {
    inner: Box<dyn Read + Send>,
    consumed: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.inner.read(buffer)?;
        self.consumed.fetch_add(got as u64, Ordering::Relaxed);
        Ok(got)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_name_format_and_compression() {
        let found = |name| format_of(Path::new(name));
        assert_eq!(found("a/b.JSONL.zst"), Some((Format::JsonLines, Compression::Zstd)));
        assert_eq!(found("b.tsv.gz"), Some((Format::Tsv, Compression::Gzip)));
        assert_eq!(found("b.json.xz"), Some((Format::Json, Compression::Xz)));
        assert_eq!(found("b.warc.gz"), Some((Format::Warc, Compression::Gzip)));
        assert_eq!(found("b.v2.html"), Some((Format::Html, Compression::None)));
        assert_eq!(found("b.parquet.gz"), None);
        assert_eq!(found("b.gz"), None);
        assert_eq!(found("README"), None);
    }

    #[test]
    fn a_small_file_is_read_whole_whatever_its_compression() {
        let folder = tempfile::tempdir().unwrap();
        let plain = folder.path().join("pairs.jsonl");
        fs::write(&plain, "fog").unwrap();
        let packed = folder.path().join("pairs.jsonl.zst");
        fs::write(&packed, zstd::encode_all(&b"fog"[..], 1).unwrap()).unwrap();
        assert_eq!(
            (read_text(&plain).unwrap(), read_text(&packed).unwrap()),
            ("fog".into(), "fog".into())
        );
        assert!(read_text(&folder.path().join("absent")).is_err());
    }
}
