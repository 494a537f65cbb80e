//! The five measures of the 2014 paper, which together describe a pair.

use serde::{Deserialize, Serialize};

use super::SetMeasure;
use super::similarity::{Similarity, squared_length};
use crate::{Comparison, FeatureKind, Features, Measure, WeightedFeature};

/// A measure of two sparse vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VectorMeasure {
    /// Of the sets of features: |A∩B| / |A∪B|.
    Jaccard,
    /// `v·w / (|v| |w|)`.
    Cosine,
    /// `|v - w|`: a distance, 0 for equal vectors.
    Euclidean,
    /// `v·w / (|v|² + |w|² - v·w)`.
    ExtendedJaccard,
    /// `2 v·w / (|v|² + |w|²)`; the paper drops the plus sign.
    Dice,
}

impl VectorMeasure {
    /// All five, in the paper's order.
    pub const ALL: [Self; 5] =
        [Self::Jaccard, Self::Cosine, Self::Euclidean, Self::ExtendedJaccard, Self::Dice];

    /// The measure of two vectors by ascending feature.
    pub fn of(self, left: &[WeightedFeature], right: &[WeightedFeature]) -> f64 {
        self.of_common(&InCommon::of(left, right))
    }

    fn of_common(self, common: &InCommon) -> f64 {
        let &InCommon { product, n_shared, squares: [left, right], n_entries } = common;
        match self {
            Self::Cosine => Similarity::Cosine.of_shared(product, left, right),
            Self::ExtendedJaccard => Similarity::ExtendedJaccard.of_shared(product, left, right),
            Self::Jaccard => {
                let union = n_entries - n_shared;
                if union == 0 { 0.0 } else { n_shared as f64 / union as f64 }
            }
            Self::Euclidean => (left + right - 2.0 * product).max(0.0).sqrt(),
            Self::Dice if left + right > 0.0 => 2.0 * product / (left + right),
            Self::Dice => 0.0,
        }
    }
}

/// All that the measures ask of two vectors, from one look at them.
struct InCommon {
    product: f64,
    n_shared: usize,
    squares: [f64; 2],
    n_entries: usize,
}

impl InCommon {
    fn of(left: &[WeightedFeature], right: &[WeightedFeature]) -> Self {
        let (mut product, mut n_shared, mut i, mut j) = (0.0, 0, 0, 0);
        while i < left.len() && j < right.len() {
            let (l, r) = (&left[i], &right[j]);
            if l.feature == r.feature {
                product += f64::from(l.weight) * f64::from(r.weight);
                n_shared += 1;
            }
            i += usize::from(l.feature <= r.feature);
            j += usize::from(r.feature <= l.feature);
        }
        let squares = [squared_length(left), squared_length(right)];
        Self { product, n_shared, squares, n_entries: left.len() + right.len() }
    }
}

/// Several measures of the first view, then the Jaccard resemblance of the sets that the other
/// views are; the resemblance is the cosine of the first view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimilarityVector(pub Vec<VectorMeasure>);

impl Measure for SimilarityVector {
    fn accepts(&self, kind: &FeatureKind) -> bool {
        let FeatureKind::Several(views) = kind else { return *kind == FeatureKind::Weighted };
        views.first() == Some(&FeatureKind::Weighted)
            && views[1..].iter().all(|view| *view == FeatureKind::Set)
    }

    fn measure(&self, left: &Features, right: &Features) -> Comparison {
        let (left_views, right_views) = (left.views(), right.views());
        let [left, right] = [left_views, right_views]
            .map(|views| views.first().map_or(&[][..], Features::as_weighted));
        let of_sets = left_views
            .iter()
            .zip(right_views)
            .skip(1)
            .map(|(left, right)| SetMeasure::Jaccard.measure(left, right).resemblance);
        let common = InCommon::of(left, right);
        let of_vectors = self.0.iter().map(|measure| measure.of_common(&common));
        Comparison {
            resemblance: VectorMeasure::Cosine.of_common(&common),
            containment: None,
            measures: of_vectors.chain(of_sets).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_five_measures_follow_their_formulas() {
        let entry = |(feature, weight)| WeightedFeature { feature, weight };
        let left = [(1, 3.0), (2, 4.0)].map(entry);
        let right = [(2, 2.0), (5, 1.0)].map(entry);
        let expected = [1.0 / 3.0, 8.0 / 125f64.sqrt(), 14f64.sqrt(), 8.0 / 22.0, 16.0 / 30.0];
        for (measure, expected) in VectorMeasure::ALL.into_iter().zip(expected) {
            assert!((measure.of(&left, &right) - expected).abs() < 1e-12, "{measure:?}");
        }
    }

    #[test]
    fn shingles_are_measured_after_the_top_terms() {
        let top = |weight| Features::Weighted(vec![WeightedFeature { feature: 1, weight }]);
        let document =
            |weight, set: &[u64]| Features::Several(vec![top(weight), Features::Set(set.to_vec())]);
        let measure = SimilarityVector(vec![VectorMeasure::Euclidean, VectorMeasure::Cosine]);
        let found = measure.measure(&document(1.0, &[1, 2, 3]), &document(3.0, &[2, 3, 4]));
        assert_eq!(found.measures, [2.0, 1.0, 0.5]);
        assert_eq!(measure.measure(&top(1.0), &top(3.0)).measures, [2.0, 1.0]);
    }
}
