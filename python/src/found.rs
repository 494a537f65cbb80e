//! What a run found, as columns.

use std::path::Path;
use std::sync::{Arc, Mutex};

use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, LargeStringArray, RecordBatch, UInt32Array, UInt64Array,
};
use lookalike::{Config, Findings, OutputFolder, Status};
use lookalike_index::DocumentId;
use pyo3::prelude::*;

use crate::arrow::{Columns, unreadable, value_of};
use crate::errors::{LookalikeError, OutputError, failed_run};
use crate::run::in_use;
use crate::source::{Ids, Source};
use crate::waiting::wait_for;

/// What a run found.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub struct Found {
    findings: Mutex<Findings>,
    config: Config,
    source: Py<Source>,
    /// The known documents, where there are two collections; they are numbered after the new ones.
    known: Option<Py<Source>>,
    n_new: u64,
}

/// What is wrong with a row, as `unreadable.jsonl` has it.
#[derive(serde::Deserialize)]
struct Reason {
    place: String,
    reason: String,
}

type Removed<'py> = (Vec<u64>, Vec<Option<Bound<'py, PyAny>>>, Vec<Option<f64>>);

impl Found {
    /// What a run over one corpus, or over a new and a known one, found.
    pub fn new(
        findings: Findings,
        config: Config,
        source: Py<Source>,
        known: Option<Py<Source>>,
    ) -> Self {
        let n_new = findings.n_new.unwrap_or(findings.catalog.len()) as u64;
        Self { findings: Mutex::new(findings), config, source, known, n_new }
    }

    fn with<T>(&self, look: impl FnOnce(&mut Findings) -> PyResult<T>) -> PyResult<T> {
        look(&mut *self.findings.try_lock().map_err(|_| in_use())?)
    }

    /// The ids of rows of the new documents.
    fn ids(&self, findings: &Findings, rows: &[u64]) -> PyResult<ArrayRef> {
        let name = |row: u64| findings.catalog.id(DocumentId(row as u32)).to_owned();
        self.source.get().ids.take(rows, name)
    }

    /// The ids of rows of the known documents, or of the only ones.
    fn known_ids(&self, findings: &Findings, rows: &[u64]) -> PyResult<ArrayRef> {
        let Some(known) = &self.known else { return self.ids(findings, rows) };
        let name = |row: u64| findings.catalog.id(DocumentId((row + self.n_new) as u32)).to_owned();
        let rows: Vec<u64> = rows.iter().map(|row| row - self.n_new).collect();
        known.get().ids.take(&rows, name)
    }

    /// The removed rows, their keepers, and their scores.
    fn removals(findings: &Findings) -> (Vec<u64>, Vec<u64>, Vec<Option<f64>>) {
        let (mut rows, mut keepers, mut scores) = (Vec::new(), Vec::new(), Vec::new());
        for document in findings.catalog.documents() {
            if let Some(membership) = findings.clustering.membership(document)
                && membership.keeper != document
            {
                rows.push(u64::from(document.0));
                keepers.push(u64::from(membership.keeper.0));
                scores.push(membership.score);
            }
        }
        (rows, keepers, scores)
    }
}

