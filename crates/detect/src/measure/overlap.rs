//! Measures of two sets that need only their sizes and how much they share.

use serde::{Deserialize, Serialize};

use super::outline::{may_share, push_outline, sizes};
use super::{intersection_reaching, intersection_size};
use crate::{Comparison, FeatureKind, Features, FewestShared, Measure};

/// A measure of two [`Features::Set`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SetMeasure {
    /// Shared over all: |A∩B| / |A∪B|.
    Jaccard,
    /// Cosine of the binary vectors: |A∩B| / √(|A||B|).
    Cosine,
}

impl SetMeasure {
    /// The resemblance of sets of these sizes that share so many.
    pub(super) fn resemblance(self, shared: usize, n_left: usize, n_right: usize) -> f64 {
        let (shared, n_left, n_right) = (shared as f64, n_left as f64, n_right as f64);
        match self {
            Self::Jaccard => shared / (n_left + n_right - shared),
            Self::Cosine => shared / (n_left * n_right).sqrt(),
        }
    }

    /// The fewest shared values that can give a resemblance of `floor`.
    pub(super) fn needed(self, floor: f64, n_left: usize, n_right: usize) -> usize {
        let (left, right) = (n_left as f64, n_right as f64);
        let real = match self {
            Self::Jaccard => floor / (1.0 + floor) * (left + right),
            Self::Cosine => floor * (left * right).sqrt(),
        };
        // Rounding may put the real number a hair too high; never ask for more than is needed.
        let least = real - 1e-6;
        // Rounds up without a call into the system's library.
        let below = least as usize;
        below + usize::from((below as f64) < least)
    }

    fn comparison(self, shared: usize, n_left: usize, n_right: usize) -> Comparison {
        Comparison {
            resemblance: self.resemblance(shared, n_left, n_right),
            containment: Some((shared as f64 / n_left as f64, shared as f64 / n_right as f64)),
            measures: Vec::new(),
        }
    }
}

impl Measure for SetMeasure {
    fn accepts(&self, kind: &FeatureKind) -> bool {
        *kind == FeatureKind::Set
    }

    fn measure(&self, left: &Features, right: &Features) -> Comparison {
        let (left, right) = (left.as_set(), right.as_set());
        if left.is_empty() || right.is_empty() {
            return Comparison::resemblance(0.0);
        }
        self.comparison(intersection_size(left, right), left.len(), right.len())
    }

    fn measure_from(&self, left: &Features, right: &Features, floor: f64) -> Comparison {
        let (left, right) = (left.as_set(), right.as_set());
        if left.is_empty() || right.is_empty() {
            return Comparison::resemblance(0.0);
        }
        let needed = self.needed(floor, left.len(), right.len());
        match intersection_reaching(left, right, needed) {
            Some(shared) => self.comparison(shared, left.len(), right.len()),
            None => Comparison::resemblance(self.resemblance(
                needed.saturating_sub(1),
                left.len(),
                right.len(),
            )),
        }
    }

    fn push_outline(&self, features: &Features, words: &mut Vec<u64>) {
        push_outline(features.as_set().iter().copied(), words);
    }

    fn may_reach(&self, left: &[u64], right: &[u64], floor: f64) -> bool {
        let (n_left, n_right) = sizes(left, right);
        may_share(left, right, self.needed(floor, n_left, n_right))
    }

    fn needed_shared(&self, left: usize, right: usize, floor: f64) -> Option<usize> {
        Some(self.needed(floor, left, right))
    }

    fn fewest_shared(&self, size: usize, floor: f64) -> Option<FewestShared> {
        // The smallest set that can resemble this one shares all it has; a larger one needs more.
        let smallest = match self {
            Self::Jaccard => floor * size as f64,
            Self::Cosine => floor * floor * size as f64,
        };
        let with_any = ((smallest - 1e-6).ceil() as usize).max(1);
        let with_larger = self.needed(floor, size, size).max(1);
        (floor > 0.0).then_some(FewestShared { with_any, with_larger })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn measures_of_small_sets_are_the_textbook_values() {
        let (left, right) = (Features::set(vec![1, 2, 3, 4]), Features::set(vec![3, 4, 5]));
        let jaccard = SetMeasure::Jaccard.measure(&left, &right);
        assert_eq!(jaccard.resemblance, 0.4);
        assert_eq!(jaccard.containment, Some((0.5, 2.0 / 3.0)));
        let cosine = SetMeasure::Cosine.measure(&left, &right).resemblance;
        assert!((cosine - 2.0 / 12f64.sqrt()).abs() < 1e-12);
        let empty = Features::set(Vec::new());
        assert_eq!(SetMeasure::Jaccard.measure(&empty, &empty).resemblance, 0.0);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]
        #[test]
        fn stopping_early_never_changes_a_verdict(
            left in proptest::collection::vec(0u64..60, 1..80),
            right in proptest::collection::vec(0u64..60, 1..80),
            twentieths in 1u32..=20, cosine in any::<bool>(),
        ) {
            let measure = if cosine { SetMeasure::Cosine } else { SetMeasure::Jaccard };
            let floor = f64::from(twentieths) / 20.0;
            let (left, right) = (Features::set(left), Features::set(right));
            let exact = measure.measure(&left, &right);
            let bounded = measure.measure_from(&left, &right, floor);
            if exact.resemblance >= floor {
                prop_assert_eq!(&bounded, &exact);
            } else {
                prop_assert!(bounded.resemblance < floor);
                prop_assert!(bounded.resemblance >= exact.resemblance);
            }
            let outline = |features: &Features| {
                let mut words = Vec::new();
                measure.push_outline(features, &mut words);
                words
            };
            let may_reach = measure.may_reach(&outline(&left), &outline(&right), floor);
            prop_assert!(may_reach || exact.resemblance < floor);
            if exact.resemblance >= floor {
                let (left, right) = (left.as_set(), right.as_set());
                let shared = intersection_size(left, right);
                for (size, other) in [(left.len(), right.len()), (right.len(), left.len())] {
                    let fewest = measure.fewest_shared(size, floor).unwrap();
                    prop_assert!(shared >= fewest.with_any);
                    prop_assert!(other < size || shared >= fewest.with_larger);
                }
            }
        }
    }
}
