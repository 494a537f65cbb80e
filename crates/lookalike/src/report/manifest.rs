//! What a run has left in its folder, so that the next one knows what it may replace.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The file that lists the others; hidden, since it is of no interest to readers of results.
pub(super) const MANIFEST: &str = ".lookalike-result.json";

/// The files of a result, by their path below the folder, with their sizes.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    pub files: BTreeMap<String, u64>,
}

impl Manifest {
    /// What the folder says of itself; nothing where it says nothing.
    pub(super) fn read(folder: &Path) -> Self {
        let text = fs::read(folder.join(MANIFEST)).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// Lists everything in a folder and writes the list into it.
    pub(super) fn write(folder: &Path) -> io::Result<Self> {
        let mut manifest = Self::default();
        for path in files_below(folder)? {
            let size = fs::symlink_metadata(folder.join(&path))?.len();
            manifest.files.insert(name_of(&path), size);
        }
        let file = File::create(folder.join(MANIFEST))?;
        serde_json::to_writer_pretty(&file, &manifest)?;
        file.sync_all()?;
        Ok(manifest)
    }

    /// Whether a file is as a run of ours has left it. One that has grown since, such as pairs that
    /// judgments were added to, is somebody's work.
    pub(super) fn is_ours(&self, folder: &Path, path: &Path) -> bool {
        let size = || fs::symlink_metadata(folder.join(path)).map(|file| file.len()).ok();
        path == Path::new(MANIFEST)
            || self.files.get(&name_of(path)).is_some_and(|ours| Some(*ours) == size())
    }

    /// A file below `folder` that is not ours and stands where one of `new` should go.
    pub(super) fn in_the_way(&self, folder: &Path, new: &Self) -> Option<PathBuf> {
        let is_in_the_way = |path: &Path| match fs::symlink_metadata(folder.join(path)) {
            Err(_) => false,
            Ok(there) => there.is_dir() || !self.is_ours(folder, path),
        };
        let is_no_folder = |path: &&Path| {
            !path.as_os_str().is_empty()
                && fs::symlink_metadata(folder.join(path)).is_ok_and(|there| !there.is_dir())
                && !self.is_ours(folder, path)
        };
        new.files.keys().map(Path::new).find_map(|path| {
            let above = path.ancestors().skip(1).find(is_no_folder);
            above.or(Some(path).filter(|path| is_in_the_way(path))).map(|path| folder.join(path))
        })
    }
}

/// The path with `/` between its parts.
pub(super) fn name_of(path: &Path) -> String {
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}

/// All that is no folder below a folder, links not followed, by path.
pub(super) fn files_below(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut waiting = vec![PathBuf::new()];
    while let Some(path) = waiting.pop() {
        for entry in fs::read_dir(folder.join(&path))? {
            let entry = entry?;
            let below = path.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                waiting.push(below);
            } else {
                files.push(below);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// All folders below a folder, those inside others first.
pub(super) fn folders_below(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    let mut waiting = vec![PathBuf::new()];
    while let Some(path) = waiting.pop() {
        for entry in fs::read_dir(folder.join(&path))? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                waiting.push(path.join(entry.file_name()));
                folders.push(path.join(entry.file_name()));
            }
        }
    }
    folders.sort();
    folders.reverse();
    Ok(folders)
}
