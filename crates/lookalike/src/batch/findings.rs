//! What a run found, its counts, and its result files.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use lookalike_index::DocumentId;

use super::PairDetails;
use crate::catalog::{Catalog, Status};
use crate::cluster::Clustering;
use crate::report::{self, OutputFolder, Seconds, SortedPairs, Summary};
use crate::{Config, RunError, UnreadableRow};

/// What a run found.
#[derive(Debug)]
pub struct Findings {
    /// What is known of each row of the input.
    pub catalog: Catalog,
    /// Rows that could not be read.
    pub unreadable: Vec<UnreadableRow>,
    /// Who belongs to whom.
    pub clustering: Clustering,
    /// The confirmed pairs.
    pub pairs: SortedPairs,
    /// What the pairs share, where the method can show it.
    pub details: Option<PairDetails>,
    /// The counts.
    pub summary: Summary,
}

/// One of the largest clusters, as a report shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterGlimpse<'a> {
    /// The document that is kept.
    pub keeper: &'a str,
    /// Documents in the cluster, the keeper included.
    pub size: u32,
    /// The lowest score of a member against the keeper.
    pub lowest_score: f64,
    /// The member with that score.
    pub example: &'a str,
}

impl Findings {
    /// The largest clusters, the largest first, equal ones by the keeper's id.
    pub fn largest_clusters(&self, count: usize) -> Vec<ClusterGlimpse<'_>> {
        let mut largest = self.clustering.largest(usize::MAX);
        largest.sort_by_key(|(keeper, size)| (Reverse(*size), self.catalog.id(*keeper)));
        largest.truncate(count);
        let mut lowest: Vec<(f64, &str)> = vec![(f64::INFINITY, ""); largest.len()];
        for document in self.catalog.documents() {
            let Some(membership) = self.clustering.membership(document) else { continue };
            let place = largest.iter().position(|(keeper, _)| *keeper == membership.keeper);
            if let Some(place) = place.filter(|_| membership.keeper != document) {
                let (score, id) = (membership.score, self.catalog.id(document));
                let (lowest_score, lowest_id) = lowest[place];
                if score < lowest_score || (score == lowest_score && id < lowest_id) {
                    lowest[place] = (score, id);
                }
            }
        }
        let glimpse = |((keeper, size), (lowest_score, example))| ClusterGlimpse {
            keeper: self.catalog.id(keeper),
            size,
            lowest_score,
            example,
        };
        largest.into_iter().zip(lowest).map(glimpse).collect()
    }
}

/// Writes the result files of `find`.
///
/// # Errors
/// A file cannot be written.
pub fn write_findings(
    findings: &mut Findings,
    config: &Config,
    folder: &OutputFolder,
) -> Result<(), RunError> {
    let Findings { catalog, unreadable, clustering, pairs, details, summary } = findings;
    let details = details.as_ref();
    folder.write("clusters.jsonl", |out| report::write_clusters(catalog, clustering, out))?;
    folder.write("pairs.jsonl", |out| report::write_pairs(catalog, pairs, details, out))?;
    folder.write("unreadable.jsonl", |out| report::write_unreadable(unreadable, out))?;
    let text = config.to_toml()?;
    folder.write("config.toml", |out| std::io::Write::write_all(out, text.as_bytes()))?;
    folder.write("summary.json", |out| Ok(serde_json::to_writer_pretty(out, summary)?))
}

/// The counts over the first `n_rows` documents.
pub(super) fn summarize(
    catalog: &Catalog,
    n_rows: usize,
    clustering: &Clustering,
    config: &Config,
    seconds: Seconds,
) -> Summary {
    let mut too_short_reasons = BTreeMap::new();
    let documents = || catalog.documents().take(n_rows);
    for document in documents() {
        if let Status::TooShort(reason) = catalog.status(document) {
            *too_short_reasons.entry(reason.name()).or_insert(0) += 1;
        }
    }
    let count =
        |wanted: Status| documents().filter(|d| catalog.status(*d) == wanted).count() as u64;
    let is_copy = |document: &DocumentId| {
        clustering.membership(*document).is_some_and(|membership| membership.keeper != *document)
    };
    let removed = documents().filter(is_copy).count() as u64;
    let counts = &clustering.counts;
    Summary {
        documents: n_rows as u64,
        kept: count(Status::Signed) - removed,
        removed,
        too_short: too_short_reasons.values().sum(),
        too_short_reasons,
        unreadable: count(Status::Unreadable),
        clusters: counts.clusters,
        largest_cluster: counts.largest_cluster,
        candidate_pairs: counts.candidate_pairs,
        confirmed_pairs: counts.confirmed_pairs,
        skipped_comparisons: counts.skipped_comparisons,
        seconds,
        peak_memory_bytes: report::peak_memory_bytes(),
        method: config.detector.name().to_owned(),
        threshold: config.detector.threshold(),
        version: env!("CARGO_PKG_VERSION"),
    }
}
