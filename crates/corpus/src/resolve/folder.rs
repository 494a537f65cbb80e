//! Everything below a folder, and everything a pattern matches.
//!
//! What is hidden, what links lead to, and the results of earlier runs are no documents of the
//! user's: they are left alone and counted.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

use super::kind::is_maildir;
use super::{Reason, Resolved};
use crate::CorpusError;

impl Resolved<'_> {
    /// Adds everything below a folder, sorted by path.
    pub(super) fn add_folder(&mut self, root: &Path, alone: bool) -> Result<(), CorpusError> {
        if is_result_folder(root) {
            return Err(CorpusError::ResultFolder(root.to_owned()));
        }
        let mut walk = WalkDir::new(root).sort_by_file_name().into_iter();
        while let Some(entry) = walk.next() {
            if self.stop.is_set() {
                break;
            }
            match entry {
                // What this run is about to write beside or inside its folder.
                Ok(entry) if is_work_folder(&entry) => walk.skip_current_dir(),
                Ok(entry) => {
                    if let Some(reason) = self.reason_against(&entry, root) {
                        self.ignore(entry.path(), reason);
                        if entry.file_type().is_dir() {
                            walk.skip_current_dir();
                        }
                    } else if !entry.file_type().is_dir() {
                        let path = entry.path();
                        let relative = path.strip_prefix(root).unwrap_or(path);
                        self.add_found(path, if alone { relative } else { path });
                    }
                }
                Err(error) => {
                    let path = error.path().unwrap_or(root).to_owned();
                    let reason = error.io_error().map(ToString::to_string);
                    self.add_unreadable(&path, &reason.unwrap_or_else(|| error.to_string()));
                }
            }
        }
        Ok(())
    }

    /// Why an entry below `root` is not read, if it is not.
    fn reason_against(&self, entry: &DirEntry, root: &Path) -> Option<Reason> {
        if entry.depth() == 0 {
            return None;
        }
        let (path, kind) = (entry.path(), entry.file_type());
        if self.is_hidden(path) {
            return Some(Reason::Hidden);
        }
        if kind.is_dir() {
            return is_result_folder(path).then_some(Reason::Results);
        }
        if kind.is_symlink() {
            return (!leads_to_file_inside(path, root)).then_some(Reason::Link);
        }
        (!kind.is_file()).then_some(Reason::Special)
    }

    fn is_hidden(&self, path: &Path) -> bool {
        let begins_with_dot =
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        // The folders of a Maildir are called `.Sent` and `.Drafts`.
        begins_with_dot && !self.options.hidden && !is_maildir(path)
    }

    /// Adds what a pattern matches; parts of it that begin with a dot match what is hidden.
    pub(super) fn add_pattern(&mut self, pattern: &Path) -> Result<(), CorpusError> {
        let fixed = fixed_part(pattern);
        let mut result_folders = BTreeMap::new();
        for found in matches(pattern, &fixed)? {
            match found {
                Ok(path) => {
                    let results = result_folder_around(&path, &fixed, &mut result_folders);
                    if let Some(folder) = results {
                        let known = self.ignored.iter().any(|ignored| ignored.path == folder);
                        if !known {
                            self.ignore(&folder, Reason::Results);
                        }
                    } else if self.is_hidden_match(&path, &fixed, pattern) {
                        self.ignore(&path, Reason::Hidden);
                    } else if path.is_dir() {
                        self.add_folder(&path, false)?;
                    } else if path.is_file() {
                        self.add_found(&path, &path);
                    } else {
                        self.ignore(&path, Reason::Special);
                    }
                }
                Err(error) => self.add_unreadable(error.path(), &error.error().to_string()),
            }
        }
        Ok(())
    }

    /// Whether a match is hidden although the pattern does not ask for hidden names.
    fn is_hidden_match(&self, path: &Path, fixed: &Path, pattern: &Path) -> bool {
        let names_hidden = pattern
            .strip_prefix(fixed)
            .is_ok_and(|wild| wild.iter().any(|part| part.to_string_lossy().starts_with('.')));
        !names_hidden
            && path
                .ancestors()
                .take_while(|part| *part != fixed)
                .any(|part| part.file_name().is_some() && self.is_hidden(part))
    }
}

