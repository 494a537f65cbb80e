//! A method ready to run: *prepare* a document, *judge* a pair.

use std::sync::Arc;

use lookalike_statistics::boilerplate::BoilerplateSet;
use lookalike_text::{Analyzer, Document, TokenizedDocument};

use crate::decide::Threshold;
use crate::represent::learned::WordScratch;
use crate::sign::TermScratch;
use crate::{
    BucketKey, Comparison, Decide, DescribedFeature, Features, Measure, ParagraphMatch, Rejection,
    Represent, Sign, SignText, Signature, Verdict,
};

/// Buffers that one thread reuses from document to document.
#[derive(Debug, Default)]
pub struct Scratch {
    /// The tokens of the document at hand.
    pub tokens: TokenizedDocument,
    /// Room for hashes.
    pub hashes: Vec<u64>,
    /// Room for the text while it is cut into words.
    pub text: String,
    /// Room for the minima of a set, while its keys are made.
    pub minima: Vec<u64>,
    /// Room for the distinct terms of the document at hand.
    pub terms: TermScratch,
    /// Room for the words of the document at hand and what is observed of them.
    pub words: WordScratch,
}

/// A document's signature and the buckets it belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SignedDocument {
    /// The signature; empty for methods that judge on features alone, to save memory.
    pub signature: Signature,
    /// The bucket keys, distinct, in ascending order.
    pub keys: Vec<BucketKey>,
}

impl SignedDocument {
    /// A signature and its bucket keys in any order, repeated or not.
    pub(crate) fn new(signature: Signature, mut keys: Vec<BucketKey>) -> Self {
        keys.sort_unstable();
        keys.dedup();
        Self { signature, keys }
    }

    /// Features as a signer signs them.
    pub(crate) fn of(sign: &dyn Sign, features: &Features) -> Result<Self, Rejection> {
        let signature = sign.sign(features)?;
        let mut keys = Vec::new();
        sign.bucket_keys(features, &signature, &mut keys);
        Ok(Self::new(signature, keys))
    }
}

/// What [`Detector::judge`] needs to know of one document.
#[derive(Clone, Copy, Debug, Default)]
pub struct Prepared<'a> {
    /// Needed where [`Detector::needs_signatures`].
    pub signature: Option<&'a Signature>,
    /// Needed where [`Detector::needs_features`].
    pub features: Option<&'a Features>,
}

/// An exact measure, the features it works on, and the rule that makes it a verdict.
pub struct Confirm {
    /// How a document becomes the features that are measured.
    pub represent: Arc<dyn Represent>,
    /// The exact measure.
    pub measure: Box<dyn Measure>,
    /// The rule.
    pub decide: Box<dyn Decide>,
}

/// One method with its parameters and artefacts.
pub struct Detector {
    analyzer: Analyzer,
    represent: Arc<dyn Represent>,
    sign: Box<dyn Sign>,
    /// `None`: a shared bucket key already is the verdict.
    decide: Option<Box<dyn Decide>>,
    confirms: Vec<Confirm>,
    fused: Option<Box<dyn SignText>>,
    reads_metadata: bool,
    boilerplate: Option<Arc<BoilerplateSet>>,
}

impl Detector {
    /// A method whose bucket keys decide: sharing one makes a pair.
    pub fn by_keys(analyzer: Analyzer, represent: Arc<dyn Represent>, sign: Box<dyn Sign>) -> Self {
        Self {
            analyzer,
            represent,
            sign,
            decide: None,
            confirms: Vec::new(),
            fused: None,
            reads_metadata: false,
            boilerplate: None,
        }
    }

    /// A method whose keys find candidates, which an exact measure of the same features confirms.
    pub(crate) fn confirmed(
        analyzer: Analyzer,
        represent: Arc<dyn Represent>,
        sign: Box<dyn Sign>,
        measure: Box<dyn Measure>,
        threshold: f64,
    ) -> Self {
        let decide = Box::new(Threshold(threshold));
        let confirm = Confirm { represent: Arc::clone(&represent), measure, decide };
        Self::by_keys(analyzer, represent, sign).confirmed_by(confirm)
    }

    /// A method that decides by comparing signatures.
    pub fn by_signatures(
        analyzer: Analyzer,
        represent: Arc<dyn Represent>,
        sign: Box<dyn Sign>,
        decide: Box<dyn Decide>,
    ) -> Self {
        Self { decide: Some(decide), ..Self::by_keys(analyzer, represent, sign) }
    }

    /// Adds an exact confirmation, which every pair must then pass as well; the score is that of
    /// the first one added.
    pub fn confirmed_by(mut self, confirm: Confirm) -> Self {
        self.confirms.push(confirm);
        self
    }

