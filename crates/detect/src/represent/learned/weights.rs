//! The learned weight of a k-gram: a linear function of what is observed of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::columns::{Column, FeatureChoice, Form};
use super::observations::{KgramFrequencies, N_OBSERVATIONS, Observation};
use crate::measure::Similarity;

/// Features, scaling and weights, as training leaves them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KgramWeights {
    /// Which features were learned on.
    pub features: FeatureChoice,
    /// The similarity the weights were learned for.
    pub similarity: Similarity,
    /// The similarity from which a pair is a duplicate, as training found best.
    pub threshold: f64,
    /// The same where only so many of a document's highest weights count, fewest first; from the
    /// last on, no training document has more.
    pub active_thresholds: Vec<(usize, f64)>,
    /// The threshold for the Jaccard of squared weights, which min-wise signatures estimate.
    pub squared_jaccard_threshold: f64,
    /// The same for the weights themselves; 0 in models that were trained before it was looked for.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub weighted_jaccard_threshold: f64,
    /// The mean weight of the k-grams that have one; bucket keys count levels by it.
    pub typical_weight: f64,
    /// The mean square of these weights; min-wise signatures count levels by it.
    pub typical_square: f64,
    /// The columns of φ, the bias first.
    pub columns: Vec<ScaledColumn>,
    /// Query-log frequencies by k-gram hash.
    pub query_frequency: BTreeMap<u64, u32>,
    /// Document frequencies of whole k-grams; without them, those of their rarest terms.
    #[serde(default, skip_serializing_if = "KgramFrequencies::is_empty")]
    pub document_frequency: KgramFrequencies,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(threshold: &f64) -> bool {
    *threshold == 0.0
}

/// A column, its scaling on the training data, and its weight.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScaledColumn {
    /// The column.
    pub column: Column,
    /// Its mean over the k-grams of the training documents.
    pub mean: f64,
    /// Its standard deviation there.
    pub deviation: f64,
    /// λ: what one standard deviation above the mean adds to a k-gram's weight.
    pub weight: f64,
}

impl KgramWeights {
    /// Whether the parts fit each other.
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        let is_usable = |c: &ScaledColumn| {
            c.mean.is_finite()
                && c.weight.is_finite()
                && c.deviation.is_finite()
                && c.deviation > 0.0
        };
        let thresholds =
            [self.threshold, self.squared_jaccard_threshold, self.weighted_jaccard_threshold];
        let active = self.active_thresholds.iter().map(|(_, threshold)| threshold);
        let typical = [self.typical_weight, self.typical_square];
        let is_finite =
            thresholds.iter().chain(active).chain(&typical).all(|number| number.is_finite());
        let is_positive = typical.iter().all(|&typical| typical > 0.0);
        if !(self.columns.iter().all(is_usable) && is_finite && is_positive) {
            return Err("its weights or scaling are no finite numbers");
        }
        if self.features.k == 0 { Err("its k-grams have no term") } else { Ok(()) }
    }

    /// The threshold where only so many of a document's highest weights count: as training found
    /// it, or between those for fewer and for more.
    pub fn threshold_of(&self, active: Option<usize>) -> f64 {
        let Some(active) = active else { return self.threshold };
        let next = self.active_thresholds.partition_point(|&(terms, _)| terms < active);
        let Some(&(more, above)) = self.active_thresholds.get(next) else {
            return self.threshold;
        };
        let fewer = next.checked_sub(1).map(|before| self.active_thresholds[before]);
        let Some((fewer, below)) = fewer else { return above };
        let step = (active as f64 / fewer as f64).ln() / (more as f64 / fewer as f64).ln();
        below + step * (above - below)
    }

    /// The same function with the scaling folded into the weights: what signing computes.
    pub fn folded(&self) -> FoldedWeights {
        let mut constant = 0.0;
        let mut curves: [Curve; N_OBSERVATIONS] = Default::default();
        for ScaledColumn { column, mean, deviation, weight } in &self.columns {
            let weight = weight / deviation;
            constant -= weight * mean;
            curves[column.observation as usize].add(column.form, weight);
        }
        FoldedWeights { constant: Share::of(constant), curves }
    }
}

/// What something adds to a weight, in whole numbers of 2^-32: sums of shares are exact, so that
/// the weight does not depend on the order in which they are added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share(pub i64);

impl Share {
    const ONE: f64 = (1u64 << 32) as f64;
    /// Far beyond any weight, and small enough that the shares of all observations can be added.
    const MOST: f64 = (1u64 << 58) as f64;

    fn of(number: f64) -> Self {
        Self((number * Self::ONE).clamp(-Self::MOST, Self::MOST) as i64)
    }

    /// The weight that the sum of all shares stands for, never below 0.
    ///
    /// A negative weight would make two documents *more* alike by sharing the k-gram, since the
    /// product of two negative weights is positive.
    pub fn weight(self) -> f32 {
        self.unclipped().max(0.0)
    }

