//! Text → words → shingles → minima without tokens, sorting or a copy of the text.
//!
//! It gives what [`crate::represent::WordShingles`] and a signer of sets give that looks for minima:
//! minima do not depend on the order of the elements, nor on how often each comes.

use lookalike_text::{Analyzer, Document};

use crate::represent::{shingle_from, sorted_set, word_hashes};
use crate::sign::{BandedMinwise, Groups, Minima};
use crate::{BucketKey, Features, Observe, Rejection, Scratch, Signature, SignedDocument};

/// Signs a set that is not empty, given its elements in any order, repeated or not.
pub trait SignElements: Send + Sync {
    /// The signature; keys are appended to `keys`, `minima` is memory to reuse.
    fn sign_elements(
        &self,
        elements: &[u64],
        minima: &mut Vec<u64>,
        keys: &mut Vec<BucketKey>,
    ) -> Signature;
}

impl SignElements for BandedMinwise {
    fn sign_elements(
        &self,
        elements: &[u64],
        minima: &mut Vec<u64>,
        keys: &mut Vec<BucketKey>,
    ) -> Signature {
        self.sign_set(elements, minima, keys)
    }
}

impl SignElements for Groups {
    fn sign_elements(
        &self,
        elements: &[u64],
        minima: &mut Vec<u64>,
        keys: &mut Vec<BucketKey>,
    ) -> Signature {
        let groups = self.groups(elements, minima);
        self.group_keys(&groups.0, keys);
        groups
    }
}

impl SignElements for Minima {
    fn sign_elements(
        &self,
        elements: &[u64],
        minima: &mut Vec<u64>,
        keys: &mut Vec<BucketKey>,
    ) -> Signature {
        self.minima(elements, minima);
        self.minima_keys(minima, keys);
        Signature(minima.clone())
    }
}

/// The hot path of methods that sign the minima of shingles.
pub struct FusedShingles<S> {
    /// Cuts texts into words.
    pub analyzer: Analyzer,
    /// Words in a shingle.
    pub words: usize,
    /// Signs the shingles.
    pub sign: S,
}

impl<S: SignElements> Observe for FusedShingles<S> {
    fn observe(&self, document: &Document<'_>, scratch: &mut Scratch, observed: &mut Vec<u64>) {
        let begin = observed.len();
        if self.words == 1 {
            // Words repeat, longer shingles hardly do; and minima of few elements are looked for
            // many times.
            let distinct = &mut scratch.terms.distinct;
            distinct.fill_hashes(&self.analyzer, document.text);
            observed.extend_from_slice(distinct.hashes());
        } else {
            word_hashes(&self.analyzer, document.text, scratch, observed);
        }
        shingle_from(observed, begin, self.words);
    }

    fn weigh(&self, observed: &[u64], scratch: &mut Scratch) -> Result<SignedDocument, Rejection> {
        if observed.is_empty() {
            return Err(Rejection::Empty);
        }
        let mut keys = Vec::new();
        let signature = self.sign.sign_elements(observed, &mut scratch.minima, &mut keys);
        Ok(SignedDocument::new(signature, keys))
    }

    fn features(&self, observed: &[u64]) -> Option<Features> {
        Some(Features::Set(sorted_set(observed)))
    }
}
