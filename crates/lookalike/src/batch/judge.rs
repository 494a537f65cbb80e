//! The one judge of a batch: fetches what the detector needs to know of two documents.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lookalike_detect::{Detector, Features, Prepared, Signature, Verdict};
use lookalike_index::{DocumentId, WordStore};

use super::features::FeatureStore;
use crate::cluster::Judge;
use crate::{Interrupt, RunError};

/// Judges candidate pairs of a signed corpus.
pub struct BatchJudge<'a> {
    detector: &'a Detector,
    signatures: Option<WordStore>,
    features: Option<FeatureStore>,
    interrupt: &'a Interrupt,
    /// One for each thread, so that none ever waits.
    desks: Vec<Mutex<Desk>>,
}

/// What a thread keeps between two verdicts: the left document is mostly the same.
#[derive(Default)]
struct Desk {
    left: Option<DocumentId>,
    left_signature: Signature,
    right_signature: Signature,
    left_features: Option<Arc<Features>>,
    words: Vec<u64>,
}

impl<'a> BatchJudge<'a> {
    /// A judge with the signatures and exact features that the detector needs.
    pub fn new(
        detector: &'a Detector,
        signatures: Option<WordStore>,
        features: Option<FeatureStore>,
        interrupt: &'a Interrupt,
    ) -> Self {
        let desks = (0..=rayon::current_num_threads()).map(|_| Mutex::default()).collect();
        Self { detector, signatures, features, interrupt, desks }
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        let last = self.desks.len() - 1;
        let thread = rayon::current_thread_index().unwrap_or(last).min(last);
        self.desks[thread].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads a signature into `signature`; whether there is one.
    fn read_signature(
        &self,
        document: DocumentId,
        signature: &mut Signature,
        words: &mut Vec<u64>,
    ) -> Result<bool, RunError> {
        let Some(store) = &self.signatures else { return Ok(false) };
        let Some(found) = store.read(document, words)? else { return Ok(false) };
        signature.0.clear();
        signature.0.extend_from_slice(found);
        Ok(true)
    }

    fn features(&self, document: DocumentId) -> Result<Option<Arc<Features>>, RunError> {
        self.features.as_ref().map_or(Ok(None), |store| store.read(document))
    }
}

impl Desk {
    /// Puts a left document on the desk, unless it lies there already.
    fn place(&mut self, judge: &BatchJudge<'_>, left: DocumentId) -> Result<(), RunError> {
        if self.left == Some(left) {
            return Ok(());
        }
        self.left = None;
        judge.read_signature(left, &mut self.left_signature, &mut self.words)?;
        self.left_features = judge.features(left)?;
        self.left = Some(left);
        Ok(())
    }
}

impl Judge for BatchJudge<'_> {
    type Error = RunError;

    fn keys_decide(&self) -> bool {
        self.detector.keys_decide()
    }

    fn judge(&self, left: DocumentId, right: DocumentId) -> Result<Verdict, RunError> {
        self.interrupt.check()?;
        let desk = &mut *self.desk();
        desk.place(self, left)?;
        if self.read_signature(right, &mut desk.right_signature, &mut desk.words)? {
            let prepared = |signature| Prepared { signature: Some(signature), features: None };
            let verdict = self
                .detector
                .judge(prepared(&desk.left_signature), prepared(&desk.right_signature));
            if !verdict.duplicate || self.features.is_none() {
                return Ok(verdict);
            }
        }
        // Only what the signatures let through is fetched and measured.
        let right_features = self.features(right)?;
        let prepared = |features| Prepared { signature: None, features };
        Ok(self
            .detector
            .judge(prepared(desk.left_features.as_deref()), prepared(right_features.as_deref())))
    }
}
