//! The steps of a run that many machines share: keys by document, counts that add up, components.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::builder::{Int64Builder, LargeStringBuilder, ListBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch};
use lookalike::{KeptTerms, Scratch, count_statistics};
use lookalike_detect::Model;
use lookalike_statistics::Statistics;
use pyo3::prelude::*;

use crate::arrow::{Columns, import_table, unreadable};
use crate::config::parse;
use crate::errors::{ArtifactError, InputError, with_causes};
use crate::method::Method;
use crate::source::Source;
use crate::waiting::wait_for;

/// The texts that a partition has had, by their identities.
#[pyclass(frozen, module = "lookalike._lookalike")]
#[derive(Default)]
pub struct Copies(Mutex<HashSet<u128>>);

#[pymethods]
impl Copies {
    #[new]
    fn new() -> Self {
        Self::default()
    }
}

/// For each row its keys as signed numbers, or why it has none: `keys, rejected, unreadable`.
///
/// A copy of an earlier row has one of its keys: it has the same ones, so that one connects it.
#[pyfunction]
pub fn document_keys(
    py: Python<'_>,
    source: &Source,
    method: &Method,
    copies: &Copies,
) -> PyResult<Columns> {
    let corpus = source.corpus.clone();
    let (mut keys, mut rejected, mut unread) = (
        ListBuilder::new(Int64Builder::new()),
        LargeStringBuilder::new(),
        LargeStringBuilder::new(),
    );
    py.detach(|| {
        let mut scratch = Scratch::default();
        let mut seen = copies.0.lock().unwrap_or_else(PoisonError::into_inner);
        for block in corpus.blocks() {
            block.visit(|row| {
                let (mut too_short, mut reason) = (None, None);
                match &row.content {
                    Ok(document) => {
                        let document = document.document();
                        match method.seam().prepare_with(&document, &mut scratch) {
                            Ok(prepared) => {
                                let is_copy = !seen.insert(prepared.identity());
                                let wanted = if is_copy { 1 } else { usize::MAX };
                                for key in prepared.keys().iter().take(wanted) {
                                    keys.values().append_value(key.0.cast_signed());
                                }
                            }
                            Err(rejection) => too_short = Some(rejection.to_string()),
                        }
                    }
                    Err(error) => reason = Some(error.to_string()),
                }
                keys.append(true);
                rejected.append_option(too_short);
                unread.append_option(reason);
            });
        }
    });
    let columns: [(&str, ArrayRef, bool); 3] = [
        ("keys", Arc::new(keys.finish()), false),
        ("rejected", Arc::new(rejected.finish()), true),
        ("unreadable", Arc::new(unread.finish()), true),
    ];
    let batch = RecordBatch::try_from_iter_with_nullable(columns).map_err(unreadable)?;
    Ok(Columns::new(batch))
}

/// The statistics of some of the documents, as bytes that [`merge_statistics`] adds up.
#[pyfunction]
pub fn count_terms(py: Python<'_>, source: &Source, settings: &str) -> PyResult<Vec<u8>> {
    let config = parse(settings)?;
    let corpus = source.corpus.clone();
    let statistics = wait_for(py, None, |context| {
        count_statistics(&corpus, config.detector.analyzer(), KeptTerms::Hashes, context)
    })?;
    Ok(statistics.to_bytes())
}

/// The statistics of all documents together.
#[pyfunction]
pub fn merge_statistics(parts: Vec<Vec<u8>>) -> PyResult<Vec<u8>> {
    let broken = |error: &dyn std::error::Error| ArtifactError::new_err(with_causes(error));
    let mut total: Option<Statistics> = None;
    for part in parts {
        let part = Statistics::from_bytes(&part).map_err(|error| broken(&error))?;
        total = Some(match total {
            None => part,
            Some(total) => total.merge(&part).map_err(|error| broken(&error))?,
        });
    }
    let total = total.ok_or_else(|| InputError::new_err("there is nothing to count"))?;
    Ok(total.to_bytes())
}

/// Whether a run counts the terms of its input, under this configuration and model.
#[pyfunction]
pub fn counts_input(settings: &str, model: Option<Vec<u8>>) -> PyResult<bool> {
    Ok(lookalike::counts_input(&parse(settings)?, read_model(model)?.as_ref()))
}

/// What was counted, unless the model's own frequencies say more.
#[pyfunction]
pub fn worth_asking_with(counted: &[u8], model: Option<Vec<u8>>) -> PyResult<Option<Vec<u8>>> {
    let broken = |error: &dyn std::error::Error| ArtifactError::new_err(with_causes(error));
    let statistics = Statistics::from_bytes(counted).map_err(|error| broken(&error))?;
    let worth = lookalike::worth_asking_with(statistics, read_model(model)?.as_ref());
    Ok(worth.map(|_| counted.to_vec()))
}

fn read_model(model: Option<Vec<u8>>) -> PyResult<Option<Model>> {
    let read = model.map(|bytes| Model::from_bytes(&bytes)).transpose();
    read.map_err(|error| ArtifactError::new_err(with_causes(&error)))
}

/// Nodes that edges connect, and the smallest node of each one's component; the edges are a table
/// of two columns of numbers.
#[pyfunction]
pub fn components(py: Python<'_>, edges: &Bound<'_, PyAny>) -> PyResult<Columns> {
    let batches = import_table(edges)?;
    let (nodes, smallest) = py.detach(|| connect(&batches))?;
    let columns: [(&str, ArrayRef, bool); 2] = [
        ("node", Arc::new(Int64Array::from(nodes)), false),
        ("component", Arc::new(Int64Array::from(smallest)), false),
    ];
    let batch = RecordBatch::try_from_iter_with_nullable(columns).map_err(unreadable)?;
    Ok(Columns::new(batch))
}

/// Union by position among the sorted nodes; the smaller position is always the root.
fn connect(batches: &[RecordBatch]) -> PyResult<(Vec<i64>, Vec<i64>)> {
    let sides = |batch: &RecordBatch| -> PyResult<(Vec<i64>, Vec<i64>)> {
        let side = |column: usize| -> PyResult<Vec<i64>> {
            let numbers = batch.column(column).as_primitive_opt::<Int64Type>();
            let numbers = numbers.filter(|numbers| numbers.null_count() == 0);
            let numbers =
                numbers.ok_or_else(|| InputError::new_err("an edge is two 64-bit numbers"))?;
            Ok(numbers.values().to_vec())
        };
        Ok((side(0)?, side(1)?))
    };
    let sides: Vec<(Vec<i64>, Vec<i64>)> = batches.iter().map(sides).collect::<PyResult<_>>()?;
    let mut nodes: Vec<i64> =
        sides.iter().flat_map(|(left, right)| left.iter().chain(right)).copied().collect();
    nodes.sort_unstable();
    nodes.dedup();
    let mut parents: Vec<usize> = (0..nodes.len()).collect();
    let place = |node: &i64| nodes.partition_point(|other| other < node);
    for (left, right) in &sides {
        for (left, right) in left.iter().zip(right) {
            let (a, b) = (root(&mut parents, place(left)), root(&mut parents, place(right)));
            parents[a.max(b)] = a.min(b);
        }
    }
    let smallest = (0..nodes.len()).map(|node| nodes[root(&mut parents, node)]).collect();
    Ok((nodes, smallest))
}

fn root(parents: &mut [usize], mut node: usize) -> usize {
    while parents[node] != node {
        parents[node] = parents[parents[node]];
        node = parents[node];
    }
    node
}
