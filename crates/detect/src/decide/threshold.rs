//! The rule most methods use: at least so much resemblance.

use crate::{Comparison, Decide, Verdict};

/// A pair is a duplicate when its resemblance reaches the threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threshold(pub f64);

impl Decide for Threshold {
    fn decide(&self, comparison: &Comparison) -> Verdict {
        Verdict::new(comparison.resemblance >= self.0, comparison.resemblance)
    }

    fn floor(&self) -> Option<f64> {
        Some(self.0)
    }
}
