//! The few terms that say most about a document or about each of its sentences, by tf-idf.

use std::sync::Arc;

use lookalike_statistics::Statistics;
use lookalike_text::{Analyzer, Document, Token, TokenizedDocument};
use serde::{Deserialize, Serialize};

use super::learned::ProseWords;
use super::shingle_hash;
use crate::{DescribedFeature, FeatureKind, Features, Represent, WeightedFeature};

/// What has top terms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// The document: each of its top terms is a feature, weighted by tf-idf.
    #[default]
    Document,
    /// Each sentence: its top terms together are one feature.
    Sentence,
}

/// Represents a document by its top terms; stop words are none.
#[derive(Debug)]
pub struct TopTerms {
    level: Level,
    terms: usize,
    is_ordered: bool,
    statistics: Arc<Statistics>,
    stop_words: ProseWords,
}

/// A term among the terms of one text: its hash, first token and tf-idf.
struct Ranked {
    term: u64,
    first: usize,
    weight: f32,
}

impl TopTerms {
    /// The best so many terms of each document or sentence, weighed by the statistics.
    pub fn new(
        level: Level,
        terms: usize,
        statistics: Arc<Statistics>,
        analyzer: &Analyzer,
    ) -> Self {
        let stop_words = ProseWords::new(analyzer);
        Self { level, terms, is_ordered: false, statistics, stop_words }
    }

    /// The same where the order of the terms matters, as the 2014 paper says it does: a document's
    /// term is another feature at another place, and so are a sentence's terms in another order.
    #[must_use]
    pub fn in_order(self) -> Self {
        Self { is_ordered: true, ..self }
    }

    /// A document's feature for the term at this place of its order.
    fn feature(&self, term: u64, place: u64) -> u64 {
        if self.is_ordered { shingle_hash([term, place]) } else { term }
    }

    /// The top terms of `tokens`, which start at `offset` in the document, best first; ties go to
    /// the smaller hash.
    fn rank(&self, tokens: &[Token], offset: usize) -> Vec<Ranked> {
        let mut occurrences: Vec<(u64, usize)> = tokens
            .iter()
            .zip(offset..)
            .filter(|(token, _)| !self.stop_words.contains(token.hash))
            .map(|(token, position)| (token.hash, position))
            .collect();
        occurrences.sort_unstable();
        let mut ranked: Vec<Ranked> = occurrences
            .chunk_by(|left, right| left.0 == right.0)
            .map(|group| Ranked {
                term: group[0].0,
                first: group[0].1,
                weight: (group.len() as f64 * self.statistics.idf(group[0].0)) as f32,
            })
            .filter(|term| term.weight > 0.0)
            .collect();
        ranked.sort_by(|left, right| right.weight.total_cmp(&left.weight));
        ranked.truncate(self.terms);
        ranked
    }

    /// The features with their first token, in ascending order of feature.
    fn features(&self, text: &str, tokens: &[Token]) -> Vec<(WeightedFeature, usize, usize)> {
        let mut features: Vec<_> = match self.level {
            Level::Document => self
                .rank(tokens, 0)
                .iter()
                .zip(0..)
                .map(|(t, place)| {
                    let feature = self.feature(t.term, place);
                    (WeightedFeature { feature, weight: t.weight }, t.first, t.first)
                })
                .collect(),
            Level::Sentence => {
                let sentence = |(from, to): (usize, usize)| {
                    let mut terms: Vec<u64> =
                        self.rank(&tokens[from..to], from).iter().map(|term| term.term).collect();
                    if !self.is_ordered {
                        terms.sort_unstable();
                    }
                    let feature = shingle_hash(terms.iter().copied());
                    (!terms.is_empty()).then_some((
                        WeightedFeature { feature, weight: 1.0 },
                        from,
                        to - 1,
                    ))
                };
                sentences(text, tokens).into_iter().filter_map(sentence).collect()
            }
        };
        features.sort_by_key(|(entry, first, _)| (entry.feature, *first));
        features.dedup_by_key(|(entry, ..)| entry.feature);
        features
    }
}

impl Represent for TopTerms {
    fn kind(&self) -> FeatureKind {
        FeatureKind::Weighted
    }

