//! What is known of a labelled collection: its clusters, or the verdicts on some of its pairs.

use hashbrown::HashMap;

use crate::evaluate::halve_clusters;
use crate::{Collection, LearnError};

/// A verdict on two documents, by their ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgment {
    /// One document's id.
    pub left: String,
    /// The other's.
    pub right: String,
    /// Whether they are near-duplicates.
    pub near_duplicate: bool,
}

/// Which pairs are scored, and which of them are true.
#[derive(Clone, Debug)]
pub(super) enum Truth {
    /// All pairs; true within a cluster.
    Clusters(Vec<u32>),
    /// The judged pairs of documents, the smaller number first.
    Judged(Vec<(u32, u32, bool)>),
}

impl Truth {
    /// The clusters of a collection's labels.
    pub(super) fn of_clusters(collection: &Collection) -> Result<Self, LearnError> {
        if collection.documents.iter().all(|document| document.label.is_none()) {
            let message = "no document has a label: give rows with a field `cluster`, or --judgments \
                           with labelled pairs";
            return Err(LearnError::Collection(message.into()));
        }
        Ok(Self::Clusters(collection.clusters()))
    }

    /// The judged pairs; a pair of unknown ids is an error, since its absence would go unnoticed.
    pub(super) fn of_judgments(
        collection: &Collection,
        judgments: &[Judgment],
    ) -> Result<Self, LearnError> {
        let numbers: HashMap<&str, u32> = (0..)
            .zip(&collection.documents)
            .map(|(n, document)| (document.id.as_str(), n))
            .collect();
        let number = |id: &str| {
            let missing =
                || LearnError::Collection(format!("no document has the judged id `{id}`"));
            numbers.get(id).copied().ok_or_else(missing)
        };
        let pair = |judgment: &Judgment| -> Result<(u32, u32, bool), LearnError> {
            let (left, right) = (number(&judgment.left)?, number(&judgment.right)?);
            Ok((left.min(right), left.max(right), judgment.near_duplicate))
        };
        let mut pairs = judgments.iter().map(pair).collect::<Result<Vec<_>, _>>()?;
        pairs.sort_unstable();
        pairs.dedup();
        Ok(Self::Judged(pairs))
    }

    /// A number for each document; documents of one number belong to the same half.
    pub(super) fn groups(&self, n_documents: usize) -> Vec<u32> {
        match self {
            Self::Clusters(clusters) => clusters.clone(),
            Self::Judged(pairs) => linked(n_documents, pairs),
        }
    }

    /// What is known of these documents, ascending, by their places among them.
    pub(super) fn within(&self, documents: &[usize]) -> Self {
        match self {
            Self::Clusters(clusters) => {
                Self::Clusters(documents.iter().map(|&document| clusters[document]).collect())
            }
            Self::Judged(pairs) => {
                let place = |document: u32| documents.binary_search(&(document as usize)).ok();
                let within = |&(left, right, is_true): &(u32, u32, bool)| {
                    Some((place(left)? as u32, place(right)? as u32, is_true))
                };
                Self::Judged(pairs.iter().filter_map(within).collect())
            }
        }
    }

    /// Which of the random test halves each document is in, as one bit a halving.
    ///
    /// No cluster and no judged pair is torn apart.
    pub(super) fn test_halves(&self, n_documents: usize, halvings: usize, seed: u64) -> Vec<u32> {
        let mut masks = vec![0; n_documents];
        let halved = halve_clusters(&self.groups(n_documents), halvings, seed);
        for (bit, halving) in halved.iter().enumerate() {
            for document in &halving.test {
                masks[*document] |= 1 << bit;
            }
        }
        masks
    }

    /// How many true and how many other pairs are known.
    pub(super) fn totals(&self) -> (u64, u64) {
        let n_true = self.n_true(|_| true);
        let n_pairs = match self {
            Self::Clusters(clusters) => {
                let n = clusters.len() as u64;
                n * n.saturating_sub(1) / 2
            }
            Self::Judged(pairs) => pairs.len() as u64,
        };
        (n_true, n_pairs - n_true)
    }

    /// How many true pairs there are whose documents both satisfy `chosen`.
    pub(super) fn n_true(&self, chosen: impl Fn(usize) -> bool) -> u64 {
        match self {
            Self::Clusters(clusters) => {
                let numbered =
                    clusters.iter().enumerate().filter(|(document, _)| chosen(*document));
                let mut clusters: Vec<u32> = numbered.map(|(_, cluster)| *cluster).collect();
                clusters.sort_unstable();
                let pairs = |cluster: &[u32]| (cluster.len() * (cluster.len() - 1) / 2) as u64;
                clusters.chunk_by(|left, right| left == right).map(pairs).sum()
            }
            Self::Judged(pairs) => {
                let counts = |(left, right, is_true): &&(u32, u32, bool)| {
                    *is_true && chosen(*left as usize) && chosen(*right as usize)
                };
                pairs.iter().filter(counts).count() as u64
            }
        }
    }
}

/// A number for each document that all documents linked to it by pairs share.
fn linked(n_documents: usize, pairs: &[(u32, u32, bool)]) -> Vec<u32> {
    let mut groups: Vec<u32> = (0..n_documents as u32).collect();
    // The least number wanders along the pairs until nothing changes.
    loop {
        let mut changed = false;
        for &(left, right, _) in pairs {
            let least = groups[left as usize].min(groups[right as usize]);
            for document in [left, right] {
                changed |= std::mem::replace(&mut groups[document as usize], least) != least;
            }
        }
        if !changed {
            return groups;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn judged_pairs_are_never_torn_apart() {
        let pairs: Vec<(u32, u32, bool)> = (0..40).map(|n| (n, n + 40, n % 2 == 0)).collect();
        let truth = Truth::Judged(pairs.clone());
        let masks = truth.test_halves(80, 5, 1);
        assert!(
            pairs.iter().all(|(left, right, _)| masks[*left as usize] == masks[*right as usize])
        );
        assert!(masks.iter().any(|mask| *mask != masks[0]));
        assert_eq!(truth.n_true(|_| true), 20);
        let Truth::Judged(within) = truth.within(&[1, 2, 41, 42]) else { panic!() };
        assert_eq!(within, [(0, 2, false), (1, 3, true)]);
    }

    #[test]
    fn chains_of_pairs_are_one_group() {
        assert_eq!(linked(5, &[(1, 2, true), (0, 3, false), (2, 3, true)]), [0, 0, 0, 0, 4]);
    }
}
