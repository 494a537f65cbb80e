//! The distinct words of a document, each as its hash: what the verifiers measure.

use std::borrow::Cow;

use lookalike_text::{Analyzer, Document, TokenizedDocument};

use crate::{DescribedFeature, FeatureKind, Features, Represent};

/// The set of word hashes.
#[derive(Debug, Default)]
pub struct WordSet {
    /// Makes the words where they are others than those of the method.
    pub analyzer: Option<Analyzer>,
}

/// The tokens of a text by an analyzer of one's own, or else those of the method.
pub(super) fn own_tokens<'t>(
    analyzer: Option<&Analyzer>,
    text: &str,
    tokens: &'t TokenizedDocument,
) -> Cow<'t, TokenizedDocument> {
    analyzer.map_or(Cow::Borrowed(tokens), |own| Cow::Owned(own.tokenize(text)))
}

impl Represent for WordSet {
    fn kind(&self) -> FeatureKind {
        FeatureKind::Set
    }

    fn represent(&self, document: &Document<'_>, tokens: &TokenizedDocument) -> Features {
        let tokens = own_tokens(self.analyzer.as_ref(), document.text, tokens);
        Features::set(tokens.tokens().iter().map(|token| token.hash).collect())
    }

    fn describe(
        &self,
        document: &Document<'_>,
        tokens: &TokenizedDocument,
    ) -> Vec<DescribedFeature> {
        let tokens = own_tokens(self.analyzer.as_ref(), document.text, tokens);
        let mut described: Vec<DescribedFeature> = tokens
            .tokens()
            .iter()
            .map(|token| DescribedFeature {
                feature: token.hash,
                text: tokens.term(token).to_owned(),
                weight: 1.0,
                place: token.start as usize..token.end as usize,
            })
            .collect();
        described.sort_by_key(|feature| (feature.feature, feature.place.start));
        described.dedup_by_key(|feature| feature.feature);
        described
    }
}
