//! What a run found, its counts, and its result files.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Write};

use lookalike_detect::{Rejection, Verdict};
use lookalike_index::DocumentId;
use serde::Serialize;

use lookalike_corpus::pass::{Room, in_order};

use super::PairDetails;
use super::threads::on_threads;
use crate::catalog::{Catalog, Status};
use crate::cluster::{Clustering, Membership, Pair};
use crate::report::{
    self, ClusterRow, IdAsRead, OutputFolder, PairRow, Seconds, SortedPairs, Summary,
};
use crate::{Config, RunError, UnreadableRows};

/// What a run found.
#[derive(Debug)]
pub struct Findings {
    /// What is known of each row of the input.
    pub catalog: Catalog,
    /// Rows that could not be read.
    pub unreadable: UnreadableRows,
    /// Rows of the known collection that could not be read.
    pub known_unreadable: UnreadableRows,
    /// Who belongs to whom.
    pub clustering: Clustering,
    /// The confirmed pairs.
    pub pairs: SortedPairs,
    /// Pairs that the method takes for duplicates and the guard of removals does not; where there is
    /// a guard.
    pub related: Option<SortedPairs>,
    /// What the pairs share, where the method can show it.
    pub details: Option<PairDetails>,
    /// The counts.
    pub summary: Summary,
    /// Documents below this number are new, the others known; `None` where there are no sides.
    pub n_new: Option<usize>,
}

/// Which collection a document belongs to, where a run compares two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// The documents that are asked about.
    New,
    /// The collection they are compared with.
    Known,
}

/// A cluster of two or more documents.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster<'a> {
    /// The document that is kept.
    pub keeper: Member<'a>,
    /// The others, by id.
    pub members: Vec<Member<'a>>,
}

/// A document of a cluster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Member<'a> {
    /// Its row in the input, counted from 0 (through both collections where there are two).
    pub document: DocumentId,
    /// Its id.
    pub id: &'a str,
    /// Its score against the keeper; `None` where the two were never confirmed.
    pub score: Option<f64>,
    /// The collection it belongs to, where there are two.
    pub side: Option<Side>,
}

/// A confirmed pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FoundPair<'a> {
    /// One document: of two collections the new one, else the smaller id.
    pub a: Member<'a>,
    /// The other document.
    pub b: Member<'a>,
    /// The score of the verdict.
    pub score: f64,
    /// The share of the removed document's words that stand in the other, where a guard has asked.
    pub accounted: Option<f64>,
}

/// One of the largest clusters, as a report shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterSummary<'a> {
    /// The document that is kept.
    pub keeper: &'a str,
    /// Documents in the cluster, the keeper included.
    pub size: u32,
    /// The lowest score of a member against the keeper; `None` where one was never confirmed with
    /// it.
    pub lowest_score: Option<f64>,
    /// The member with that score.
    pub example: &'a str,
}