    /// The same method without its exact confirmations: its features are those of the signature,
    /// which [`Detector::matches`] needs.
    pub fn without_confirmations(mut self) -> Self {
        self.confirms.clear();
        self
    }

    /// Adds a fused hot path for [`Detector::sign`].
    pub fn fused(mut self, fused: Box<dyn SignText>) -> Self {
        self.fused = Some(fused);
        self
    }

    /// Declares that title or address take part, so that equal texts may still differ.
    pub fn reading_metadata(mut self) -> Self {
        self.reads_metadata = true;
        self
    }

    /// Hides paragraphs from the method: it sees blanks in their place.
    pub fn ignoring(mut self, boilerplate: Option<Arc<BoilerplateSet>>) -> Self {
        self.boilerplate = boilerplate;
        self
    }

    /// Whether a document's title or address can change its signature or features.
    pub fn reads_metadata(&self) -> bool {
        self.reads_metadata
    }

    /// The analyzer that makes this detector's tokens.
    pub fn analyzer(&self) -> &Analyzer {
        &self.analyzer
    }

    /// Whether [`Detector::judge`] compares signatures.
    pub fn needs_signatures(&self) -> bool {
        self.decide.is_some()
    }

    /// Whether [`Detector::judge`] compares features.
    pub fn needs_features(&self) -> bool {
        !self.confirms.is_empty()
    }

    /// Whether two documents that share a bucket key are a pair without further comparison.
    pub fn keys_decide(&self) -> bool {
        self.decide.is_none() && self.confirms.is_empty()
    }

    /// Prepares a document for the join.
    pub fn sign(
        &self,
        document: &Document<'_>,
        scratch: &mut Scratch,
    ) -> Result<SignedDocument, Rejection> {
        self.seeing(document, |document| match &self.fused {
            Some(fused) => fused.sign_text(document, scratch),
            None => self.compose(document, scratch),
        })
    }

    /// [`Detector::sign`] from the hashes of a document's distinct terms, in any order.
    ///
    /// For a pass that has counted the terms already: it need not read the text again. `None`
    /// where the signature does not follow from them alone (see
    /// [`crate::DetectorConfig::signs_terms`]) or where boilerplate has to be left out first.
    pub fn sign_terms(
        &self,
        distinct: &[u64],
        scratch: &mut Scratch,
    ) -> Option<Result<SignedDocument, Rejection>> {
        if self.boilerplate.is_some() {
            return None;
        }
        self.fused.as_ref()?.sign_terms(distinct, scratch)
    }

    /// The plain composition of the parts, the reference for a fused path.
    pub fn sign_plainly(
        &self,
        document: &Document<'_>,
        scratch: &mut Scratch,
    ) -> Result<SignedDocument, Rejection> {
        self.seeing(document, |document| self.compose(document, scratch))
    }

