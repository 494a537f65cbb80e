//! The one judge of a batch: fetches what the method compares of two documents.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use lookalike_detect::measure::{RepeatedRuns, RunFilter, RunsThatStay};
use lookalike_detect::{
    ComparedSet, Detector, FeatureRule, Features, PairParts, Rule, Signature, SignatureRule,
    Verdict,
};
use lookalike_index::{DocumentId, WordStore};

use super::features::FeatureStore;
use super::judged::Words;
use super::outlines::Outlines;
use crate::cluster::{Effort, Judge};
use crate::{Interrupt, RunError};

/// Comparisons of a document after which outlines are looked at before its features.
const WORTH_OUTLINES: usize = 3;

/// Judges candidate pairs of a signed corpus.
pub struct BatchJudge<'a> {
    rule: Rule<'a>,
    parts: Stores,
    beforehand: Beforehand<'a>,
    interrupt: &'a Interrupt,
    /// What the guard leaves out.
    repeated: Option<RepeatedRuns>,
    /// One for each thread, so that none ever waits.
    held: Vec<Mutex<HeldDocument>>,
}

/// What the rule compares; those that it has no part for are not there.
pub struct Stores {
    /// Signatures by document.
    pub signatures: Option<WordStore>,
    /// Exact features of those that are compared.
    pub features: Option<FeatureStore>,
    /// What tells most failures.
    pub outlines: Outlines,
}

/// What is known of documents before they are compared.
#[derive(Clone, Copy)]
pub struct Beforehand<'a> {
    /// What people said, which stands above every comparison.
    pub words: &'a Words,
    /// What makes copies, by document.
    pub identities: &'a [u128],
    /// Documents below this number are new, and go if they are found among the others, which stay;
    /// without sides the better one in keep order stays.
    pub n_new: Option<usize>,
}

/// What a thread keeps between two verdicts: the left document is mostly the same.
///
/// Aligned, so that no two threads write to one line of the cache.
#[derive(Default)]
#[repr(align(128))]
struct HeldDocument {
    left_signature_of: Option<DocumentId>,
    left_signature: Signature,
    right_signature: Signature,
    left_features: Option<(DocumentId, Arc<Features>)>,
    /// Made when the left one is compared with a second document.
    left_filter: Option<RunFilter>,
    /// Made when the guard asks for them.
    left_runs: OnceLock<RunsThatStay>,
    /// How many documents the left one was compared with since it was fetched.
    compared: usize,
    words: Vec<u64>,
    /// Room for outlines that are not kept.
    outlines: [Vec<u64>; 2],
}

impl Beforehand<'_> {
    /// Whether two documents are copies.
    pub fn are_copies(&self, left: DocumentId, right: DocumentId) -> bool {
        self.identities[left.0 as usize] == self.identities[right.0 as usize]
    }
}

impl<'a> BatchJudge<'a> {
    /// A judge with the signatures and exact features that the method compares.
    pub fn new(
        detector: &'a Detector,
        parts: Stores,
        beforehand: Beforehand<'a>,
        interrupt: &'a Interrupt,
    ) -> Result<Self, RunError> {
        let rule = detector.rule();
        if rule.signatures.is_some() && parts.signatures.is_none() {
            return Err(RunError::MissingStore("signatures"));
        }
        if rule.features.is_some() && parts.features.is_none() {
            return Err(RunError::MissingStore("features"));
        }
        let held = (0..=rayon::current_num_threads()).map(|_| Mutex::default()).collect();
        Ok(Self { rule, parts, beforehand, interrupt, repeated: None, held })
    }

    /// Takes the guard away, or brings it back.
    pub fn guarded(&mut self, detector: &'a Detector, guards: bool) {
        self.rule = detector.rule();
        if !guards {
            self.rule.features = self.rule.features.and_then(FeatureRule::unguarded);
        }
    }

    /// Leaves out what many documents repeat, if most of the `copies`, each with its keeper, that the
    /// guard would keep are pages in the frame of a site.
    pub fn leave_out_frames(
        &mut self,
        n_documents: u32,
        copies: impl Iterator<Item = (DocumentId, DocumentId)>,
    ) -> Result<(), RunError> {
        let (Some(rule), Some(store)) = (self.rule.features, &self.parts.features) else {
            return Ok(());
        };
        let mut refused = Vec::new();
        for (document, keeper) in copies {
            if !rule.accounts_for(&*store.read(document)?, &*store.read(keeper)?) {
                refused.push((document, keeper));
            }
        }
        if refused.is_empty() {
            return Ok(());
        }
        let mut n_runs = 0;
        for document in (0..n_documents).map(DocumentId) {
            n_runs += store.find(document)?.map_or(0, |found| rule.runs(&found).len() as u64);
        }
        let mut repeated = RepeatedRuns::new(n_runs);
        for document in (0..n_documents).map(DocumentId) {
            if let Some(features) = store.find(document)? {
                repeated.add(rule.runs(&features));
            }
        }
        let mut n_framed = 0;
        for (document, keeper) in &refused {
            let (goes, kept) = (store.read(*document)?, store.read(*keeper)?);
            n_framed += usize::from(rule.is_framed(&goes, &kept, &repeated));
        }
        self.repeated = (n_framed * 2 >= refused.len()).then_some(repeated);
        Ok(())
    }

