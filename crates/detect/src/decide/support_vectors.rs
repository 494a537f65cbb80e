//! The discriminant of a support vector machine: no threshold for anybody to guess.

use serde::{Deserialize, Serialize};

use crate::{Comparison, Decide, Verdict};

/// How two similarity vectors are compared.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kernel {
    /// `x·y`.
    Linear,
    /// `exp(-gamma |x - y|²)`.
    Rbf {
        /// How fast likeness falls with distance.
        gamma: f64,
    },
}

impl Kernel {
    /// The kernel's value.
    pub fn of(self, left: &[f64], right: &[f64]) -> f64 {
        let pairs = left.iter().zip(right);
        match self {
            Self::Linear => pairs.map(|(l, r)| l * r).sum(),
            Self::Rbf { gamma } => {
                let distance: f64 = pairs.map(|(l, r)| (l - r) * (l - r)).sum();
                (-gamma * distance).exp()
            }
        }
    }
}

/// `g(x) = Σ coefficient · K(vector, x) + bias` on scaled measures; a pair is a duplicate when
/// g ≥ 0, and by nothing else.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SupportVectors {
    /// The kernel.
    pub kernel: Kernel,
    /// Mean and standard deviation of each measure on the training pairs.
    pub scaling: Vec<(f64, f64)>,
    /// The support vectors, scaled.
    pub vectors: Vec<Vec<f64>>,
    /// α t of each support vector.
    pub coefficients: Vec<f64>,
    /// b.
    pub bias: f64,
    /// Platt's slope and offset: the probability is 1 / (1 + exp(slope · g + offset)).
    pub probability: (f64, f64),
}

impl SupportVectors {
    /// Whether the parts fit each other and so many measures.
    pub(crate) fn check(&self, n_measures: usize) -> Result<(), &'static str> {
        let fits = self.scaling.len() == n_measures
            && self.vectors.len() == self.coefficients.len()
            && self.vectors.iter().all(|vector| vector.len() == n_measures);
        let is_finite = self
            .scaling
            .iter()
            .all(|(mean, deviation)| mean.is_finite() && deviation.is_finite() && *deviation > 0.0)
            && self.vectors.iter().flatten().all(|value| value.is_finite())
            && self.coefficients.iter().all(|value| value.is_finite())
            && [self.bias, self.probability.0, self.probability.1].iter().all(|v| v.is_finite());
        if fits && is_finite { Ok(()) } else { Err("its support vectors do not fit its measures") }
    }

    /// g of unscaled measures.
    pub fn decision(&self, measures: &[f64]) -> f64 {
        let scaled: Vec<f64> = measures
            .iter()
            .zip(&self.scaling)
            .map(|(value, (mean, deviation))| (value - mean) / deviation)
            .collect();
        let terms = self.vectors.iter().zip(&self.coefficients);
        terms.map(|(vector, c)| c * self.kernel.of(vector, &scaled)).sum::<f64>() + self.bias
    }

    /// The calibrated probability that a pair of this decision value is a duplicate.
    pub fn probability(&self, decision: f64) -> f64 {
        let (slope, offset) = self.probability;
        1.0 / (1.0 + (slope * decision + offset).exp())
    }
}

impl Decide for SupportVectors {
    fn decide(&self, comparison: &Comparison) -> Verdict {
        let decision = self.decision(&comparison.measures);
        Verdict::new(decision >= 0.0, self.probability(decision))
    }
}
