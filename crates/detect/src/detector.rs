//! A method ready to run: *prepare* a document, *judge* a pair.

mod seeing;

use std::convert::Infallible;
use std::sync::{Arc, LazyLock};

use lookalike_statistics::boilerplate::BoilerplateSet;
use lookalike_text::{Analyzer, Document, TokenizedDocument};

use crate::decide::Threshold;
use crate::prepared::{Evidence, Prepared, PreparedError, identity};
use crate::represent::WordRuns;
use crate::represent::learned::WordScratch;
use crate::rule::{Confirm, FeatureRule, Guard, PairParts, Rule, SignatureRule};
use crate::sign::TermScratch;
use crate::{
    BucketKey, Comparison, Decide, DetectError, FeatureKind, Features, Measure, Observe,
    ParagraphMatch, Rejection, Represent, Sign, Signature, Verdict, confirmed_identity,
};

/// Buffers that one thread reuses from document to document.
#[derive(Debug, Default)]
pub struct Scratch {
    /// The tokens of the document at hand.
    pub(crate) tokens: TokenizedDocument,
    /// What was observed of the document at hand.
    pub(crate) observed: Vec<u64>,
    /// Room for the text while it is cut into words.
    pub(crate) text: String,
    /// Room for bytes.
    pub(crate) bytes: Vec<u8>,
    /// Room for the minima of a set, while its keys are made.
    pub(crate) minima: Vec<u64>,
    /// Room for the distinct terms of the document at hand.
    pub(crate) terms: TermScratch,
    /// Room for the words of the document at hand and what is observed of them.
    pub(crate) words: WordScratch,
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

    /// The keys of features without their signature.
    pub(crate) fn keys_of(sign: &dyn Sign, features: &Features) -> Result<Self, Rejection> {
        let mut keys = Vec::new();
        sign.keys_alone(features, &mut keys)?;
        Ok(Self::new(Signature::default(), keys))
    }

    /// Features as a signer signs them.
    pub(crate) fn of(sign: &dyn Sign, features: &Features) -> Result<Self, Rejection> {
        let signature = sign.sign(features)?;
        let mut keys = Vec::new();
        sign.bucket_keys(features, &signature, &mut keys);
        Ok(Self::new(signature, keys))
    }
}

impl From<Prepared> for SignedDocument {
    /// Keys and signature, the latter empty where no verdict rests on it.
    fn from(prepared: Prepared) -> Self {
        let signature = match prepared.evidence {
            Evidence::Signature(signature) | Evidence::Both(signature, _) => signature,
            Evidence::Keys | Evidence::Features(_) => Signature::default(),
        };
        Self { signature, keys: prepared.keys }
    }
}

/// One method with its parameters and artefacts.
pub struct Detector {
    analyzer: Analyzer,
    represent: Arc<dyn Represent>,
    sign: Box<dyn Sign>,
    /// `None`: a shared bucket key already is the verdict.
    decide: Option<Box<dyn Decide>>,
    confirms: Vec<Confirm>,
    guard: Option<Guard>,
    /// The runs that the guard looks at, where no confirmation has them.
    guard_runs: Option<Arc<WordRuns>>,
    hot: Option<Arc<dyn Observe>>,
    reads_metadata: bool,
    boilerplate: Option<Arc<BoilerplateSet>>,
    fingerprint: Fingerprint,
}

/// Known when it is asked for: statistics of millions of terms take a while to be hashed, and a batch
/// does without.
type Fingerprint = LazyLock<u128, Box<dyn FnOnce() -> u128 + Send>>;