    fn represent(&self, document: &Document<'_>, tokens: &TokenizedDocument) -> Features {
        let features = self.features(document.text, tokens.tokens());
        Features::Weighted(features.into_iter().map(|(entry, ..)| entry).collect())
    }

    fn describe(
        &self,
        document: &Document<'_>,
        tokens: &TokenizedDocument,
    ) -> Vec<DescribedFeature> {
        let all = tokens.tokens();
        let mut described: Vec<_> = self
            .features(document.text, all)
            .into_iter()
            .map(|(entry, first, last)| {
                let place = all[first].start as usize..all[last].end as usize;
                let text = document.text.get(place.clone()).unwrap_or_default().to_owned();
                let weight = f64::from(entry.weight);
                DescribedFeature { feature: entry.feature, text, weight, place }
            })
            .collect();
        described.sort_by(|left, right| right.weight.total_cmp(&left.weight));
        described
    }
}

/// The sentences as ranges of tokens: cut where a sentence mark or line end stands between two.
fn sentences(text: &str, tokens: &[Token]) -> Vec<(usize, usize)> {
    let mut ranges = Vec::new();
    let mut from = 0;
    for (position, pair) in tokens.windows(2).enumerate() {
        let gap = text.get(pair[0].end as usize..pair[1].start as usize).unwrap_or_default();
        if gap.contains(['.', ';', '?', '!', '。', '；', '？', '！', '\n']) {
            ranges.push((from, position + 1));
            from = position + 1;
        }
    }
    if from < tokens.len() {
        ranges.push((from, tokens.len()));
    }
    ranges
}

#[cfg(test)]
mod tests {
    use lookalike_statistics::StatisticsBuilder;
    use lookalike_text::{AnalyzerConfig, term_hash};

    use super::*;

    fn top_terms(level: Level, terms: usize) -> (TopTerms, Analyzer) {
        let analyzer = Analyzer::new(&AnalyzerConfig::default()).unwrap();
        let mut builder = StatisticsBuilder::new(AnalyzerConfig::default());
        for text in ["fog fog harbor", "harbor ferry", "ferry band", "worms"] {
            builder.add(&analyzer.tokenize(text));
        }
        (TopTerms::new(level, terms, Arc::new(builder.finish()), &analyzer), analyzer)
    }

    #[test]
    fn the_best_terms_are_kept_and_stop_words_are_not() {
        let (represent, analyzer) = top_terms(Level::Document, 2);
        let text = "The fog and the harbor and the fog and the ferry of the band";
        let features = represent.represent(&Document::from_text(text), &analyzer.tokenize(text));
        let mut expected = [term_hash("fog"), term_hash("band")];
        expected.sort_unstable();
        let kept: Vec<u64> = features.as_weighted().iter().map(|entry| entry.feature).collect();
        assert_eq!(kept, expected);
        let described = represent.describe(&Document::from_text(text), &analyzer.tokenize(text));
        assert_eq!((described[0].text.as_str(), described[0].place.clone()), ("fog", 4..7));
    }

    #[test]
    fn in_order_a_term_at_another_place_is_another_feature() {
        let shared = |level, ordered: bool| {
            let (represent, analyzer) = top_terms(level, 3);
            let represent = if ordered { represent.in_order() } else { represent };
            let of = |text: &str| -> Vec<u64> {
                let features =
                    represent.represent(&Document::from_text(text), &analyzer.tokenize(text));
                features.as_weighted().iter().map(|entry| entry.feature).collect()
            };
            // By weight: worms, fog, harbor; and fog, worms, harbor.
            let (left, right) = (of("worms worms fog harbor"), of("worms fog fog fog harbor"));
            left.iter().filter(|feature| right.contains(feature)).count()
        };
        assert_eq!((shared(Level::Document, false), shared(Level::Document, true)), (3, 1));
        assert_eq!((shared(Level::Sentence, false), shared(Level::Sentence, true)), (1, 0));
    }

    #[test]
    fn a_sentence_is_one_feature_whatever_its_less_important_words() {
        let (represent, analyzer) = top_terms(Level::Sentence, 1);
        let of =
            |text: &str| represent.represent(&Document::from_text(text), &analyzer.tokenize(text));
        let features = of("The worms! Ferry, fog? Worms.");
        assert_eq!(features.len(), 2);
        assert_eq!(features, of("Worms and the ferry. Harbor fog"));
    }
}
