//! `vectors`: exact cosine or extended Jaccard of word n-gram vectors.
//!
//! cosine = v·w / (|v| |w|), extended Jaccard = v·w / (|v|² + |w|² - v·w), over binary, counted or
//! tf-idf weighted n-grams: the plain vectors that the learned ones of the 2010 paper are measured
//! against. Exact: prefix keys find every pair that reaches the threshold.
//!
//! Choose it as the yardstick for other methods, for short texts, or where weights by rarity
//! matter. It has many keys a document, and at low thresholds the join is slow: `minhash` scales.
//!
//! Single words are ordered by rarity, whatever they weigh, so that the keys are rare words: by
//! hash alone, the most frequent words would be keys of half of all short texts. With binary weights,
//! frequent words of short texts are keys only together with others, so that a million titles are
//! joined in a time that grows with their number.

use std::sync::Arc;

use lookalike_text::{Analyzer, AnalyzerConfig, Document};
use serde::{Deserialize, Serialize};

use crate::measure::{EqualWeights, Similarity};
use crate::represent::{WeightedGrams, Weighting, sorted_set};
use crate::sign::PrefixKeys;
use crate::{
    Artifacts, CandidateSearch, DetectError, Detector, Features, Measure, Observe, Recipe,
    Rejection, Scratch, SignedDocument, WeightedFeature,
};

/// Parameters of `vectors`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct VectorsConfig {
    /// Words in an n-gram.
    #[serde(alias = "ngram-size", alias = "ngram_size")]
    pub ngram: usize,
    /// What an n-gram weighs.
    pub weights: Weighting,
    /// How two vectors are compared.
    pub similarity: Similarity,
    /// The least similarity of a duplicate.
    pub threshold: f64,
    /// What the words are.
    pub analyzer: AnalyzerConfig,
}

impl Default for VectorsConfig {
    fn default() -> Self {
        Self {
            ngram: 1,
            weights: Weighting::Binary,
            similarity: Similarity::Cosine,
            // The near-duplicate of the 2008 paper: cosine of the unique terms.
            threshold: 0.9,
            analyzer: AnalyzerConfig::default(),
        }
    }
}

impl VectorsConfig {
    /// Statistics count words: they order longer n-grams no better than hashes do.
    fn orders_by_rarity(&self) -> bool {
        self.ngram == 1
    }
}

impl Recipe for VectorsConfig {
    const SUMMARY: &'static str = "cosine or extended Jaccard of word n-gram vectors; exact";

    fn analyzer(&self) -> &AnalyzerConfig {
        &self.analyzer
    }

    threshold_of!(field);

    fn needs_statistics(&self) -> bool {
        self.weights.needs_statistics() || self.orders_by_rarity()
    }

    fn search(&self) -> Option<CandidateSearch> {
        Some(CandidateSearch::EveryPair)
    }

    fn build(&self, artifacts: &Artifacts) -> Result<Detector, DetectError> {
        let expected = "an n-gram has at least one word";
        DetectError::unless(self.ngram > 0, ("vectors", "ngram"), self.ngram, expected)?;
        DetectError::unless_threshold("vectors", self.threshold)?;
        let statistics = artifacts.statistics.clone();
        if self.weights.needs_statistics() && statistics.is_none() {
            return Err(DetectError::NoStatistics("vectors"));
        }
        let rarity = statistics.clone().filter(|_| self.orders_by_rarity());
        let mut sign = PrefixKeys::new(self.similarity, self.threshold, rarity, 0);
        let mut measure: Box<dyn Measure> = Box::new(self.similarity);
        if self.weights == Weighting::Binary {
            sign = sign.with_equal_weights();
            measure = Box::new(EqualWeights::new(self.similarity));
        }
        let represent = Arc::new(WeightedGrams::new(self.ngram, self.weights, statistics));
        let analyzer = Analyzer::new(&self.analyzer)?;
        let fused = FusedWords { analyzer: Analyzer::new(&self.analyzer)?, sign: sign.clone() };
        let sign = Box::new(sign);
        // A hair below, so that rounding never drops equal vectors.
        let threshold = self.threshold - 1e-12;
        let plain = Detector::confirmed(analyzer, represent, sign, measure, threshold);
        let is_fused = self.ngram == 1 && self.weights == Weighting::Binary;
        Ok(if is_fused { plain.observed_by(fused) } else { plain })
    }
}

/// Text → distinct words → vector, where every word weighs the same: nothing is counted.
struct FusedWords {
    analyzer: Analyzer,
    sign: PrefixKeys,
}

fn weighing_the_same(words: &[u64]) -> Features {
    let entry = |feature| WeightedFeature { feature, weight: 1.0 };
    Features::Weighted(sorted_set(words).into_iter().map(entry).collect())
}

impl Observe for FusedWords {
    fn observe(&self, document: &Document<'_>, scratch: &mut Scratch, observed: &mut Vec<u64>) {
        let distinct = &mut scratch.terms.distinct;
        distinct.fill_hashes(&self.analyzer, document.text);
        observed.extend_from_slice(distinct.hashes());
    }

