//! Measures of two sparse vectors.

use serde::{Deserialize, Serialize};

use super::outline::{differing_bits, push_outline};
use super::part_lengths::{self, most_shared, push_part_lengths};
use crate::{Comparison, FeatureKind, Features, Measure, WeightedFeature};

/// A similarity of two [`Features::Weighted`] vectors with no negative weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Similarity {
    /// `v·w / (|v| |w|)`.
    #[default]
    Cosine,
    /// `v·w / (|v|² + |w|² - v·w)`.
    ExtendedJaccard,
    /// `Σ min(v², w²) / Σ max(v², w²)`: what minima of squared weights estimate. It is the extended
    /// Jaccard where a shared feature weighs the same in both vectors, and below it otherwise.
    SquaredJaccard,
}

impl Similarity {
    /// The similarity of two vectors; 0 where one has no positive weight.
    pub fn of(self, left: &[WeightedFeature], right: &[WeightedFeature]) -> f64 {
        let (mut product, mut minima) = (0.0, 0.0);
        let (mut i, mut j) = (0, 0);
        while i < left.len() && j < right.len() {
            let (l, r) = (&left[i], &right[j]);
            if l.feature == r.feature {
                product += f64::from(l.weight) * f64::from(r.weight);
                minima += square(l.weight.min(r.weight));
            }
            i += usize::from(l.feature <= r.feature);
            j += usize::from(r.feature <= l.feature);
        }
        let shared = if self == Self::SquaredJaccard { minima } else { product };
        self.of_shared(shared, squared_length(left), squared_length(right))
    }

    /// The same wherever it reaches `floor`; below it, any value from the true one up to (not
    /// including) `floor`.
    ///
    /// What is still to come of two vectors adds at most the product of the lengths of their rests
    /// (Cauchy and Schwarz), for the smaller squares as for the products: where that is too little,
    /// nothing more needs to be looked at. Features are hashes, so that the beginning of a vector
    /// is a random part of it.
    fn of_reaching(self, left: &[WeightedFeature], right: &[WeightedFeature], floor: f64) -> f64 {
        let (whole_left, whole_right) = (about_squared_length(left), about_squared_length(right));
        let needed = match self {
            Self::Cosine => floor * (whole_left * whole_right).sqrt(),
            Self::ExtendedJaccard | Self::SquaredJaccard => {
                floor / (1.0 + floor) * (whole_left + whole_right)
            }
        };
        // Sums in another order differ by less than that.
        let needed = needed * (1.0 - ROUNDING);
        let is_minima = self == Self::SquaredJaccard;
        let (mut shared, mut seen_left, mut seen_right) = (0.0, 0.0, 0.0);
        let (mut i, mut j) = (0, 0);
        while i < left.len() && j < right.len() {
            let missing = needed - shared;
            let rests = (whole_left - seen_left) * (whole_right - seen_right);
            if missing > 0.0 && rests < missing * missing * (1.0 - ROUNDING) {
                let most = self.of_shared(needed, whole_left, whole_right);
                return most.min(floor.next_down());
            }
            // Which vector goes on is a coin toss: no branch depends on it. What is added where
            // nothing is to be added is a zero, which changes no sum.
            for _ in 0..STEPS {
                let (Some(l), Some(r)) = (left.get(i), right.get(j)) else { break };
                let (at_left, at_right) = (l.feature <= r.feature, r.feature <= l.feature);
                let both = if is_minima {
                    square(l.weight.min(r.weight))
                } else {
                    f64::from(l.weight) * f64::from(r.weight)
                };
                shared += if at_left && at_right { both } else { 0.0 };
                seen_left += if at_left { square(l.weight) } else { 0.0 };
                seen_right += if at_right { square(r.weight) } else { 0.0 };
                i += usize::from(at_left);
                j += usize::from(at_right);
            }
        }
        // The sums so far are those of the beginnings, in their order.
        let rest = |sum: f64, rest: &[WeightedFeature]| {
            rest.iter().fold(sum, |sum, entry| sum + square(entry.weight))
        };
        self.of_shared(shared, rest(seen_left, &left[i..]), rest(seen_right, &right[j..]))
    }

