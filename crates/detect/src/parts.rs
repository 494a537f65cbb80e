//! The parts of a method, one small trait each.

use std::ops::Range;

use lookalike_text::{Document, TokenizedDocument};

use crate::measure::RunFilter;
use crate::{
    BucketKey, Comparison, FeatureKind, Features, LeftBehind, ParagraphMatch, Rejection, Scratch,
    Signature, SignedDocument, Verdict,
};

/// Document → features.
pub trait Represent: Send + Sync {
    /// What kind of features it makes of every document.
    fn kind(&self) -> FeatureKind;

    /// The features of a document whose tokens were made by the detector's analyzer.
    fn represent(&self, document: &Document<'_>, tokens: &TokenizedDocument) -> Features;

    /// The same features in words, for people: what `explain` prints.
    ///
    /// There is no default on purpose: a method that cannot say what it looked at cannot explain.
    fn describe(
        &self,
        document: &Document<'_>,
        tokens: &TokenizedDocument,
    ) -> Vec<DescribedFeature>;
}

/// A feature as `explain` shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct DescribedFeature {
    /// The value that two documents share when they share the feature.
    pub feature: u64,
    /// The feature in words.
    pub text: String,
    /// Its weight: idf, tf-idf, learned, or 1.
    pub weight: f64,
    /// Where it first stands in the document's text.
    pub place: Range<usize>,
}

/// Features → signature and bucket keys.
pub trait Sign: Send + Sync {
    /// Whether it signs features of this kind; others it is never given.
    fn accepts(&self, kind: &FeatureKind) -> bool;

    /// The signature, or why there is none.
    fn sign(&self, features: &Features) -> Result<Signature, Rejection>;

    /// Appends the buckets a document belongs to; identical documents get identical keys.
    fn bucket_keys(&self, features: &Features, signature: &Signature, keys: &mut Vec<BucketKey>);

    /// Appends the buckets of a document that [`Sign::sign`] does not reject, where nobody asks for the signature:
    /// cheaper than both where keys do not rest on it.
    fn keys_alone(&self, features: &Features, keys: &mut Vec<BucketKey>) -> Result<(), Rejection> {
        let signature = self.sign(features)?;
        self.bucket_keys(features, &signature, keys);
        Ok(())
    }

    /// Compares two signatures of this signer.
    fn compare(&self, left: &Signature, right: &Signature) -> Comparison;

    /// As [`Sign::compare`] wherever the resemblance reaches `floor`; below it, the measures may be
    /// higher than the true ones, but the resemblance stays below `floor`.
    fn compare_from(&self, left: &Signature, right: &Signature, _floor: f64) -> Comparison {
        self.compare(left, right)
    }

    /// For signatures that are lists of elements which match one to one: appends the values of each
    /// element, and tells how many a duplicate matches for a resemblance of `floor`.
    fn compared_set(
        &self,
        _signature: &Signature,
        _floor: f64,
        _values: &mut Vec<u64>,
    ) -> Option<ComparedSet> {
        None
    }

    /// Whether [`Sign::matches`] has something to say.
    fn shows_matches(&self) -> bool {
        false
    }

    /// The paragraphs of two documents that match, for signers that know of paragraphs.
    fn matches(&self, _left: &Features, _right: &Features) -> Vec<ParagraphMatch> {
        Vec::new()
    }
}

/// Exact comparison of features.
pub trait Measure: Send + Sync {
    /// Whether it compares features of this kind; others it is never given.
    fn accepts(&self, kind: &FeatureKind) -> bool;

    /// Compares two documents' features; symmetric, 1 for identical ones.
    fn measure(&self, left: &Features, right: &Features) -> Comparison;

    /// As [`Measure::measure`] wherever the resemblance reaches `floor`; below it, the resemblance
    /// may be any value from the true one up to (not including) `floor`.
    ///
    /// Most candidate pairs fail, and a measure that may stop early fails them cheaply.
    fn measure_from(&self, left: &Features, right: &Features, _floor: f64) -> Comparison {
        self.measure(left, right)
    }

    /// Whether one of two documents may stand in the other by so large a share; `false` only where it is
    /// certain that none does.
    fn may_contain(&self, _left: &Features, _right: &Features, _share: f64) -> bool {
        true
    }

