//! Counting: one pass over a collection, in as many builders as there are threads.

use lookalike_text::{Analyzer, AnalyzerConfig, TokenizedDocument};

use crate::{DistinctHashes, Statistics, StatisticsError};

/// Counts documents; two builders can be merged.
///
/// 16 bytes a slot of a table that is between one third and two thirds full, and the texts of the
/// terms on top where [`StatisticsBuilder::with_terms`] asks for them.
#[derive(Debug, Default)]
pub struct StatisticsBuilder {
    statistics: Statistics,
    keeps_terms: bool,
    distinct: DistinctHashes,
    /// For the tokenizer.
    buffer: String,
}

impl StatisticsBuilder {
    /// A builder for terms made by this analyzer.
    pub fn new(analyzer: AnalyzerConfig) -> Self {
        Self { statistics: Statistics { analyzer, ..Statistics::default() }, ..Self::default() }
    }

    /// Also keeps the texts of the terms, so that a lexicon can be read by people.
    pub fn with_terms(mut self) -> Self {
        self.keeps_terms = true;
        self
    }

    /// Counts the distinct terms of one document.
    pub fn add(&mut self, document: &TokenizedDocument) {
        if self.keeps_terms {
            self.distinct.clear();
            for token in document.tokens() {
                if self.distinct.insert(token.hash) {
                    self.count_with_text(token.hash, document.term(token));
                }
            }
            self.count_document(document.len() as u64);
        } else {
            let hashes = document.tokens().iter().map(|token| token.hash);
            self.add_hashes(hashes);
        }
    }

    /// Counts the distinct terms of a text; `analyzer` must be the one of this builder.
    ///
    /// The fast way: no token is stored.
    pub fn add_text(&mut self, analyzer: &Analyzer, text: &str) {
        debug_assert_eq!(analyzer.config(), &self.statistics.analyzer);
        let mut n_tokens = 0;
        self.distinct.clear();
        if self.keeps_terms {
            analyzer.visit_hashed(text, |term, hash, _| {
                n_tokens += 1;
                if self.distinct.insert(hash) {
                    let slot = self.statistics.table.count(hash, 1);
                    if slot.text == 0 {
                        slot.text = self.statistics.texts.push(term);
                    }
                }
            });
            self.count_document(n_tokens);
        } else {
            analyzer.visit_hashes(text, &mut self.buffer, |some| {
                n_tokens += some.len() as u64;
                for hash in some {
                    self.distinct.insert(*hash);
                }
            });
            self.count_collected(n_tokens);
        }
    }

    /// The hashes of the distinct terms of the document that was counted last.
    ///
    /// A detector whose signature follows from them can sign without reading the text again.
    pub fn distinct(&self) -> &[u64] {
        self.distinct.hashes()
    }

    /// Counts one document from the hashes of its terms, repeated ones included.
    pub fn add_hashes(&mut self, hashes: impl IntoIterator<Item = u64>) {
        self.distinct.clear();
        let mut n_tokens = 0;
        for hash in hashes {
            n_tokens += 1;
            self.distinct.insert(hash);
        }
        self.count_collected(n_tokens);
    }

    /// Counts one document of `n_tokens` terms whose distinct hashes are already known.
    pub fn add_distinct<'a>(&mut self, hashes: impl IntoIterator<Item = &'a u64>, n_tokens: u64) {
        for &hash in hashes {
            self.statistics.table.count(hash, 1);
        }
        self.count_document(n_tokens);
    }

    /// Adds what another builder has counted.
    ///
    /// # Errors
    /// Where the two count terms of different analyzers.
    pub fn merge(&mut self, other: Self) -> Result<(), StatisticsError> {
        let mut smaller = other.statistics;
        if smaller.n_terms() > self.statistics.n_terms() {
            std::mem::swap(&mut smaller, &mut self.statistics);
        }
        self.statistics.absorb(&smaller)
    }

    /// How many documents have been counted.
    pub fn n_documents(&self) -> u64 {
        self.statistics.n_documents
    }

    /// The finished statistics.
    pub fn finish(self) -> Statistics {
        self.statistics.with_texts_in_order()
    }

    fn count_collected(&mut self, n_tokens: u64) {
        for &hash in self.distinct.hashes() {
            self.statistics.table.count(hash, 1);
        }
        self.count_document(n_tokens);
    }

    fn count_with_text(&mut self, hash: u64, term: &str) {
        let slot = self.statistics.table.count(hash, 1);
        if slot.text == 0 {
            slot.text = self.statistics.texts.push(term);
        }
    }

    fn count_document(&mut self, n_tokens: u64) {
        self.statistics.n_documents += 1;
        self.statistics.n_tokens += n_tokens;
    }
}

