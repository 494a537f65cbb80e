//! From buckets to clusters: which documents are compared, and what becomes of the verdicts.
//!
//! The walk goes from group to group of documents that buckets connect, and through each group in
//! keep order. Every pair that shares a bucket is a *candidate*; whether it is judged depends on
//! the kind of cluster. A [`Join`] gives the same answer, counts included, whatever the number of
//! threads.

mod against;
mod aligned;
mod block;
mod clustering;
mod components;
mod crowd_paths;
mod crowds;
mod gather;
mod groups;
mod open_documents;
mod pairs;
mod places;
mod pure;
mod star;
mod stretch;
mod walk;

#[cfg(test)]
mod crowd_tests;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use lookalike_detect::{ComparedSet, Verdict};
use lookalike_index::{Buckets, DocumentId, IndexError, KeepOrder};
use serde::{Deserialize, Serialize};

pub use clustering::{Clustering, Crowd, JoinCounts, Membership};
pub(crate) use crowds::SMALLEST_CROWD;
pub(crate) use places::Places;
pub use pure::{components, stars};

use components::Components;
use pairs::AllPairs;
use star::Star;

/// Gives the verdict on a candidate pair.
pub trait Judge: Sync {
    /// What can fail: reading what the verdict rests on.
    type Error: From<IndexError> + Send;

    /// The verdict on two documents; `left` is the better one in keep order.
    fn judge(&self, left: DocumentId, right: DocumentId) -> Result<Verdict, Self::Error>;

    /// Whether sharing a bucket already is the verdict; then nothing is compared.
    fn keys_decide(&self) -> bool;

    /// The same verdict on a pair in a crowd, where nearly all fail, and what it took: it may be
    /// worth to look for a cheap reason first. Both follow from the two documents alone.
    fn judge_in_crowd(
        &self,
        left: DocumentId,
        right: DocumentId,
    ) -> Result<(Verdict, Effort), Self::Error> {
        Ok((self.judge(left, right)?, Effort::Full))
    }

    /// Marks those of some candidates that are excluded for certain and at little cost, each in its place: what
    /// [`Judge::judge_in_crowd`] would tell of them as well, with little effort.
    fn exclude(&self, _left: DocumentId, _candidates: &[DocumentId], _excluded: &mut [bool]) {}

    /// Where verdicts rest on sets: appends the values of a document, and tells how much of what they
    /// stand for it shares with any duplicate.
    fn compared_set(
        &self,
        _document: DocumentId,
        _values: &mut Vec<u64>,
    ) -> Result<Option<ComparedSet>, Self::Error> {
        Ok(None)
    }
}

/// What a verdict took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// A look at something small.
    Little,
    /// A comparison of the documents.
    Full,
}

/// A confirmed pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// One document; the keeper, where the pair joins a member to its keeper.
    pub left: DocumentId,
    /// The other document.
    pub right: DocumentId,
    /// The verdict; where it is no duplicate, the two are related.
    pub verdict: Verdict,
}

/// How clusters are made from confirmed pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClusterRule {
    /// Every member is a confirmed duplicate of the keeper.
    #[default]
    Star,
    /// Whatever is connected by confirmed pairs.
    Components,
}

/// Bounds on the work that a bucket of many unlike documents can cause.
///
/// Confirmed pairs are never bounded, and neither is anything where keys decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JoinLimits {
    /// A document is compared until so many comparisons have failed; those that fail with little
    /// [`Effort`] count for a sixteenth.
    pub failed_comparisons: usize,
    /// Candidates up to this many are ranked by the buckets they share, smallest buckets first;
    /// those beyond are compared in keep order.
    pub ranked_members: usize,
}

impl Default for JoinLimits {
    fn default() -> Self {
        Self { failed_comparisons: 1000, ranked_members: 8192 }
    }
}

/// Where working data of a join goes.
#[derive(Clone, Debug)]
pub struct Room {
    /// What is held in memory, at most.
    pub memory_bytes: usize,
    /// Where the rest goes.
    pub temporary_folder: PathBuf,
}

/// Everything the join needs.
#[derive(Debug)]
pub struct Join<'a, J> {
    /// Which document is kept.
    pub order: &'a KeepOrder,
    /// Who shares a bucket, built with the same order.
    pub buckets: &'a Buckets,
    /// The judge of pairs.
    pub judge: &'a J,
    /// Bounds on the work.
    pub limits: JoinLimits,
    /// Room for what is found out about crowds.
    pub room: &'a Room,
}

/// Receives confirmed and related pairs, in an order that does not depend on the number of threads.
pub type Emit<'a, E> = &'a mut (dyn FnMut(Pair) -> Result<(), E> + Send);

impl<J: Judge> Join<'_, J> {
    /// Makes clusters and emits the pairs they rest on: for stars each member with its keeper, for
    /// components a spanning set.
    ///
    /// Work is done on the current rayon pool; nothing is judged in vain, but in a large group.
    pub fn clusters(
        &self,
        rule: ClusterRule,
        emit: Emit<'_, J::Error>,
    ) -> Result<Clustering, J::Error> {
        let mut emit_pair = |left, right, verdict| emit(self.pair(left, right, verdict));
        let mut clustering = match rule {
            ClusterRule::Star => {
                let (star, counts) = self.walk(Star::new(self.order), &mut emit_pair)?;
                star.finish(self, counts, emit)?
            }
            ClusterRule::Components => {
                let outcome = Components::new(self.order);
                let (components, counts) = self.walk(outcome, &mut emit_pair)?;
                components.finish(self, counts, emit)?
            }
        };
        clustering.counts.candidate_pairs += self.order.copies().len() as u64;
        clustering.counts.confirmed_pairs += self.order.copies().len() as u64;
        Ok(clustering)
    }

    /// Emits every confirmed candidate pair, and makes the same clusters as [`Join::clusters`].
    ///
    /// Where comparisons are skipped, those for all pairs are others than those for clusters; the
    /// clusters are then made by themselves, and pairs that both come upon are emitted twice.
    pub fn all_pairs(
        &self,
        rule: ClusterRule,
        emit: Emit<'_, J::Error>,
    ) -> Result<Clustering, J::Error> {
        let clustering = match rule {
            ClusterRule::Star => {
                let (star, counts) = self.walk_all_pairs(AllPairs(Star::new(self.order)), emit)?;
                star.0.finish(self, counts, &mut |_| Ok(()))?
            }
            ClusterRule::Components => {
                let outcome = AllPairs(Components::new(self.order));
                let (components, counts) = self.walk_all_pairs(outcome, emit)?;
                components.0.finish(self, counts, &mut |_| Ok(()))?
            }
        };
        if clustering.counts.skipped_comparisons == 0 {
            return Ok(clustering);
        }
        let mut direct = self.clusters(rule, emit)?;
        direct.counts.add_work(&clustering.counts);
        // What was skipped for the clusters was skipped for all pairs as well.
        direct.counts.skipped_comparisons = clustering.counts.skipped_comparisons;
        direct.counts.related_pairs = clustering.counts.related_pairs;
        direct.counts.missing_pairs = clustering.counts.missing_pairs;
        direct.counts.crowd = clustering.counts.crowd;
        Ok(direct)
    }
}