    /// The similarity of vectors of these squared lengths that share so much: the sum of the
    /// products, or of the smaller squares.
    pub(super) fn of_shared(self, shared: f64, left: f64, right: f64) -> f64 {
        match self {
            Self::Cosine => ratio(shared, (left * right).sqrt()),
            Self::ExtendedJaccard | Self::SquaredJaccard => ratio(shared, left + right - shared),
        }
    }
}

/// Entries that are merged before the bound is looked at again.
const STEPS: usize = 16;

/// More than sums of the same numbers in two orders can differ, as a share of them.
const ROUNDING: f64 = 1e-9;

/// [`squared_length`] but for the order of the additions, which need not wait for each other so.
fn about_squared_length(entries: &[WeightedFeature]) -> f64 {
    let (chunks, rest) = entries.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for chunk in chunks {
        for (sum, entry) in sums.iter_mut().zip(chunk) {
            *sum += square(entry.weight);
        }
    }
    sums.iter().sum::<f64>() + squared_length(rest)
}

/// The sum of the squared weights.
pub fn squared_length(entries: &[WeightedFeature]) -> f64 {
    entries.iter().map(|entry| square(entry.weight)).sum()
}

pub(super) fn square(weight: f32) -> f64 {
    f64::from(weight) * f64::from(weight)
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { (part / whole).clamp(0.0, 1.0) } else { 0.0 }
}

impl Measure for Similarity {
    fn accepts(&self, kind: &FeatureKind) -> bool {
        *kind == FeatureKind::Weighted
    }

    fn measure(&self, left: &Features, right: &Features) -> Comparison {
        Comparison::resemblance(self.of(left.as_weighted(), right.as_weighted()))
    }

    fn measure_from(&self, left: &Features, right: &Features, floor: f64) -> Comparison {
        let (left, right) = (left.as_weighted(), right.as_weighted());
        Comparison::resemblance(self.of_reaching(left, right, floor))
    }

    /// The lengths of parts, the squared length, the least square of a weight, and the outline of the set of
    /// features.
    fn push_outline(&self, features: &Features, words: &mut Vec<u64>) {
        let entries = features.as_weighted();
        let least = entries.iter().map(|entry| square(entry.weight)).fold(f64::MAX, f64::min);
        push_part_lengths(entries, words);
        words.extend([squared_length(entries), least].map(f64::to_bits));
        push_outline(entries.iter().map(|entry| entry.feature), words);
    }

    /// No product of weights is more than the mean of their squares, nor is the smaller square; and
    /// each bit in which outlines differ is a feature that only one vector has.
    fn may_reach(&self, left: &[u64], right: &[u64], floor: f64) -> bool {
        let (Some((_, left)), Some((_, right))) = (parts(left), parts(right)) else { return true };
        let ([left_length, left_least, _, left @ ..], [right_length, right_least, _, right @ ..]) =
            (left, right)
        else {
            return true;
        };
        let [left_length, right_length, left_least, right_least] =
            [left_length, right_length, left_least, right_least].map(|bits| f64::from_bits(*bits));
        let only_one_has = differing_bits(left, right) as f64 * left_least.min(right_least);
        let most = (left_length + right_length - only_one_has) / 2.0 * (1.0 + ROUNDING);
        self.of_shared(most.max(0.0), left_length, right_length) >= floor
    }

    fn may_reach_closely(&self, left: &[u64], right: &[u64], floor: f64) -> bool {
        let (Some((left_parts, left)), Some((right_parts, right))) = (parts(left), parts(right))
        else {
            return true;
        };
        let ([left_length, ..], [right_length, ..]) = (left, right) else { return true };
        let [left, right] = [left_length, right_length].map(|bits| f64::from_bits(*bits));
        let most = most_shared(left_parts, right_parts).min(f64::midpoint(left, right));
        self.of_shared(most * (1.0 + ROUNDING), left, right) >= floor
    }
}

