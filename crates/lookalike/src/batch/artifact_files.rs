//! Artefacts as files, so that an index or a second run uses what a run has counted.

use std::path::Path;
use std::sync::Arc;

use lookalike_detect::Artifacts;
use lookalike_statistics::boilerplate::BoilerplateSet;

use super::statistics::read_statistics;
use crate::error::file_error;
use crate::{Config, RunError, read_model};

/// The name of the statistics among the artefacts of a run; the key `stats` takes it.
const STATISTICS: &str = "statistics.stats";
/// The name of the boilerplate set; the key `boilerplate` takes it.
const BOILERPLATE: &str = "boilerplate.set";
/// The name of the model; the key `model` takes it.
const MODEL: &str = "model.model";

/// Writes the artefacts that a run uses into the folder that `write-artifacts` names, if it does.
///
/// # Errors
/// The folder or a file in it cannot be written.
pub fn write_artifacts(config: &Config, artifacts: &Artifacts) -> Result<(), RunError> {
    match &config.run.write_artifacts {
        Some(folder) => write_artifacts_to(folder, config, artifacts),
        None => Ok(()),
    }
}

/// Writes them into a folder.
pub fn write_artifacts_to(
    folder: &Path,
    config: &Config,
    artifacts: &Artifacts,
) -> Result<(), RunError> {
    std::fs::create_dir_all(folder).map_err(file_error("create", folder))?;
    // A model may be asked with the frequencies of the input, which are no part of it.
    let is_read = config.detector.needs_statistics() || artifacts.model.is_some();
    let statistics = artifacts.statistics.as_ref().filter(|_| is_read);
    let files = [
        (STATISTICS, statistics.map(|statistics| statistics.to_bytes())),
        (MODEL, artifacts.model.as_ref().map(|model| model.to_bytes())),
        (BOILERPLATE, artifacts.boilerplate.as_ref().map(|set| set.to_bytes())),
    ];
    for (name, bytes) in files {
        if let Some(bytes) = bytes {
            write_whole(&folder.join(name), &bytes)?;
        }
    }
    Ok(())
}

/// The artefacts that a run with this configuration wrote into a folder.
pub fn read_artifacts(folder: &Path) -> Result<Artifacts, RunError> {
    let found = |name: &str| Some(folder.join(name)).filter(|path| path.exists());
    Ok(Artifacts {
        statistics: found(STATISTICS).map(|path| read_statistics(&path)).transpose()?,
        model: found(MODEL).map(|path| read_model(&path)).transpose()?,
        boilerplate: found(BOILERPLATE).map(|path| read_boilerplate(&path)).transpose()?,
    })
}

/// Writes under another name first, so that nobody ever finds half a file.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), RunError> {
    let partial = path.with_added_extension("partial");
    std::fs::write(&partial, bytes).map_err(file_error("write", &partial))?;
    std::fs::rename(&partial, path).map_err(file_error("write", path))
}

/// Reads a boilerplate file.
///
/// # Errors
/// The file cannot be read or is no boilerplate file of this version.
pub fn read_boilerplate(path: &Path) -> Result<Arc<BoilerplateSet>, RunError> {
    let bytes = std::fs::read(path).map_err(file_error("read", path))?;
    BoilerplateSet::from_bytes(&bytes)
        .map(Arc::new)
        .map_err(|source| RunError::Boilerplate { path: path.to_owned(), source })
}
