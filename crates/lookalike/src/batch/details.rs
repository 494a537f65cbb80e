//! What a confirmed pair shares, for methods that can show it.

use lookalike_detect::{Comparison, Detector, ParagraphMatch};
use lookalike_index::DocumentId;

use super::features::FeatureStore;
use crate::RunError;

/// Compares the documents of confirmed pairs once more, to show what they share.
pub struct PairDetails {
    pub(super) detector: Detector,
    pub(super) features: FeatureStore,
}

impl std::fmt::Debug for PairDetails {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("PairDetails").finish_non_exhaustive()
    }
}

impl PairDetails {
    /// The measures of a pair and the paragraphs that match, by their places in the two texts.
    ///
    /// # Errors
    /// A working file cannot be read.
    pub fn of(
        &self,
        left: DocumentId,
        right: DocumentId,
    ) -> Result<Option<(Comparison, Vec<ParagraphMatch>)>, RunError> {
        let (left, right) = (self.features.read(left)?, self.features.read(right)?);
        let (Some(left), Some(right)) = (left, right) else { return Ok(None) };
        let comparison = self.detector.measure(&left, &right);
        Ok(comparison.map(|comparison| (comparison, self.detector.matches(&left, &right))))
    }
}