/// The lengths of parts at the beginning of an outline, and the rest of it.
fn parts(outline: &[u64]) -> Option<(&[u64; part_lengths::WORDS], &[u64])> {
    outline.split_first_chunk()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn vector(entries: &[(u64, f32)]) -> Vec<WeightedFeature> {
        entries.iter().map(|&(feature, weight)| WeightedFeature { feature, weight }).collect()
    }

    #[test]
    fn the_three_similarities_follow_their_formulas() {
        let left = vector(&[(1, 3.0), (2, 4.0)]);
        let right = vector(&[(2, 2.0), (5, 1.0)]);
        let close = |value: f64, expected: f64| assert!((value - expected).abs() < 1e-12);
        close(Similarity::Cosine.of(&left, &right), 8.0 / (5.0 * 5f64.sqrt()));
        close(Similarity::ExtendedJaccard.of(&left, &right), 8.0 / (25.0 + 5.0 - 8.0));
        close(Similarity::SquaredJaccard.of(&left, &right), 4.0 / (25.0 + 5.0 - 4.0));
        let same = vector(&[(2, 4.0), (5, 1.0)]);
        let extended = Similarity::ExtendedJaccard.of(&left, &same);
        close(Similarity::SquaredJaccard.of(&left, &same), extended);
    }

    #[test]
    fn a_vector_is_like_itself_and_unlike_nothing() {
        let vector = vector(&[(1, 0.1), (2, 0.7), (9, 0.3)]);
        for similarity in
            [Similarity::Cosine, Similarity::ExtendedJaccard, Similarity::SquaredJaccard]
        {
            assert!((similarity.of(&vector, &vector) - 1.0).abs() < 1e-12);
            assert_eq!(similarity.of(&vector, &[]), 0.0);
        }
    }

    fn some_vector() -> impl Strategy<Value = Features> {
        let weights = prop::collection::btree_map(0_u64..60, 1_u8..20, 0..60);
        (weights, any::<bool>()).prop_map(|(weights, equal)| {
            let entry = |(feature, weight): (u64, u8)| WeightedFeature {
                feature: crate::random::mix64(feature),
                weight: if equal { 1.0 } else { f32::from(weight) / 7.0 },
            };
            let mut entries: Vec<_> = weights.into_iter().map(entry).collect();
            entries.sort_by_key(|entry| entry.feature);
            Features::Weighted(entries)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]
        #[test]
        fn stopping_early_never_changes_a_verdict(
            left in some_vector(), right in some_vector(), twentieths in 0_u32..=20,
        ) {
            let outline = |similarity: Similarity, features: &Features| {
                let mut words = Vec::new();
                similarity.push_outline(features, &mut words);
                words
            };
            for similarity in
                [Similarity::Cosine, Similarity::ExtendedJaccard, Similarity::SquaredJaccard]
            {
                let exact = similarity.measure(&left, &right).resemblance;
                for floor in [f64::from(twentieths) / 20.0, exact, exact.next_up()] {
                    let bounded = similarity.measure_from(&left, &right, floor).resemblance;
                    let (l, r) = (outline(similarity, &left), outline(similarity, &right));
                    if exact >= floor {
                        prop_assert_eq!(bounded.to_bits(), exact.to_bits());
                        prop_assert!(similarity.may_reach(&l, &r, floor));
                        prop_assert!(similarity.may_reach_closely(&l, &r, floor));
                    } else {
                        prop_assert!(bounded < floor && bounded >= exact * (1.0 - 1e-12));
                    }
                }
            }
        }
    }

    #[test]
    fn outlines_exclude_vectors_that_share_half() {
        let half = |from: u64| -> Features {
            let entry = |number: u64| WeightedFeature {
                feature: crate::random::mix64(number),
                weight: 1.0,
            };
            let mut entries: Vec<_> = (from..from + 200).map(entry).collect();
            entries.sort_by_key(|entry| entry.feature);
            Features::Weighted(entries)
        };
        let outline = |features: &Features| {
            let mut words = Vec::new();
            Similarity::Cosine.push_outline(features, &mut words);
            words
        };
        let (left, right) = (outline(&half(0)), outline(&half(100)));
        assert!(Similarity::Cosine.may_reach(&left, &right, 0.5));
        assert!(!Similarity::Cosine.may_reach(&left, &right, 0.8));
    }
}
