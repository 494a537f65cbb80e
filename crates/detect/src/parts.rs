//! The parts of a method, one small trait each.

use std::iter::StepBy;
use std::ops::Range;
use std::slice::Iter;

use lookalike_text::{Analyzer, Document, TokenizedDocument};

use crate::measure::RunFilter;
use crate::{
    BucketKey, Comparison, FeatureKind, Features, ParagraphMatch, Rejection, Scratch, Signature,
    SignedDocument, Verdict,
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

/// A hot path in two halves: text → what a method needs of it → signature, keys and features.
///
/// A property test holds it to the plain composition of analyzer, [`Represent`] and [`Sign`].
pub trait Observe: Send + Sync {
    /// Appends to `observed` what the method needs of a document: it depends on the document and the
    /// analyzer alone, so that it can be kept until a collection is counted.
    fn observe(&self, document: &Document<'_>, scratch: &mut Scratch, observed: &mut Vec<u64>);

    /// The signature and keys of a document that was observed.
    fn weigh(&self, observed: &[u64], scratch: &mut Scratch) -> Result<SignedDocument, Rejection>;

    /// Its keys, where nobody asks for the signature.
    fn weigh_keys(
        &self,
        observed: &[u64],
        scratch: &mut Scratch,
    ) -> Result<SignedDocument, Rejection> {
        let SignedDocument { keys, .. } = self.weigh(observed, scratch)?;
        Ok(SignedDocument { signature: Signature::default(), keys })
    }

    /// The features that the plain composition signs, where they follow from what was observed.
    fn features(&self, _observed: &[u64]) -> Option<Features> {
        None
    }
}

/// Observes documents before their collection is counted, for methods that sign by the counts.
///
/// What it observes is what the method's detector weighs, once it can be built.
pub trait ObserveTerms: Send + Sync {
    /// What makes the terms that are counted.
    fn analyzer(&self) -> &Analyzer;

    /// Whether titles and addresses take part.
    fn reads_metadata(&self) -> bool;

    /// Appends what the method needs of a document, and tells how many terms it has.
    fn observe(
        &self,
        document: &Document<'_>,
        scratch: &mut Scratch,
        observed: &mut Vec<u64>,
    ) -> TermCount;

    /// The hashes of the distinct terms of a document that was observed.
    fn distinct<'o>(&self, observed: &'o [u64]) -> StepBy<Iter<'o, u64>>;
}

/// How many terms a document has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TermCount {
    /// All of them, repeated ones included.
    pub terms: usize,
    /// Stop words among them, as far as the method knows any.
    pub stop_words: usize,
}
