//! A finished folder takes the place of the old one.
//!
//! Where the system can exchange two names at one stroke, it does: whoever looks finds the whole
//! old result or the whole new one. What else lay in the folder is linked into the new one before,
//! so that it is there at every moment as well. Elsewhere (a folder that is a mount point or
//! somebody's working directory, a file system without exchange) the files are moved one by one; a
//! run that is killed in the middle of that is completed by the next one.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::manifest::{MANIFEST, Manifest, files_below, folders_below};

/// In the working folder: the number of the new folder, written before the exchange.
const EXCHANGING: &str = "exchanging";
/// In the working folder: files of the old result to remove, written before files are moved.
const MOVING: &str = "moving";
/// In the working folder: the new result, and after an exchange the old one.
pub(super) const NEW: &str = "new";

/// Puts the result that is complete in `work` into the place of `target`, which exists.
pub(super) fn replace(work: &Path, target: &Path, beside: bool) -> io::Result<()> {
    if beside {
        let new = work.join(NEW);
        let carried = carry_over(target, &new)?;
        fs::set_permissions(&new, fs::metadata(target)?.permissions())?;
        write_note(work, EXCHANGING, number_of(&new)?.to_string().as_bytes())?;
        match exchange(&new, target) {
            Ok(()) => return after_exchange(work, target),
            Err(error) if is_unsupported(&error) => {
                for path in carried {
                    fs::remove_file(new.join(path))?;
                }
                fs::remove_file(work.join(EXCHANGING))?;
            }
            Err(error) => return Err(error),
        }
    }
    let (old, new) = (Manifest::read(target), Manifest::read(&work.join(NEW)));
    let stale: Vec<&String> = old
        .files
        .keys()
        .filter(|path| !new.files.contains_key(*path) && old.is_ours(target, Path::new(path)))
        .collect();
    write_note(work, MOVING, &serde_json::to_vec(&stale)?)?;
    move_files(work, target)
}

/// Completes or undoes what a run that was killed has left; true if `target` was completed.
pub(super) fn recover(work: &Path, target: &Path) -> io::Result<bool> {
    if work.join(MOVING).exists() {
        move_files(work, target)?;
        return Ok(true);
    }
    let number = fs::read_to_string(work.join(EXCHANGING)).ok();
    let is_exchanged = match (number, number_of(&work.join(NEW))) {
        (Some(number), Ok(present)) => number != present.to_string(),
        _ => false,
    };
    if is_exchanged {
        after_exchange(work, target)?;
    } else {
        // Whatever is not ours in there is a second name of a file that is still in its place.
        fs::remove_dir_all(work)?;
    }
    Ok(is_exchanged)
}

/// Gives everything that is not ours a second name in the new folder; returns what could be.
fn carry_over(target: &Path, new: &Path) -> io::Result<Vec<std::path::PathBuf>> {
    let ours = Manifest::read(target);
    for folder in folders_below(target)?.iter().rev() {
        let files = files_below(&target.join(folder))?;
        let is_result = !files.is_empty()
            && files
                .iter()
                .all(|file| ours.files.contains_key(&super::manifest::name_of(&folder.join(file))));
        if !is_result {
            fs::create_dir_all(new.join(folder))?;
            fs::set_permissions(
                new.join(folder),
                fs::metadata(target.join(folder))?.permissions(),
            )?;
        }
    }
    let mut carried = Vec::new();
    for path in files_below(target)? {
        // What cannot have two names is moved after the exchange.
        if !ours.is_ours(target, &path)
            && fs::hard_link(target.join(&path), new.join(&path)).is_ok()
        {
            carried.push(path);
        }
    }
    Ok(carried)
}

/// Removes the old result, which has the working folder's name now, and moves what else is there.
fn after_exchange(work: &Path, target: &Path) -> io::Result<()> {
    let old = work.join(NEW);
    let ours = Manifest::read(&old);
    for path in files_below(&old)? {
        let (from, to) = (old.join(&path), target.join(&path));
        if path == Path::new(MANIFEST) {
            continue;
        }
        if ours.is_ours(&old, &path) || same_file(&from, &to) {
            fs::remove_file(&from)?;
        } else {
            if let Some(folder) = to.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::rename(&from, &to)?;
        }
    }
    for folder in folders_below(&old)? {
        fs::remove_dir(old.join(folder))?;
    }
    fs::remove_dir_all(work)
}

/// Moves the new files one by one, and then removes those of the old result that have no successor.
fn move_files(work: &Path, target: &Path) -> io::Result<()> {
    let new = work.join(NEW);
    let mut files = files_below(&new)?;
    // The list of what is ours goes last.
    files.sort_by_key(|path| path == Path::new(MANIFEST));
    for path in files {
        let to = target.join(&path);
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::rename(new.join(&path), to)?;
    }
    let stale: Vec<String> = serde_json::from_slice(&fs::read(work.join(MOVING))?)?;
    for path in stale {
        match fs::remove_file(target.join(&path)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        // Folders of the old result that are empty now go too.
        for folder in Path::new(&path).ancestors().skip(1) {
            let is_inside = !folder.as_os_str().is_empty();
            if !is_inside || fs::remove_dir(target.join(folder)).is_err() {
                break;
            }
        }
    }
    fs::remove_dir_all(work)
}

fn write_note(work: &Path, name: &str, content: &[u8]) -> io::Result<()> {
    let path = work.join(name);
    let partial = work.join(format!("{name}.partial"));
    fs::write(&partial, content)?;
    File::open(&partial)?.sync_all()?;
    fs::rename(&partial, &path)?;
    sync_folder(work);
    Ok(())
}

/// Makes names durable, where the system lets folders be opened; elsewhere it does so by itself.
pub(super) fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn exchange(left: &Path, right: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, left, CWD, right, RenameFlags::EXCHANGE)?)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Whether the system or the file system knows no exchange of names; 22 is what Linux answers for
/// flags that a file system does not know.
fn is_unsupported(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::CrossesDevices)
        || error.kind() == io::ErrorKind::InvalidInput
        || error.raw_os_error() == Some(22)
}

#[cfg(unix)]
fn number_of(path: &Path) -> io::Result<u64> {
    use std::os::unix::fs::MetadataExt;
    Ok(fs::symlink_metadata(path)?.ino())
}

#[cfg(not(unix))]
fn number_of(_: &Path) -> io::Result<u64> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(unix)]
fn same_file(left: &Path, right: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity =
        |path: &Path| fs::symlink_metadata(path).map(|file| (file.dev(), file.ino())).ok();
    identity(left).is_some() && identity(left) == identity(right)
}

#[cfg(not(unix))]
fn same_file(_: &Path, _: &Path) -> bool {
    false
}
