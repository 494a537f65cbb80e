//! Text → digest of the whole in one go.
//!
//! It gives what [`crate::represent::WholeText`] gives, followed by [`WholeDigest`], but no term is
//! hashed by itself and none is stored but in the text that is digested.

use lookalike_text::{Analyzer, Document, visible};

use super::WholeDigest;
use crate::represent::{ExactMatch, TERM_SEPARATOR, characters, digest_of_text, separated_symbols};
use crate::{Features, Observe, Rejection, Scratch, SignedDocument};

/// The hot path of `exact`.
#[derive(Debug)]
pub struct FusedText {
    /// Cuts texts into terms.
    pub analyzer: Analyzer,
    /// What is compared.
    pub matching: ExactMatch,
}

impl Observe for FusedText {
    fn observe(&self, document: &Document<'_>, scratch: &mut Scratch, observed: &mut Vec<u64>) {
        let Scratch { text: buffer, bytes, .. } = scratch;
        let mut symbols = Vec::new();
        let compared = if self.matching == ExactMatch::Words {
            let terms = self.analyzer.separated(document.text, TERM_SEPARATOR, buffer, bytes);
            if terms.is_empty() {
                separated_symbols(&visible(document.text), &mut symbols);
                symbols.as_slice()
            } else {
                terms
            }
        } else {
            characters(document.text, self.matching, bytes);
            bytes.as_slice()
        };
        if !compared.is_empty() {
            observed.extend(digest_of_text(compared));
        }
    }

    fn weigh(&self, observed: &[u64], _: &mut Scratch) -> Result<SignedDocument, Rejection> {
        SignedDocument::of(&WholeDigest, &Features::Sequence(observed.to_vec()))
    }
}
