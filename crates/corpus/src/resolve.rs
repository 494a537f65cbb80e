//! From what people type (files, folders, patterns, `-`) to the list of files to read.

use std::collections::BTreeSet;
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempPath;
use walkdir::WalkDir;

use crate::CorpusError;
use crate::source::{Compression, Format, Source, format_of};

/// A file that was found and is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignored {
    /// The file.
    pub path: PathBuf,
    /// Why it is left alone.
    pub reason: &'static str,
}

/// The files to read, in reading order.
#[derive(Debug, Default)]
pub(crate) struct Resolved {
    pub sources: Vec<Source>,
    pub ignored: Vec<Ignored>,
    /// Standard input as it was spooled; removed with the corpus.
    pub spooled: Vec<TempPath>,
    seen: BTreeSet<PathBuf>,
}

/// Finds the files that the inputs name.
pub(crate) fn resolve(inputs: &[String], temp_dir: &Path) -> Result<Resolved, CorpusError> {
    if inputs.is_empty() {
        return Err(CorpusError::NoInput);
    }
    let mut resolved = Resolved::default();
    for input in inputs {
        let (sources, ignored) = (resolved.sources.len(), resolved.ignored.len());
        resolved.add_input(input, inputs.len() == 1, temp_dir)?;
        if resolved.sources.len() == sources
            && resolved.ignored[ignored..].iter().all(|file| file.reason != GIVEN_TWICE)
        {
            let ignored = resolved.ignored.len() - ignored;
            return Err(CorpusError::NothingFound { input: input.clone(), ignored });
        }
    }
    Ok(resolved)
}

const GIVEN_TWICE: &str = "the file was already named by an earlier input";
const UNKNOWN: &str = "unknown format";

impl Resolved {
    fn add_input(&mut self, input: &str, alone: bool, temp_dir: &Path) -> Result<(), CorpusError> {
        if input == "-" {
            return self.spool(io::stdin().lock(), temp_dir);
        }
        let path = Path::new(input);
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => {
                self.add_folder(path, alone);
                Ok(())
            }
            Ok(_) => match format_of(path).or_else(|| message_of_maildir(path)) {
                Some(kind) => {
                    self.add_file(path, path, kind);
                    Ok(())
                }
                None => Err(CorpusError::UnknownFormat(path.to_owned())),
            },
            Err(_) if input.contains(['*', '?', '[']) => self.add_pattern(input),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(CorpusError::NotFound(input.to_owned()))
            }
            Err(source) => Err(CorpusError::Read { path: path.to_owned(), source }),
        }
    }

    fn add_pattern(&mut self, pattern: &str) -> Result<(), CorpusError> {
        let matches = glob::glob(pattern)
            .map_err(|source| CorpusError::BadPattern { pattern: pattern.to_owned(), source })?;
        for found in matches {
            match found {
                Ok(path) if path.is_dir() => self.add_folder(&path, false),
                Ok(path) => self.add_found(&path, &path),
                Err(error) => self.add_unreadable(error.path(), &error.error().to_string()),
            }
        }
        Ok(())
    }

    /// Adds everything below a folder, sorted by path, links followed.
    fn add_folder(&mut self, root: &Path, alone: bool) {
        for entry in WalkDir::new(root).follow_links(true).sort_by_file_name() {
            match entry {
                Ok(entry) if entry.file_type().is_file() => {
                    let path = entry.path();
                    let relative = path.strip_prefix(root).unwrap_or(path);
                    self.add_found(path, if alone { relative } else { path });
                }
                Ok(_) => {}
                Err(error) => {
                    let path = error.path().unwrap_or(root).to_owned();
                    self.add_unreadable(&path, &describe(&error));
                }
            }
        }
    }

    /// Adds a file that was come across rather than named: an unknown format is no error.
    fn add_found(&mut self, path: &Path, id_path: &Path) {
        match message_of_maildir(path).or_else(|| format_of(path)) {
            Some(kind) if !in_maildir_tmp(path) => self.add_file(path, id_path, kind),
            _ => self.ignored.push(Ignored { path: path.to_owned(), reason: UNKNOWN }),
        }
    }

    fn add_file(&mut self, path: &Path, id_path: &Path, kind: (Format, Compression)) {
        let canonical = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if !self.seen.insert(canonical) {
            self.ignored.push(Ignored { path: path.to_owned(), reason: GIVEN_TWICE });
            return;
        }
        let problem = match (kind.0.missing_feature(), File::open(path)) {
            (Some(feature), _) => {
                Some(format!("this build cannot read the format (feature `{feature}` is off)"))
            }
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
        });
    }

    /// Copies a stream to a file of its own, so that it can be read more than once.
    fn spool(&mut self, mut stream: impl io::Read, temp_dir: &Path) -> Result<(), CorpusError> {
        let failed = |source| CorpusError::Write { path: temp_dir.to_owned(), source };
        let mut file = tempfile::Builder::new()
            .prefix("standard-input-")
            .suffix(".jsonl")
            .tempfile_in(temp_dir)
            .map_err(failed)?;
        let size_bytes = io::copy(&mut stream, file.as_file_mut()).map_err(failed)?;
        let spooled = file.into_temp_path();
        self.sources.push(Source {
            path: spooled.to_path_buf(),
            name: "-".into(),
            id_name: "-".into(),
            format: Format::JsonLines,
            compression: Compression::None,
            size_bytes,
            modified: fs::metadata(&spooled).and_then(|metadata| metadata.modified()).ok(),
            problem: None,
        });
        self.spooled.push(spooled);
        Ok(())
    }
}

/// A file under `cur` or `new` of a Maildir is a message whatever its name.
fn message_of_maildir(path: &Path) -> Option<(Format, Compression)> {
    let (folder, maildir) = (path.parent()?, path.parent()?.parent()?);
    let is_message = ["cur", "new"].iter().any(|name| folder.ends_with(name))
        && is_maildir(maildir)
        && !path.file_name()?.to_string_lossy().starts_with('.');
    is_message.then_some((Format::Mail, Compression::None))
}

/// Messages under `tmp` have not been delivered yet.
fn in_maildir_tmp(path: &Path) -> bool {
    path.parent()
        .is_some_and(|folder| folder.ends_with("tmp") && folder.parent().is_some_and(is_maildir))
}

fn is_maildir(folder: &Path) -> bool {
    folder.join("cur").is_dir() && folder.join("new").is_dir()
}

fn describe(error: &walkdir::Error) -> String {
    match (error.io_error(), error.loop_ancestor()) {
        (Some(error), _) => error.to_string(),
        (None, Some(ancestor)) => {
            format!("the link leads back to its own folder {}", ancestor.display())
        }
        (None, None) => error.to_string(),
    }
}

/// The path with `/` between its parts, so that ids are the same on every system.
fn slashes(path: &Path) -> String {
    let name = path.to_string_lossy();
    if std::path::MAIN_SEPARATOR == '/' { name.into_owned() } else { name.replace('\\', "/") }
}
