//! Similarities of vectors whose features all weigh the same.
//!
//! Such a vector is a set: its similarity follows from three counts, a comparison may stop as soon
//! as too little can be shared, and pairs in crowds are found as those of sets are.

use super::outline::{may_share, push_outline, sizes};
use super::{SetMeasure, Similarity};
use crate::{Comparison, FeatureKind, Features, FewestShared, Measure, WeightedFeature};

/// A [`Similarity`] of [`crate::Features::Weighted`] vectors in which every weight is 1.
#[derive(Clone, Copy, Debug)]
pub struct EqualWeights(SetMeasure);

/// Steps between two looks at whether enough can still be shared.
const STEPS: usize = 32;

impl EqualWeights {
    /// The same similarity, by counts.
    pub fn new(similarity: Similarity) -> Self {
        Self(match similarity {
            Similarity::Cosine => SetMeasure::Cosine,
            // Squares of ones are ones.
            Similarity::ExtendedJaccard | Similarity::SquaredJaccard => SetMeasure::Jaccard,
        })
    }

    /// The resemblance of vectors that share so many features.
    fn resemblance(self, shared: usize, left: &Features, right: &Features) -> Comparison {
        let (left, right) = (left.as_weighted().len(), right.as_weighted().len());
        let nothing = left == 0 || right == 0;
        let resemblance =
            if nothing { 0.0 } else { self.0.resemblance(shared, left, right).clamp(0.0, 1.0) };
        Comparison::resemblance(resemblance)
    }
}

impl Measure for EqualWeights {
    fn accepts(&self, kind: &FeatureKind) -> bool {
        *kind == FeatureKind::Weighted
    }

    fn measure(&self, left: &Features, right: &Features) -> Comparison {
        let shared = shared_reaching(left.as_weighted(), right.as_weighted(), 0);
        self.resemblance(shared.unwrap_or(0), left, right)
    }

    fn measure_from(&self, left: &Features, right: &Features, floor: f64) -> Comparison {
        let (entries, others) = (left.as_weighted(), right.as_weighted());
        let needed = self.0.needed(floor, entries.len(), others.len());
        let shared = shared_reaching(entries, others, needed);
        self.resemblance(shared.unwrap_or(needed.saturating_sub(1)), left, right)
    }

    fn push_outline(&self, features: &Features, words: &mut Vec<u64>) {
        push_outline(features.as_weighted().iter().map(|entry| entry.feature), words);
    }

    fn may_reach(&self, left: &[u64], right: &[u64], floor: f64) -> bool {
        let (n_left, n_right) = sizes(left, right);
        may_share(left, right, self.0.needed(floor, n_left, n_right))
    }

    fn needed_shared(&self, left: usize, right: usize, floor: f64) -> Option<usize> {
        Some(self.0.needed(floor, left, right))
    }

    fn fewest_shared(&self, size: usize, floor: f64) -> Option<FewestShared> {
        self.0.fewest_shared(size, floor)
    }
}

/// How many features two vectors share if these are at least `needed`, given up as soon as they
/// cannot be.
fn shared_reaching(
    left: &[WeightedFeature],
    right: &[WeightedFeature],
    needed: usize,
) -> Option<usize> {
    let (mut i, mut j, mut shared) = (0, 0, 0);
    loop {
        if shared + (left.len() - i).min(right.len() - j) < needed {
            return None;
        }
        for _ in 0..STEPS {
            let (Some(l), Some(r)) = (left.get(i), right.get(j)) else {
                return (shared >= needed).then_some(shared);
            };
            shared += usize::from(l.feature == r.feature);
            i += usize::from(l.feature <= r.feature);
            j += usize::from(r.feature <= l.feature);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::random::mix64;

    fn vector(values: &BTreeSet<u64>) -> Features {
        let mut entries: Vec<_> = values
            .iter()
            .map(|value| WeightedFeature { feature: mix64(*value), weight: 1.0 })
            .collect();
        entries.sort_unstable_by_key(|entry| entry.feature);
        Features::Weighted(entries)
    }

    fn outline(measure: EqualWeights, features: &Features) -> Vec<u64> {
        let mut words = Vec::new();
        measure.push_outline(features, &mut words);
        words
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]
        #[test]
        fn counts_give_what_weights_of_one_give_to_the_last_bit(
            left in proptest::collection::btree_set(0..90_u64, 0..80),
            right in proptest::collection::btree_set(0..90_u64, 0..80),
            twentieths in 1..=20_u32,
        ) {
            let (n_left, n_right, shared) =
                (left.len(), right.len(), left.intersection(&right).count());
            let (left, right) = (vector(&left), vector(&right));
            let floor = f64::from(twentieths) / 20.0;
            for similarity in
                [Similarity::Cosine, Similarity::ExtendedJaccard, Similarity::SquaredJaccard]
            {
                let measure = EqualWeights::new(similarity);
                let exact = similarity.measure(&left, &right);
                prop_assert_eq!(&measure.measure(&left, &right), &exact);
                let bounded = measure.measure_from(&left, &right, floor);
                if exact.resemblance < floor {
                    prop_assert!((exact.resemblance..floor).contains(&bounded.resemblance));
                    continue;
                }
                prop_assert_eq!(&bounded, &exact);
                let outlines = [&left, &right].map(|features| outline(measure, features));
                prop_assert!(measure.may_reach(&outlines[0], &outlines[1], floor));
                for (size, other) in [(n_left, n_right), (n_right, n_left)] {
                    let fewest = measure.fewest_shared(size, floor).unwrap();
                    prop_assert!(shared >= fewest.with_any);
                    prop_assert!(other < size || shared >= fewest.with_larger);
                }
            }
        }
    }
}
