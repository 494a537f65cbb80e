//! Word shingles: every run of n words, as one hash each.
//!
//! The hash of a shingle is a pure function of the [`term_hash`](lookalike_text::term_hash) of its
//! words, cheap to roll from one place to the next and easy to compute elsewhere: with
//! M = `0x9e3779b97f4a7c15` and all arithmetic modulo 2^64,
//!
//! ```text
//! shingle(h1 .. hn) = mix64(h1·M^(n-1) + h2·M^(n-2) + ... + hn)
//! ```
//!
//! where `mix64` is the finalizer of `SplitMix64`. A document of fewer than n words has one shingle
//! of all its words, so that such documents are alike only if they are equal.

use lookalike_text::{Analyzer, Document, TokenizedDocument};

use super::sorted_set;
use crate::random::mix64;
use crate::{DescribedFeature, FeatureKind, Features, Represent, Scratch};

/// The odd multiplier of the polynomial: 2^64 divided by the golden ratio.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// The set of shingles of so many words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordShingles {
    /// Words in a shingle, at least 1.
    pub words: usize,
}

impl Represent for WordShingles {
    fn kind(&self) -> FeatureKind {
        FeatureKind::Set
    }

    fn represent(&self, _: &Document<'_>, tokens: &TokenizedDocument) -> Features {
        let mut hashes: Vec<u64> = tokens.tokens().iter().map(|token| token.hash).collect();
        shingle_in_place(&mut hashes, self.words);
        Features::Set(sorted_set(&hashes))
    }

    fn describe(&self, _: &Document<'_>, tokens: &TokenizedDocument) -> Vec<DescribedFeature> {
        let width = self.words.max(1).min(tokens.len().max(1));
        let mut shingles: Vec<_> = tokens
            .tokens()
            .windows(width)
            .map(|window| DescribedFeature {
                feature: shingle_hash(window.iter().map(|token| token.hash)),
                text: window.iter().map(|token| tokens.term(token)).collect::<Vec<_>>().join(" "),
                weight: 1.0,
                place: window[0].start as usize..window[width - 1].end as usize,
            })
            .collect();
        // By feature, the first place of each: the sort is stable.
        shingles.sort_by_key(|shingle| shingle.feature);
        shingles.dedup_by_key(|shingle| shingle.feature);
        shingles.sort_by_key(|shingle| shingle.place.start);
        shingles
    }
}

/// Appends the hashes of a text's words, in reading order.
pub fn word_hashes(analyzer: &Analyzer, text: &str, scratch: &mut Scratch, hashes: &mut Vec<u64>) {
    analyzer.visit_hashes(text, &mut scratch.text, |some| hashes.extend_from_slice(some));
}

/// The hash of one shingle, given the hashes of its words.
pub fn shingle_hash(words: impl IntoIterator<Item = u64>) -> u64 {
    mix64(
        words.into_iter().fold(0, |sum: u64, word| sum.wrapping_mul(MULTIPLIER).wrapping_add(word)),
    )
}

/// Replaces the hashes of a document's words by those of its shingles, in reading order.
pub fn shingle_in_place(hashes: &mut Vec<u64>, width: usize) {
    shingle_from(hashes, 0, width);
}

/// The same for words that begin at a place.
pub fn shingle_from(all: &mut Vec<u64>, begin: usize, width: usize) {
    let hashes = &mut all[begin..];
    let width = width.max(1).min(hashes.len());
    if width == 0 {
        return;
    }
    let oldest = (1..width).fold(1u64, |power, _| power.wrapping_mul(MULTIPLIER));
    let fold = |sum: u64, word: &u64| sum.wrapping_mul(MULTIPLIER).wrapping_add(*word);
    let mut sum = hashes[..width].iter().fold(0, fold);
    let last = hashes.len() - width;
    for place in 0..last {
        let leaving = hashes[place].wrapping_mul(oldest);
        hashes[place] = mix64(sum);
        sum = fold(sum.wrapping_sub(leaving), &hashes[place + width]);
    }
    hashes[last] = mix64(sum);
    all.truncate(begin + last + 1);
}

#[cfg(test)]
mod tests {
    use lookalike_text::AnalyzerConfig;
    use proptest::prelude::*;

    use super::*;

    fn shingles(text: &str, words: usize) -> Features {
        let tokens = Analyzer::new(&AnalyzerConfig::default()).unwrap().tokenize(text);
        WordShingles { words }.represent(&Document::from_text(text), &tokens)
    }

    #[test]
    fn a_document_shorter_than_the_shingle_has_one_shingle_of_all_its_words() {
        assert_eq!(shingles("red house", 5).len(), 1);
        assert_eq!(shingles("a red house by the", 5).len(), 1);
        assert_eq!(shingles("a red house by the sea", 5).len(), 2);
        assert_ne!(shingles("red house", 5), shingles("house red", 5));
        assert!(shingles("", 5).is_empty());
    }

    #[test]
    fn described_shingles_are_the_represented_ones() {
        let text = "to be or not to be or not to be";
        let tokens = Analyzer::new(&AnalyzerConfig::default()).unwrap().tokenize(text);
        let part = WordShingles { words: 3 };
        let described = part.describe(&Document::from_text(text), &tokens);
        let hashes = described.iter().map(|shingle| shingle.feature).collect();
        assert_eq!(Features::set(hashes), part.represent(&Document::from_text(text), &tokens));
        assert_eq!(described[1].text, "be or not");
        assert_eq!(&text[described[1].place.clone()], "be or not");
    }

    #[test]
    fn the_hash_of_a_shingle_never_changes() {
        assert_eq!(shingle_hash([1, 2, 3]), 14374693752645609763);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]
        #[test]
        fn rolling_gives_the_hash_of_each_window(
            words in proptest::collection::vec(any::<u64>(), 0..40), width in 1usize..9,
        ) {
            let mut rolled = words.clone();
            shingle_in_place(&mut rolled, width);
            let windows: Vec<u64> = match words.len() {
                0 => Vec::new(),
                n => words.windows(width.min(n)).map(|w| shingle_hash(w.iter().copied())).collect(),
            };
            prop_assert_eq!(rolled, windows);
        }
    }
}
