//! The whole document as one feature: the sequence of its terms.

use lookalike_text::{Document, TokenizedDocument};
use xxhash_rust::xxh3::Xxh3;

use crate::{DescribedFeature, FeatureKind, Features, Represent};

/// Separates terms in hashed text; no analyzer lets it into a term.
pub(crate) const TERM_SEPARATOR: u8 = 0x1f;

/// The 128-bit hash of all terms in reading order, as two values; nothing for an empty document.
#[derive(Debug)]
pub struct NormalizedText;

impl Represent for NormalizedText {
    fn kind(&self) -> FeatureKind {
        FeatureKind::Sequence
    }

    fn represent(&self, _: &Document<'_>, tokens: &TokenizedDocument) -> Features {
        if tokens.is_empty() {
            return Features::Sequence(Vec::new());
        }
        let mut hasher = Xxh3::new();
        for term in tokens.terms() {
            hasher.update(term.as_bytes());
            hasher.update(&[TERM_SEPARATOR]);
        }
        let digest = hasher.digest128();
        Features::Sequence(vec![(digest >> 64) as u64, digest as u64])
    }

    fn describe(
        &self,
        document: &Document<'_>,
        tokens: &TokenizedDocument,
    ) -> Vec<DescribedFeature> {
        let features = self.represent(document, tokens);
        let Features::Sequence(words) = features else { return Vec::new() };
        words
            .first()
            .map(|&feature| DescribedFeature {
                feature,
                text: format!("the whole text, {} terms", tokens.len()),
                weight: 1.0,
                place: 0..document.text.len(),
            })
            .into_iter()
            .collect()
    }
}
