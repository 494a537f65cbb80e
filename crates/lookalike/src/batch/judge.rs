//! The one judge of a batch: fetches what the method compares of two documents.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lookalike_detect::{
    ComparedSet, Detector, FeatureRule, Features, Rule, Signature, SignatureRule, Verdict,
};
use lookalike_index::{DocumentId, WordStore};

use super::features::FeatureStore;
use super::outlines::Outlines;
use crate::cluster::{Effort, Judge};
use crate::{Interrupt, RunError};

/// Comparisons of a document after which outlines are looked at before its features.
const WORTH_OUTLINES: usize = 3;

/// Judges candidate pairs of a signed corpus.
pub struct BatchJudge<'a> {
    rule: StoredRule<'a>,
    interrupt: &'a Interrupt,
    outlines: Outlines,
    /// One for each thread, so that none ever waits.
    held: Vec<Mutex<HeldDocument>>,
}

/// The rule of the method with the stores of what it compares.
enum StoredRule<'a> {
    Keys,
    Signatures(SignatureRule<'a>, WordStore),
    Features(FeatureRule<'a>, FeatureStore),
    Both(SignatureRule<'a>, WordStore, FeatureRule<'a>, FeatureStore),
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
    /// How many documents the left one was compared with since it was fetched.
    compared: usize,
    words: Vec<u64>,
    /// Room for outlines that are not kept.
    outlines: [Vec<u64>; 2],
}

impl<'a> BatchJudge<'a> {
    /// A judge with the signatures and exact features that the method compares.
    pub fn new(
        detector: &'a Detector,
        signatures: Option<WordStore>,
        features: Option<FeatureStore>,
        outlines: Outlines,
        interrupt: &'a Interrupt,
    ) -> Result<Self, RunError> {
        let signatures = || signatures.ok_or(RunError::MissingStore("signatures"));
        let features = || features.ok_or(RunError::MissingStore("features"));
        let rule = match detector.rule() {
            Rule::Keys => StoredRule::Keys,
            Rule::Signatures(rule) => StoredRule::Signatures(rule, signatures()?),
            Rule::Features(rule) => StoredRule::Features(rule, features()?),
            Rule::Both(first, then) => StoredRule::Both(first, signatures()?, then, features()?),
        };
        let held = (0..=rayon::current_num_threads()).map(|_| Mutex::default()).collect();
        Ok(Self { rule, interrupt, outlines, held })
    }

    /// What was compared, which nobody needs after the last verdict.
    pub fn into_stores(self) -> (Option<WordStore>, Option<FeatureStore>, Outlines) {
        let (signatures, features) = match self.rule {
            StoredRule::Keys => (None, None),
            StoredRule::Signatures(_, signatures) => (Some(signatures), None),
            StoredRule::Features(_, features) => (None, Some(features)),
            StoredRule::Both(_, signatures, _, features) => (Some(signatures), Some(features)),
        };
        (signatures, features, self.outlines)
    }

    fn held(&self) -> MutexGuard<'_, HeldDocument> {
        let last = self.held.len() - 1;
        let thread = rayon::current_thread_index().unwrap_or(last).min(last);
        self.held[thread].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What it took to exclude, by the outlines of two documents, that they are duplicates; nothing where
    /// that is left open.
    fn excluded_by_outlines(
        &self,
        rule: FeatureRule<'_>,
        store: &FeatureStore,
        held: &mut HeldDocument,
        [left, right]: [DocumentId; 2],
    ) -> Result<Option<Effort>, RunError> {
        // Never says more than the outlines would, so that no effort counts otherwise.
        if self.outlines.exclude_at_a_glance(rule, [left, right]) {
            return Ok(Some(Effort::Little));
        }
        let [left_room, right_room] = &mut held.outlines;
        let left = self.outlines.of(left, rule, store, left_room)?;
        let right = self.outlines.of(right, rule, store, right_room)?;
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
        held: &HeldDocument,
        [left, right]: [DocumentId; 2],
    ) -> Result<bool, RunError> {
        if self.outlines.exclude_at_a_glance(rule, [left, right]) {
            return Ok(true);
        }
        let is_held = held.left_features.as_ref().is_some_and(|(document, _)| *document == left);
        if !is_held || held.compared < WORTH_OUTLINES {
            return Ok(false);
        }
        let Some(left) = self.outlines.kept(left, rule, store)? else { return Ok(false) };
        let Some(right) = self.outlines.kept(right, rule, store)? else { return Ok(false) };
        Ok(!rule.may_closely_be_duplicates(left, right))
    }
}

impl HeldDocument {
    fn judge_signatures(
        &mut self,
        rule: SignatureRule<'_>,
        store: &WordStore,
        left: DocumentId,
        right: DocumentId,
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
        left: DocumentId,
        right: DocumentId,
    ) -> Result<Verdict, RunError> {
        self.left_features.take_if(|(document, _)| *document != left);
        let (_, left) = match &mut self.left_features {
            Some(held) => {
                self.compared += 1;
                held
            }
            none => {
                self.compared = 0;
                none.insert((left, store.read(left)?))
            }
        };
        Ok(rule.judge(left, &*store.read(right)?))
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
        matches!(self.rule, StoredRule::Keys)
    }

    fn judge(&self, left: DocumentId, right: DocumentId) -> Result<Verdict, RunError> {
        self.interrupt.check()?;
        let held = &mut *self.held();
        match &self.rule {
            StoredRule::Keys => Ok(Verdict::COPIES),
            StoredRule::Signatures(rule, store) => held.judge_signatures(*rule, store, left, right),
            StoredRule::Features(rule, store) => {
                if self.outlines_exclude(*rule, store, held, [left, right])? {
                    return Ok(Verdict::NOT_COMPARED);
                }
                held.judge_features(*rule, store, left, right)
            }
            // Only what the signatures let through is fetched and measured.
            StoredRule::Both(first, signatures, then, features) => {
                let verdict = held.judge_signatures(*first, signatures, left, right)?;
                if !verdict.duplicate {
                    return Ok(verdict);
                }
                held.judge_features(*then, features, left, right)
            }
        }
    }

    fn compared_set(
        &self,
        document: DocumentId,
        values: &mut Vec<u64>,
    ) -> Result<Option<ComparedSet>, RunError> {
        self.interrupt.check()?;
        match &self.rule {
            StoredRule::Keys => Ok(None),
            StoredRule::Signatures(rule, store) => {
                let mut signature = Signature::default();
                read_signature(store, document, &mut signature, &mut Vec::new())?;
                Ok(rule.compared_set(&signature, values))
            }
            StoredRule::Features(rule, store) | StoredRule::Both(_, _, rule, store) => {
                Ok(rule.compared_set(&*store.read(document)?, values))
            }
        }
    }

    fn exclude(&self, left: DocumentId, candidates: &[DocumentId], excluded: &mut [bool]) {
        if let StoredRule::Features(rule, _) = &self.rule {
            self.outlines.exclude_all_at_a_glance(*rule, left, candidates, excluded);
        }
    }

    fn judge_in_crowd(
        &self,
        left: DocumentId,
        right: DocumentId,
    ) -> Result<(Verdict, Effort), RunError> {
        let (rule, store) = match &self.rule {
            StoredRule::Keys | StoredRule::Signatures(..) => {
                return Ok((self.judge(left, right)?, Effort::Little));
            }
            StoredRule::Features(rule, store) => (rule, store),
            StoredRule::Both(first, signatures, rule, store) => {
                let verdict = self.held().judge_signatures(*first, signatures, left, right)?;
                if !verdict.duplicate {
                    return Ok((verdict, Effort::Little));
                }
                (rule, store)
            }
        };
        self.interrupt.check()?;
        let held = &mut *self.held();
        if let Some(effort) = self.excluded_by_outlines(*rule, store, held, [left, right])? {
            return Ok((Verdict::NOT_COMPARED, effort));
        }
        Ok((held.judge_features(*rule, store, left, right)?, Effort::Full))
    }
}
