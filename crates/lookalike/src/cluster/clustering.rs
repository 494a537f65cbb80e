//! The result of the join.

use lookalike_detect::Verdict;
use lookalike_index::DocumentId;

const NOBODY: u32 = u32::MAX;

/// A document's part in a cluster of two or more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Membership {
    /// The document that is kept; the document itself where it is the keeper.
    pub keeper: DocumentId,
    /// The score against the keeper, and 1 for the keeper itself; `None` for a member that was
    /// never confirmed with its keeper, but is connected with it through others.
    pub score: Option<f64>,
    /// The share of its words that stand in the keeper, where a guard has asked.
    pub accounted: Option<f64>,
    /// Documents in the cluster, the keeper included.
    pub size: u32,
}

impl Membership {
    /// The verdict on the document and its keeper.
    pub(super) fn verdict(&self) -> Verdict {
        let score = self.score.unwrap_or(1.0);
        Verdict { accounted: self.accounted, ..Verdict::new(true, score) }
    }
}

/// What the join did, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JoinCounts {
    /// Candidate pairs that were decided, by a comparison, by their keys or as identical.
    pub candidate_pairs: u64,
    /// Those that only the guard of removals has refused: emitted, and in no cluster.
    pub related_pairs: u64,
    /// Those of them that are duplicates; as many as were emitted.
    pub confirmed_pairs: u64,
    /// Verdicts asked of the judge.
    pub comparisons: u64,
    /// Candidates not compared because a limit was reached; pairs that share several very large
    /// buckets may count several times.
    pub skipped_comparisons: u64,
    /// Of the skipped ones, so many were compared in the end, chosen by chance, to tell what was
    /// missed.
    pub sampled_comparisons: u64,
    /// About how many duplicates there are among the skipped ones, as the sample tells.
    pub missing_pairs: u64,
    /// Where most was skipped.
    pub crowd: Option<Crowd>,
    /// Clusters of two or more documents.
    pub clusters: u64,
    /// Documents in the largest of them; 0 without any.
    pub largest_cluster: u64,
}

impl JoinCounts {
    /// Adds the work of another join; clusters are counted anew.
    pub(super) fn add_work(&mut self, other: &Self) {
        self.candidate_pairs += other.candidate_pairs;
        self.confirmed_pairs += other.confirmed_pairs;
        self.related_pairs += other.related_pairs;
        self.comparisons += other.comparisons;
        self.skipped_comparisons += other.skipped_comparisons;
        self.sampled_comparisons += other.sampled_comparisons;
        self.missing_pairs += other.missing_pairs;
        self.crowd = self.crowd.into_iter().chain(other.crowd).max_by_key(|crowd| crowd.skipped);
    }
}

/// A document that was not compared with all its candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crowd {
    /// The document.
    pub document: DocumentId,
    /// One of the candidates that it was not compared with.
    pub candidate: DocumentId,
    /// How many there are.
    pub skipped: u64,
}

/// Who belongs to whom.
#[derive(Clone, Debug)]
pub struct Clustering {
    /// By document: its keeper, or [`NOBODY`].
    keepers: Vec<u32>,
    /// By document: the score against the keeper; not a number where there is none.
    scores: Vec<f64>,
    /// By document: the share that stands in the keeper; empty where no guard has asked.
    accounted: Vec<f32>,
    /// By keeper: the number of documents in its cluster.
    sizes: Vec<u32>,
    /// What the join did.
    pub counts: JoinCounts,
}

impl PartialEq for Clustering {
    fn eq(&self, other: &Self) -> bool {
        let bits = |scores: &[f64]| scores.iter().map(|score| score.to_bits()).collect::<Vec<_>>();
        self.keepers == other.keepers
            && self.sizes == other.sizes
            && self.counts == other.counts
            && bits(&self.scores) == bits(&other.scores)
    }
}

impl Clustering {
    pub(super) fn new(n_documents: usize) -> Self {
        Self {
            keepers: vec![NOBODY; n_documents],
            scores: vec![1.0; n_documents],
            accounted: Vec::new(),
            sizes: vec![1; n_documents],
            counts: JoinCounts::default(),
        }
    }

    pub(super) fn add(&mut self, member: DocumentId, keeper: DocumentId, verdict: Option<Verdict>) {
        self.keepers[keeper.0 as usize] = keeper.0;
        self.keepers[member.0 as usize] = keeper.0;
        self.scores[member.0 as usize] = verdict.map_or(f64::NAN, |verdict| verdict.score);
        if let Some(accounted) = verdict.and_then(|verdict| verdict.accounted) {
            self.accounted.resize(self.keepers.len(), f32::NAN);
            self.accounted[member.0 as usize] = accounted as f32;
        }
        self.sizes[keeper.0 as usize] += 1;
    }

