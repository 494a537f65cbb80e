//! How files are compressed, and undoing it within bounded memory.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use crate::source::read_at;

/// How a file is compressed, by its extension.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Compression {
    /// Not at all.
    #[default]
    None,
    /// `.gz`
    Gzip,
    /// `.zst`
    Zstd,
    /// `.xz`
    Xz,
    /// `.bz2`
    Bzip2,
}

impl Compression {
    /// The extension, with its dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Gzip => ".gz",
            Self::Zstd => ".zst",
            Self::Xz => ".xz",
            Self::Bzip2 => ".bz2",
        }
    }
}

/// The compression that a file's name tells.
pub(crate) fn compression_of(path: &Path) -> Compression {
    let name = path.file_name().map(OsStr::to_string_lossy).unwrap_or_default();
    let name = name.to_ascii_lowercase();
    split_name(&name).1
}

/// A name without the extension of its compression, and that compression.
pub(crate) fn split_name(name: &str) -> (&str, Compression) {
    match name.rsplit_once('.') {
        Some((stem, "gz")) => (stem, Compression::Gzip),
        Some((stem, "zst")) => (stem, Compression::Zstd),
        Some((stem, "xz")) => (stem, Compression::Xz),
        Some((stem, "bz2")) => (stem, Compression::Bzip2),
        _ => (name, Compression::None),
    }
}

/// The compression that the first bytes of a file tell, for streams, which have no name.
pub(crate) fn compression_by_content(file: &File) -> Compression {
    let mut head = [0; 10];
    // A stream that is shorter, or cannot be read again, is not compressed.
    let got = read_at(file, &mut head, 0).unwrap_or(0);
    match &head[..got] {
        [0x1F, 0x8B, 8, ..] => Compression::Gzip,
        [0x28, 0xB5, 0x2F, 0xFD, ..] => Compression::Zstd,
        [0xFD, b'7', b'z', b'X', b'Z', 0, ..] => Compression::Xz,
        [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, 0x53, 0x59] => Compression::Bzip2,
        _ => Compression::None,
    }
}

/// The window that may be allocated for a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Window {
    /// 128 MiB, as `zstd -d` allows by default, and twice what `xz -9` asks for.
    Largest,
    /// 16 MiB, twice what `zstd -19` and `xz -6` ask for: many such files may be open at once.
    Small,
}

impl Window {
    fn log(self) -> u32 {
        match self {
            Self::Largest => 27,
            Self::Small => 24,
        }
    }
}

/// Undoes a compression.
pub(crate) fn decompress(
    file: impl Read + Send + 'static,
    compression: Compression,
    window: Window,
) -> io::Result<Box<dyn Read + Send>> {
    let buffered = |file| BufReader::with_capacity(1 << 16, file);
    Ok(match compression {
        Compression::None => Box::new(file),
        Compression::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(buffered(file))),
        Compression::Zstd => {
            let mut decoder = zstd::stream::read::Decoder::new(file)?;
            decoder.window_log_max(window.log())?;
            Box::new(Explained(decoder))
        }
        Compression::Xz => {
            let limit = 1 << (window.log() - 10);
            let decoder = lzma_rust2::XzReader::new_mem_limit(buffered(file), true, limit);
            Box::new(Explained(decoder))
        }
        Compression::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(buffered(file))),
    })
}

/// A decoder whose refusal to allocate says what can be done.
struct Explained<R>(R);

impl<R: Read> Read for Explained<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|error| {
            let text = error.to_string();
            let refused =
                error.kind() == io::ErrorKind::OutOfMemory || text.contains("too much memory");
            if !refused {
                return error;
            }
            let reason = "it needs a window of more than 128 MiB; compress it again with \
                          `zstd --long=27`, `xz -9` or less";
            io::Error::new(error.kind(), reason)
        })
    }
}