/// The part of a pattern before its first wildcard, which the user has named himself.
fn fixed_part(pattern: &Path) -> PathBuf {
    let is_fixed = |part: &Path| !part.to_string_lossy().contains(['*', '?', '[']);
    pattern.ancestors().find(|part| is_fixed(part)).unwrap_or(Path::new("")).to_owned()
}

/// What a pattern matches, sorted by path. The library passes over names that are not UTF-8, so
/// that these are looked for besides.
fn matches(pattern: &Path, fixed: &Path) -> Result<Vec<glob::GlobResult>, CorpusError> {
    let shown = pattern.to_string_lossy();
    let bad = |source| CorpusError::BadPattern { pattern: shown.clone().into_owned(), source };
    let mut found: Vec<glob::GlobResult> = match pattern.to_str() {
        Some(pattern) => glob::glob(pattern).map_err(bad)?.collect(),
        None => Vec::new(),
    };
    let matcher = glob::Pattern::new(&shown).map_err(bad)?;
    let options = glob::MatchOptions { require_literal_separator: true, ..Default::default() };
    let root = if fixed.as_os_str().is_empty() { Path::new(".") } else { fixed };
    let wild = pattern.strip_prefix(fixed).unwrap_or(pattern);
    let depth = if shown.contains("**") { usize::MAX } else { wild.iter().count() };
    let n_known = found.len();
    for entry in WalkDir::new(root).max_depth(depth).into_iter().flatten() {
        let path = entry.path().strip_prefix("./").unwrap_or(entry.path());
        if path.to_str().is_none() && matcher.matches_with(&path.to_string_lossy(), options) {
            found.push(Ok(path.to_owned()));
        }
    }
    if found.len() > n_known {
        found.sort_by(|a, b| place_of(a).cmp(place_of(b)));
    }
    Ok(found)
}

fn place_of(found: &glob::GlobResult) -> &Path {
    match found {
        Ok(path) => path,
        Err(error) => error.path(),
    }
}

/// The folder of results that a match lies in or is, below what was named.
fn result_folder_around(
    path: &Path,
    fixed: &Path,
    known: &mut BTreeMap<PathBuf, bool>,
) -> Option<PathBuf> {
    let below = path.ancestors().take_while(|folder| *folder != fixed && folder.starts_with(fixed));
    let mut is_result =
        |folder: &Path| *known.entry(folder.to_owned()).or_insert_with(|| is_result_folder(folder));
    below.filter(|folder| is_result(folder)).last().map(Path::to_owned)
}

/// The list of its files that a run leaves in its folder.
const RESULT_LIST: &str = ".lookalike-result.json";

fn is_work_folder(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    entry.file_type().is_dir() && entry.depth() > 0 && name.ends_with(WORK_FOLDER)
}

/// How the name of a folder ends in which results are made.
const WORK_FOLDER: &str = ".lookalike-work";

/// Whether a run of ours has left its results in this folder.
fn is_result_folder(folder: &Path) -> bool {
    const MARKS: [&str; 3] = ["summary.json", "config.toml", "clusters.jsonl"];
    folder.join(RESULT_LIST).is_file() || MARKS.iter().all(|name| folder.join(name).is_file())
}

/// Whether a link leads to a file of the same tree; the file may have no name that tells its
/// format, as in caches that keep contents apart from names.
fn leads_to_file_inside(link: &Path, root: &Path) -> bool {
    let (Ok(target), Ok(root)) = (fs::canonicalize(link), fs::canonicalize(root)) else {
        return false;
    };
    target.is_file() && target.starts_with(root)
}
