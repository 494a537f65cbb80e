//! Files that are one document each: copies of those that stay, a list of those that go.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use serde_json::json;
use tempfile::TempDir;

use super::Fate;
use super::sink::{Finished, Sink, partial_folder};
use crate::CorpusError;
use crate::source::{Compression, Format, Source};

/// The folder `kept/` and the list of removed files.
pub(crate) struct FolderOutput {
    target: PathBuf,
    partial: TempDir,
    used: BTreeSet<PathBuf>,
    removed: Sink,
}

impl FolderOutput {
    pub(crate) fn create(out_dir: &Path, name: &str) -> Result<Self, CorpusError> {
        let target = out_dir.join("kept");
        let partial = partial_folder(out_dir)
            .map_err(|source| CorpusError::Write { path: target.clone(), source })?;
        let removed = Sink::create(out_dir, &format!("removed{name}"), Compression::None)?;
        Ok(Self { target, partial, used: BTreeSet::new(), removed })
    }

    pub(crate) fn write(&mut self, source: &Source, fate: &Fate) -> Result<(), CorpusError> {
        match fate {
            Fate::Unreadable => Ok(()),
            Fate::Kept => self.copy(source),
            Fate::Removed { duplicate_of, score } => {
                let row = json!({
                    "id": source.id_name,
                    "path": source.name,
                    "duplicate_of": duplicate_of,
                    "score": score,
                });
                self.removed.write(format!("{row}\n").as_bytes())
            }
        }
    }

    pub(crate) fn finish(self, complete: &mut Vec<Finished>) -> Result<(), CorpusError> {
        complete.push(Finished::Folder { partial: self.partial, target: self.target });
        complete.push(self.removed.finish()?);
        Ok(())
    }

    fn copy(&mut self, source: &Source) -> Result<(), CorpusError> {
        let relative = self.free_path(&inside(&source.id_name));
        let copy = self.partial.path().join(&relative);
        let failed =
            |error| CorpusError::Write { path: self.target.join(&relative), source: error };
        let folder = copy.parent().unwrap_or(self.partial.path());
        fs::create_dir_all(folder).map_err(failed)?;
        if source.format == Format::Mail && ["cur", "new"].iter().any(|name| folder.ends_with(name))
        {
            // A Maildir has all three folders, or mail programs do not take it for one.
            for name in ["cur", "new", "tmp"] {
                fs::create_dir_all(folder.with_file_name(name)).map_err(failed)?;
            }
        }
        fs::copy(&source.path, &copy).map_err(failed)?;
        self.used.insert(relative);
        Ok(())
    }

    /// The path, or the same below a numbered folder where an earlier input has taken it.
    fn free_path(&self, path: &Path) -> PathBuf {
        let mut free = path.to_owned();
        let mut number = 2;
        while self.used.contains(&free) {
            free = Path::new(&number.to_string()).join(path);
            number += 1;
        }
        free
    }
}

/// The path without anything that would lead out of the folder it is put into.
fn inside(name: &str) -> PathBuf {
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
