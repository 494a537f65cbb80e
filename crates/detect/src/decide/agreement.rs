//! The rule of several signatures: so many coordinates must agree.

use crate::{Comparison, Decide, Verdict};

/// A pair is a duplicate when at least so many coordinates agree, or all that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgreeingCoordinates(pub usize);

impl Decide for AgreeingCoordinates {
    fn decide(&self, comparison: &Comparison) -> Verdict {
        let n_agreeing = comparison.measures.first().copied().unwrap_or(0.0);
        let is_all = comparison.resemblance >= 1.0;
        let duplicate = n_agreeing > 0.0 && (is_all || n_agreeing >= self.0 as f64);
        Verdict::new(duplicate, comparison.resemblance)
    }
}