    /// What excludes, cheaply, many documents that one is compared with.
    fn filter(&self, _features: &Features) -> Option<RunFilter> {
        None
    }

    /// Whether the document of a filter and another may have a resemblance of `floor`; `false` only
    /// where it is certain that they have not.
    fn may_pass(&self, _filter: &RunFilter, _other: &Features, _floor: f64) -> bool {
        true
    }

    /// Appends an outline of a document's features, a fraction of their size, for measures that can
    /// tell from two outlines that documents are too unlike.
    fn push_outline(&self, _features: &Features, _words: &mut Vec<u64>) {}

    /// Whether documents with these outlines may have a resemblance of `floor`; `false` only where
    /// it is certain that they have not.
    fn may_reach(&self, _left: &[u64], _right: &[u64], _floor: f64) -> bool {
        true
    }

    /// As [`Measure::may_reach`], by all that two outlines have; that one may look at less of them.
    fn may_reach_closely(&self, left: &[u64], right: &[u64], floor: f64) -> bool {
        self.may_reach(left, right, floor)
    }

    /// For measures of sets whose outlines begin with the size: how many values sets of these sizes
    /// must share for a resemblance of `floor`.
    fn needed_shared(&self, _left: usize, _right: usize, _floor: f64) -> Option<usize> {
        None
    }

    /// For measures of sets: how much a set of `size` values must share with another for a
    /// resemblance of `floor`; none where it need not share anything.
    fn fewest_shared(&self, _size: usize, _floor: f64) -> Option<FewestShared> {
        None
    }
}

/// The fewest values that a set shares with another that resembles it enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FewestShared {
    /// With any such set.
    pub with_any: usize,
    /// With one that is at least as large.
    pub with_larger: usize,
}

/// How the values of a document stand for the elements that a verdict counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComparedSet {
    /// How many elements a duplicate shares.
    pub fewest: FewestShared,
    /// So many values, one after the other, stand for an element: elements that match share one of
    /// them. Where it is 1, values are elements.
    pub values_each: usize,
    /// Whether elements are shared in their own place of the list only, which is as long for every
    /// document.
    pub aligned: bool,
}

/// Comparison → verdict.
pub trait Decide: Send + Sync {
    /// The decision on a comparison.
    fn decide(&self, comparison: &Comparison) -> Verdict;

    /// The resemblance below which the decision is *no* whatever the other measures say.
    fn floor(&self) -> Option<f64> {
        None
    }

    /// The share of one document in the other below which, both ways, the decision is *no*.
    fn least_contained(&self) -> Option<f64> {
        None
    }
}

/// Text → signature and keys in one go: a hot path that a property test holds to the plain
/// composition of analyzer, [`Represent`] and [`Sign`].
pub trait SignText: Send + Sync {
    /// The same as tokenizing, representing and signing.
    fn sign_text(
        &self,
        document: &Document<'_>,
        scratch: &mut Scratch,
    ) -> Result<SignedDocument, Rejection>;

    /// The same from the hashes of the document's distinct terms, in any order, where the
    /// signature follows from them alone.
    fn sign_terms(
        &self,
        _distinct: &[u64],
        _scratch: &mut Scratch,
    ) -> Option<Result<SignedDocument, Rejection>> {
        None
    }

    /// The same from what [`crate::represent::learned::WordObserver`] has observed of the document, where the
    /// signature follows from that; without a signature where only keys are asked for.
    fn sign_observed(
        &self,
        _observed: &[u64],
        _keys_alone: bool,
        _scratch: &mut Scratch,
    ) -> Option<Result<SignedDocument, Rejection>> {
        None
    }

    /// The same as [`SignText::features`] from what was observed of the document, where they follow from that.
    fn features_observed(&self, _observed: &[u64]) -> Option<Features> {
        None
    }

    /// What makes of a scratch the features, as [`SignText::features`] gives them, of the document
    /// that was signed with it last, where signing leaves enough behind.
    fn features_left_behind(&self) -> Option<LeftBehind> {
        None
    }

    /// The same as tokenizing and representing for the exact measure, where this path knows how.
    fn features(&self, _document: &Document<'_>, _scratch: &mut Scratch) -> Option<Features> {
        None
    }
}
