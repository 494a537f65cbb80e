//! The result of the join.

use lookalike_index::DocumentId;

const NOBODY: u32 = u32::MAX;

/// A document's part in a cluster of two or more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Membership {
    /// The document that is kept; the document itself where it is the keeper.
    pub keeper: DocumentId,
    /// The score against the keeper; 1 for the keeper itself.
    pub score: f64,
    /// Documents in the cluster, the keeper included.
    pub size: u32,
}

/// What the join did, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JoinCounts {
    /// Candidate pairs that were decided, by a comparison, by their keys or as identical.
    pub candidate_pairs: u64,
    /// Those of them that are duplicates; as many as were emitted.
    pub confirmed_pairs: u64,
    /// Verdicts asked of the judge, those that only give a member its score included.
    pub comparisons: u64,
    /// Candidates not compared because a limit was reached; pairs that share several very large
    /// buckets may count several times.
    pub skipped_comparisons: u64,
    /// Clusters of two or more documents.
    pub clusters: u64,
    /// Documents in the largest of them; 0 without any.
    pub largest_cluster: u64,
}

/// Who belongs to whom.
#[derive(Clone, Debug, PartialEq)]
pub struct Clustering {
    /// By document: its keeper, or [`NOBODY`].
    keepers: Vec<u32>,
    /// By document: the score against the keeper.
    scores: Vec<f64>,
    /// By keeper: the number of documents in its cluster.
    sizes: Vec<u32>,
    /// What the join did.
    pub counts: JoinCounts,
}

impl Clustering {
    pub(super) fn new(n_documents: usize) -> Self {
        Self {
            keepers: vec![NOBODY; n_documents],
            scores: vec![1.0; n_documents],
            sizes: vec![1; n_documents],
            counts: JoinCounts::default(),
        }
    }

    pub(super) fn add(&mut self, member: DocumentId, keeper: DocumentId, score: f64) {
        self.keepers[keeper.0 as usize] = keeper.0;
        self.keepers[member.0 as usize] = keeper.0;
        self.scores[member.0 as usize] = score;
        self.sizes[keeper.0 as usize] += 1;
    }

    pub(super) fn count_clusters(&mut self) {
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
            score: self.scores[document.0 as usize],
            size: self.sizes[keeper as usize],
        })
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
