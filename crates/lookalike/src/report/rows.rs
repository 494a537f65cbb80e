//! `clusters.jsonl`, `pairs.jsonl`, `unreadable.jsonl`.

use std::io::{self, Write};

use lookalike_index::DocumentId;
use serde::Serialize;

use super::SortedPairs;
use crate::UnreadableRow;
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
    out: &mut impl Write,
) -> io::Result<()> {
    while let Some(pair) = pairs.next().map_err(io::Error::other)? {
        let (a, b) = (catalog.id(pair.left), catalog.id(pair.right));
        write_row(&PairRow { a, b, score: rounded(pair.score) }, out)?;
    }
    Ok(())
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
