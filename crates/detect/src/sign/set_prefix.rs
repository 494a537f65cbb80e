//! Keys of sets that miss no pair above a Jaccard threshold: prefix and length filtering.
//!
//! Sets with Jaccard at least t share more than all but the first |A| - ⌈t|A|⌉ + 1 elements of
//! either, in one order for all sets, can hold: so they share one of these. And neither is shorter
//! than t times the other: sizes are cut into partitions, each reaching 1/t times as far as the
//! last, so that such sets are in the same partition or in neighbors. A key is an element of the
//! prefix with a partition; a set has it for its own partition and for the next one.

use crate::random::mix64;
use crate::{BucketKey, Comparison, FeatureKind, Features, Rejection, Sign, Signature};

/// The prefix of a [`Features::Set`] as bucket keys; the signature is empty.
///
/// The order is that of the values, so a representation that gives rare features small values
/// keeps the buckets small.
#[derive(Clone, Copy, Debug)]
pub struct SetPrefix {
    threshold: f64,
    seed: u64,
    /// Why a document with an empty set has no signature.
    empty: Rejection,
}

impl SetPrefix {
    /// Keys that find every pair whose Jaccard resemblance reaches the threshold.
    pub fn new(threshold: f64, seed: u64) -> Self {
        Self { threshold, seed, empty: Rejection::TooShort }
    }

    /// The same for sets that are empty for another reason than that a text is short.
    pub fn rejecting(self, empty: Rejection) -> Self {
        Self { empty, ..self }
    }

    /// How many elements of a set of this size are keys.
    pub fn prefix_length(&self, size: usize) -> usize {
        // A little less than needed to be shared, so that rounding loses no pair.
        let shared = (self.threshold * size as f64 - 1e-9).ceil().max(1.0) as usize;
        (size + 1).saturating_sub(shared).min(size)
    }

    /// The partition of sets of this size.
    fn partition(&self, size: usize) -> u64 {
        // Narrower partitions would not do; with a threshold of (almost) 1, sizes are partitions.
        let mut partition = 0;
        let mut end = 1.0;
        while end < size as f64 {
            end = (end / self.threshold * (1.0 + 1e-9)).max(end + 1.0).ceil();
            partition += 1;
        }
        partition
    }
}

impl Sign for SetPrefix {
    fn accepts(&self, kind: &FeatureKind) -> bool {
        *kind == FeatureKind::Set
    }

    fn sign(&self, features: &Features) -> Result<Signature, Rejection> {
        if features.is_empty() { Err(self.empty) } else { Ok(Signature::default()) }
    }

    fn bucket_keys(&self, features: &Features, _: &Signature, keys: &mut Vec<BucketKey>) {
        let set = features.as_set();
        let partition = self.partition(set.len());
        let spaces =
            [partition, partition + 1].map(|partition| mix64(self.seed ^ mix64(partition)));
        for element in &set[..self.prefix_length(set.len())] {
            keys.extend(spaces.map(|space| BucketKey(mix64(element ^ space))));
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
    use crate::Measure;
    use crate::measure::SetMeasure;

    fn keys(part: &SetPrefix, features: &Features) -> Vec<BucketKey> {
        let mut keys = Vec::new();
        part.bucket_keys(features, &Signature::default(), &mut keys);
        keys
    }

    #[test]
    fn sizes_that_can_reach_the_threshold_are_in_neighboring_partitions() {
        for threshold in [0.1, 0.44, 0.5, 0.7, 0.9, 0.99, 1.0] {
            let part = SetPrefix::new(threshold, 0);
            for small in 1usize..300 {
                let large = (small as f64 / threshold + 1e-9).floor() as usize;
                let gap = part.partition(large) - part.partition(small);
                assert!(gap <= 1, "{threshold}: {small} and {large} are {gap} apart");
            }
        }
        assert_eq!(SetPrefix::new(0.8, 0).prefix_length(10), 3);
        assert_eq!(SetPrefix::new(1.0, 0).prefix_length(10), 1);
        assert_eq!(SetPrefix::new(0.0, 0).prefix_length(10), 10);
    }

    #[test]
    fn sets_of_very_different_size_share_no_key() {
        let part = SetPrefix::new(0.5, 0);
        let (small, large) = (Features::set((0..4).collect()), Features::set((0..40).collect()));
        let (small, large) = (keys(&part, &small), keys(&part, &large));
        assert!(small.iter().all(|key| !large.contains(key)));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]
        #[test]
        fn no_pair_at_the_threshold_is_missed(
            left in proptest::collection::vec(0u64..50, 1..60),
            right in proptest::collection::vec(0u64..50, 1..60),
        ) {
            let hashed = |set: Vec<u64>| Features::set(set.into_iter().map(mix64).collect());
            let (left, right) = (hashed(left), hashed(right));
            let exact = SetMeasure::Jaccard.measure(&left, &right).resemblance;
            if exact > 0.0 {
                let part = SetPrefix::new(exact, 1);
                let (left, right) = (keys(&part, &left), keys(&part, &right));
                prop_assert!(left.iter().any(|key| right.contains(key)));
            }
        }
    }
}
