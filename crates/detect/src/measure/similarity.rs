//! Measures of two sparse vectors.

use serde::{Deserialize, Serialize};

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
        let (left, right) = (squared_length(left), squared_length(right));
        match self {
            Self::Cosine => ratio(product, (left * right).sqrt()),
            Self::ExtendedJaccard => ratio(product, left + right - product),
            Self::SquaredJaccard => ratio(minima, left + right - minima),
        }
    }
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
}

#[cfg(test)]
mod tests {
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
}
