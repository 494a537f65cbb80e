//! Several representations of one document, for methods that combine them.

use std::sync::Arc;

use lookalike_text::{Document, TokenizedDocument};

use crate::{DescribedFeature, FeatureKind, Features, Represent};

/// One view a part, in their order; people see the first.
pub struct SeveralViews(pub Vec<Arc<dyn Represent>>);

impl Represent for SeveralViews {
    fn kind(&self) -> FeatureKind {
        FeatureKind::Several(self.0.iter().map(|part| part.kind()).collect())
    }

    fn represent(&self, document: &Document<'_>, tokens: &TokenizedDocument) -> Features {
        Features::Several(self.0.iter().map(|part| part.represent(document, tokens)).collect())
    }

    fn describe(
        &self,
        document: &Document<'_>,
        tokens: &TokenizedDocument,
    ) -> Vec<DescribedFeature> {
        self.0.first().map(|part| part.describe(document, tokens)).unwrap_or_default()
    }
}