impl Findings {
    /// The clusters of two or more documents, by the keeper's id.
    pub fn clusters(&self) -> impl Iterator<Item = Cluster<'_>> {
        let mut members = self.sorted_members().into_iter().peekable();
        std::iter::from_fn(move || {
            let (document, Membership { keeper, .. }) = members.next()?;
            let mut cluster =
                Cluster { keeper: self.member(document, Some(1.0)), members: Vec::new() };
            while let Some((document, membership)) =
                members.next_if(|(_, membership)| membership.keeper == keeper)
            {
                cluster.members.push(self.member(document, membership.score));
            }
            Some(cluster)
        })
    }

    /// The confirmed pairs, by the ids; any number of times.
    ///
    /// # Errors
    /// An item is an error where a working file cannot be read.
    pub fn pairs(&self) -> impl Iterator<Item = Result<FoundPair<'_>, RunError>> {
        self.pairs.iter().map(|pair| {
            let pair = pair?;
            let Verdict { score, accounted, .. } = pair.verdict;
            let member = |document| self.member(document, Some(score));
            Ok(FoundPair { a: member(pair.left), b: member(pair.right), score, accounted })
        })
    }

    /// The collection a document belongs to, where there are two.
    pub fn side(&self, document: DocumentId) -> Option<Side> {
        let n_new = self.n_new?;
        Some(if (document.0 as usize) < n_new { Side::New } else { Side::Known })
    }

    fn id_as_read(&self, document: DocumentId) -> IdAsRead<'_> {
        let is_literal = self.catalog.id_is_literal(document);
        IdAsRead { text: self.catalog.id(document), is_literal }
    }

    fn member(&self, document: DocumentId, score: Option<f64>) -> Member<'_> {
        Member { document, id: self.catalog.id(document), score, side: self.side(document) }
    }

    /// Everybody in a cluster, by the id of the keeper, the keeper first. Two collections may have a
    /// keeper of one id each.
    fn sorted_members(&self) -> Vec<(DocumentId, Membership)> {
        self.clustering.members_in_order(self.pairs.documents_by_id())
    }

    /// The largest clusters, the largest first, equal ones by the keeper's id.
    pub fn largest_clusters(&self, count: usize) -> Vec<ClusterSummary<'_>> {
        let mut largest = self.clustering.largest(usize::MAX);
        largest.sort_by_key(|(keeper, size)| (Reverse(*size), self.catalog.id(*keeper)));
        largest.truncate(count);
        let mut lowest: Vec<Option<(Option<f64>, &str)>> = vec![None; largest.len()];
        for document in self.catalog.documents() {
            let Some(membership) = self.clustering.membership(document) else { continue };
            let place = largest.iter().position(|(keeper, _)| *keeper == membership.keeper);
            if let Some(place) = place.filter(|_| membership.keeper != document) {
                let found = (membership.score, self.catalog.id(document));
                let is_lower = lowest[place].is_none_or(|(score, id)| {
                    found.0 < score || (found.0 == score && found.1 < id)
                });
                if is_lower {
                    lowest[place] = Some(found);
                }
            }
        }
        let summary = |((keeper, size), lowest): ((DocumentId, u32), Option<_>)| {
            let (lowest_score, example) = lowest.unwrap_or_default();
            ClusterSummary { keeper: self.catalog.id(keeper), size, lowest_score, example }
        };
        largest.into_iter().zip(lowest).map(summary).collect()
    }

    /// Writes the rows of `clusters.jsonl`, on the current pool.
    pub(super) fn write_clusters(&self, out: &mut (impl Write + Send)) -> io::Result<()> {
        let row = |(document, membership): (DocumentId, Membership)| {
            let Membership { keeper, score, accounted, size } = membership;
            Ok(ClusterRow {
                id: self.id_as_read(document),
                cluster: self.id_as_read(keeper),
                size,
                keeper: keeper == document,
                score: score.map(report::rounded),
                accounted: accounted.map(report::rounded),
                side: self.side(document),
                cluster_side: self.side(keeper),
            })
        };
        write_rows(self.sorted_members().into_iter().map(Ok), row, out)
    }

    /// Writes the rows of `pairs.jsonl` or `related.jsonl`, on the current pool.
    pub(super) fn write_pairs(
        &self,
        pairs: &SortedPairs,
        out: &mut (impl Write + Send),
    ) -> io::Result<()> {
        let row = |Pair { left, right, verdict }: Pair| {
            let shared = match &self.details {
                Some(details) => details.of(left, right)?,
                None => None,
            };
            let named = |document| (self.id_as_read(document), self.side(document));
            Ok(PairRow::new(named(left), named(right), verdict, shared))
        };
        write_rows(pairs.iter().map(|pair| Ok(pair?)), row, out)
    }
}

/// Rows that a thread makes at once.
const ROWS_AT_ONCE: usize = 1024;
/// Sizes are counted in rows.
const ROOM: Room = Room::new(ROWS_AT_ONCE as u64, u64::MAX);

/// Writes one line of JSON for each item, made by all threads of the current pool.
fn write_rows<I: Send, R: Serialize>(
    items: impl Iterator<Item = Result<I, RunError>> + Send,
    row: impl Fn(I) -> Result<R, RunError> + Sync,
    out: &mut (impl Write + Send),
) -> io::Result<()> {
    let mut items = items.fuse();
    let fetch = || {
        let items: Result<Vec<I>, RunError> = items.by_ref().take(ROWS_AT_ONCE).collect();
        let items = items.map_err(io::Error::other)?;
        let size = items.len() as u64;
        Ok::<_, io::Error>((size > 0).then_some((items, size)))
    };
    let work = |items: Vec<I>| {
        let mut bytes = Vec::new();
        for item in items {
            serde_json::to_writer(&mut bytes, &row(item).map_err(io::Error::other)?)?;
            bytes.push(b'\n');
        }
        Ok::<_, io::Error>(bytes)
    };
    in_order(ROOM, fetch, work, |bytes: io::Result<Vec<u8>>| out.write_all(&bytes?))
}

