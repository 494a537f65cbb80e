//! `simhash`: the signs of a document's weights added up along random directions.
//!
//! Each feature has a random word of bits; bit j of the signature says whether the features with
//! bit j set weigh more than half of all (Charikar 2002). The random bits are a pure function of
//! (seed, word, feature): `mix64(feature ^ mix64(seed ^ mix64(word)))`.

use super::majority::majority;
use super::{HammingTables, hamming_distance};
use crate::random::mix64;
use crate::{
    BucketKey, Comparison, FeatureKind, Features, Rejection, Sign, Signature, WeightedFeature,
};

/// Signs by projection; found within a Hamming distance.
#[derive(Clone, Debug)]
pub struct Projected {
    n_bits: usize,
    keys: Vec<u64>,
    tables: HammingTables,
}

impl Projected {
    /// Signatures of so many bits, with tables that find those within `distance`.
    pub fn new(n_bits: usize, distance: usize, seed: u64) -> Self {
        let keys = (0..n_bits.div_ceil(64) as u64).map(|word| mix64(seed ^ mix64(word))).collect();
        Self { n_bits, keys, tables: HammingTables::new(n_bits, distance, seed) }
    }

    /// The signature of a weighted set: one sum a bit.
    pub fn project(&self, entries: &[WeightedFeature]) -> Signature {
        let total: f64 = entries.iter().map(|entry| f64::from(entry.weight)).sum();
        let word = |key: &u64| {
            let mut sums = [0.0; 64];
            for entry in entries {
                let bits = mix64(entry.feature ^ key);
                let weight = f64::from(entry.weight);
                for (position, sum) in sums.iter_mut().enumerate() {
                    *sum += weight * f64::from((bits >> position) as u32 & 1);
                }
            }
            let signs = sums.iter().enumerate();
            signs.fold(0, |word, (i, sum)| word | u64::from(*sum > total / 2.0) << i)
        };
        self.signature(self.keys.iter().map(word).collect())
    }

    /// The signature of features that each weigh 1, given in any order and as often as they
    /// occur: the same as [`Projected::project`] of their counts.
    pub fn project_occurrences(&self, features: &[u64]) -> Signature {
        self.signature(self.keys.iter().map(|key| majority(features, *key)).collect())
    }

    /// Appends the keys of a signature.
    pub fn signature_keys(&self, signature: &Signature, keys: &mut Vec<BucketKey>) {
        self.tables.keys(&signature.0, keys);
    }

    fn signature(&self, mut words: Vec<u64>) -> Signature {
        if let (Some(last), used @ 1..) = (words.last_mut(), self.n_bits % 64) {
            *last &= u64::MAX >> (64 - used);
        }
        Signature(words)
    }
}

impl Sign for Projected {
    fn accepts(&self, kind: &FeatureKind) -> bool {
        *kind == FeatureKind::Weighted
    }

    fn sign(&self, features: &Features) -> Result<Signature, Rejection> {
        match features.as_weighted() {
            [] => Err(Rejection::Empty),
            entries => Ok(self.project(entries)),
        }
    }

    fn bucket_keys(&self, _: &Features, signature: &Signature, keys: &mut Vec<BucketKey>) {
        self.signature_keys(signature, keys);
    }

    fn compare(&self, left: &Signature, right: &Signature) -> Comparison {
        if left.0.is_empty() || left.0.len() != right.0.len() {
            return Comparison::resemblance(0.0);
        }
        let differing = f64::from(hamming_distance(&left.0, &right.0));
        Comparison::resemblance(1.0 - differing / self.n_bits as f64)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::random::SplitMix64;

    #[test]
    fn one_feature_projects_to_its_own_random_bits() {
        let projected = Projected::new(64, 3, 5);
        let signature = projected.project(&[WeightedFeature { feature: 9, weight: 2.5 }]);
        assert_eq!(signature.0, [mix64(9 ^ mix64(5 ^ mix64(0)))]);
        let narrow = Projected::new(10, 3, 5).project_occurrences(&[9]);
        assert_eq!(narrow.0, [signature.0[0] & 0x3ff]);
    }

    #[test]
    fn differing_bits_estimate_the_angle_between_vectors() {
        let projected = Projected::new(4096, 3, 1);
        let mut generator = SplitMix64::new(2);
        let words: Vec<u64> = (0..300).map(|_| generator.next_u64()).collect();
        let sign = |features: &[u64]| projected.project_occurrences(features);
        // 200 words each, 100 in common: cosine one half, sixty degrees.
        let differing = hamming_distance(&sign(&words[..200]).0, &sign(&words[100..]).0);
        let share = f64::from(differing) / 4096.0;
        assert!((share - 1.0 / 3.0).abs() < 0.03, "{share}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]
        #[test]
        fn counting_in_planes_equals_one_sum_a_bit(
            occurrences in proptest::collection::vec(0u64..40, 1..300),
            n_bits in proptest::sample::select(vec![1, 32, 64, 100, 384]),
        ) {
            let projected = Projected::new(n_bits, 3, 7);
            let mut sorted = occurrences.clone();
            sorted.sort_unstable();
            let entry = |run: &[u64]| WeightedFeature { feature: run[0], weight: run.len() as f32 };
            let entries: Vec<_> = sorted.chunk_by(|l, r| l == r).map(entry).collect();
            prop_assert_eq!(projected.project_occurrences(&occurrences), projected.project(&entries));
        }
    }
}
