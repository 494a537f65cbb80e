//! Every run of words of a document in reading order: what a decision about the whole text weighs.
//!
//! Keys and signatures look at a part of a document, such as its long sentences or the words after
//! its stop words. The runs are all of it: numbers, short sentences, headlines. Breaks between
//! sentences, lines and paragraphs do not end a run, so that two texts of the same words have the
//! same runs however they are broken.

use lookalike_text::{Analyzer, Document, TokenizedDocument};

use super::word_set::own_tokens;
use super::{WordShingles, shingle_in_place};
use crate::random::mix64;
use crate::{DescribedFeature, FeatureKind, Features, Represent};

/// Words of a run. Shorter ones are phrases that unrelated texts share; longer ones make a text
/// with a changed word in every line look new (docs/results/decisions.md).
pub const RUN: usize = 8;

/// The sequence of runs. A text of fewer words than a run has one run of all of them.
#[derive(Debug, Default)]
pub struct WordRuns {
    /// Makes the words, of the whole text, where they are others than those of the method.
    pub analyzer: Option<Analyzer>,
}

/// The runs of words with these hashes.
pub(crate) fn runs_of(mut words: Vec<u64>) -> Features {
    let is_short = words.len() < RUN;
    shingle_in_place(&mut words, RUN);
    if is_short && let Some(only) = words.first_mut() {
        // Never equal to a run of a longer text.
        *only = mix64(*only);
    }
    Features::Sequence(words)
}

impl Represent for WordRuns {
    fn kind(&self) -> FeatureKind {
        FeatureKind::Sequence
    }

    fn represent(&self, document: &Document<'_>, tokens: &TokenizedDocument) -> Features {
        let whole = document.whole_text.unwrap_or(document.text);
        let tokens = own_tokens(self.analyzer.as_ref(), whole, tokens);
        runs_of(tokens.tokens().iter().map(|token| token.hash).collect())
    }

    fn describe(
        &self,
        document: &Document<'_>,
        tokens: &TokenizedDocument,
    ) -> Vec<DescribedFeature> {
        let whole = document.whole_text.unwrap_or(document.text);
        let tokens = own_tokens(self.analyzer.as_ref(), whole, tokens);
        WordShingles { words: RUN }.describe(document, &tokens)
    }
}
