//! Measures of two sets that need only their sizes and how much they share.

use serde::{Deserialize, Serialize};

use crate::{Comparison, Features, Measure};

/// A measure of two [`Features::Set`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SetMeasure {
    /// Shared over all: |A∩B| / |A∪B|.
    Jaccard,
    /// Cosine of the binary vectors: |A∩B| / √(|A||B|).
    Cosine,
}

impl Measure for SetMeasure {
    fn measure(&self, left: &Features, right: &Features) -> Comparison {
        let (left, right) = (left.as_set(), right.as_set());
        if left.is_empty() || right.is_empty() {
            return Comparison::resemblance(0.0);
        }
        let shared = intersection_size(left, right) as f64;
        let (n_left, n_right) = (left.len() as f64, right.len() as f64);
        let resemblance = match self {
            Self::Jaccard => shared / (n_left + n_right - shared),
            Self::Cosine => shared / (n_left * n_right).sqrt(),
        };
        Comparison {
            resemblance,
            containment: Some((shared / n_left, shared / n_right)),
            measures: Vec::new(),
        }
    }
}

/// How many values two ascending, distinct lists share.
pub fn intersection_size(left: &[u64], right: &[u64]) -> usize {
    let (mut i, mut j, mut shared) = (0, 0, 0);
    while i < left.len() && j < right.len() {
        let (l, r) = (left[i], right[j]);
        shared += usize::from(l == r);
        i += usize::from(l <= r);
        j += usize::from(r <= l);
    }
    shared
}