    /// Calls `look` with the document as the method shall see it.
    fn seeing<T>(&self, document: &Document<'_>, look: impl FnOnce(&Document<'_>) -> T) -> T {
        let Some(boilerplate) = &self.boilerplate else { return look(document) };
        let text = boilerplate.mask(document.text);
        look(&Document { text: &text, title: document.title, url: document.url })
    }

    fn compose(
        &self,
        document: &Document<'_>,
        scratch: &mut Scratch,
    ) -> Result<SignedDocument, Rejection> {
        self.analyzer.tokenize_into(document.text, &mut scratch.tokens);
        let features = self.represent.represent(document, &scratch.tokens);
        SignedDocument::of(self.sign.as_ref(), &features)
    }

    /// The features that [`Detector::judge`] measures, one view for each confirmation where there
    /// are several; those of the signature where it measures none.
    pub fn features(&self, document: &Document<'_>, scratch: &mut Scratch) -> Features {
        // A fused path knows only the confirmation it was written for.
        let fused = match (&self.fused, self.confirms.len()) {
            (Some(fused), 1) => self.seeing(document, |document| fused.features(document, scratch)),
            _ => None,
        };
        fused.unwrap_or_else(|| self.features_plainly(document, scratch))
    }

    /// What makes of a scratch the features of the document that was signed with it last, for
    /// methods whose signing leaves them behind: much cheaper than [`Detector::features`], and equal.
    pub fn features_left_behind(&self) -> Option<fn(&Scratch) -> Features> {
        // A fused path knows only the confirmation it was written for.
        self.fused.as_ref().filter(|_| self.confirms.len() == 1)?.features_left_behind()
    }

    /// The plain composition of analyzer and representation, the reference for a fused path.
    pub fn features_plainly(&self, document: &Document<'_>, scratch: &mut Scratch) -> Features {
        self.seeing(document, |document| self.represent_all(document, scratch))
    }

    fn represent_all(&self, document: &Document<'_>, scratch: &mut Scratch) -> Features {
        self.analyzer.tokenize_into(document.text, &mut scratch.tokens);
        match self.confirms.as_slice() {
            [] => self.represent.represent(document, &scratch.tokens),
            [only] => only.represent.represent(document, &scratch.tokens),
            several => Features::Several(
                several.iter().map(|c| c.represent.represent(document, &scratch.tokens)).collect(),
            ),
        }
    }

    /// What the signature rests on, in words.
    pub fn describe(&self, document: &Document<'_>) -> Vec<DescribedFeature> {
        self.seeing(document, |document| {
            self.represent.describe(document, &self.analyzer.tokenize(document.text))
        })
    }

    /// Whether the signatures of a candidate pair leave the verdict open or say *duplicate*: the
    /// cheap first half of [`Detector::judge`], worth asking before features are made.
    pub fn is_promising(&self, left: &Signature, right: &Signature) -> bool {
        let decides = |decide: &dyn Decide| decide.decide(&self.sign.compare(left, right));
        self.decide.as_deref().is_none_or(|decide| decides(decide).duplicate)
    }

    /// The verdict on a candidate pair, that is, on two documents that share a bucket key.
    ///
    /// Every way of running a detector ends here. The score of a pair that is no duplicate may be
    /// an upper bound: measures stop as soon as the answer is certain.
    pub fn judge(&self, left: Prepared<'_>, right: Prepared<'_>) -> Verdict {
        let mut verdict = Verdict { duplicate: true, score: 1.0 };
        if let (Some(decide), Some(l), Some(r)) = (&self.decide, left.signature, right.signature) {
            verdict = decide.decide(&self.sign.compare(l, r));
        }
        let (Some(left), Some(right)) = (left.features, right.features) else { return verdict };
        for (position, confirm) in self.confirms.iter().enumerate() {
            if !verdict.duplicate {
                return verdict;
            }
            let (left, right) = (self.view(left, position), self.view(right, position));
            let comparison = match confirm.decide.floor() {
                Some(floor) => confirm.measure.measure_from(left, right, floor),
                None => confirm.measure.measure(left, right),
            };
            let confirmed = confirm.decide.decide(&comparison);
            let score = if position == 0 { confirmed.score } else { verdict.score };
            verdict = Verdict { duplicate: confirmed.duplicate, score };
        }
        verdict
    }

    /// The full comparison on the features: by the first exact measure, or for a method that
    /// decides by signatures on those made of them.
    pub fn measure(&self, left: &Features, right: &Features) -> Option<Comparison> {
        let Some(first) = self.confirms.first() else {
            self.decide.as_ref()?;
            let (left, right) = (self.sign.sign(left).ok()?, self.sign.sign(right).ok()?);
            return Some(self.sign.compare(&left, &right));
        };
        Some(first.measure.measure(self.view(left, 0), self.view(right, 0)))
    }

    /// The score of any two documents, whether they share a bucket key and reach a threshold or
    /// not: what a threshold is chosen on. `None` where keys alone decide or a document has no
    /// signature.
    pub fn score(&self, left: Prepared<'_>, right: Prepared<'_>) -> Option<f64> {
        if let Some(first) = self.confirms.first() {
            let (left, right) = (self.view(left.features?, 0), self.view(right.features?, 0));
            return Some(first.decide.decide(&first.measure.measure(left, right)).score);
        }
        let decide = self.decide.as_ref()?;
        Some(decide.decide(&self.sign.compare(left.signature?, right.signature?)).score)
    }

    /// The part of [`Detector::features`] that one confirmation looks at.
    fn view<'a>(&self, features: &'a Features, position: usize) -> &'a Features {
        match features {
            Features::Several(views) if self.confirms.len() > 1 => &views[position],
            _ => features,
        }
    }

    /// Whether [`Detector::matches`] can show what two documents share.
    pub fn shows_matches(&self) -> bool {
        self.sign.shows_matches()
    }

    /// The features that the signature is made of, whatever confirms a pair.
    pub fn signed_features(&self, document: &Document<'_>, scratch: &mut Scratch) -> Features {
        self.seeing(document, |document| {
            self.analyzer.tokenize_into(document.text, &mut scratch.tokens);
            self.represent.represent(document, &scratch.tokens)
        })
    }

    /// The paragraphs of two documents that match, for methods that know of paragraphs; the
    /// features are those of [`Detector::signed_features`].
    pub fn matches(&self, left: &Features, right: &Features) -> Vec<ParagraphMatch> {
        self.sign.matches(left, right)
    }

    /// Compares two signatures.
    pub fn compare(&self, left: &Signature, right: &Signature) -> Comparison {
        self.sign.compare(left, right)
    }
}