#[pymethods]
impl Found {
    /// The counts, as `summary.json` has them.
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let text = self.with(|findings| {
            serde_json::to_string(&findings.summary)
                .map_err(|error| LookalikeError::new_err(error.to_string()))
        })?;
        py.import("json")?.call_method1("loads", (text,))
    }

    /// What could not be done, in sentences.
    fn warnings(&self) -> PyResult<Vec<String>> {
        self.with(|findings| {
            let summary = &findings.summary;
            let mut warnings = Vec::new();
            if summary.unreadable > 0 {
                let example = findings.unreadable.examples().first();
                let example = example.map_or_else(String::new, |row| {
                    format!(", the first is {}: {}", row.place, row.reason)
                });
                warnings.push(format!("{} rows could not be read{example}", summary.unreadable));
            }
            if let Some(file) = summary.incomplete.first() {
                warnings.push(format!(
                    "{} files were not read to their end, so that documents of them are missing, \
                     the first at {}: {}",
                    summary.incomplete.len(),
                    file.place,
                    file.reason
                ));
            }
            warnings.extend(summary.warnings.iter().map(ToString::to_string));
            if summary.skipped_comparisons > 0 {
                warnings.push(format!(
                    "{} comparisons were skipped in crowded buckets, so that pairs may be missing; \
                     raise max_comparisons, or leave out what templates repeat with ignore_boilerplate",
                    summary.skipped_comparisons
                ));
            }
            Ok(warnings)
        })
    }

    /// A row for each document of a cluster.
    fn clusters(&self) -> PyResult<Columns> {
        self.with(|findings| {
            let (mut rows, mut keepers, mut sizes) = (Vec::new(), Vec::new(), Vec::new());
            let (mut is_keeper, mut scores) = (Vec::new(), Vec::new());
            for cluster in findings.clusters() {
                let size = cluster.members.len() as u32 + 1;
                for member in std::iter::once(&cluster.keeper).chain(&cluster.members) {
                    rows.push(u64::from(member.document.0));
                    keepers.push(u64::from(cluster.keeper.document.0));
                    sizes.push(size);
                    is_keeper.push(member.document == cluster.keeper.document);
                    scores.push(member.score);
                }
            }
            let (ids, clusters) = self.cluster_ids(findings, &rows, &keepers)?;
            table([
                ("row", Arc::new(UInt64Array::from(rows))),
                ("id", ids),
                ("cluster", clusters),
                ("size", Arc::new(UInt32Array::from(sizes))),
                ("keeper", Arc::new(BooleanArray::from(is_keeper))),
                ("score", Arc::new(Float64Array::from(scores))),
            ])
        })
    }

    /// The confirmed pairs.
    fn pairs(&self) -> PyResult<Columns> {
        self.with(|findings| {
            let mut pairs = Vec::new();
            for pair in findings.pairs() {
                let pair = pair.map_err(failed_run)?;
                pairs.push((
                    u64::from(pair.a.document.0),
                    u64::from(pair.b.document.0),
                    pair.score,
                ));
            }
            if self.known.is_none() && matches!(self.source.get().ids, Ids::Rows) {
                // Ids that are numbers are ordered as numbers.
                for (left, right, _) in &mut pairs {
                    (*left, *right) = (*left.min(right), *left.max(right));
                }
                pairs.sort_by_key(|&(left, right, _)| (left, right));
            }
            let left: Vec<u64> = pairs.iter().map(|pair| pair.0).collect();
            let right: Vec<u64> = pairs.iter().map(|pair| pair.1).collect();
            let scores: Vec<f64> = pairs.iter().map(|pair| pair.2).collect();
            table([
                ("a", self.ids(findings, &left)?),
                ("b", self.known_ids(findings, &right)?),
                ("score", Arc::new(Float64Array::from(scores))),
            ])
        })
    }

    /// By row: the row that is kept for it.
    fn labels(&self) -> PyResult<Vec<u64>> {
        self.with(|findings| {
            let keeper = |document: DocumentId| {
                let membership = findings.clustering.membership(document);
                u64::from(membership.map_or(document, |membership| membership.keeper).0)
            };
            Ok(findings.catalog.documents().take(self.n_new as usize).map(keeper).collect())
        })
    }

    /// The rows that stay: keepers, documents without a copy, and those too short to judge.
    fn kept_rows(&self) -> PyResult<Vec<u64>> {
        self.with(|findings| {
            let is_kept = |document: &DocumentId| {
                let membership = findings.clustering.membership(*document);
                findings.catalog.status(*document) != Status::Unreadable
                    && membership.is_none_or(|membership| membership.keeper == *document)
            };
            let documents = findings.catalog.documents().take(self.n_new as usize);
            Ok(documents.filter(is_kept).map(|document| u64::from(document.0)).collect())
        })
    }

    /// The rows that are copies, of which document, with which score.
    fn removed_rows<'py>(&self, py: Python<'py>) -> PyResult<Removed<'py>> {
        self.with(|findings| {
            let (rows, keepers, scores) = Self::removals(findings);
            let ids = self.known_ids(findings, &keepers)?;
            let ids =
                (0..rows.len()).map(|row| value_of(py, &ids, row)).collect::<PyResult<_>>()?;
            Ok((rows, ids, scores))
        })
    }

    /// The same as a table.
    fn evidence(&self) -> PyResult<Columns> {
        self.with(|findings| {
            let (rows, keepers, scores) = Self::removals(findings);
            table([
                ("id", self.ids(findings, &rows)?),
                ("row", Arc::new(UInt64Array::from(rows))),
                ("duplicate_of", self.known_ids(findings, &keepers)?),
                ("score", Arc::new(Float64Array::from(scores))),
            ])
        })
    }

    /// The rows that could not be read: where they stand, and why.
    fn unreadable(&self) -> PyResult<Columns> {
        self.with(|findings| {
            let unreadable =
                |document: &DocumentId| findings.catalog.status(*document) == Status::Unreadable;
            let documents = findings.catalog.documents().take(self.n_new as usize);
            let rows = documents.filter(unreadable).map(|document| u64::from(document.0));
            let mut lines = Vec::new();
            let failed = |error: std::io::Error| OutputError::new_err(error.to_string());
            findings.unreadable.write(&mut lines).map_err(failed)?;
            let lines = serde_json::Deserializer::from_slice(&lines).into_iter();
            let (places, reasons): (Vec<String>, Vec<String>) = lines
                .map(|line: Result<Reason, _>| line.map(|line| (line.place, line.reason)))
                .collect::<Result<Vec<_>, _>>()
                .map_err(|error| OutputError::new_err(error.to_string()))?
                .into_iter()
                .unzip();
            table([
                ("row", Arc::new(UInt64Array::from_iter_values(rows))),
                ("place", Arc::new(LargeStringArray::from(places))),
                ("reason", Arc::new(LargeStringArray::from(reasons))),
            ])
        })
    }

    /// Writes the files of `lookalike find`.
    fn write(&self, folder: &str, force: bool) -> PyResult<()> {
        self.with(|findings| {
            let folder = OutputFolder::create(Path::new(folder), force).map_err(failed_run)?;
            lookalike::write_findings(findings, &self.config, &folder).map_err(failed_run)?;
            folder.commit().map_err(failed_run)
        })
    }

    /// Writes the files of `lookalike dedup`.
    fn write_dedup(&self, py: Python<'_>, folder: &str, force: bool) -> PyResult<()> {
        let corpus = self.source.get().corpus.clone();
        self.with(|findings| {
            wait_for(py, None, |context| {
                let folder = OutputFolder::create(Path::new(folder), force)?;
                lookalike::dedup(&corpus, findings, &self.config, context, Some(&folder), None)?;
                lookalike::write_findings(findings, &self.config, &folder)?;
                folder.commit()
            })
        })
    }
}

impl Found {
    /// The ids of the members and of their keepers, which belong to two collections where there
    /// are two: then both are texts.
    fn cluster_ids(
        &self,
        findings: &Findings,
        rows: &[u64],
        keepers: &[u64],
    ) -> PyResult<(ArrayRef, ArrayRef)> {
        if self.known.is_none() {
            return Ok((self.ids(findings, rows)?, self.ids(findings, keepers)?));
        }
        let names = |rows: &[u64]| -> ArrayRef {
            let names = rows.iter().map(|row| findings.catalog.id(DocumentId(*row as u32)));
            Arc::new(LargeStringArray::from_iter_values(names))
        };
        Ok((names(rows), names(keepers)))
    }
}

fn table<const N: usize>(columns: [(&str, ArrayRef); N]) -> PyResult<Columns> {
    let columns = columns.map(|(name, column)| (name.to_owned(), column, true));
    Ok(Columns::new(RecordBatch::try_from_iter_with_nullable(columns).map_err(unreadable)?))
}
