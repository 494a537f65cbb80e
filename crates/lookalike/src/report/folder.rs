//! The output folder: all results appear together at the end, or none does.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::manifest::Manifest;
use super::swap::{self, NEW};
use crate::RunError;
use crate::error::file_error;

/// What every run leaves in its folder.
const ALWAYS_WRITTEN: [&str; 5] =
    ["clusters.jsonl", "pairs.jsonl", "summary.json", "config.toml", "unreadable.jsonl"];
/// The working folder inside an output folder that cannot be exchanged.
const WORK_INSIDE: &str = ".lookalike-work";
/// In the working folder: locked as long as its run lives.
const LOCK: &str = "lock";

/// A folder that receives results under temporary names until [`OutputFolder::commit`].
#[derive(Debug)]
pub struct OutputFolder {
    target: PathBuf,
    /// Beside the folder, hidden, so that the two can be exchanged; else inside it.
    work: PathBuf,
    beside: bool,
    new: PathBuf,
    made: Vec<PathBuf>,
    notes: Vec<String>,
    /// Held until the end; a killed run loses it.
    _lock: File,
}

impl OutputFolder {
    /// Makes ready; a folder that has anything in it is refused unless `force`.
    ///
    /// # Errors
    /// The folder is not empty, has something of somebody else where results should go, is being
    /// written by another run, or cannot be made or read.
    pub fn create(path: &Path, force: bool) -> Result<Self, RunError> {
        let (target, made) = resolve(path)?;
        let (beside, inside) = (work_beside(&target), target.join(WORK_INSIDE));
        let mut notes = Vec::new();
        for work in [&beside, &inside] {
            notes.extend(tidy(work, &target)?);
        }
        if target.exists() {
            let mut entries = fs::read_dir(&target).map_err(file_error("read", path))?;
            if !force && entries.next().is_some() {
                return Err(RunError::OutputNotEmpty(path.to_owned()));
            }
            let names = ALWAYS_WRITTEN.iter().map(|name| ((*name).to_owned(), 0)).collect();
            refuse_strangers(&target, &Manifest { files: names })?;
        }
        let can_exchange = !target.exists() || can_exchange(&target);
        let made_beside = can_exchange.then(|| fs::create_dir(&beside));
        let (work, beside) = match made_beside {
            Some(Ok(())) => (beside, true),
            // The folder above it may not be ours to write to.
            Some(Err(_)) if target.exists() => (inside, false),
            Some(Err(error)) => return Err(file_error("create", &beside)(error)),
            None => (inside, false),
        };
        if !beside {
            fs::create_dir(&work).map_err(file_error("create", &work))?;
        }
        let new = work.join(NEW);
        fs::create_dir(&new).map_err(file_error("create", &new))?;
        let lock = File::create(work.join(LOCK)).map_err(file_error("create", &work))?;
        // A file system without locks is no reason to refuse.
        if let Err(TryLockError::WouldBlock) = lock.try_lock() {
            return Err(RunError::OutputInUse(path.to_owned()));
        }
        Ok(Self { target, work, beside, new, made, notes, _lock: lock })
    }

    /// Where results are written until they are committed.
    pub fn partial(&self) -> &Path {
        &self.new
    }

    /// The path that something under [`OutputFolder::partial`] will have in the end.
    pub(crate) fn final_path(&self, path: &Path) -> PathBuf {
        path.strip_prefix(&self.new).map_or(path.to_owned(), |name| self.target.join(name))
    }

    /// What had to be done before the run could begin, for people to know.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Writes one result file through `write`.
    ///
    /// # Errors
    /// The file cannot be made or written; the error names it.
    pub fn write(
        &self,
        name: &str,
        write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> Result<(), RunError> {
        let path = self.new.join(name);
        let file = File::create(&path).map_err(file_error("create", &path))?;
        let mut writer = BufWriter::with_capacity(1 << 16, file);
        write(&mut writer)
            .and_then(|()| writer.flush())
            .and_then(|()| writer.get_ref().sync_all())
            .map_err(file_error("write", &self.target.join(name)))
    }

    /// Puts everything into its place at one stroke, instead of the results of an earlier run;
    /// whatever else is in the folder stays.
    ///
    /// # Errors
    /// A file of somebody else is in the way, or the system refuses; the old results stay then.
    pub fn commit(mut self) -> Result<(), RunError> {
        let new = Manifest::write(&self.new).map_err(file_error("write", &self.target))?;
        swap::sync_folder(&self.new);
        let replaced = if self.target.exists() {
            refuse_strangers(&self.target, &new)?;
            swap::replace(&self.work, &self.target, self.beside)
        } else {
            fs::rename(&self.new, &self.target)
        };
        replaced.map_err(file_error("replace", &self.target))?;
        if let Some(folder) = self.target.parent() {
            swap::sync_folder(folder);
        }
        self.made.clear();
        Ok(())
    }
}

impl Drop for OutputFolder {
    fn drop(&mut self) {
        // Best effort: after a failure its own error matters more, after success nothing is left.
        // What has begun to replace the old results must not be lost.
        if self.work.exists() {
            let _ = swap::recover(&self.work, &self.target);
        }
        for folder in self.made.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
    }
}

/// The folder without links in its path, and the folders above it that had to be made.
fn resolve(path: &Path) -> Result<(PathBuf, Vec<PathBuf>), RunError> {
    if let Ok(target) = fs::canonicalize(path) {
        return Ok((target, Vec::new()));
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new("."));
    let mut made: Vec<PathBuf> = parent
        .ancestors()
        .take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists())
        .map(Path::to_owned)
        .collect();
    made.reverse();
    fs::create_dir_all(parent).map_err(file_error("create", parent))?;
    let parent = fs::canonicalize(parent).map_err(file_error("read", parent))?;
    let name = path.file_name().map(OsString::from).unwrap_or_default();
    Ok((parent.join(name), made))
}

fn work_beside(target: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(WORK_INSIDE);
    target.with_file_name(name)
}

/// Not a mount point, nor a folder that somebody stands in: it would vanish under their feet.
fn can_exchange(target: &Path) -> bool {
    let stands_in = std::env::current_dir()
        .is_ok_and(|present| fs::canonicalize(&present).unwrap_or(present).starts_with(target));
    target.parent().is_some_and(|parent| same_device(parent, target)) && !stands_in
}

#[cfg(unix)]
fn same_device(left: &Path, right: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let device = |path: &Path| fs::metadata(path).map(|folder| folder.dev()).ok();
    device(left).is_some() && device(left) == device(right)
}

#[cfg(not(unix))]
fn same_device(_: &Path, _: &Path) -> bool {
    false
}

/// Completes or removes what a killed run has left, and says so; refuses if the run still lives.
fn tidy(work: &Path, target: &Path) -> Result<Option<String>, RunError> {
    if !work.exists() {
        return Ok(None);
    }
    let lock = File::open(work.join(LOCK));
    if let Ok(Err(TryLockError::WouldBlock)) = lock.as_ref().map(File::try_lock) {
        return Err(RunError::OutputInUse(target.to_owned()));
    }
    let completed = swap::recover(work, target).map_err(file_error("remove", work))?;
    let target = target.display();
    Ok(Some(if completed {
        format!(
            "an earlier run was killed while it put its results into {target}; they are complete now"
        )
    } else {
        format!("an earlier run into {target} was killed; its unfinished results were removed")
    }))
}

/// Refuses to replace what no run of ours has written.
fn refuse_strangers(target: &Path, new: &Manifest) -> Result<(), RunError> {
    match Manifest::read(target).in_the_way(target, new) {
        Some(path) => Err(RunError::NotOurs(path)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
