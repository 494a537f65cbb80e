//! Which pairs of documents a method is taught with.

use crate::measure::intersection_size;
use crate::random::SplitMix64;

/// Two documents by their number, the smaller first.
pub type Pair = (u32, u32);

/// Pairs of near-duplicates and pairs of different documents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrainingPairs {
    /// Near-duplicates.
    pub positive: Vec<Pair>,
    /// Different documents.
    pub negative: Vec<Pair>,
}

/// How pairs are drawn from clusters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairSampling {
    /// Most positive pairs, and as many negative ones.
    pub max_pairs: usize,
    /// The share of negative pairs that are hard: the most alike of [`PairSampling::rivals`].
    pub hard_share: f64,
    /// Among how many random documents the hardest rival is sought.
    pub rivals: usize,
    /// Where the randomness starts.
    pub seed: u64,
}

impl Default for PairSampling {
    fn default() -> Self {
        Self { max_pairs: 5_000, hard_share: 0.5, rivals: 30, seed: 1 }
    }
}

impl PairSampling {
    /// Draws equal numbers of positive and negative pairs.
    ///
    /// `clusters` says which cluster each document is in, `terms` its distinct terms in ascending
    /// order, by which the likeness of rivals is seen.
    pub fn draw(&self, clusters: &[u32], terms: &[&[u64]]) -> TrainingPairs {
        let mut generator = SplitMix64::new(self.seed);
        let positive = self.positives(clusters, &mut generator);
        let n_hard = (positive.len() as f64 * self.hard_share).round() as usize;
        let n_documents = clusters.len() as u64;
        let mut negative = Vec::with_capacity(positive.len());
        // Where nearly all documents are in one cluster, few draws succeed: give up in time.
        for _ in 0..positive.len() * 20 {
            if negative.len() == positive.len() {
                break;
            }
            let left = generator.next_below(n_documents) as usize;
            let tries = if negative.len() < n_hard { self.rivals } else { 1 };
            let rival = (0..tries)
                .map(|_| generator.next_below(n_documents) as usize)
                .filter(|&right| clusters[right] != clusters[left])
                .max_by_key(|&right| (shared_per_mille(terms[left], terms[right]), right));
            negative.extend(rival.map(|right| ordered(left, right)));
        }
        TrainingPairs { positive, negative }
    }

    /// All pairs inside clusters, or a random choice of them where there are too many.
    fn positives(&self, clusters: &[u32], generator: &mut SplitMix64) -> Vec<Pair> {
        let mut by_cluster: Vec<(u32, usize)> = clusters.iter().copied().zip(0..).collect();
        by_cluster.sort_unstable();
        let mut pairs = Vec::new();
        for cluster in by_cluster.chunk_by(|left, right| left.0 == right.0) {
            for (i, &(_, left)) in cluster.iter().enumerate() {
                pairs.extend(cluster[i + 1..].iter().map(|&(_, right)| ordered(left, right)));
            }
        }
        generator.shuffle(&mut pairs);
        pairs.truncate(self.max_pairs);
        pairs
    }
}

/// The share of terms two documents have in common, as a whole number that can be ordered.
fn shared_per_mille(left: &[u64], right: &[u64]) -> u64 {
    let shared = intersection_size(left, right) as u64;
    let smaller = left.len().min(right.len()).max(1) as u64;
    shared * 1000 / smaller
}

/// The pair with the smaller number first.
fn ordered(left: usize, right: usize) -> Pair {
    (left.min(right) as u32, left.max(right) as u32)
}

/// The clusters that pairs of near-duplicates join documents into, each named by its least
/// document.
pub fn components(n_documents: usize, positive: &[Pair]) -> Vec<u32> {
    let mut names: Vec<u32> = (0..n_documents as u32).collect();
    // A pair can only lower names, so this ends; labelled sets are small.
    loop {
        let mut changed = false;
        for &(left, right) in positive {
            let least = names[left as usize].min(names[right as usize]);
            for document in [left, right] {
                changed |= names[document as usize] != least;
                names[document as usize] = least;
            }
        }
        if !changed {
            return names;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(sampling: PairSampling) -> TrainingPairs {
        // Twelve documents in three clusters; those of equal remainder by 4 share their terms.
        let clusters: Vec<u32> = (0..12).map(|i| i / 4).collect();
        let terms: Vec<Vec<u64>> = (0..12).map(|i| vec![i % 4, 100 + i]).collect();
        let terms: Vec<&[u64]> = terms.iter().map(Vec::as_slice).collect();
        sampling.draw(&clusters, &terms)
    }

    #[test]
    fn pairs_are_balanced_and_keep_to_the_clusters() {
        let pairs = draw(PairSampling::default());
        assert_eq!(pairs.positive.len(), 3 * 6);
        assert_eq!(pairs.negative.len(), 3 * 6);
        assert!(pairs.positive.iter().all(|(left, right)| left / 4 == right / 4 && left < right));
        assert!(pairs.negative.iter().all(|(left, right)| left / 4 != right / 4 && left < right));
    }

    #[test]
    fn hard_negatives_are_those_that_look_alike() {
        let alike = |pairs: &TrainingPairs| {
            pairs.negative.iter().filter(|(left, right)| left % 4 == right % 4).count()
        };
        let hard = draw(PairSampling { hard_share: 1.0, ..PairSampling::default() });
        let random = draw(PairSampling { hard_share: 0.0, ..PairSampling::default() });
        assert!(alike(&hard) > 2 * alike(&random), "{} {}", alike(&hard), alike(&random));
    }

    #[test]
    fn pairs_join_documents_into_clusters() {
        assert_eq!(components(6, &[(3, 4), (1, 3), (0, 5)]), [0, 1, 2, 1, 1, 0]);
    }

    #[test]
    fn a_single_cluster_has_no_negative_pair() {
        let pairs = PairSampling::default().draw(&[7, 7, 7], &[&[1], &[1], &[1]]);
        assert_eq!((pairs.positive.len(), pairs.negative.len()), (3, 0));
    }
}