    /// What was compared, which nobody needs after the last verdict.
    pub fn into_stores(self) -> Stores {
        self.parts
    }

    /// The verdict on two documents, in a crowd or not, and what it took.
    fn judge_pair(
        &self,
        left: DocumentId,
        right: DocumentId,
        in_crowd: bool,
    ) -> Result<(Verdict, Effort), RunError> {
        self.interrupt.check()?;
        let is_new = |document: DocumentId, n_new: usize| (document.0 as usize) < n_new;
        let n_new = self.beforehand.n_new;
        let right_stays = n_new.is_some_and(|n| is_new(left, n) && !is_new(right, n));
        let mut pair = StoredPair {
            parts: &self.parts,
            beforehand: self.beforehand,
            held: &mut self.held(),
            documents: [left, right],
            right_stays,
            in_crowd,
            effort: Effort::Little,
        };
        let repeated = self.repeated.as_ref();
        let features = self.rule.features.map(|rule| rule.leaving_out(repeated));
        let verdict = Rule { features, ..self.rule }.judge(&mut pair)?;
        Ok((verdict, pair.effort))
    }

    /// The share of a document's words that stand in its keeper, where a guard asks.
    pub fn accounted(
        &self,
        keeper: DocumentId,
        document: DocumentId,
    ) -> Result<Option<f64>, RunError> {
        let (Some(rule), Some(store)) = (self.rule.features, &self.parts.features) else {
            return Ok(None);
        };
        let (goes, stays) = (store.read(document)?, store.read(keeper)?);
        Ok(rule.accounted(&goes, &stays))
    }

    fn held(&self) -> MutexGuard<'_, HeldDocument> {
        let last = self.held.len() - 1;
        let thread = rayon::current_thread_index().unwrap_or(last).min(last);
        self.held[thread].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Two documents of the batch.
struct StoredPair<'j> {
    parts: &'j Stores,
    beforehand: Beforehand<'j>,
    held: &'j mut HeldDocument,
    documents: [DocumentId; 2],
    right_stays: bool,
    /// Nearly all pairs of a crowd fail: it may be worth to look for a cheap reason first.
    in_crowd: bool,
    effort: Effort,
}

impl PairParts for StoredPair<'_> {
    type Error = RunError;

    fn certain(&mut self) -> Result<Option<Verdict>, RunError> {
        let [left, right] = self.documents;
        let said = self.beforehand.words.verdict(left, right);
        // Copies are candidates where one of them was kept apart from a third document.
        let are_copies = || self.beforehand.are_copies(left, right).then_some(Verdict::COPIES);
        Ok(said.or_else(are_copies))
    }

    fn by_signatures(&mut self, rule: SignatureRule<'_>) -> Result<Verdict, RunError> {
        let store = self.parts.signatures.as_ref().ok_or(RunError::MissingStore("signatures"))?;
        self.held.judge_signatures(rule, store, self.documents)
    }

    fn by_features(&mut self, rule: FeatureRule<'_>) -> Result<Verdict, RunError> {
        let store = self.parts.features.as_ref().ok_or(RunError::MissingStore("features"))?;
        if self.in_crowd {
            if let Some(effort) = self.excluded_by_outlines(rule, store)? {
                self.effort = effort;
                return Ok(Verdict::NOT_COMPARED);
            }
        } else if self.parts.signatures.is_none() && self.outlines_exclude(rule, store)? {
            return Ok(Verdict::NOT_COMPARED);
        }
        self.effort = Effort::Full;
        self.held.judge_features(rule, store, self.documents, self.right_stays)
    }
}