/// Writes the result files of `find`.
///
/// # Errors
/// A file cannot be written.
pub fn write_findings(
    findings: &Findings,
    config: &Config,
    folder: &OutputFolder,
) -> Result<(), RunError> {
    on_threads(config.run.threads, || {
        // Beside each other: while one waits for the disk, the other makes rows.
        let clusters = || folder.write("clusters.jsonl", |out| findings.write_clusters(out));
        let pairs =
            || folder.write("pairs.jsonl", |out| findings.write_pairs(&findings.pairs, out));
        let (clusters, pairs) = rayon::join(clusters, pairs);
        clusters.and(pairs)?;
        match &findings.related {
            Some(related) => {
                folder.write("related.jsonl", |out| findings.write_pairs(related, out))
            }
            None => Ok(()),
        }
    })?;
    folder.write("unreadable.jsonl", |out| findings.unreadable.write(out))?;
    if findings.n_new.is_some() {
        folder.write("known_unreadable.jsonl", |out| findings.known_unreadable.write(out))?;
    }
    let text = config.to_toml()?;
    folder.write("config.toml", |out| std::io::Write::write_all(out, text.as_bytes()))?;
    folder.write("summary.json", |out| Ok(serde_json::to_writer_pretty(out, &findings.summary)?))
}

/// A word on documents that may be long: their words are not those of the lexicon.
///
/// None where these are fewer than one document in five.
fn lexicon_note(reasons: &BTreeMap<&'static str, u64>, documents: u64) -> Option<String> {
    let by_lexicon =
        [Rejection::NothingRetained, Rejection::FewRetained, Rejection::SmallShareRetained];
    let left_out: u64 = by_lexicon.iter().filter_map(|reason| reasons.get(reason.name())).sum();
    (left_out > 0 && left_out * 5 >= documents).then(|| {
        format!(
            "of {documents} documents {left_out} were not compared, because too few of their words are in the lexicon: \
             statistics of a larger collection of the kind (`stats`), or another method, may compare them"
        )
    })
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
    let (mut kept, mut unreadable, mut removed) = (0, 0, 0);
    for document in catalog.documents().take(n_rows) {
        match catalog.status(document) {
            _ if clustering.is_copy(document) => removed += 1,
            Status::Signed => kept += 1,
            Status::Unreadable => unreadable += 1,
            Status::TooShort(reason) => *too_short_reasons.entry(reason.name()).or_insert(0) += 1,
        }
    }
    let notes = lexicon_note(&too_short_reasons, n_rows as u64).into_iter().collect();
    let counts = &clustering.counts;
    Summary {
        documents: n_rows as u64,
        kept,
        removed,
        too_short: too_short_reasons.values().sum(),
        too_short_reasons,
        unreadable,
        known_documents: None,
        known_unreadable: None,
        incomplete: Vec::new(),
        clusters: counts.clusters,
        largest_cluster: counts.largest_cluster,
        candidate_pairs: counts.candidate_pairs,
        confirmed_pairs: counts.confirmed_pairs,
        related_pairs: config.guard().map(|_| counts.related_pairs),
        skipped_comparisons: counts.skipped_comparisons,
        crowd: None,
        threads: seconds.threads(),
        seconds,
        // A rule that could use nothing has ended the run before.
        keep: catalog.keep_notes(config.effective_keep()).unwrap_or_default(),
        peak_memory_bytes: report::peak_memory_bytes(),
        method: config.detector.name().to_owned(),
        threshold: config.detector.threshold(),
        recall_at_threshold: config.detector.recall_at_threshold().map(report::rounded),
        shared_text: report::SharedText::default(),
        warnings: Vec::new(),
        notes,
        version: env!("CARGO_PKG_VERSION"),
        run: None,
    }
}
