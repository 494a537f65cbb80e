//! Keys of weighted vectors that miss no pair above a threshold: prefix filtering.
//!
//! Features stand in one order for all documents, rarest first. If two vectors of cosine at least
//! t share a feature, then the first one they share lies in the prefix of each after which less
//! than t of its length is left: all they share comes after it, and could not make up t. (Bayardo,
//! Ma, Srikant 2007, in its plain form.) So the keys of a document are the features of its prefix,
//! or, in short documents of frequent features, several together (`prefix_paths.rs`).

use std::sync::Arc;

use lookalike_statistics::Statistics;

use super::prefix_paths::{PrefixPaths, plain_key};
use crate::measure::{Similarity, squared_length};
use crate::{
    BucketKey, Comparison, FeatureKind, Features, Rejection, Sign, Signature, WeightedFeature,
};

/// The features of a prefix as bucket keys; the signature is empty.
#[derive(Clone, Debug)]
pub struct PrefixKeys {
    cosine: f64,
    rarity: Option<Arc<Statistics>>,
    equal_weights: bool,
    seed: u64,
}

impl PrefixKeys {
    /// Keys that find every pair whose similarity reaches the threshold.
    ///
    /// `rarity` says which features are rare, where they are terms; without it the order is that
    /// of their hashes, as good for finding pairs but with more false candidates.
    pub fn new(
        similarity: Similarity,
        threshold: f64,
        rarity: Option<Arc<Statistics>>,
        seed: u64,
    ) -> Self {
        let cosine = match similarity {
            Similarity::Cosine => threshold,
            // j = s/(a²+b²-s) ≥ t means s ≥ t/(1+t) (a²+b²), and a²+b² ≥ 2ab.
            Similarity::ExtendedJaccard => 2.0 * threshold / (1.0 + threshold),
            // The Jaccard of squares gives no bound on the cosine: every feature is a key.
            Similarity::SquaredJaccard => 0.0,
        };
        // A little below, so that rounding loses no pair.
        Self { cosine: cosine - 1e-6, rarity, equal_weights: false, seed }
    }

    /// For vectors whose features all weigh the same: frequent features of short ones are keys only
    /// together with others.
    pub fn with_equal_weights(self) -> Self {
        Self { equal_weights: true, ..self }
    }

    /// The features of the prefix, in the common order.
    pub fn prefix(&self, entries: &[WeightedFeature]) -> Vec<u64> {
        self.prefix_of(&self.ordered(entries), squared_length(entries))
    }

    /// Frequencies, features and weights in the common order.
    fn ordered(&self, entries: &[WeightedFeature]) -> Vec<(u32, u64, f64)> {
        let frequency = |feature: u64| {
            self.rarity.as_ref().map_or(0, |statistics| statistics.document_frequency(feature))
        };
        let mut ordered: Vec<(u32, u64, f64)> = entries
            .iter()
            .map(|entry| (frequency(entry.feature), entry.feature, f64::from(entry.weight)))
            .collect();
        ordered.sort_unstable_by_key(|&(frequency, feature, _)| (frequency, feature));
        ordered
    }

    fn prefix_of(&self, ordered: &[(u32, u64, f64)], whole: f64) -> Vec<u64> {
        let mut left = whole;
        let mut prefix = Vec::new();
        for &(_, feature, weight) in ordered {
            if self.cosine > 0.0 && left < self.cosine * self.cosine * whole {
                break;
            }
            prefix.push(feature);
            left -= weight * weight;
        }
        prefix
    }

    /// The paths through a short document, where paths are keys.
    fn paths(&self, n_features: usize) -> Option<PrefixPaths<'_>> {
        let statistics = self.rarity.as_deref().filter(|_| self.equal_weights)?;
        let squared_cosine = self.cosine * self.cosine;
        let paths = PrefixPaths { squared_cosine, statistics, seed: self.seed };
        (self.cosine > 0.0 && paths.is_short(n_features)).then_some(paths)
    }
}

impl Sign for PrefixKeys {
    fn accepts(&self, kind: &FeatureKind) -> bool {
        *kind == FeatureKind::Weighted
    }

    fn sign(&self, features: &Features) -> Result<Signature, Rejection> {
        if squared_length(features.as_weighted()) <= 0.0 {
            return Err(Rejection::NothingRetained);
        }
        Ok(Signature::default())
    }

    fn bucket_keys(&self, features: &Features, _: &Signature, keys: &mut Vec<BucketKey>) {
        let entries = features.as_weighted();
        let ordered = self.ordered(entries);
        let start = keys.len();
        if let Some(paths) = self.paths(ordered.len()) {
            let features: Vec<_> = ordered.iter().map(|entry| (entry.0, entry.1)).collect();
            paths.push_keys(&features, keys);
            if !paths.meets_long(ordered.len()) {
                return;
            }
        }
        let path_keys = start..keys.len();
        for feature in self.prefix_of(&ordered, squared_length(entries)) {
            let key = BucketKey(plain_key(feature, self.seed));
            // A path of one feature is the same key.
            if !keys[path_keys.clone()].contains(&key) {
                keys.push(key);
            }
        }
    }

    fn compare(&self, _: &Signature, _: &Signature) -> Comparison {
        Comparison::resemblance(0.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::random::mix64;

    fn vector() -> impl Strategy<Value = Vec<WeightedFeature>> {
        proptest::collection::btree_map(0u64..40, 0.01f32..3.0, 1..25).prop_map(|entries| {
            let entry = |(feature, weight)| WeightedFeature { feature: mix64(feature), weight };
            let mut entries: Vec<_> = entries.into_iter().map(entry).collect();
            entries.sort_by_key(|entry| entry.feature);
            entries
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

        #[test]
        fn no_pair_at_the_threshold_is_missed(left in vector(), right in vector()) {
            for similarity in [Similarity::Cosine, Similarity::ExtendedJaccard] {
                let exact = similarity.of(&left, &right);
                let keys = PrefixKeys::new(similarity, exact, None, 1);
                let (l, r) = (keys.prefix(&left), keys.prefix(&right));
                prop_assert!(exact == 0.0 || l.iter().any(|key| r.contains(key)));
            }
        }
    }

    #[test]
    fn a_high_threshold_needs_few_keys() {
        let entry = |feature| WeightedFeature { feature, weight: 1.0 };
        let entries: Vec<_> = (0..100).map(entry).collect();
        let count = |threshold| {
            PrefixKeys::new(Similarity::Cosine, threshold, None, 1).prefix(&entries).len()
        };
        assert_eq!((count(0.9), count(0.5), count(0.0)), (20, 76, 100));
    }
}
