//! `clusters.jsonl`, `pairs.jsonl`, `unreadable.jsonl`.

use std::io::{self, Write};

use lookalike_detect::{Comparison, ParagraphMatch};
use lookalike_index::DocumentId;
use serde::Serialize;

use super::SortedPairs;
use crate::UnreadableRow;
use crate::batch::PairDetails;
use crate::catalog::Catalog;
use crate::cluster::{Clustering, Membership};

#[derive(Serialize)]
struct ClusterRow<'a> {
    id: &'a str,
    cluster: &'a str,
    size: u32,
    keeper: bool,
    score: f64,
}

#[derive(Serialize)]
struct PairRow<'a> {
    a: &'a str,
    b: &'a str,
    score: f64,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    shared: Option<SharedRow>,
}

/// What methods that know of paragraphs say of a pair.
#[derive(Serialize)]
struct SharedRow {
    resemblance: f64,
    /// The share of `a` that is in `b`, and of `b` that is in `a`.
    containment: Option<(f64, f64)>,
    matches: Vec<MatchRow>,
}

/// First byte and end of a matching paragraph in the two texts.
#[derive(Serialize)]
struct MatchRow {
    a: (usize, usize),
    b: (usize, usize),
}

/// Writes one row for each document of a cluster of two or more, by cluster, the keeper first.
///
/// # Errors
/// The file cannot be written.
pub fn write_clusters(
    catalog: &Catalog,
    clustering: &Clustering,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut members: Vec<(DocumentId, Membership)> = catalog
        .documents()
        .filter_map(|document| Some((document, clustering.membership(document)?)))
        .collect();
    members.sort_by(|(left, left_cluster), (right, right_cluster)| {
        let key = |document: &DocumentId, cluster: &Membership| {
            (catalog.id(cluster.keeper), cluster.keeper != *document, catalog.id(*document))
        };
        key(left, left_cluster).cmp(&key(right, right_cluster))
    });
    for (document, Membership { keeper, score, size }) in members {
        let row = ClusterRow {
            id: catalog.id(document),
            cluster: catalog.id(keeper),
            size,
            keeper: keeper == document,
            score: rounded(score),
        };
        write_row(&row, out)?;
    }
    Ok(())
}

/// Writes the pairs with the smaller id first, sorted by both ids.
///
/// # Errors
/// The file cannot be written, or a working file not be read.
pub fn write_pairs(
    catalog: &Catalog,
    pairs: &mut SortedPairs,
    details: Option<&PairDetails>,
    out: &mut impl Write,
) -> io::Result<()> {
    while let Some(pair) = pairs.next().map_err(io::Error::other)? {
        let (a, b) = (catalog.id(pair.left), catalog.id(pair.right));
        let shared = match details {
            Some(details) => details.of(pair.left, pair.right).map_err(io::Error::other)?,
            None => None,
        };
        let shared = shared.map(|(comparison, matches)| shared_row(&comparison, &matches));
        write_row(&PairRow { a, b, score: rounded(pair.score), shared }, out)?;
    }
    Ok(())
}

fn shared_row(comparison: &Comparison, matches: &[ParagraphMatch]) -> SharedRow {
    let place = |range: &std::ops::Range<usize>| (range.start, range.end);
    SharedRow {
        resemblance: rounded(comparison.resemblance),
        containment: comparison.containment.map(|(a, b)| (rounded(a), rounded(b))),
        matches: matches
            .iter()
            .map(|matched| MatchRow { a: place(&matched.left), b: place(&matched.right) })
            .collect(),
    }
}

fn write_row(row: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, row)?;
    out.write_all(b"\n")
}

/// Writes where each unreadable row stands and what is wrong with it.
///
/// # Errors
/// The file cannot be written.
pub fn write_unreadable(rows: &[UnreadableRow], out: &mut impl Write) -> io::Result<()> {
    for row in rows {
        write_row(row, out)?;
    }
    Ok(())
}

/// Six digits: more than any threshold is set to, and the same text for the same value.
fn rounded(score: f64) -> f64 {
    (score * 1e6).round() / 1e6
}
