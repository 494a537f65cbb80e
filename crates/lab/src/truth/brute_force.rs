//! The join as its definition says it: the reference for [`super::all_pairs`].

use super::{ScoredPair, SetMeasure};

/// What [`super::all_pairs`] returns, by comparing every pair.
pub fn all_pairs_by_brute_force<S: AsRef<[u64]>>(
    sets: &[S],
    measure: SetMeasure,
    threshold: f64,
) -> Vec<ScoredPair> {
    let ascending = |set: &S| {
        let mut features = set.as_ref().to_vec();
        features.sort_unstable();
        features.dedup();
        features
    };
    let sets: Vec<Vec<u64>> = sets.iter().map(ascending).collect();
    let mut pairs = Vec::new();
    for (left, features) in sets.iter().enumerate() {
        for (right, others) in sets.iter().enumerate().skip(left + 1) {
            let score = measure.of(features, others);
            if score > 0.0 && score >= threshold {
                pairs.push(ScoredPair { left, right, score });
            }
        }
    }
    pairs
}