    fn unclipped(self) -> f32 {
        (self.0 as f64 / Self::ONE) as f32
    }
}

impl std::ops::Add for Share {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

/// A weight function ready to use.
#[derive(Clone, Debug, PartialEq)]
pub struct FoldedWeights {
    constant: Share,
    curves: [Curve; N_OBSERVATIONS],
}

impl FoldedWeights {
    /// The weight of a k-gram, never below 0.
    pub fn weight(&self, row: &[f32; N_OBSERVATIONS]) -> f32 {
        self.sum(row).weight()
    }

    /// The linear function itself.
    pub(crate) fn unclipped(&self, row: &[f32; N_OBSERVATIONS]) -> f32 {
        self.sum(row).unclipped()
    }

    /// What is added whatever is observed.
    pub(crate) fn constant(&self) -> Share {
        self.constant
    }

    /// What one observation adds: value, logarithm and bins together.
    pub(crate) fn share(&self, observation: Observation, value: f32) -> Share {
        self.curves[observation as usize].share(value)
    }

    fn sum(&self, row: &[f32; N_OBSERVATIONS]) -> Share {
        let observed = self.curves.iter().zip(row);
        observed.fold(self.constant, |sum, (curve, &value)| sum + curve.share(value))
    }
}

/// What the columns of one observation add together, as a function of the observed value.
#[derive(Clone, Debug, Default, PartialEq)]
struct Curve {
    value: f64,
    log: f64,
    bins: Vec<(f32, f32, f64)>,
}

impl Curve {
    fn add(&mut self, form: Form, weight: f64) {
        match form {
            Form::Value => self.value += weight,
            Form::Log => self.log += weight,
            Form::Bin { .. } if weight == 0.0 => {}
            Form::Bin { from, to } => self.bins.push((from, to, weight)),
        }
    }

    #[inline]
    fn share(&self, value: f32) -> Share {
        let mut sum = self.value * f64::from(value);
        if self.log != 0.0 {
            sum += self.log * f64::from(Form::Log.of(value));
        }
        for &(from, to, weight) in &self.bins {
            // Chosen, not jumped to: which bin it is cannot be predicted.
            sum += if from <= value && value < to { weight } else { 0.0 };
        }
        Share::of(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    #[test]
    fn folding_the_scaling_does_not_change_the_function() {
        let mut generator = SplitMix64::new(3);
        let mut random = || generator.next_f64();
        let columns = FeatureChoice { k: 3, blocks: true, queries: true }.columns();
        let columns = columns
            .into_iter()
            .map(|column| ScaledColumn {
                column,
                mean: 3.0 * random(),
                deviation: 0.5 + random(),
                weight: random() - 0.5,
            })
            .collect();
        let weights = KgramWeights {
            features: FeatureChoice::default(),
            similarity: Similarity::Cosine,
            threshold: 0.5,
            active_thresholds: Vec::new(),
            squared_jaccard_threshold: 0.5,
            weighted_jaccard_threshold: 0.5,
            typical_weight: 1.0,
            typical_square: 1.0,
            columns,
            query_frequency: BTreeMap::new(),
            document_frequency: KgramFrequencies::default(),
        };
        let folded = weights.folded();
        for value in [0.0, 0.3, 1.0, 2.0, 17.0, 250.0] {
            let row = [value; N_OBSERVATIONS];
            let column = |c: &ScaledColumn| {
                c.weight * (f64::from(c.column.value(&row)) - c.mean) / c.deviation
            };
            let expected: f64 = weights.columns.iter().map(column).sum();
            let error = f64::from(folded.unclipped(&row)) - expected;
            assert!(error.abs() < 1e-5 * (1.0 + expected.abs()), "{value}: {error}");
            assert_eq!(folded.weight(&row), folded.unclipped(&row).max(0.0));
        }
    }

    #[test]
    fn thresholds_of_active_terms_are_those_found_or_lie_between_them() {
        let weights = KgramWeights {
            features: FeatureChoice::default(),
            similarity: Similarity::Cosine,
            threshold: 0.8,
            active_thresholds: vec![(25, 0.2), (50, 0.4), (100, 0.8)],
            squared_jaccard_threshold: 0.5,
            weighted_jaccard_threshold: 0.5,
            typical_weight: 1.0,
            typical_square: 1.0,
            columns: Vec::new(),
            query_frequency: BTreeMap::new(),
            document_frequency: KgramFrequencies::default(),
        };
        for (active, expected) in [
            (Some(10), 0.2),
            (Some(25), 0.2),
            (Some(50), 0.4),
            (Some(100), 0.8),
            (Some(101), 0.8),
            (None, 0.8),
        ] {
            assert_eq!(weights.threshold_of(active), expected, "{active:?}");
        }
        let between = weights.threshold_of(Some(35));
        assert!(between > 0.28 && between < 0.32, "{between}");
    }
}
