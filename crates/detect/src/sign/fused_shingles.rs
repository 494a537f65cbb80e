//! Text → words → shingles → minima without tokens, sorting or a copy of the text.
//!
//! The same as [`crate::represent::WordShingles`] followed by a signer of sets that looks for
//! minima: these are the same in whatever order and however often elements come.

use lookalike_text::{Analyzer, Document};

use crate::represent::{shingle_in_place, sorted_set, word_hashes};
use crate::sign::{BandedMinwise, Groups, Minima};
use crate::{
    BucketKey, Features, LeftBehind, Rejection, Scratch, SignText, Signature, SignedDocument,
};

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

/// The fused path of methods that sign the minima of shingles.
pub struct FusedShingles<S> {
    /// Cuts texts into words.
    pub analyzer: Analyzer,
    /// Words in a shingle.
    pub words: usize,
    /// Signs the shingles.
    pub sign: S,
    /// Whether the method confirms on the same shingles.
    pub compares_shingles: bool,
}

impl<S> FusedShingles<S> {
    /// Replaces the hashes of a scratch by those of a document's shingles.
    fn fill_shingles(&self, document: &Document<'_>, scratch: &mut Scratch) {
        if self.words == 1 {
            // Words repeat, longer shingles hardly do; and minima of few elements are looked for
            // many times.
            let distinct = &mut scratch.terms.distinct;
            distinct.fill_hashes(&self.analyzer, document.text);
            scratch.hashes.clear();
            scratch.hashes.extend_from_slice(distinct.hashes());
        } else {
            word_hashes(&self.analyzer, document.text, scratch);
        }
        shingle_in_place(&mut scratch.hashes, self.words);
    }
}

impl<S: SignElements> SignText for FusedShingles<S> {
    fn sign_text(
        &self,
        document: &Document<'_>,
        scratch: &mut Scratch,
    ) -> Result<SignedDocument, Rejection> {
        self.fill_shingles(document, scratch);
        if scratch.hashes.is_empty() {
            return Err(Rejection::Empty);
        }
        let mut keys = Vec::new();
        let signature = self.sign.sign_elements(&scratch.hashes, &mut scratch.minima, &mut keys);
        Ok(SignedDocument::new(signature, keys))
    }

    fn features_left_behind(&self) -> Option<LeftBehind> {
        self.compares_shingles.then_some(LeftBehind::Hashes(set_of_hashes))
    }

    fn features(&self, document: &Document<'_>, scratch: &mut Scratch) -> Option<Features> {
        if !self.compares_shingles {
            return None;
        }
        self.fill_shingles(document, scratch);
        Some(set_of_hashes(&scratch.hashes))
    }
}

fn set_of_hashes(hashes: &[u64]) -> Features {
    Features::Set(sorted_set(hashes))
}
