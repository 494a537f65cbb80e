//! What a document says that another does not: for people who decide which of the two may go.

use std::ops::Range;

use lookalike_text::Analyzer;

use super::coverage::known;
use crate::Features;
use crate::represent::{RUN, runs_of};

/// The words of a document that stand in no run of words of another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alone {
    /// All words of the document.
    pub words: usize,
    /// Those that the other document does not have, in runs.
    pub alone: usize,
    /// The longest passage of such words, in bytes of the text; empty where there is none.
    pub longest: Range<usize>,
}

impl Alone {
    /// What `text` says that `other` does not.
    pub fn of(text: &str, other: &str, analyzer: &Analyzer) -> Self {
        let runs = |hashes: Vec<u64>| match runs_of(hashes) {
            Features::Sequence(runs) => runs,
            _ => Vec::new(),
        };
        let hashes = |text: &str| {
            let tokens = analyzer.tokenize(text);
            (tokens.tokens().iter().map(|token| token.hash).collect::<Vec<u64>>(), tokens)
        };
        let (words, tokens) = hashes(text);
        let known = known(&runs(hashes(other).0));
        let n_words = words.len();
        let mut stands = vec![false; n_words];
        for (start, run) in runs(words).iter().enumerate() {
            if known.contains(run) {
                stands[start..n_words.min(start + RUN)].fill(true);
            }
        }
        let (mut longest, mut start) = (0..0, 0);
        for passage in stands.chunk_by(|a, b| a == b) {
            let end = start + passage.len();
            if !passage[0] && end - start > longest.len() {
                longest = start..end;
            }
            start = end;
        }
        let bytes = tokens.tokens().get(longest).and_then(|passage| {
            Some(passage.first()?.start as usize..passage.last()?.end as usize)
        });
        Self {
            words: n_words,
            alone: stands.iter().filter(|stands| !**stands).count(),
            longest: bytes.unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use lookalike_text::AnalyzerConfig;

    use super::*;

    #[test]
    fn the_longest_passage_that_only_one_text_has_is_found() {
        let analyzer = Analyzer::new(&AnalyzerConfig::default()).unwrap();
        let other = "One two three four five six seven eight, nine ten eleven twelve.";
        let text = format!("Zero. {other} Thirteen and fourteen!");
        let found = Alone::of(&text, other, &analyzer);
        assert_eq!((found.words, found.alone), (16, 4));
        assert_eq!(&text[found.longest], "Thirteen and fourteen");
        let none = Alone { words: 12, ..Alone::default() };
        assert_eq!(Alone::of(other, &text, &analyzer), none);
        assert_eq!(Alone::of("", other, &analyzer), Alone::default());
        assert_eq!(
            Alone::of("seven eight", other, &analyzer).alone,
            2,
            "too short to be a passage"
        );
        assert_eq!(Alone::of("Seven, eight", "seven eight", &analyzer).alone, 0);
    }
}