    fn weigh(&self, observed: &[u64], _: &mut Scratch) -> Result<SignedDocument, Rejection> {
        SignedDocument::of(&self.sign, &weighing_the_same(observed))
    }

    fn features(&self, observed: &[u64]) -> Option<Features> {
        Some(weighing_the_same(observed))
    }
}

#[cfg(test)]
mod tests {
    use lookalike_statistics::StatisticsBuilder;
    use proptest::prelude::*;

    use super::*;

    fn artifacts(texts: &[String]) -> Artifacts {
        let analyzer = Analyzer::new(&AnalyzerConfig::default()).unwrap();
        let mut builder = StatisticsBuilder::new(AnalyzerConfig::default());
        for text in texts {
            builder.add(&analyzer.tokenize(text));
        }
        Artifacts { statistics: Some(builder.finish().into()), ..Artifacts::default() }
    }

    #[test]
    fn similarities_are_those_of_the_binary_vectors() {
        let score = |similarity| {
            let config = VectorsConfig { similarity, ..VectorsConfig::default() };
            let detector = config.build(&Artifacts::default()).unwrap();
            let [left, right] = ["one two three four", "three four five four"].map(|text| {
                detector.prepare(&Document::from_text(text), &mut Scratch::default()).unwrap()
            });
            detector.score(&left, &right)
        };
        assert!((score(Similarity::Cosine) - 2.0 / 12f64.sqrt()).abs() < 1e-12);
        assert!((score(Similarity::ExtendedJaccard) - 2.0 / 5.0).abs() < 1e-12);
    }

    #[test]
    fn keys_are_rare_words_and_buckets_of_short_texts_stay_small() {
        // Ten words each, of which the most frequent is in two texts of three.
        let texts: Vec<String> = (0..3_000_u64)
            .map(|text| {
                let mut random = crate::random::SplitMix64::new(text);
                let word = |_| format!("w{}", 2000 / (1 + random.next_u64() % 2000));
                (0..10).map(word).collect::<Vec<_>>().join(" ") + &format!(" own{}", text % 1500)
            })
            .collect();
        let detector = VectorsConfig::default().build(&artifacts(&texts)).unwrap();
        let mut buckets = std::collections::BTreeMap::new();
        for text in &texts {
            let document = Document::from_text(text);
            for key in detector.sign(&document, &mut Scratch::default()).unwrap().keys {
                *buckets.entry(key).or_insert(0) += 1;
            }
        }
        let comparisons: usize = buckets.values().map(|size| size * size).sum();
        assert!(comparisons < 30 * texts.len(), "{comparisons} comparisons");
    }

    #[test]
    fn parameters_that_cannot_work_are_refused() {
        let default = VectorsConfig::default;
        for config in [
            VectorsConfig { ngram: 0, ..default() },
            VectorsConfig { threshold: 0.0, ..default() },
            VectorsConfig { weights: Weighting::TfIdf, ..default() },
        ] {
            assert!(config.build(&Artifacts::default()).is_err(), "{config:?}");
        }
    }

    /// Texts of few words, so that pairs of every similarity occur.
    fn texts() -> impl Strategy<Value = Vec<String>> {
        let words = ["red", "green", "blue", "house", "tree", "river", "boat", "road", "hill"];
        let text = proptest::collection::vec(proptest::sample::select(words.to_vec()), 1..20);
        proptest::collection::vec(text.prop_map(|words| words.join(" ")), 2..10)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]
        #[test]
        fn no_pair_that_brute_force_finds_is_missed(
            texts in texts(), tenths in 1u32..=10, ngram in 1usize..3,
            weights in proptest::sample::select(vec![Weighting::Binary, Weighting::Tf, Weighting::TfIdf]),
            similarity in proptest::sample::select(vec![Similarity::Cosine, Similarity::ExtendedJaccard]),
        ) {
            let threshold = f64::from(tenths) / 10.0;
            let config =
                VectorsConfig { ngram, weights, similarity, threshold, ..VectorsConfig::default() };
            let detector = config.build(&artifacts(&texts)).unwrap();
            let mut scratch = Scratch::default();
            let prepared: Vec<_> = texts
                .iter()
                .map(|text| {
                    let document = Document::from_text(text);
                    let signed = detector.sign(&document, &mut scratch);
                    (signed, detector.features(&document, &mut scratch))
                })
                .collect();
            for (left_signed, left) in &prepared {
                for (right_signed, right) in &prepared {
                    if similarity.of(left.as_weighted(), right.as_weighted()) < threshold {
                        continue;
                    }
                    let (left, right) = (left_signed.as_ref().unwrap(), right_signed.as_ref().unwrap());
                    prop_assert!(left.keys.iter().any(|key| right.keys.contains(key)));
                }
            }
        }
    }
}
