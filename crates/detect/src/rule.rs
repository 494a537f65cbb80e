//! How a candidate pair is judged: which parts of two documents are compared, and by what rule.

use std::sync::Arc;

use crate::measure::{Glance, glance};
use crate::{
    ComparedSet, Comparison, Decide, Features, Measure, Represent, Sign, Signature, Verdict,
};

/// An exact measure, the features it works on, and the rule that makes it a verdict.
pub struct Confirm {
    /// How a document becomes the features that are measured.
    pub represent: Arc<dyn Represent>,
    /// The exact measure.
    pub measure: Box<dyn Measure>,
    /// The rule.
    pub decide: Box<dyn Decide>,
}

/// What the verdict on two documents that share a bucket key rests on.
///
/// Each rule takes the parts that it compares, so that a verdict without them cannot be asked for.
#[derive(Clone, Copy)]
pub enum Rule<'a> {
    /// The shared key already is the verdict.
    Keys,
    /// Signatures are compared.
    Signatures(SignatureRule<'a>),
    /// Features are compared.
    Features(FeatureRule<'a>),
    /// Signatures drop the hopeless pairs, features decide on the others.
    Both(SignatureRule<'a>, FeatureRule<'a>),
}

/// A verdict by signatures.
#[derive(Clone, Copy)]
pub struct SignatureRule<'a> {
    pub(crate) sign: &'a dyn Sign,
    pub(crate) decide: &'a dyn Decide,
}

impl SignatureRule<'_> {
    /// The verdict on two signatures.
    ///
    /// The score of a pair that is no duplicate may be an upper bound: comparisons stop as soon as
    /// the answer is certain. [`SignatureRule::score`] has the exact one.
    pub fn judge(&self, left: &Signature, right: &Signature) -> Verdict {
        let comparison = match self.decide.floor() {
            Some(floor) => self.sign.compare_from(left, right, floor),
            None => self.sign.compare(left, right),
        };
        self.decide.decide(&comparison)
    }

    /// The exact score, whether the pair reaches the threshold or not.
    pub fn score(&self, left: &Signature, right: &Signature) -> f64 {
        self.decide.decide(&self.compare(left, right)).score
    }

    /// What the verdict rests on.
    pub fn compare(&self, left: &Signature, right: &Signature) -> Comparison {
        self.sign.compare(left, right)
    }

    /// Appends the values that stand for what two signatures may share, and tells how much of it a
    /// duplicate shares; none for signatures of something else.
    pub fn compared_set(
        &self,
        signature: &Signature,
        values: &mut Vec<u64>,
    ) -> Option<ComparedSet> {
        self.sign.compared_set(signature, self.decide.floor()?, values)
    }
}

/// A verdict by features: every exact measure must agree; the score is that of the first.
#[derive(Clone, Copy)]
pub struct FeatureRule<'a> {
    pub(crate) first: &'a Confirm,
    pub(crate) further: &'a [Confirm],
}

impl FeatureRule<'_> {
    /// The verdict on two documents' features.
    ///
    /// The score of a pair that is no duplicate may be an upper bound: measures stop as soon as
    /// the answer is certain. [`FeatureRule::score`] has the exact one.
    pub fn judge(&self, left: &Features, right: &Features) -> Verdict {
        let mut verdict = self.first.judge(self.view(left, 0), self.view(right, 0));
        for (position, confirm) in (1..).zip(self.further) {
            if !verdict.duplicate {
                break;
            }
            let confirmed = confirm.judge(self.view(left, position), self.view(right, position));
            verdict.duplicate = confirmed.duplicate;
        }
        verdict
    }

    /// The exact score, whether the pair reaches the threshold or not.
    pub fn score(&self, left: &Features, right: &Features) -> f64 {
        self.first.decide.decide(&self.compare(left, right)).score
    }

    /// The full comparison by the first measure.
    pub fn compare(&self, left: &Features, right: &Features) -> Comparison {
        self.first.measure.measure(self.view(left, 0), self.view(right, 0))
    }

    /// Appends an outline of a document's features; nothing where the first measure has none.
    pub fn push_outline(&self, features: &Features, words: &mut Vec<u64>) {
        self.first.measure.push_outline(self.view(features, 0), words);
    }

    /// Whether documents with these outlines may be duplicates; `false` only where
    /// [`FeatureRule::judge`] says that they are none.
    pub fn may_be_duplicates(&self, left: &[u64], right: &[u64]) -> bool {
        let may_reach = |floor| self.first.measure.may_reach(left, right, floor);
        self.first.decide.floor().is_none_or(may_reach)
    }

    /// The same by all that the outlines have.
    pub fn may_closely_be_duplicates(&self, left: &[u64], right: &[u64]) -> bool {
        let may_reach = |floor| self.first.measure.may_reach_closely(left, right, floor);
        self.first.decide.floor().is_none_or(may_reach)
    }

    /// The size and the [`Glance`] of a document with this outline; none where outlines are of
    /// something else than sets, or too short.
    pub fn glance(&self, outline: &[u64]) -> Option<(usize, Glance)> {
        self.needed_shared(1, 1)?;
        glance(outline)
    }

    /// How many values duplicates with sets of these sizes share; none where sets do not decide.
    pub fn needed_shared(&self, left: usize, right: usize) -> Option<usize> {
        self.first.measure.needed_shared(left, right, self.first.decide.floor()?)
    }

    /// Appends the set that the first measure compares, and tells how many of its values a duplicate
    /// must share; none for measures of something else.
    pub fn compared_set(&self, features: &Features, values: &mut Vec<u64>) -> Option<ComparedSet> {
        let view = self.view(features, 0);
        let fewest = self.first.measure.fewest_shared(view.len(), self.first.decide.floor()?)?;
        match view {
            Features::Set(set) => values.extend_from_slice(set),
            Features::Weighted(entries) => values.extend(entries.iter().map(|entry| entry.feature)),
            _ => return None,
        }
        Some(ComparedSet { fewest, values_each: 1, aligned: false })
    }

    /// The part of a document's features that one confirmation looks at.
    fn view<'f>(&self, features: &'f Features, position: usize) -> &'f Features {
        match features {
            Features::Several(views) if !self.further.is_empty() => &views[position],
            only => only,
        }
    }
}

impl Confirm {
    fn judge(&self, left: &Features, right: &Features) -> Verdict {
        let comparison = match self.decide.floor() {
            Some(floor) => self.measure.measure_from(left, right, floor),
            None => self.measure.measure(left, right),
        };
        self.decide.decide(&comparison)
    }
}
