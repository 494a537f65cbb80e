//! A sample of a document's shingles: those whose hash a number divides.

use lookalike_text::{Document, TokenizedDocument};

use super::{WordShingles, shingle_in_place};
use crate::{DescribedFeature, FeatureKind, Features, Represent};

/// The shingles of so many words whose hash is 0 modulo a number.
///
/// The same shingles are chosen in every document, so that the samples have about the Jaccard of
/// the whole sets (Broder, Glassman, Manasse, Zweig 1997). A short document may keep none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelectedShingles {
    /// Words in a shingle.
    pub words: usize,
    /// One shingle in so many is kept.
    pub modulus: u64,
}

impl SelectedShingles {
    fn keeps(&self, shingle: u64) -> bool {
        shingle.is_multiple_of(self.modulus.max(1))
    }
}

impl Represent for SelectedShingles {
    fn kind(&self) -> FeatureKind {
        FeatureKind::Set
    }

    fn represent(&self, _: &Document<'_>, tokens: &TokenizedDocument) -> Features {
        let mut shingles: Vec<u64> = tokens.tokens().iter().map(|token| token.hash).collect();
        shingle_in_place(&mut shingles, self.words);
        shingles.retain(|shingle| self.keeps(*shingle));
        Features::set(shingles)
    }

    fn describe(
        &self,
        document: &Document<'_>,
        tokens: &TokenizedDocument,
    ) -> Vec<DescribedFeature> {
        let mut shingles = WordShingles { words: self.words }.describe(document, tokens);
        shingles.retain(|shingle| self.keeps(shingle.feature));
        shingles
    }
}

#[cfg(test)]
mod tests {
    use lookalike_text::{Analyzer, AnalyzerConfig};

    use super::*;

    #[test]
    fn about_one_shingle_in_so_many_is_kept() {
        let text = (0..5000).map(|i| format!("w{i}")).collect::<Vec<_>>().join(" ");
        let tokens = Analyzer::new(&AnalyzerConfig::default()).unwrap().tokenize(&text);
        let document = Document::from_text(&text);
        let part = SelectedShingles { words: 3, modulus: 25 };
        let kept = part.represent(&document, &tokens);
        assert!((150..250).contains(&kept.len()), "{}", kept.len());
        assert_eq!(part.describe(&document, &tokens).len(), kept.len());
        let all = SelectedShingles { words: 3, modulus: 1 }.represent(&document, &tokens);
        assert_eq!(all.len(), 4998);
    }
}
