//! The longest sentences of a document, each as one hash.

use lookalike_text::segment::{LanguageChoice, paragraphs};
use lookalike_text::{Document, Token, TokenizedDocument};

use super::unnumbered::unnumbered;
use super::{shingle_hash, sorted_set};
use crate::{DescribedFeature, FeatureKind, Features, Represent};

/// The set of a document's longest sentences; of all of them, where none is long.
#[derive(Clone, Copy, Debug)]
pub struct LongSentences {
    /// Sentences of fewer words are not long.
    pub min_words: usize,
    /// The most sentences taken.
    pub count: usize,
    /// Whose abbreviations do not end a sentence.
    pub language: LanguageChoice,
}

impl LongSentences {
    /// The tokens of the chosen sentences, in reading order.
    fn choose<'t>(&self, document: &Document<'_>, tokens: &'t [Token]) -> Vec<&'t [Token]> {
        let language = self.language.of(document.text);
        let mut rest = tokens;
        let mut found = Vec::new();
        for paragraph in paragraphs(document.text) {
            let take = |_, words| found.push(words);
            unnumbered(document.text, &paragraph, language, &mut rest, |_| (), take);
        }
        if found.iter().any(|words| words.len() >= self.min_words) {
            found.retain(|words| words.len() >= self.min_words);
        }
        // Longest first, equal ones by their place: the sort is stable.
        found.sort_by_key(|words| std::cmp::Reverse(words.len()));
        found.truncate(self.count);
        found.sort_by_key(|words| words[0].start);
        found
    }
}

fn feature(words: &[Token]) -> u64 {
    shingle_hash(words.iter().map(|word| word.hash))
}

impl Represent for LongSentences {
    fn kind(&self) -> FeatureKind {
        FeatureKind::Set
    }

    fn represent(&self, document: &Document<'_>, tokens: &TokenizedDocument) -> Features {
        let chosen = self.choose(document, tokens.tokens());
        let hashes: Vec<u64> = chosen.into_iter().map(feature).collect();
        Features::Set(sorted_set(&hashes))
    }

    fn describe(
        &self,
        document: &Document<'_>,
        tokens: &TokenizedDocument,
    ) -> Vec<DescribedFeature> {
        let mut described: Vec<DescribedFeature> = self
            .choose(document, tokens.tokens())
            .into_iter()
            .map(|words| {
                let place = words[0].start as usize..words[words.len() - 1].end as usize;
                let text = document.text[place.clone()].to_owned();
                DescribedFeature { feature: feature(words), text, weight: 1.0, place }
            })
            .collect();
        described.sort_by_key(|sentence| (sentence.feature, sentence.place.start));
        described.dedup_by_key(|sentence| sentence.feature);
        described.sort_by_key(|sentence| sentence.place.start);
        described
    }
}

#[cfg(test)]
mod tests {
    use lookalike_text::{Analyzer, AnalyzerConfig};

    use super::*;

    fn chosen(part: LongSentences, text: &str) -> Vec<String> {
        let tokens = Analyzer::new(&AnalyzerConfig::default()).unwrap().tokenize(text);
        let document = Document::from_text(text);
        let described = part.describe(&document, &tokens);
        assert_eq!(part.represent(&document, &tokens).len(), described.len());
        described.into_iter().map(|sentence| sentence.text).collect()
    }

    const TEXT: &str = "Short one. This sentence has six words.\n\nAnother that has exactly seven \
                        words inside. So be it. This sentence has six words.";

    #[test]
    fn the_longest_sentences_are_chosen() {
        let part = LongSentences { min_words: 6, count: 9, language: LanguageChoice::Auto };
        let long = ["This sentence has six words", "Another that has exactly seven words inside"];
        assert_eq!(chosen(LongSentences { min_words: 5, ..part }, TEXT), long);
        assert_eq!(chosen(LongSentences { count: 1, ..part }, TEXT), long[1..]);
    }

    #[test]
    fn renumbered_clauses_are_the_same_sentences() {
        let part = LongSentences { min_words: 5, count: 9, language: LanguageChoice::Auto };
        let clauses = |numbers: [&str; 2]| {
            let [first, second] = numbers;
            let text = format!(
                "{first} The tenant pays the rent on the first of each month.\n\n{second} No pets \
                 are kept in the house. Neither are boats kept in it at any time."
            );
            chosen(part, &text)
        };
        assert_eq!(clauses(["1.", "(a)"]).len(), 3);
        assert_eq!(clauses(["1.", "(a)"]), clauses(["5.3", "§ 12"]));
        assert_eq!(clauses(["1.", "(a)"]), clauses(["", "- "]));
    }

    #[test]
    fn a_document_without_long_sentences_keeps_all() {
        let part = LongSentences { min_words: 20, count: 9, language: LanguageChoice::Auto };
        assert_eq!(chosen(part, TEXT).len(), 4);
        assert_eq!(chosen(part, "").len(), 0);
    }
}
