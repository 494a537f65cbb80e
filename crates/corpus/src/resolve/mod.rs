//! From what people type (files, folders, patterns, `-`) to the list of files to read.

mod folder;
mod ignored;
mod kind;
mod name;
mod spool;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) use self::ignored::counts;
pub use self::ignored::{Ignored, Reason};
use self::kind::{in_maildir_tmp, kind_of};
use self::name::slashes;
use crate::read::json_array::begins_array;
use crate::source::{
    Compression, Format, Held, Source, compression_by_content, compression_of, format_of,
};
use crate::{CorpusError, InputOptions, Stop};

/// The files to read, in reading order.
#[derive(Debug)]
pub(crate) struct Resolved<'o> {
    pub sources: Vec<Source>,
    pub ignored: Vec<Ignored>,
    options: &'o InputOptions,
    temp_dir: &'o Path,
    stop: &'o Stop,
    seen: BTreeSet<PathBuf>,
}

/// Finds the files that the inputs name.
pub(crate) fn resolve<'o>(
    inputs: &[impl AsRef<OsStr>],
    options: &'o InputOptions,
    temp_dir: &'o Path,
    stop: &'o Stop,
) -> Result<Resolved<'o>, CorpusError> {
    if inputs.is_empty() {
        return Err(CorpusError::NoInput);
    }
    let (sources, ignored, seen) = (Vec::new(), Vec::new(), BTreeSet::new());
    let mut resolved = Resolved { sources, ignored, options, temp_dir, stop, seen };
    for input in inputs.iter().map(AsRef::as_ref) {
        let (sources, ignored) = (resolved.sources.len(), resolved.ignored.len());
        resolved.add_input(input, inputs.len() == 1)?;
        if stop.is_set() {
            return Err(CorpusError::Stopped);
        }
        let ignored = &resolved.ignored[ignored..];
        if resolved.sources.len() == sources
            && ignored.iter().all(|file| file.reason != Reason::GivenTwice)
        {
            let ignored = ignored.len();
            return Err(CorpusError::NothingFound { input: slashes(Path::new(input)), ignored });
        }
    }
    Ok(resolved)
}

impl Resolved<'_> {
    fn add_input(&mut self, input: &OsStr, alone: bool) -> Result<(), CorpusError> {
        if input == "-" {
            return self.add_stream(|| Ok(io::stdin()), "-");
        }
        let path = Path::new(input);
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => self.add_folder(path, alone),
            Ok(metadata) if metadata.is_file() => match kind_of(path, self.options) {
                Some(kind) => {
                    self.add_file(path, path, kind);
                    Ok(())
                }
                None => Err(CorpusError::UnknownFormat(path.to_owned())),
            },
            Ok(metadata) if is_pipe(&metadata) => {
                let pipe = path.to_owned();
                self.add_stream(move || File::open(pipe), &slashes(path))
            }
            Ok(_) => Err(CorpusError::Special(path.to_owned())),
            Err(_) if input.to_string_lossy().contains(['*', '?', '[']) => self.add_pattern(path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(CorpusError::NotFound(slashes(path)))
            }
            Err(source) => Err(CorpusError::Read { path: path.to_owned(), source }),
        }
    }

    /// Adds a file that was come across rather than named: an unknown format is no error.
    fn add_found(&mut self, path: &Path, id_path: &Path) {
        match kind_of(path, self.options) {
            Some((Format::Docx | Format::Odt | Format::Pdf, _)) if !cfg!(feature = "documents") => {
                self.ignore(path, Reason::NoDocuments);
            }
            Some(kind) if !in_maildir_tmp(path) => self.add_file(path, id_path, kind),
            _ => self.ignore(path, Reason::UnknownFormat),
        }
    }

    fn ignore(&mut self, path: &Path, reason: Reason) {
        self.ignored.push(Ignored { path: path.to_owned(), reason });
    }

    fn add_file(&mut self, path: &Path, id_path: &Path, kind: (Format, Compression)) {
        let canonical = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if !self.seen.insert(canonical) {
            return self.ignore(path, Reason::GivenTwice);
        }
        let problem = match (kind.0.missing_feature(), File::open(path)) {
            (Some(feature), _) => Some(missing(feature)),
            (None, Err(error)) => Some(error.to_string()),
            (None, Ok(_)) => None,
        };
        let metadata = fs::metadata(path).ok();
        self.sources.push(Source {
            path: path.to_owned(),
            name: slashes(path),
            id_name: slashes(id_path),
            format: kind.0,
            compression: kind.1,
            size_bytes: metadata.as_ref().map_or(0, Metadata::len),
            modified: metadata.and_then(|metadata| metadata.modified().ok()),
            problem,
            held: None,
        });
    }

    fn add_unreadable(&mut self, path: &Path, reason: &str) {
        self.sources.push(Source {
            path: path.to_owned(),
            name: slashes(path),
            id_name: slashes(path),
            format: Format::Text,
            compression: Compression::None,
            size_bytes: 0,
            modified: None,
            problem: Some(reason.to_owned()),
            held: None,
        });
    }

    /// Adds what comes out of a pipe, after all of it has come.
    fn add_stream<S: io::Read>(
        &mut self,
        open: impl FnOnce() -> io::Result<S> + Send + 'static,
        name: &str,
    ) -> Result<(), CorpusError> {
        let format = self.options.read_as.unwrap_or(Format::JsonLines);
        let refused = match format {
            Format::Parquet => Some("Parquet"),
            format if format.is_one_document() => Some("a single document"),
            _ => None,
        };
        if let Some(format) = refused {
            return Err(CorpusError::NoStream { name: name.to_owned(), format });
        }
        let (file, size_bytes) = spool::spool(open, name, self.temp_dir, self.stop)?;
        let problem = format.missing_feature();
        let mut source = Source {
            path: PathBuf::from(name),
            name: name.into(),
            id_name: name.into(),
            format,
            compression: compression_by_content(&file),
            size_bytes,
            modified: None,
            problem: problem.map(|feature| format!("this build cannot read it without {feature}")),
            held: Some(Held::Spooled(Arc::new(file))),
        };
        if self.options.read_as.is_none() && begins_array(&source) {
            source.format = Format::Json;
        }
        self.sources.push(source);
        Ok(())
    }
}

/// A file of this name whose bytes are in memory.
pub(crate) fn in_memory(
    name: &str,
    bytes: Arc<[u8]>,
    options: &InputOptions,
) -> Result<Source, CorpusError> {
    let path = PathBuf::from(name);
    let by_name = || format_of(&path).ok_or_else(|| CorpusError::UnknownFormat(path.clone()));
    let (format, compression) = match options.read_as {
        Some(format) => (format, compression_of(&path)),
        None => by_name()?,
    };
    if format == Format::Parquet {
        return Err(CorpusError::NotFromMemory(name.to_owned()));
    }
    Ok(Source {
        path,
        name: name.into(),
        id_name: name.into(),
        format,
        compression,
        size_bytes: bytes.len() as u64,
        modified: None,
        problem: format.missing_feature().map(missing),
        held: Some(Held::Memory(bytes)),
    })
}

fn missing(feature: &str) -> String {
    format!("this build cannot read the format (feature `{feature}` is off)")
}

#[cfg(unix)]
fn is_pipe(metadata: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    metadata.file_type().is_fifo()
}

#[cfg(not(unix))]
fn is_pipe(_: &Metadata) -> bool {
    false
}
