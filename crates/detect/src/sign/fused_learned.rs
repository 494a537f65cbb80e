//! Text → signature of learned weights in one go.
//!
//! The same as [`crate::represent::learned::LearnedKgrams`] followed by a signer, but the vector
//! comes out of one pass over the text.

use lookalike_text::Document;

use crate::represent::learned::{LearnedWords, WordScratch};
use crate::{
    Features, LeftBehind, Rejection, Scratch, Sign, SignText, SignedDocument, WeightedFeature,
};

/// The fused path of `andd`, `andd-cosine` and `andd-jaccard` where k-grams are single words.
pub struct FusedLearned {
    /// Makes the vectors.
    pub words: LearnedWords,
    /// Signs them.
    pub sign: Box<dyn Sign>,
    /// Whether the signer adds up in the order of features, so that it must get them in order.
    pub needs_order: bool,
    /// Whether the vectors are compared as well. Where they are not, somebody may still confirm pairs on
    /// something else.
    pub compares_vectors: bool,
}

impl FusedLearned {
    fn ordered(&self, document: &Document<'_>, scratch: &mut WordScratch) -> Vec<WeightedFeature> {
        let mut vector = self.words.vector(document, scratch);
        vector.sort_unstable_by_key(|entry| entry.feature);
        vector
    }
}

impl SignText for FusedLearned {
    fn sign_text(
        &self,
        document: &Document<'_>,
        scratch: &mut Scratch,
    ) -> Result<SignedDocument, Rejection> {
        let vector = if self.needs_order {
            self.ordered(document, &mut scratch.words)
        } else {
            self.words.vector(document, &mut scratch.words)
        };
        let vector = Features::Weighted(vector);
        let signed = SignedDocument::of(self.sign.as_ref(), &vector);
        scratch.signed = Some(vector);
        signed
    }

    fn sign_observed(
        &self,
        observed: &[u64],
        keys_alone: bool,
        scratch: &mut Scratch,
    ) -> Option<Result<SignedDocument, Rejection>> {
        let mut vector = self.words.vector_of_observed(observed);
        if self.needs_order {
            vector.sort_unstable_by_key(|entry| entry.feature);
        }
        let vector = Features::Weighted(vector);
        let sign = self.sign.as_ref();
        let signed = if keys_alone {
            SignedDocument::keys_of(sign, &vector)
        } else {
            SignedDocument::of(sign, &vector)
        };
        scratch.signed = Some(vector);
        Some(signed)
    }

    fn features_observed(&self, observed: &[u64]) -> Option<Features> {
        if !self.compares_vectors {
            return None;
        }
        let mut vector = self.words.vector_of_observed(observed);
        vector.sort_unstable_by_key(|entry| entry.feature);
        Some(Features::Weighted(vector))
    }

    fn features_left_behind(&self) -> Option<LeftBehind> {
        self.compares_vectors.then_some(LeftBehind::Vector)
    }

    fn features(&self, document: &Document<'_>, scratch: &mut Scratch) -> Option<Features> {
        let vector = || self.ordered(document, &mut scratch.words);
        self.compares_vectors.then(vector).map(Features::Weighted)
    }
}
