//! The distinct terms of a document, each as its hash: what the verifiers measure.

use lookalike_text::{Document, TokenizedDocument};

use crate::{DescribedFeature, FeatureKind, Features, Represent};

/// The set of term hashes.
#[derive(Clone, Copy, Debug)]
pub struct TermSet;

impl Represent for TermSet {
    fn kind(&self) -> FeatureKind {
        FeatureKind::Set
    }

    fn represent(&self, _: &Document<'_>, tokens: &TokenizedDocument) -> Features {
        Features::set(tokens.tokens().iter().map(|token| token.hash).collect())
    }

    fn describe(&self, _: &Document<'_>, tokens: &TokenizedDocument) -> Vec<DescribedFeature> {
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