impl Detector {
    /// A method whose bucket keys decide: sharing one makes a pair.
    pub fn by_keys(analyzer: Analyzer, represent: Arc<dyn Represent>, sign: Box<dyn Sign>) -> Self {
        Self {
            analyzer,
            represent,
            sign,
            decide: None,
            confirms: Vec::new(),
            guard: None,
            guard_runs: None,
            hot: None,
            reads_metadata: false,
            boilerplate: None,
            fingerprint: Fingerprint::new(Box::new(|| 0)),
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

    /// The same method with its own measures only: its features are those of the signature, which
    /// [`Detector::matches`] needs.
    pub fn by_its_own_features(mut self) -> Self {
        self.confirms.retain(|confirm| Arc::ptr_eq(&confirm.represent, &self.represent));
        (self.guard, self.guard_runs) = (None, None);
        self
    }

    /// Guards removals: a pair is one of duplicates only if so many of the words of the document
    /// that goes stand, in runs, in the one that stays.
    ///
    /// Where the first confirmation is on runs of words, its view of the documents serves the guard.
    pub fn guarded_by(mut self, line: f64, runs: WordRuns) -> Self {
        let has_runs =
            self.confirms.first().is_some_and(|c| c.represent.kind().has(&FeatureKind::Sequence));
        self.guard_runs = (!has_runs).then(|| Arc::new(runs));
        self.guard = Some(Guard { view: if has_runs { 0 } else { self.confirms.len() }, line });
        self
    }

    /// Adds a hot path that gives what the parts give.
    pub fn observed_by(mut self, hot: impl Observe + 'static) -> Self {
        self.hot = Some(Arc::new(hot));
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

    /// Gives the method its fingerprint, to be made when it is asked for.
    pub fn stamped(mut self, fingerprint: impl FnOnce() -> u128 + Send + 'static) -> Self {
        self.fingerprint = Fingerprint::new(Box::new(fingerprint));
        self
    }

    /// What tells this method, with its parameters and artefacts, from every other.
    pub fn fingerprint(&self) -> u128 {
        *self.fingerprint
    }

    /// Whether a document's title or address can change its signature or features.
    pub fn reads_metadata(&self) -> bool {
        self.reads_metadata
    }

    /// The analyzer that makes this detector's tokens.
    pub fn analyzer(&self) -> &Analyzer {
        &self.analyzer
    }

    /// How two documents that share a bucket key are judged.
    pub fn rule(&self) -> Rule<'_> {
        let signatures = self.decide.as_deref();
        let signatures =
            signatures.map(|decide| SignatureRule { sign: self.sign.as_ref(), decide });
        let features = self.needs_features().then(|| FeatureRule {
            confirms: &self.confirms,
            guard: self.guard,
            repeated: None,
            that_stay: None,
            has_views: self.n_views() > 1,
            so_far: Verdict::COPIES,
        });
        Rule { signatures, features }
    }

    /// What is compared exactly, in the order of the views of [`Detector::features`].
    fn views(&self) -> impl Iterator<Item = &dyn Represent> {
        let confirms = self.confirms.iter().map(|confirm| confirm.represent.as_ref());
        confirms.chain(self.guard_runs.as_deref().map(|runs| runs as &dyn Represent))
    }

    fn n_views(&self) -> usize {
        self.confirms.len() + usize::from(self.guard_runs.is_some())
    }

    /// Refuses parts that do not fit each other.
    pub(crate) fn check_parts(&self, method: &'static str) -> Result<(), DetectError> {
        let signed = self.represent.kind();
        let misfit = |part: &str, kind: &FeatureKind| {
            DetectError::Mismatch(format!("{method}: its {part} does not take features {kind:?}"))
        };
        if !self.sign.accepts(&signed) {
            return Err(misfit("signer", &signed));
        }
        for Confirm { represent, measure, .. } in &self.confirms {
            let measured = represent.kind();
            if !measure.accepts(&measured) {
                return Err(misfit("measure", &measured));
            }
        }
        Ok(())
    }

    /// The kind of what [`Detector::features`] gives.
    fn features_kind(&self) -> FeatureKind {
        let mut kinds: Vec<FeatureKind> = self.views().map(Represent::kind).collect();
        match kinds.len() {
            0 => self.represent.kind(),
            1 => kinds.swap_remove(0),
            _ => FeatureKind::Several(kinds),
        }
    }

    /// Whether pairs are judged by signatures, at first or at all.
    pub fn needs_signatures(&self) -> bool {
        self.decide.is_some()
    }

    /// Whether pairs are judged by features in the end.
    pub fn needs_features(&self) -> bool {
        self.n_views() > 0
    }

    /// Whether two documents that share a bucket key are a pair without further comparison.
    pub fn keys_decide(&self) -> bool {
        self.rule().is_of_keys()
    }

    /// Makes of a document what finding and judging its pairs takes.
    ///
    /// # Errors
    /// The document has too little to compare; it is nobody's duplicate.
    pub fn prepare(
        &self,
        document: &Document<'_>,
        scratch: &mut Scratch,
    ) -> Result<Prepared, Rejection> {
        self.observing(document, scratch, |observed, scratch| {
            let signed = self.weigh(observed, scratch)?;
            let identity = self.identity(document, &signed);
            let plainly = || self.features_plainly(document, scratch);
            let features = || self.features_of(observed).unwrap_or_else(plainly);
            Ok(self.with_features(signed, identity, features))
        })
    }

    pub(crate) fn identity(&self, document: &Document<'_>, signed: &SignedDocument) -> u128 {
        confirmed_identity(identity(document, self.reads_metadata), &signed.keys)
    }

    /// A prepared document with the parts that the method compares.
    pub(crate) fn with_features(
        &self,
        SignedDocument { signature, keys }: SignedDocument,
        identity: u128,
        features: impl FnOnce() -> Features,
    ) -> Prepared {
        let evidence = match (self.needs_signatures(), self.needs_features()) {
            (false, false) => Evidence::Keys,
            (true, false) => Evidence::Signature(signature),
            (false, true) => Evidence::Features(features()),
            (true, true) => Evidence::Both(signature, features()),
        };
        Prepared { method: self.fingerprint(), identity, keys, evidence }
    }

    /// Reads a document that this method prepared, from the bytes of [`Prepared::to_bytes`].
    ///
    /// # Errors
    /// Bytes of another kind, version or method, cut short, or changed since they were written.
    pub fn read_prepared(&self, bytes: &[u8]) -> Result<Prepared, PreparedError> {
        let prepared = Prepared::from_bytes(bytes, self.fingerprint())?;
        let features = prepared.evidence.features();
        if features.is_some_and(|features| features.kind() != self.features_kind()) {
            return Err(PreparedError::Content("its features are of another kind"));
        }
        let has = (prepared.evidence.signature().is_some(), features.is_some());
        if has != (self.needs_signatures(), self.needs_features()) {
            return Err(PreparedError::Content("it has not the parts that the method compares"));
        }
        Ok(prepared)
    }

    /// What the method needs of a document, appended to `observed`: signature, keys and, where
    /// [`Detector::compares_what_it_signs`], exact features follow from that.
    pub fn observe(&self, document: &Document<'_>, scratch: &mut Scratch, observed: &mut Vec<u64>) {
        self.seeing(document, |document| self.observe_as_seen(document, scratch, observed));
    }

    /// [`Detector::observe`] of a document in which blanks already stand for what the method shall not
    /// see.
    pub fn observe_as_seen(
        &self,
        document: &Document<'_>,
        scratch: &mut Scratch,
        observed: &mut Vec<u64>,
    ) {
        match &self.hot {
            Some(hot) => hot.observe(document, scratch, observed),
            None => self.own_features(document, scratch).encode(observed),
        }
    }

    /// The keys of a document that was observed, and its signature where verdicts rest on it.
    ///
    /// What [`crate::Recipe::observer`] has observed is weighed as well.
    ///
    /// # Errors
    /// The document has too little to compare; it is nobody's duplicate.
    pub fn weigh(
        &self,
        observed: &[u64],
        scratch: &mut Scratch,
    ) -> Result<SignedDocument, Rejection> {
        match &self.hot {
            _ if self.needs_signatures() => self.weigh_whole(observed, scratch),
            Some(hot) => hot.weigh_keys(observed, scratch),
            None => SignedDocument::keys_of(self.sign.as_ref(), &decoded(observed)?),
        }
    }

    fn weigh_whole(
        &self,
        observed: &[u64],
        scratch: &mut Scratch,
    ) -> Result<SignedDocument, Rejection> {
        match &self.hot {
            Some(hot) => hot.weigh(observed, scratch),
            None => SignedDocument::of(self.sign.as_ref(), &decoded(observed)?),
        }
    }

    /// The exact features of a document that was observed; none unless
    /// [`Detector::compares_what_it_signs`].
    pub fn features_of(&self, observed: &[u64]) -> Option<Features> {
        match &self.hot {
            _ if !self.compares_what_it_signs() => None,
            Some(hot) => hot.features(observed),
            None => decoded(observed).ok(),
        }
    }

    /// The hot path, where exact features follow from what it observes: for whoever keeps that.
    pub fn observer(&self) -> Option<Arc<dyn Observe>> {
        self.hot.clone().filter(|_| self.compares_what_it_signs())
    }

    /// Calls `look` with what is observed of a document.
    pub(crate) fn observing<T>(
        &self,
        document: &Document<'_>,
        scratch: &mut Scratch,
        look: impl FnOnce(&[u64], &mut Scratch) -> T,
    ) -> T {
        let mut observed = std::mem::take(&mut scratch.observed);
        observed.clear();
        self.observe(document, scratch, &mut observed);
        let found = look(&observed, scratch);
        scratch.observed = observed;
        found
    }

    /// What signing makes of a document: its keys and its signature, whether verdicts rest on it or not.
    ///
    /// # Errors
    /// As [`Detector::weigh`].
    pub fn sign(
        &self,
        document: &Document<'_>,
        scratch: &mut Scratch,
    ) -> Result<SignedDocument, Rejection> {
        self.observing(document, scratch, |observed, scratch| self.weigh_whole(observed, scratch))
    }

    /// [`Detector::sign`] by the plain composition of the parts, the reference for a hot path.
    ///
    /// # Errors
    /// As [`Detector::weigh`].
    pub fn sign_plainly(
        &self,
        document: &Document<'_>,
        scratch: &mut Scratch,
    ) -> Result<SignedDocument, Rejection> {
        SignedDocument::of(self.sign.as_ref(), &self.signed_features(document, scratch))
    }

    /// Whether the features that are signed are all that [`Detector::features`] gives, and that someone will
    /// look at.
    pub fn compares_what_it_signs(&self) -> bool {
        match self.confirms.first() {
            Some(only) => self.n_views() == 1 && Arc::ptr_eq(&only.represent, &self.represent),
            None => self.n_views() == 0 && self.sign.shows_matches(),
        }
    }

    /// The features that [`Detector::judge`] measures, one view for each confirmation where there
    /// are several; those of the signature where it measures none.
    pub fn features(&self, document: &Document<'_>, scratch: &mut Scratch) -> Features {
        let hot = self.hot.as_ref().filter(|_| self.compares_what_it_signs());
        let of_hot = hot.and_then(|hot| {
            self.observing(document, scratch, |observed, _| hot.features(observed))
        });
        of_hot.unwrap_or_else(|| self.features_plainly(document, scratch))
    }

    /// Whether the signatures of a candidate pair leave the verdict open or say *duplicate*: the
    /// cheap first half of a verdict, worth asking before features are made.
    pub fn is_promising(&self, left: &Signature, right: &Signature) -> bool {
        self.rule().signatures.is_none_or(|rule| rule.judge(left, right).duplicate)
    }

    /// The verdict on two documents that this method prepared, as a run over both would reach it.
    ///
    /// Copies are duplicates with score 1. Documents that share no bucket key are never compared:
    /// they are no duplicates, with score 0, however alike they may be; so are documents prepared
    /// by another method, whose keys mean something else. All others are compared as the
    /// [`Rule`] says. The score of a pair that is no duplicate may be an upper bound: measures stop
    /// as soon as the answer is certain. [`Detector::score`] has the exact one.
    pub fn judge(&self, left: &Prepared, right: &Prepared) -> Verdict {
        if !self.has_prepared(left) || !self.has_prepared(right) {
            return Verdict::NOT_COMPARED;
        }
        let Ok(verdict) = self.rule().judge(&mut TwoPrepared { left, right });
        verdict
    }

    /// Whether a document was prepared by this method, with these parameters and artefacts.
    pub fn has_prepared(&self, document: &Prepared) -> bool {
        document.method == self.fingerprint()
    }

    /// The exact score of any two documents that this method prepared, whether they share a bucket
    /// key and reach a threshold or not: what a threshold is chosen on. For duplicates it is the
    /// score of [`Detector::judge`]. Where keys alone decide, it is 1 for those that share one and
    /// 0 for the others.
    pub fn score(&self, left: &Prepared, right: &Prepared) -> f64 {
        if left.identity == right.identity && left.method == right.method {
            return Verdict::COPIES.score;
        }
        self.decided(left, right).unwrap_or_else(|| self.judge(left, right)).score
    }

    /// The exact decision of the part that the score is of; none where keys alone decide.
    fn decided(&self, left: &Prepared, right: &Prepared) -> Option<Verdict> {
        let comparison = self.compare(left, right)?;
        let decide = self.confirms.first().map(|first| &first.decide);
        Some(decide.or(self.decide.as_ref())?.decide(&comparison))
    }

    /// All measures of any two documents that this method prepared; `None` where keys alone decide.
    pub fn compare(&self, left: &Prepared, right: &Prepared) -> Option<Comparison> {
        let Rule { signatures, features } = self.rule();
        if let Some(rule) = features.filter(|_| !self.confirms.is_empty()) {
            return rule.compare(left.evidence.features()?, right.evidence.features()?);
        }
        Some(signatures?.compare(left.evidence.signature()?, right.evidence.signature()?))
    }

    /// The full comparison on the features that the signature is made of, by the method's own measure.
    pub fn compare_signed(&self, left: &Features, right: &Features) -> Option<Comparison> {
        let own = |confirm: &&Confirm| Arc::ptr_eq(&confirm.represent, &self.represent);
        if let Some(confirm) = self.confirms.iter().find(own) {
            return Some(confirm.measure.measure(left, right));
        }
        let (left, right) = (self.sign.sign(left).ok()?, self.sign.sign(right).ok()?);
        Some(self.sign.compare(&left, &right))
    }

    /// Whether [`Detector::matches`] can show what two documents share.
    pub fn shows_matches(&self) -> bool {
        self.sign.shows_matches()
    }

    /// The paragraphs of two documents that match, for methods that know of paragraphs; the
    /// features are those of [`Detector::signed_features`].
    pub fn matches(&self, left: &Features, right: &Features) -> Vec<ParagraphMatch> {
        self.sign.matches(left, right)
    }
}

/// What the plain composition has observed: the features that are signed.
fn decoded(mut observed: &[u64]) -> Result<Features, Rejection> {
    Features::decode(&mut observed).ok_or(Rejection::Empty)
}

/// Two prepared documents, which have the parts of their method's rule.
struct TwoPrepared<'a> {
    left: &'a Prepared,
    right: &'a Prepared,
}

impl PairParts for TwoPrepared<'_> {
    type Error = Infallible;

    fn certain(&mut self) -> Result<Option<Verdict>, Infallible> {
        let (left, right) = (self.left, self.right);
        // Copies have the same text and the same keys, see `confirmed_identity`.
        let copies = (left.identity == right.identity).then_some(Verdict::COPIES);
        Ok(copies.or((!left.shares_key(right)).then_some(Verdict::NOT_COMPARED)))
    }

    fn by_signatures(&mut self, rule: SignatureRule<'_>) -> Result<Verdict, Infallible> {
        Ok(match (self.left.evidence.signature(), self.right.evidence.signature()) {
            (Some(left), Some(right)) => rule.judge(left, right),
            _ => Verdict::NOT_COMPARED,
        })
    }

    fn by_features(&mut self, rule: FeatureRule<'_>) -> Result<Verdict, Infallible> {
        Ok(match (self.left.evidence.features(), self.right.evidence.features()) {
            (Some(left), Some(right)) => rule.judge(left, right),
            _ => Verdict::NOT_COMPARED,
        })
    }
}