impl StoredPair<'_> {
    /// What it took to exclude, by the outlines of two documents, that they are duplicates; nothing where
    /// that is left open.
    fn excluded_by_outlines(
        &mut self,
        rule: FeatureRule<'_>,
        store: &FeatureStore,
    ) -> Result<Option<Effort>, RunError> {
        let ([left, right], outlines) = (self.documents, &self.parts.outlines);
        // Never says more than the outlines would, so that no effort counts otherwise.
        if outlines.exclude_at_a_glance(rule, self.documents) {
            return Ok(Some(Effort::Little));
        }
        let [left_room, right_room] = &mut self.held.outlines;
        let left = outlines.of(left, rule, store, left_room)?;
        let right = outlines.of(right, rule, store, right_room)?;
        if !rule.may_be_duplicates(left, right) {
            return Ok(Some(Effort::Little));
        }
        // What a comparison would cost is what counts, so that as many pairs are compared in any case.
        Ok((!rule.may_closely_be_duplicates(left, right)).then_some(Effort::Full))
    }

    /// Whether outlines that are at hand, or can be kept, exclude that two documents are duplicates.
    ///
    /// Only for a document with many candidates: most of them are none, and to make an outline takes
    /// longer than a comparison.
    fn outlines_exclude(
        &self,
        rule: FeatureRule<'_>,
        store: &FeatureStore,
    ) -> Result<bool, RunError> {
        let ([left, right], outlines) = (self.documents, &self.parts.outlines);
        if outlines.exclude_at_a_glance(rule, self.documents) {
            return Ok(true);
        }
        let held = self.held.left_features.as_ref();
        let is_held = held.is_some_and(|(document, _)| *document == left);
        if !is_held || self.held.compared < WORTH_OUTLINES {
            return Ok(false);
        }
        let Some(left) = outlines.kept(left, rule, store)? else { return Ok(false) };
        let Some(right) = outlines.kept(right, rule, store)? else { return Ok(false) };
        Ok(!rule.may_closely_be_duplicates(left, right))
    }
}

impl HeldDocument {
    fn judge_signatures(
        &mut self,
        rule: SignatureRule<'_>,
        store: &WordStore,
        [left, right]: [DocumentId; 2],
    ) -> Result<Verdict, RunError> {
        if self.left_signature_of != Some(left) {
            self.left_signature_of = None;
            read_signature(store, left, &mut self.left_signature, &mut self.words)?;
            self.left_signature_of = Some(left);
        }
        read_signature(store, right, &mut self.right_signature, &mut self.words)?;
        Ok(rule.judge(&self.left_signature, &self.right_signature))
    }

    fn judge_features(
        &mut self,
        rule: FeatureRule<'_>,
        store: &FeatureStore,
        [left, right]: [DocumentId; 2],
        right_stays: bool,
    ) -> Result<Verdict, RunError> {
        self.left_features.take_if(|(document, _)| *document != left);
        let (_, left) = match &mut self.left_features {
            Some(held) => {
                self.compared += 1;
                held
            }
            none => {
                (self.compared, self.left_filter) = (0, None);
                self.left_runs = OnceLock::new();
                none.insert((left, store.read(left)?))
            }
        };
        let right = store.read(right)?;
        if self.compared == 1 {
            self.left_filter = rule.filter(left);
        }
        if self.left_filter.as_ref().is_some_and(|filter| !rule.may_pass(filter, &right)) {
            return Ok(Verdict::NOT_COMPARED);
        }
        Ok(if right_stays && rule.is_directed() {
            rule.judge(&right, left)
        } else {
            rule.keeping(&self.left_runs).judge(left, &right)
        })
    }
}

/// Reads a signature into `signature`.
fn read_signature(
    store: &WordStore,
    document: DocumentId,
    signature: &mut Signature,
    words: &mut Vec<u64>,
) -> Result<(), RunError> {
    let found = store.read(document, words)?;
    let found = found.ok_or(RunError::MissingPart("signature", document))?;
    signature.0.clear();
    signature.0.extend_from_slice(found);
    Ok(())
}

impl Judge for BatchJudge<'_> {
    type Error = RunError;

    fn keys_decide(&self) -> bool {
        self.beforehand.words.are_none() && self.rule.is_of_keys()
    }

    fn judge(&self, left: DocumentId, right: DocumentId) -> Result<Verdict, RunError> {
        Ok(self.judge_pair(left, right, false)?.0)
    }

    fn compared_set(
        &self,
        document: DocumentId,
        values: &mut Vec<u64>,
    ) -> Result<Option<ComparedSet>, RunError> {
        self.interrupt.check()?;
        let Rule { signatures, features } = self.rule;
        if let (Some(rule), Some(store)) = (features, &self.parts.features)
            && rule.measures()
        {
            return Ok(rule.compared_set(&*store.read(document)?, values));
        }
        let (Some(rule), Some(store)) = (signatures, &self.parts.signatures) else {
            return Ok(None);
        };
        let mut signature = Signature::default();
        read_signature(store, document, &mut signature, &mut Vec::new())?;
        Ok(rule.compared_set(&signature, values))
    }

    fn exclude(&self, left: DocumentId, candidates: &[DocumentId], excluded: &mut [bool]) {
        // People's words stand above it. Copies are excluded by nothing.
        if let Rule { signatures: None, features: Some(rule) } = self.rule
            && self.beforehand.words.are_none()
        {
            self.parts.outlines.exclude_all_at_a_glance(rule, left, candidates, excluded);
        }
    }

    fn judge_in_crowd(
        &self,
        left: DocumentId,
        right: DocumentId,
    ) -> Result<(Verdict, Effort), RunError> {
        self.judge_pair(left, right, true)
    }
}
