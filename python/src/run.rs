//! Runs: find, against, statistics.

use std::path::Path;

use lookalike::{KeptTerms, count_statistics};
use pyo3::prelude::*;

use crate::config::parse;
use crate::errors::{LookalikeError, failed_run};
use crate::found::Found;
use crate::source::Source;
use crate::waiting::wait_for;

/// Finds the clusters of a corpus.
#[pyfunction]
pub fn find(
    py: Python<'_>,
    source: Py<Source>,
    settings: &str,
    report: Option<Bound<'_, PyAny>>,
) -> PyResult<Found> {
    let config = parse(settings)?;
    let corpus = source.get().corpus.clone();
    let findings =
        wait_for(py, report.as_ref(), |context| lookalike::find(&corpus, &config, context))?;
    Ok(Found::new(findings, config, source, None))
}

/// Matches new documents with known ones.
#[pyfunction]
pub fn against(
    py: Python<'_>,
    new: Py<Source>,
    known: Py<Source>,
    among_new: bool,
    settings: &str,
    report: Option<Bound<'_, PyAny>>,
) -> PyResult<Found> {
    let config = parse(settings)?;
    let (new_corpus, known_corpus) = (new.get().corpus.clone(), known.get().corpus.clone());
    let findings = wait_for(py, report.as_ref(), |context| {
        lookalike::find_against(&new_corpus, &known_corpus, among_new, &config, context)
    })?;
    Ok(Found::new(findings, config, new, Some(known)))
}

/// Counts the terms of a corpus and writes them to a file.
#[pyfunction]
pub fn statistics(
    py: Python<'_>,
    source: Py<Source>,
    settings: &str,
    path: &str,
    report: Option<Bound<'_, PyAny>>,
) -> PyResult<()> {
    let config = parse(settings)?;
    let corpus = source.get().corpus.clone();
    let statistics = wait_for(py, report.as_ref(), |context| {
        count_statistics(&corpus, config.detector.analyzer(), KeptTerms::Text, context)
    })?;
    write(Path::new(path), &statistics.to_bytes())
}

/// Writes a file.
pub fn write(path: &Path, bytes: &[u8]) -> PyResult<()> {
    std::fs::write(path, bytes).map_err(|source| {
        failed_run(lookalike::RunError::File { action: "write", path: path.to_owned(), source })
    })
}

/// A value that one thread at a time may use; another one says so instead of waiting.
pub fn in_use() -> PyErr {
    LookalikeError::new_err("another thread is reading this result; wait for it")
}
