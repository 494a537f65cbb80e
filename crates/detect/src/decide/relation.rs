//! Which relation between two documents makes them a pair.

use serde::{Deserialize, Serialize};

use crate::{Comparison, Decide, Verdict};

/// What a pair must be to each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// The same document: the resemblance reaches the threshold.
    #[default]
    Duplicate,
    /// One stands inside the other: the larger containment reaches the threshold.
    Contains,
    /// They share at least so many paragraphs.
    Overlaps,
}

/// Decides by a relation, on comparisons whose first further measure counts shared paragraphs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RelationRule {
    /// What is asked for.
    pub relation: Relation,
    /// The least resemblance or containment.
    pub threshold: f64,
    /// The least number of shared paragraphs, for [`Relation::Overlaps`].
    pub min_matches: usize,
}

impl Decide for RelationRule {
    fn decide(&self, comparison: &Comparison) -> Verdict {
        let contained =
            comparison.containment.map_or(comparison.resemblance, |(left, right)| left.max(right));
        match self.relation {
            Relation::Duplicate => {
                Verdict::new(comparison.resemblance >= self.threshold, comparison.resemblance)
            }
            Relation::Contains => Verdict::new(contained >= self.threshold, contained),
            Relation::Overlaps => {
                let matched = comparison.measures.first().copied().unwrap_or(0.0);
                Verdict::new(matched >= self.min_matches as f64, contained)
            }
        }
    }

    fn floor(&self) -> Option<f64> {
        (self.relation == Relation::Duplicate).then_some(self.threshold)
    }

    fn least_contained(&self) -> Option<f64> {
        (self.relation == Relation::Contains).then_some(self.threshold)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_document_inside_a_large_one_is_contained_but_no_duplicate() {
        let comparison =
            Comparison { resemblance: 0.5, containment: Some((0.25, 1.0)), measures: vec![2.0] };
        let rule = |relation| RelationRule { relation, threshold: 0.8, min_matches: 3 };
        assert!(!rule(Relation::Duplicate).decide(&comparison).duplicate);
        let contains = rule(Relation::Contains).decide(&comparison);
        assert_eq!(contains, Verdict::new(true, 1.0));
        assert!(!rule(Relation::Overlaps).decide(&comparison).duplicate);
        let two = RelationRule { min_matches: 2, ..rule(Relation::Overlaps) };
        assert!(two.decide(&comparison).duplicate);
    }
}