#[cfg(test)]
mod tests {
    use lookalike_text::term_hash;
    use proptest::prelude::*;

    use super::*;

    fn count(texts: &[String]) -> Statistics {
        let analyzer = Analyzer::new(&AnalyzerConfig::default()).unwrap();
        let mut builder = StatisticsBuilder::new(AnalyzerConfig::default()).with_terms();
        for text in texts {
            builder.add(&analyzer.tokenize(text));
        }
        builder.finish()
    }

    #[test]
    fn a_term_counts_once_a_document() {
        let statistics = count(&["sea sea land".into(), "Sea air".into()]);
        assert_eq!(statistics.n_documents(), 2);
        assert_eq!(statistics.n_tokens(), 5);
        assert_eq!(statistics.n_terms(), 3);
        assert_eq!(statistics.document_frequency(term_hash("sea")), 2);
        assert_eq!(statistics.document_frequency(term_hash("land")), 1);
        assert_eq!(statistics.document_frequency(term_hash("fire")), 0);
        assert_eq!(statistics.term(term_hash("air")), Some("air"));
    }

    #[test]
    fn different_analyzers_refuse_to_merge() {
        let mut left = StatisticsBuilder::new(AnalyzerConfig::default());
        let right = StatisticsBuilder::new(AnalyzerConfig::paper_2008());
        let error = left.merge(right).unwrap_err().to_string();
        assert!(error.contains("different analyzers"), "{error}");
    }

    #[test]
    fn pruning_drops_rare_terms_and_keeps_the_rest() {
        let statistics = count(&["sea land".into(), "sea air".into(), "sea air".into()]);
        let pruned = statistics.prune(2);
        assert_eq!(pruned.n_terms(), 2);
        assert_eq!(pruned.n_documents(), 3);
        assert_eq!(pruned.document_frequency(term_hash("air")), 2);
        assert_eq!(pruned.term(term_hash("sea")), Some("sea"));
        assert_eq!(pruned.document_frequency(term_hash("land")), 0);
        assert_ne!(pruned.fingerprint(), statistics.fingerprint());
    }

    fn collection() -> impl Strategy<Value = Vec<String>> {
        proptest::collection::vec("([a-e]{1,2} ){0,12}", 0..12)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn statistics_of_two_collections_add_up(left in collection(), right in collection()) {
            let together = count(&[left.clone(), right.clone()].concat());
            let merged = count(&left).merge(&count(&right)).unwrap();
            prop_assert_eq!(merged.to_bytes(), together.to_bytes());
        }

        #[test]
        fn every_way_of_adding_counts_the_same(texts in collection()) {
            let analyzer = Analyzer::new(&AnalyzerConfig::default()).unwrap();
            let new = || StatisticsBuilder::new(AnalyzerConfig::default());
            let (mut tokens, mut text) = (new(), new());
            let (mut hashes, mut kept) = (new(), new().with_terms());
            for document in &texts {
                let tokenized = analyzer.tokenize(document);
                tokens.add(&tokenized);
                text.add_text(&analyzer, document);
                hashes.add_hashes(tokenized.tokens().iter().map(|token| token.hash));
                kept.add_text(&analyzer, document);
            }
            let expected = tokens.finish().to_bytes();
            prop_assert_eq!(text.finish().to_bytes(), expected.clone());
            prop_assert_eq!(hashes.finish().to_bytes(), expected);
            prop_assert_eq!(kept.finish().to_bytes(), count(&texts).to_bytes());
        }
    }
}
