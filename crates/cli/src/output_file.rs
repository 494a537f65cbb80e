//! Single files that commands write: refused before the work, written whole or not at all.

use std::io::Write;
use std::path::Path;

use anyhow::{Context as _, Result};

use crate::configuration::Usage;

/// Refuses a file that exists, or whose folder does not, before any work is done for it.
pub fn check(out: &Path, force: bool) -> Result<()> {
    let shown = out.display();
    if out.is_dir() {
        return Err(Usage(format!("--out {shown}: is a folder; name a file")).into());
    }
    if out.exists() && !force {
        return Err(Usage(format!("{shown} exists; overwrite it with --force")).into());
    }
    if !folder(out).is_dir() {
        let folder = folder(out).display();
        return Err(Usage(format!("--out {shown}: there is no folder {folder}; create it")).into());
    }
    Ok(())
}

/// Writes under a temporary name first, so that a failed write leaves the old file.
pub fn write(out: &Path, bytes: &[u8]) -> Result<()> {
    let failed = || format!("cannot write {}", out.display());
    let mut file = builder().tempfile_in(folder(out)).with_context(failed)?;
    file.write_all(bytes).with_context(failed)?;
    file.persist(out).with_context(failed)?;
    Ok(())
}

/// Temporary files are for their owner alone; these become results, which others may read as far as
/// the user's mask allows.
fn builder() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}

fn folder(out: &Path) -> &Path {
    out.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