    /// Counts the clusters once all members have been added or released.
    pub(crate) fn count_clusters(&mut self) {
        self.counts.clusters = self.sizes.iter().filter(|&&size| size > 1).count() as u64;
        let largest = self.sizes.iter().copied().filter(|&size| size > 1).max();
        self.counts.largest_cluster = u64::from(largest.unwrap_or(0));
    }

    /// All documents of the run.
    pub fn n_documents(&self) -> usize {
        self.keepers.len()
    }

    /// The cluster of a document; `None` where it is alone.
    pub fn membership(&self, document: DocumentId) -> Option<Membership> {
        let keeper = *self.keepers.get(document.0 as usize)?;
        (keeper != NOBODY).then(|| Membership {
            keeper: DocumentId(keeper),
            score: Some(self.scores[document.0 as usize]).filter(|score| !score.is_nan()),
            accounted: self.accounted_of(document),
            size: self.sizes[keeper as usize],
        })
    }

    /// Whether it was asked, of any document, how much of it stands in its keeper.
    pub fn tells_accounted(&self) -> bool {
        !self.accounted.is_empty()
    }

    fn accounted_of(&self, document: DocumentId) -> Option<f64> {
        let share = *self.accounted.get(document.0 as usize)?;
        (!share.is_nan()).then_some(f64::from(share))
    }

    /// Whether a document belongs to the cluster of another one.
    pub fn is_copy(&self, document: DocumentId) -> bool {
        let keeper = self.keepers.get(document.0 as usize).copied().unwrap_or(NOBODY);
        keeper != NOBODY && keeper != document.0
    }

    /// Everybody in a cluster, the keeper first: clusters by their keeper, and the others of each
    /// cluster, in the order of `documents`, which has all of them.
    pub fn members_in_order(&self, documents: &[DocumentId]) -> Vec<(DocumentId, Membership)> {
        let clustered = || {
            documents.iter().filter_map(|document| Some((*document, self.membership(*document)?)))
        };
        // By keeper: where the next member of its cluster goes.
        let mut next = vec![0; self.keepers.len()];
        let mut length = 0;
        for (document, Membership { keeper, size, .. }) in clustered() {
            if document == keeper {
                next[keeper.0 as usize] = length;
                length += size as usize;
            }
        }
        let nobody =
            Membership { keeper: DocumentId(NOBODY), score: None, accounted: None, size: 0 };
        let mut members = vec![(DocumentId(NOBODY), nobody); length];
        let (keepers, others): (Vec<_>, Vec<_>) =
            clustered().partition(|(document, membership)| membership.keeper == *document);
        for (document, membership) in keepers.into_iter().chain(others) {
            let next = &mut next[membership.keeper.0 as usize];
            members[*next] = (document, membership);
            *next += 1;
        }
        members
    }

    /// Takes a document out of its cluster, unless it is the keeper.
    pub(crate) fn release(&mut self, document: DocumentId) {
        let keeper = self.keepers[document.0 as usize];
        if keeper == NOBODY || keeper == document.0 {
            return;
        }
        self.keepers[document.0 as usize] = NOBODY;
        self.scores[document.0 as usize] = 1.0;
        self.sizes[keeper as usize] -= 1;
        if self.sizes[keeper as usize] == 1 {
            self.keepers[keeper as usize] = NOBODY;
        }
    }

    /// The keeper and the size of the `count` largest clusters, largest first, then by document.
    pub fn largest(&self, count: usize) -> Vec<(DocumentId, u32)> {
        let mut largest: Vec<(DocumentId, u32)> = (0..)
            .map(DocumentId)
            .zip(self.sizes.iter().copied())
            .filter(|&(_, size)| size > 1)
            .collect();
        largest.sort_by_key(|&(keeper, size)| (std::cmp::Reverse(size), keeper));
        largest.truncate(count);
        largest
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn members_in_order_are_sorted_by_keeper_then_themselves(
            keepers in prop::collection::vec(prop::option::of(0..5_u32), 0..40),
            order in Just((0..45).map(DocumentId).collect::<Vec<_>>()).prop_shuffle(),
            released in prop::collection::vec(0..45_u32, 0..9),
        ) {
            let mut clustering = Clustering::new(45);
            for (member, keeper) in (5..).map(DocumentId).zip(&keepers) {
                if let Some(keeper) = keeper {
                    clustering.add(
                        member,
                        DocumentId(*keeper),
                        Some(Verdict::new(true, f64::from(member.0))),
                    );
                }
            }
            for document in released {
                clustering.release(DocumentId(document));
            }
            let position = |document: DocumentId| order.iter().position(|other| *other == document);
            let mut expected: Vec<(DocumentId, Membership)> = (0..45)
                .map(DocumentId)
                .filter_map(|document| Some((document, clustering.membership(document)?)))
                .collect();
            expected.sort_by_key(|(document, Membership { keeper, .. })| {
                (position(*keeper), document != keeper, position(*document))
            });
            prop_assert_eq!(clustering.members_in_order(&order), expected);
        }
    }
}
