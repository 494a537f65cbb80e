//! A file under a temporary name, compressed as its extension will say.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::write::GzEncoder;
use tempfile::{NamedTempFile, TempDir, TempPath};

use crate::CorpusError;
use crate::source::Compression;

/// A file that is being written; it vanishes unless it is finished and renamed.
pub(crate) struct Sink {
    target: PathBuf,
    encoder: Encoder,
    partial: TempPath,
}

enum Encoder {
    Plain(BufWriter<File>),
    Gzip(GzEncoder<BufWriter<File>>),
    Zstd(zstd::stream::write::Encoder<'static, BufWriter<File>>),
}

/// Complete output that only lacks its final name.
pub(crate) enum Finished {
    File { partial: TempPath, target: PathBuf },
    Folder { partial: TempDir, target: PathBuf },
}

impl Sink {
    /// Begins the file `out_dir/name`.
    pub(crate) fn create(
        out_dir: &Path,
        name: &str,
        compression: Compression,
    ) -> Result<Self, CorpusError> {
        let target = out_dir.join(name);
        let begin = || {
            let (file, partial) = partial_file(out_dir)?.into_parts();
            let buffered = BufWriter::with_capacity(1 << 18, file);
            let encoder = match compression {
                Compression::None => Encoder::Plain(buffered),
                Compression::Gzip => {
                    Encoder::Gzip(GzEncoder::new(buffered, flate2::Compression::default()))
                }
                Compression::Zstd => {
                    let mut encoder = zstd::stream::write::Encoder::new(buffered, 3)?;
                    encoder.include_checksum(true)?;
                    Encoder::Zstd(encoder)
                }
            };
            Ok((encoder, partial))
        };
        match begin() {
            Ok((encoder, partial)) => Ok(Self { target, encoder, partial }),
            Err(source) => Err(CorpusError::Write { path: target, source }),
        }
    }

    /// Appends bytes.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), CorpusError> {
        let written = match &mut self.encoder {
            Encoder::Plain(file) => file.write_all(bytes),
            Encoder::Gzip(file) => file.write_all(bytes),
            Encoder::Zstd(file) => file.write_all(bytes),
        };
        written.map_err(|source| CorpusError::Write { path: self.target.clone(), source })
    }

    /// Writes out everything that is still in memory.
    pub(crate) fn finish(self) -> Result<Finished, CorpusError> {
        let flushed = match self.encoder {
            Encoder::Plain(file) => close(file),
            Encoder::Gzip(file) => file.finish().and_then(close),
            Encoder::Zstd(file) => file.finish().and_then(close),
        };
        match flushed {
            Ok(()) => Ok(Finished::File { partial: self.partial, target: self.target }),
            Err(source) => Err(CorpusError::Write { path: self.target, source }),
        }
    }
}

impl Finished {
    /// Gives the output its final name, in place of what had it before.
    pub(crate) fn rename(self) -> Result<PathBuf, CorpusError> {
        let (renamed, target) = match self {
            Self::File { partial, target } => {
                (partial.persist(&target).map_err(|error| error.error), target)
            }
            Self::Folder { partial, target } => (replace_folder(partial, &target), target),
        };
        match renamed {
            Ok(()) => Ok(target),
            Err(source) => Err(CorpusError::Write { path: target, source }),
        }
    }
}

/// A file in `folder` with a name that says that it is not complete.
pub(crate) fn partial_file(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".partial-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any program would create it; the user's mask still applies.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// A folder in `folder` with a name that says that it is not complete.
pub(crate) fn partial_folder(folder: &Path) -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".partial-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o777));
    }
    builder.tempdir_in(folder)
}

fn close(file: BufWriter<File>) -> io::Result<()> {
    file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
}

fn replace_folder(partial: TempDir, target: &Path) -> io::Result<()> {
    match fs::remove_dir_all(target) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs::rename(partial.path(), target)?;
    // The folder has moved: there is nothing left to remove.
    let _ = partial.keep();
    Ok(())
}
