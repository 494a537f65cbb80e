//! Word n-grams as a sparse vector: how often each occurs, and how rare its words are.

use std::sync::Arc;

use lookalike_statistics::Statistics;
use lookalike_text::{Document, Token, TokenizedDocument};
use serde::{Deserialize, Serialize};

use super::{WordShingles, shingle_hash};
use crate::{DescribedFeature, FeatureKind, Features, Represent, WeightedFeature};

/// What an n-gram of a document weighs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weighting {
    /// 1, however often it occurs.
    Binary,
    /// How often it occurs.
    #[default]
    Tf,
    /// How often it occurs, times `ln(N / df)`.
    TfIdf,
}

impl Weighting {
    /// Whether collection statistics are needed.
    pub fn needs_statistics(self) -> bool {
        self == Self::TfIdf
    }
}

/// The n-grams of a document with their weights.
///
/// The statistics count words, so the idf of a longer n-gram is that of its rarest word: the
/// n-gram occurs in no more documents than that word.
#[derive(Clone, Debug)]
pub struct WeightedGrams {
    words: usize,
    weighting: Weighting,
    statistics: Option<Arc<Statistics>>,
}

impl WeightedGrams {
    /// n-grams of so many words; `statistics` are used for [`Weighting::TfIdf`] only.
    pub fn new(words: usize, weighting: Weighting, statistics: Option<Arc<Statistics>>) -> Self {
        let statistics = statistics.filter(|_| weighting.needs_statistics());
        Self { words: words.max(1), weighting, statistics }
    }

    /// The weight of one occurrence.
    fn once(&self, gram: &[Token]) -> f32 {
        let Some(statistics) = &self.statistics else { return 1.0 };
        gram.iter().map(|token| statistics.idf(token.hash) as f32).fold(0.0, f32::max)
    }
}

impl Represent for WeightedGrams {
    fn kind(&self) -> FeatureKind {
        FeatureKind::Weighted
    }

    fn represent(&self, _: &Document<'_>, tokens: &TokenizedDocument) -> Features {
        if tokens.is_empty() {
            return Features::Weighted(Vec::new());
        }
        let mut entries: Vec<WeightedFeature> = tokens
            .tokens()
            .windows(self.words.min(tokens.len()))
            .map(|gram| WeightedFeature {
                feature: gram_hash(gram.iter().map(|token| token.hash)),
                weight: self.once(gram),
            })
            .collect();
        entries.sort_unstable_by_key(|entry| entry.feature);
        entries.dedup_by(|next, kept| {
            let same = next.feature == kept.feature;
            if same && self.weighting != Weighting::Binary {
                kept.weight += next.weight;
            }
            same
        });
        Features::Weighted(entries)
    }

    fn describe(
        &self,
        document: &Document<'_>,
        tokens: &TokenizedDocument,
    ) -> Vec<DescribedFeature> {
        let features = self.represent(document, tokens);
        let mut described = WordShingles { words: self.words }.describe(document, tokens);
        for gram in &mut described {
            if self.words == 1 {
                gram.feature = tokens
                    .tokens()
                    .iter()
                    .find(|token| token.start as usize == gram.place.start)
                    .map_or(gram.feature, |token| token.hash);
            }
            let entries = features.as_weighted();
            let entry = entries.binary_search_by_key(&gram.feature, |entry| entry.feature);
            gram.weight = entry.map_or(0.0, |place| f64::from(entries[place].weight));
        }
        described
    }
}

/// The feature of an n-gram: a single word is known by its own hash, as everywhere.
pub(crate) fn gram_hash(words: impl ExactSizeIterator<Item = u64>) -> u64 {
    let mut words = words;
    if words.len() == 1 { words.next().unwrap_or(0) } else { shingle_hash(words) }
}

#[cfg(test)]
mod tests {
    use lookalike_statistics::StatisticsBuilder;
    use lookalike_text::{Analyzer, AnalyzerConfig, term_hash};

    use super::*;

    fn weights(grams: &WeightedGrams, text: &str) -> Vec<(String, f64)> {
        let tokens = Analyzer::new(&AnalyzerConfig::default()).unwrap().tokenize(text);
        let document = Document::from_text(text);
        let described = grams.describe(&document, &tokens);
        assert_eq!(described.len(), grams.represent(&document, &tokens).len());
        described.into_iter().map(|gram| (gram.text, gram.weight)).collect()
    }

    #[test]
    fn words_count_as_often_as_they_occur_or_once() {
        let tf = WeightedGrams::new(1, Weighting::Tf, None);
        assert_eq!(
            weights(&tf, "to be or not to be"),
            [("to".into(), 2.0), ("be".into(), 2.0), ("or".into(), 1.0), ("not".into(), 1.0)]
        );
        let binary = WeightedGrams::new(2, Weighting::Binary, None);
        assert!(weights(&binary, "to be or to be").iter().all(|(_, weight)| *weight == 1.0));
    }

    #[test]
    fn the_rarest_word_gives_an_n_gram_its_idf() {
        let analyzer = Analyzer::new(&AnalyzerConfig::default()).unwrap();
        let mut builder = StatisticsBuilder::new(AnalyzerConfig::default());
        for text in ["the cat", "the dog", "the cat", "the cow"] {
            builder.add(&analyzer.tokenize(text));
        }
        let statistics = Arc::new(builder.finish());
        let idf = statistics.idf(term_hash("dog"));
        let grams = WeightedGrams::new(2, Weighting::TfIdf, Some(statistics));
        let found = weights(&grams, "the dog the dog");
        assert_eq!(found[0].0, "the dog");
        assert!((found[0].1 - 2.0 * idf).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn a_single_word_is_known_by_its_own_hash() {
        assert_eq!(gram_hash([7].into_iter()), 7);
        assert_eq!(gram_hash([7, 8].into_iter()), shingle_hash([7, 8]));
    }
}
