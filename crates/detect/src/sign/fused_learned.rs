//! Text → signature of learned weights in one pass.
//!
//! It gives what [`crate::represent::learned::LearnedKgrams`] and a signer give.

use lookalike_text::Document;

use crate::represent::learned::LearnedWords;
use crate::{
    Features, Observe, ObserveTerms, Rejection, Scratch, Sign, SignedDocument, WeightedFeature,
};

/// The hot path of `andd`, `andd-cosine` and `andd-jaccard` where k-grams are single words.
pub struct FusedLearned {
    /// Makes the vectors.
    pub words: LearnedWords,
    /// Signs them.
    pub sign: Box<dyn Sign>,
    /// Whether the signer adds up in the order of features, so that it must get them in order.
    pub needs_order: bool,
}

impl FusedLearned {
    fn vector(&self, observed: &[u64], in_order: bool) -> Features {
        let mut vector: Vec<WeightedFeature> = self.words.vector(observed);
        if in_order {
            vector.sort_unstable_by_key(|entry| entry.feature);
        }
        Features::Weighted(vector)
    }
}

impl Observe for FusedLearned {
    fn observe(&self, document: &Document<'_>, scratch: &mut Scratch, observed: &mut Vec<u64>) {
        self.words.observer().observe(document, scratch, observed);
    }

    fn weigh(&self, observed: &[u64], _: &mut Scratch) -> Result<SignedDocument, Rejection> {
        SignedDocument::of(self.sign.as_ref(), &self.vector(observed, self.needs_order))
    }

    fn weigh_keys(&self, observed: &[u64], _: &mut Scratch) -> Result<SignedDocument, Rejection> {
        SignedDocument::keys_of(self.sign.as_ref(), &self.vector(observed, self.needs_order))
    }

    fn features(&self, observed: &[u64]) -> Option<Features> {
        Some(self.vector(observed, true))
    }
}
