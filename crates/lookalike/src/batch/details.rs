//! What a confirmed pair shares, for methods that can show it.

use lookalike_corpus::Corpus;
use lookalike_detect::{Comparison, Detector, ParagraphMatch};
use lookalike_index::{DocumentId, WordStore};

use super::features::{FeatureStore, collect_features};
use crate::{Context, RunError};

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
    /// Re-reads the documents that stand in a pair, by their numbers through all corpora, unless
    /// `early` has their features; `None` where there is no pair. The method must be one that shows
    /// matches.
    pub(super) fn collect(
        corpora: &[&Corpus],
        detector: Detector,
        early: Option<WordStore>,
        in_pairs: &[bool],
        memory_bytes: usize,
        context: &Context<'_>,
    ) -> Result<Option<Self>, RunError> {
        if !in_pairs.contains(&true) {
            return Ok(None);
        }
        // What is shown are the method's own measures, whatever else confirmed the pair.
        let detector = detector.by_its_own_features();
        // A growing file has more rows now; the pass ends by saying so.
        let wanted = |document: DocumentId| in_pairs.get(document.0 as usize) == Some(&true);
        let mut in_pairs = (0..).map(DocumentId).zip(in_pairs).filter(|(_, is_in)| **is_in);
        let has_all =
            early.as_ref().is_some_and(|e| in_pairs.all(|(document, _)| e.contains(document)));
        let corpora: &[&Corpus] = if has_all { &[] } else { corpora };
        let features = collect_features(corpora, &detector, early, wanted, memory_bytes, context)?;
        Ok(Some(Self { detector, features }))
    }

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
        let comparison = self.detector.compare_signed(&left, &right);
        Ok(comparison.map(|comparison| (comparison, self.detector.matches(&left, &right))))
    }
}
