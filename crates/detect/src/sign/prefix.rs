//! Keys of weighted vectors that miss no pair above a threshold: prefix filtering.
//!
//! Features stand in one order for all documents, rarest first. If two vectors of cosine at least
//! t share a feature, then the first one they share lies in the prefix of each after which less
//! than t of its length is left: all they share comes after it, and could not make up t. (Bayardo,
//! Ma, Srikant 2007, in its plain form.) So the keys of a document are the features of its prefix.

use std::sync::Arc;

use lookalike_statistics::Statistics;

use crate::measure::{Similarity, squared_length};
use crate::random::mix64;
use crate::{
    BucketKey, Comparison, FeatureKind, Features, Rejection, Sign, Signature, WeightedFeature,
};

/// The features of a prefix as bucket keys; the signature is empty.
#[derive(Clone, Debug)]
pub struct PrefixKeys {
    cosine: f64,
    rarity: Option<Arc<Statistics>>,
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
        Self { cosine: cosine - 1e-6, rarity, seed }
    }

    /// The features of the prefix, in the common order.
    pub fn prefix(&self, entries: &[WeightedFeature]) -> Vec<u64> {
        let frequency = |feature: u64| {
            self.rarity.as_ref().map_or(0, |statistics| statistics.document_frequency(feature))
        };
        let mut ordered: Vec<(u32, u64, f64)> = entries
            .iter()
            .map(|entry| (frequency(entry.feature), entry.feature, f64::from(entry.weight)))
            .collect();
        ordered.sort_unstable_by_key(|&(frequency, feature, _)| (frequency, feature));
        let whole = squared_length(entries);
        let mut left = whole;
        let mut prefix = Vec::new();
        for (_, feature, weight) in ordered {
            if self.cosine > 0.0 && left < self.cosine * self.cosine * whole {
                break;
            }
            prefix.push(feature);
            left -= weight * weight;
        }
        prefix
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
        let prefix = self.prefix(features.as_weighted());
        keys.extend(prefix.iter().map(|feature| BucketKey(mix64(feature ^ self.seed))));
    }

    fn compare(&self, _: &Signature, _: &Signature) -> Comparison {
        Comparison::resemblance(0.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
