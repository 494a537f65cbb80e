//! Files that are one document each: copies of those that stay, a list of those that go.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::{fs, io};

use serde_json::json;

use super::Fate;
use super::evidence::EvidenceNames;
use super::fields::json_row;
use super::sink::Sink;
use crate::CorpusError;
use crate::row::digest;
use crate::source::{Compression, Format, Source};

/// The folder `kept/` and the list of removed files.
pub(crate) struct FolderOutput {
    kept: PathBuf,
    used: BTreeSet<PathBuf>,
    removed: Sink,
    names: EvidenceNames,
    max_bytes: usize,
}

impl FolderOutput {
    pub(crate) fn create(
        kept: PathBuf,
        list: &Path,
        tells_accounted: bool,
        max_bytes: usize,
    ) -> Result<Self, CorpusError> {
        fs::create_dir_all(&kept)
            .map_err(|source| CorpusError::Write { path: kept.clone(), source })?;
        let removed = Sink::create(list, Compression::None)?;
        // No other field of these rows has such a name.
        let names = EvidenceNames::new(tells_accounted);
        Ok(Self { kept, used: BTreeSet::new(), removed, names, max_bytes })
    }

    /// Copies or lists a file; `expected` is the digest of what was read from it before.
    pub(crate) fn write(
        &mut self,
        source: &Source,
        fate: &Fate,
        expected: u64,
    ) -> Result<(), CorpusError> {
        match fate {
            Fate::Unreadable => Ok(()),
            // What has been copied is looked at, so that nothing can change in between.
            Fate::Kept => self.copy(source).and_then(|copy| self.check(source, copy, expected)),
            Fate::Removed(removal) => {
                self.check(source, source.path.clone(), expected)?;
                let row = json!({"id": source.id_name, "path": source.name});
                let mut row = json_row(row.to_string().as_bytes(), &self.names, removal);
                row.push(b'\n');
                self.removed.write(&row)
            }
        }
    }

    pub(crate) fn finish(self) -> Result<(), CorpusError> {
        self.removed.finish()
    }

    fn check(&self, source: &Source, path: PathBuf, expected: u64) -> Result<(), CorpusError> {
        // What is in memory cannot change, but its copy is a file.
        let held = source.held.clone().filter(|_| path == source.path);
        let file = Source { path, held, ..source.clone() };
        match file.read_whole(self.max_bytes) {
            Ok(Some(bytes)) if digest(&bytes, 0) == expected => Ok(()),
            _ => Err(CorpusError::Changed(source.path.clone())),
        }
    }

    fn copy(&mut self, source: &Source) -> Result<PathBuf, CorpusError> {
        let relative = free_path(&self.used, &inside(&source.id_name));
        let copy = self.kept.join(&relative);
        let failed = |error| CorpusError::Write { path: copy.clone(), source: error };
        let folder = copy.parent().unwrap_or(&self.kept);
        fs::create_dir_all(folder).map_err(failed)?;
        if source.format == Format::Mail && ["cur", "new"].iter().any(|name| folder.ends_with(name))
        {
            // A Maildir has all three folders, or mail programs do not take it for one.
            for name in ["cur", "new", "tmp"] {
                fs::create_dir_all(folder.with_file_name(name)).map_err(failed)?;
            }
        }
        // A file that is gone or locked now is a change of the input, not a failure of the output.
        let mut from = source.raw().map_err(|_| CorpusError::Changed(source.path.clone()))?;
        if source.held.is_some() {
            let mut to = fs::File::create(&copy).map_err(failed)?;
            io::copy(&mut from, &mut to).map_err(failed)?;
        } else {
            fs::copy(&source.path, &copy).map_err(failed)?;
        }
        self.used.insert(relative);
        Ok(copy)
    }
}

/// The path, or the same below a numbered folder where an earlier input has taken it.
pub(crate) fn free_path(used: &BTreeSet<PathBuf>, path: &Path) -> PathBuf {
    let mut free = path.to_owned();
    let mut number = 2;
    while used.contains(&free) {
        free = Path::new(&number.to_string()).join(path);
        number += 1;
    }
    free
}

/// The path without anything that would lead out of the folder it is put into.
pub(crate) fn inside(name: &str) -> PathBuf {
    Path::new(name)
        .components()
        .filter(|component| matches!(component, Component::Normal(_)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_stay_inside_the_output_folder() {
        assert_eq!(inside("../../etc/./notes.txt"), Path::new("etc/notes.txt"));
        assert_eq!(inside("/var/notes.txt"), Path::new("var/notes.txt"));
    }
}
