//! Text → digest of its terms in one go.
//!
//! The same as [`crate::represent::NormalizedText`] followed by [`WholeDigest`], but no term is
//! hashed by itself and none is stored but in the text that is digested.

use lookalike_text::{Analyzer, Document, visible};

use super::WholeDigest;
use crate::represent::{TERM_SEPARATOR, digest_of_separated, separated_symbols};
use crate::{Features, Rejection, Scratch, SignText, SignedDocument};

/// The fused path of `exact`.
#[derive(Debug)]
pub struct FusedText {
    /// Cuts texts into terms.
    pub analyzer: Analyzer,
}

impl SignText for FusedText {
    fn sign_text(
        &self,
        document: &Document<'_>,
        scratch: &mut Scratch,
    ) -> Result<SignedDocument, Rejection> {
        let Scratch { text: buffer, bytes, .. } = scratch;
        let terms = self.analyzer.separated(document.text, TERM_SEPARATOR, buffer, bytes);
        let mut symbols = Vec::new();
        let terms = if terms.is_empty() {
            separated_symbols(&visible(document.text), &mut symbols);
            symbols.as_slice()
        } else {
            terms
        };
        if terms.is_empty() {
            return Err(Rejection::Empty);
        }
        let features = Features::Sequence(digest_of_separated(terms).to_vec());
        SignedDocument::of(&WholeDigest, &features)
    }
}
