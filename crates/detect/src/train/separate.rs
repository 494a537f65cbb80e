//! Which similarity separates the labelled pairs best, for whole vectors and for vectors that are
//! cut to their highest weights.

use super::pairs::{Pair, TrainingPairs};
use super::threshold::{BestThreshold, best_threshold};
use crate::WeightedFeature;
use crate::measure::{AllPairs, Similarity};
use crate::represent::learned::{KgramTable, KgramWeights, keep_heaviest};

/// What is known of the training documents.
pub(super) enum Labels<'a> {
    /// The cluster of each.
    Clusters(&'a [u32]),
    /// Judged pairs.
    Pairs(&'a TrainingPairs),
}

/// The vectors that weights give documents, in the order of features.
pub(super) fn vectors(weights: &KgramWeights, tables: &[KgramTable]) -> Vec<Vec<WeightedFeature>> {
    let folded = weights.folded();
    let vector = |KgramTable { kgrams, rows, .. }: &KgramTable| {
        let weigh = |(&feature, row)| WeightedFeature { feature, weight: folded.weight(row) };
        kgrams.iter().zip(rows).map(weigh).filter(|entry| entry.weight > 0.0).collect()
    };
    tables.iter().map(vector).collect()
}

/// The fewest terms for which a threshold is looked for; then twice as many, and so on.
const FEWEST_ACTIVE: usize = 25;

/// Documents whose pairs are all scored to choose a threshold.
const MOST_JUDGED: usize = 1500;

impl Labels<'_> {
    /// The threshold that separates near-duplicates from other pairs best.
    pub(super) fn best_threshold(
        &self,
        similarity: Similarity,
        vectors: &[Vec<WeightedFeature>],
    ) -> BestThreshold {
        best_threshold(match self {
            Self::Clusters(clusters) => scored_clusters(similarity, vectors, clusters),
            Self::Pairs(pairs) => scored_pairs(similarity, vectors, pairs),
        })
    }

    /// The same for vectors cut to so many highest weights, until none is cut any more.
    pub(super) fn active_thresholds(
        &self,
        similarity: Similarity,
        mut vectors: Vec<Vec<WeightedFeature>>,
    ) -> Vec<(usize, f64)> {
        let longest = vectors.iter().map(Vec::len).max().unwrap_or(0);
        let doubled = |active: &usize| Some(2 * active).filter(|_| *active < longest);
        let mut steps: Vec<usize> = std::iter::successors(Some(FEWEST_ACTIVE), doubled).collect();
        // From the most on, so that each step cuts what the one before has left.
        steps.reverse();
        let mut thresholds = Vec::new();
        for active in steps {
            for vector in &mut vectors {
                keep_heaviest(vector, active);
                vector.sort_unstable_by_key(|entry| entry.feature);
            }
            thresholds.push((active, self.best_threshold(similarity, &vectors).threshold));
        }
        thresholds.reverse();
        thresholds
    }
}

fn scored_pairs(
    similarity: Similarity,
    vectors: &[Vec<WeightedFeature>],
    pairs: &TrainingPairs,
) -> Vec<(f64, bool)> {
    let score =
        |&(left, right): &Pair| similarity.of(&vectors[left as usize], &vectors[right as usize]);
    let positive = pairs.positive.iter().map(|pair| (score(pair), true));
    positive.chain(pairs.negative.iter().map(|pair| (score(pair), false))).collect()
}

/// All pairs of (at most [`MOST_JUDGED`]) documents: drawn pairs are balanced, and a threshold
/// chosen on them would let too many of the far more numerous different pairs pass.
fn scored_clusters(
    similarity: Similarity,
    vectors: &[Vec<WeightedFeature>],
    clusters: &[u32],
) -> Vec<(f64, bool)> {
    let step = vectors.len().div_ceil(MOST_JUDGED).max(1);
    let clusters: Vec<u32> = clusters.iter().step_by(step).copied().collect();
    let vectors: Vec<_> = vectors.iter().step_by(step).cloned().collect();
    let all = AllPairs::new(&vectors);
    let mut scored = Vec::new();
    for right in 0..vectors.len() {
        for (left, common) in all.with_earlier(right).into_iter().enumerate() {
            let score = all.similarity(similarity, left, right, common);
            scored.push((score, clusters[left] == clusters[right]));
        }
    }
    scored
}
