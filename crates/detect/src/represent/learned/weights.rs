//! The learned weight of a k-gram: a linear function of what is observed of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::columns::{Column, FeatureChoice};
use super::observations::N_OBSERVATIONS;
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
    /// The same for the weighted Jaccard, which min-wise signatures estimate.
    pub weighted_jaccard_threshold: f64,
    /// The mean weight of the k-grams that have one; min-wise signatures count levels by it.
    pub typical_weight: f64,
    /// The columns of φ, the bias first.
    pub columns: Vec<ScaledColumn>,
    /// Query-log frequencies by k-gram hash.
    pub query_frequency: BTreeMap<u64, u32>,
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
        let numbers = [self.threshold, self.weighted_jaccard_threshold, self.typical_weight];
        let is_finite = numbers.iter().all(|number| number.is_finite());
        if !self.columns.iter().all(is_usable) || !is_finite || self.typical_weight <= 0.0 {
            return Err("its weights or scaling are no finite numbers");
        }
        if self.features.k == 0 { Err("its k-grams have no term") } else { Ok(()) }
    }

    /// The same function with the scaling folded into the weights: what signing computes.
    pub fn folded(&self) -> FoldedWeights {
        let mut constant = 0.0;
        let mut columns = Vec::with_capacity(self.columns.len());
        for scaled in &self.columns {
            let weight = scaled.weight / scaled.deviation;
            constant -= weight * scaled.mean;
            if weight != 0.0 {
                columns.push((scaled.column, weight as f32));
            }
        }
        FoldedWeights { constant: constant as f32, columns }
    }
}

/// A weight function ready to use.
#[derive(Clone, Debug, PartialEq)]
pub struct FoldedWeights {
    constant: f32,
    columns: Vec<(Column, f32)>,
}

impl FoldedWeights {
    /// The weight of a k-gram, never below 0.
    ///
    /// A negative weight would make two documents *more* alike by sharing the k-gram, since the
    /// product of two negative weights is positive.
    pub fn weight(&self, row: &[f32; N_OBSERVATIONS]) -> f32 {
        self.unclipped(row).max(0.0)
    }

    /// The linear function itself.
    pub(crate) fn unclipped(&self, row: &[f32; N_OBSERVATIONS]) -> f32 {
        let columns = self.columns.iter();
        columns.fold(self.constant, |sum, (column, weight)| sum + column.value(row) * weight)
    }
}
