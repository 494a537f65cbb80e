//! The one judge of a batch: fetches what the detector needs to know of two documents.

use std::borrow::Cow;

use lookalike_detect::{Detector, Features, Prepared, Signature, Verdict};
use lookalike_index::{DocumentId, WordStore};

use super::features::FeatureStore;
use crate::cluster::Judge;
use crate::{Interrupt, RunError};

/// Judges candidate pairs of a signed corpus.
pub struct BatchJudge<'a> {
    /// The method.
    pub detector: &'a Detector,
    /// Signatures, where the method compares them.
    pub signatures: Option<WordStore>,
    /// Exact features, where the method measures them.
    pub features: Option<FeatureStore>,
    /// Stops the judging when set.
    pub interrupt: &'a Interrupt,
}

impl BatchJudge<'_> {
    fn signature(&self, document: DocumentId) -> Result<Option<Signature>, RunError> {
        let Some(store) = &self.signatures else { return Ok(None) };
        let mut buffer = Vec::new();
        Ok(store.read(document, &mut buffer)?.map(|words| Signature(words.to_vec())))
    }

    fn features(&self, document: DocumentId) -> Result<Option<Cow<'_, Features>>, RunError> {
        self.features.as_ref().map_or(Ok(None), |store| store.read(document))
    }
}

impl Judge for BatchJudge<'_> {
    type Error = RunError;

    fn keys_decide(&self) -> bool {
        self.detector.keys_decide()
    }

    fn judge(&self, left: DocumentId, right: DocumentId) -> Result<Verdict, RunError> {
        self.interrupt.check()?;
        let signatures = (self.signature(left)?, self.signature(right)?);
        let features = (self.features(left)?, self.features(right)?);
        let prepared = |signature, features| Prepared { signature, features };
        Ok(self.detector.judge(
            prepared(signatures.0.as_ref(), features.0.as_deref()),
            prepared(signatures.1.as_ref(), features.1.as_deref()),
        ))
    }
}
