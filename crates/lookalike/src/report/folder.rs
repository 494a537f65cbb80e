//! The output folder: all results appear together at the end, or none does.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::RunError;
use crate::error::file_error;

/// Names a run may leave in its folder; `--force` removes these and nothing else.
const OWN_NAMES: [&str; 7] = [
    "clusters.jsonl",
    "pairs.jsonl",
    "summary.json",
    "config.toml",
    "unreadable.jsonl",
    "kept",
    "removed",
];

/// A folder that receives results under temporary names until [`OutputFolder::commit`].
#[derive(Debug)]
pub struct OutputFolder {
    path: PathBuf,
    partial: PathBuf,
    committed: bool,
}

impl OutputFolder {
    /// Makes the folder ready; one that has anything in it is refused unless `force`.
    ///
    /// # Errors
    /// The folder is not empty, or cannot be made or read.
    pub fn create(path: &Path, force: bool) -> Result<Self, RunError> {
        fs::create_dir_all(path).map_err(file_error("create", path))?;
        let mut entries = fs::read_dir(path).map_err(file_error("read", path))?;
        if !force && entries.next().is_some() {
            return Err(RunError::OutputNotEmpty(path.to_owned()));
        }
        let partial = path.join(".partial");
        if partial.exists() {
            fs::remove_dir_all(&partial).map_err(file_error("remove", &partial))?;
        }
        fs::create_dir(&partial).map_err(file_error("create", &partial))?;
        Ok(Self { path: path.to_owned(), partial, committed: false })
    }

    /// Where results are written until they are committed.
    pub fn partial(&self) -> &Path {
        &self.partial
    }

    /// Writes one result file through `write`.
    ///
    /// # Errors
    /// The file cannot be made or written; the error names it.
    pub fn write(
        &self,
        name: &str,
        write: impl FnOnce(&mut BufWriter<File>) -> std::io::Result<()>,
    ) -> Result<(), RunError> {
        let path = self.partial.join(name);
        let file = File::create(&path).map_err(file_error("create", &path))?;
        let mut writer = BufWriter::with_capacity(1 << 16, file);
        write(&mut writer).and_then(|()| writer.flush()).map_err(file_error("write", &path))
    }

    /// Moves everything to its final name, replacing the results of an earlier run.
    ///
    /// # Errors
    /// A file cannot be moved or an old one not removed.
    pub fn commit(mut self) -> Result<(), RunError> {
        for entry in self.entries(&self.path)? {
            let name = entry.file_name().map(|name| name.to_string_lossy().into_owned());
            if name.is_some_and(|name| is_own(&name)) {
                remove(&entry)?;
            }
        }
        for entry in self.entries(&self.partial)? {
            let Some(name) = entry.file_name() else { continue };
            fs::rename(&entry, self.path.join(name)).map_err(file_error("move", &entry))?;
        }
        fs::remove_dir(&self.partial).map_err(file_error("remove", &self.partial))?;
        self.committed = true;
        Ok(())
    }

    #[expect(clippy::unused_self, reason = "reads as a property of the folder")]
    fn entries(&self, folder: &Path) -> Result<Vec<PathBuf>, RunError> {
        let entries = fs::read_dir(folder).map_err(file_error("read", folder))?;
        entries.map(|entry| entry.map(|e| e.path()).map_err(file_error("read", folder))).collect()
    }
}

impl Drop for OutputFolder {
    fn drop(&mut self) {
        if !self.committed {
            // Best effort: the run has already failed and its own error matters more.
            let _ = fs::remove_dir_all(&self.partial);
            let _ = fs::remove_dir(&self.path);
        }
    }
}

fn is_own(name: &str) -> bool {
    OWN_NAMES.iter().any(|own| name == *own || name.starts_with(&format!("{own}.")))
}

fn remove(path: &Path) -> Result<(), RunError> {
    if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
        .map_err(file_error("remove", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write_one(folder: &OutputFolder, content: &str) {
        folder.write("pairs.jsonl", |file| file.write_all(content.as_bytes())).unwrap();
    }

    #[test]
    fn nothing_appears_before_the_commit_and_nothing_stays_without_one() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("out");
        let folder = OutputFolder::create(&path, false).unwrap();
        write_one(&folder, "x");
        assert!(!path.join("pairs.jsonl").exists());
        drop(folder);
        assert!(!path.exists());
    }

    #[test]
    fn a_folder_in_use_is_refused_and_force_replaces_only_our_files() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path();
        fs::write(path.join("notes.txt"), "mine").unwrap();
        fs::write(path.join("kept.csv"), "old").unwrap();
        assert!(matches!(OutputFolder::create(path, false), Err(RunError::OutputNotEmpty(_))));
        let folder = OutputFolder::create(path, true).unwrap();
        write_one(&folder, "new");
        folder.commit().unwrap();
        assert_eq!(fs::read_to_string(path.join("pairs.jsonl")).unwrap(), "new");
        assert_eq!(fs::read_to_string(path.join("notes.txt")).unwrap(), "mine");
        assert!(!path.join("kept.csv").exists());
        assert!(!path.join(".partial").exists());
    }
}
