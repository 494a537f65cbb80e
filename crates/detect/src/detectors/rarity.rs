//! `rarity`: documents that share what is rare in this collection.
//!
//! A run of four words weighs as much as the rarest of them, `ln((N + 1) / df)`: nothing where every
//! document has all four, most where no other document has one. The resemblance is the weight of the
//! shared runs over that of all runs of both (`jaccard`), or over that of the heavier document
//! (`least`). What a template repeats counts for little, so that pages of one site are not alike
//! because of their frames. (Rarity of terms in the collection: Chowdhury et al. 2002; n-grams with
//! weights: Hajishirzi et al. 2010.)
//!
//! Weighted minima find the candidates, by default all but one in a hundred pairs at the threshold;
//! the exact weights confirm them. Choose it, with a threshold from `lookalike decide`, for
//! collections whose documents share frames, clauses or formulas. It has to count the collection
//! first, and its scores depend on the collection.

use std::sync::Arc;

use lookalike_statistics::Statistics;
use lookalike_text::{Analyzer, AnalyzerConfig, Document, TokenizedDocument};
use serde::{Deserialize, Serialize};

use crate::measure::{Similarity, squared_length};
use crate::represent::{WordShingles, shingle_hash, word_hashes};
use crate::sign::{Banding, WeightedMinwise, WeightedScheme, squared};
use crate::{
    Artifacts, BandSearch, BucketKey, CandidateSearch, Comparison, DescribedFeature, DetectError,
    Detector, FeatureKind, Features, Measure, Observe, PROMISED_RECALL, Recipe, Rejection,
    Represent, Resemblance, Scratch, Sign, Signature, SignedDocument, WeightedFeature,
};

/// Parameters of `rarity`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RarityConfig {
    /// Words in a run.
    #[serde(alias = "ngram-size", alias = "ngram_size")]
    pub ngram: usize,
    /// What the shared weight is divided by.
    pub share: WeightShare,
    /// The least resemblance of a duplicate.
    pub threshold: f64,
    /// The least probability with which a pair at the threshold becomes a candidate.
    pub recall: f64,
    /// Minima of a document, of which bucket keys are made.
    pub permutations: usize,
    /// Decides the random orders.
    pub seed: u64,
    /// What the words are.
    pub analyzer: AnalyzerConfig,
}

/// What the weight that two documents share is divided by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WeightShare {
    /// The weight of both together.
    #[default]
    Jaccard,
    /// The weight of the heavier one: the share of the document of which less is shared.
    Least,
}

impl Default for RarityConfig {
    fn default() -> Self {
        Self {
            ngram: 4,
            share: WeightShare::Jaccard,
            threshold: 0.4,
            recall: PROMISED_RECALL,
            permutations: 128,
            seed: 1,
            analyzer: AnalyzerConfig::default(),
        }
    }
}

/// Levels of the largest weight in the minima that find candidates.
const LEVELS: f64 = 16.0;

/// What a run weighs that every document has: documents of nothing else are still compared.
const LEAST_RARITY: f64 = 1e-3;

impl RarityConfig {
    /// The weighted Jaccard that a pair at the threshold has at least.
    fn least_jaccard(&self) -> f64 {
        match self.share {
            WeightShare::Jaccard => self.threshold,
            // shared ≥ t·max, and left + right - shared ≤ 2·max - t·max.
            WeightShare::Least => self.threshold / (2.0 - self.threshold),
        }
    }

    fn banding(&self) -> Option<Banding> {
        Banding::for_threshold(self.least_jaccard(), self.recall, self.permutations)
    }
}

fn wrong(parameter: &'static str, value: &dyn ToString, expected: &'static str) -> DetectError {
    DetectError::Parameter { method: "rarity", parameter, value: value.to_string(), expected }
}

impl Recipe for RarityConfig {
    const SUMMARY: &'static str =
        "runs of four words in common, each weighing as much as it is rare in this collection";

    fn analyzer(&self) -> &AnalyzerConfig {
        &self.analyzer
    }

    threshold_of!(field);

    fn needs_statistics(&self) -> bool {
        true
    }

    fn search(&self) -> Option<CandidateSearch> {
        let of = match self.share {
            WeightShare::Jaccard => Resemblance::Compared,
            WeightShare::Least => Resemblance::Other,
        };
        Some(BandSearch { banding: self.banding()?, required: 1, of }.into())
    }

    fn promised_recall(&self) -> f64 {
        self.recall
    }

    fn build(&self, artifacts: &Artifacts) -> Result<Detector, DetectError> {
        DetectError::unless_threshold("rarity", self.threshold)?;
        if !(self.recall > 0.0 && self.recall < 1.0) {
            return Err(wrong("recall", &self.recall, "it must be between 0 and 1"));
        }
        if self.ngram == 0 {
            return Err(wrong("ngram", &0, "a run has at least one word"));
        }
        let too_few = "too few to reach the recall at the threshold; raise it, or lower the recall";
        let banding =
            self.banding().ok_or_else(|| wrong("permutations", &self.permutations, too_few))?;
        let statistics = artifacts.statistics.clone().ok_or(DetectError::NoStatistics("rarity"))?;
        if statistics.analyzer() != &self.analyzer {
            return Err(DetectError::Mismatch(
                "rarity: the statistics were counted with another analyzer; leave out the key \
                 `stats`, or count them with `lookalike stats --method rarity`"
                    .into(),
            ));
        }
        let represent = RareRuns { words: self.ngram, statistics };
        let sign = RarityKeys {
            minima: WeightedMinwise::new(
                WeightedScheme::Unary,
                banding.permutations(),
                (LEVELS / represent.greatest()) as f32,
                self.seed,
            ),
            banding,
            seed: self.seed,
        };
        let fused = FusedRuns {
            analyzer: Analyzer::new(&self.analyzer)?,
            represent: represent.clone(),
            sign: sign.clone(),
        };
        let measure: Box<dyn Measure> = match self.share {
            WeightShare::Jaccard => Box::new(Similarity::ExtendedJaccard),
            WeightShare::Least => Box::new(LeastShare),
        };
        // A hair below, so that rounding never drops equal documents.
        let (analyzer, line) = (Analyzer::new(&self.analyzer)?, self.threshold - 1e-12);
        let (represent, sign) = (Arc::new(represent), Box::new(sign));
        let detector = Detector::confirmed(analyzer, represent, sign, measure, line);
        Ok(detector.observed_by(fused))
    }
}

/// The runs of a document, each with the root of its rarity: products are rarities then.
#[derive(Clone, Debug)]
struct RareRuns {
    words: usize,
    statistics: Arc<Statistics>,
}

impl RareRuns {
    /// `ln((N + 1) / df)`.
    fn rarity(&self, frequency: u32) -> f64 {
        let n_documents = self.statistics.n_documents() as f64;
        ((n_documents + 1.0) / f64::from(frequency.max(1))).ln().max(LEAST_RARITY)
    }

    /// The rarity of a word that no other document has.
    fn greatest(&self) -> f64 {
        self.rarity(1)
    }

    /// The runs of a document, given its words.
    fn of_words(&self, words: &[u64]) -> Features {
        let frequencies: Vec<u32> =
            words.iter().map(|word| self.statistics.document_frequency(*word)).collect();
        let width = self.words.clamp(1, words.len().max(1));
        let runs = words.windows(width).zip(frequencies.windows(width));
        let entry = |(run, frequencies): (&[u64], &[u32])| WeightedFeature {
            feature: shingle_hash(run.iter().copied()),
            weight: self.rarity(frequencies.iter().copied().min().unwrap_or(0)).sqrt() as f32,
        };
        let mut entries: Vec<WeightedFeature> = runs.map(entry).collect();
        entries.sort_unstable_by_key(|entry| entry.feature);
        entries.dedup_by_key(|entry| entry.feature);
        Features::Weighted(entries)
    }
}

impl Represent for RareRuns {
    fn kind(&self) -> FeatureKind {
        FeatureKind::Weighted
    }

    fn represent(&self, _: &Document<'_>, tokens: &TokenizedDocument) -> Features {
        let words: Vec<u64> = tokens.tokens().iter().map(|token| token.hash).collect();
        self.of_words(&words)
    }

    fn describe(
        &self,
        document: &Document<'_>,
        tokens: &TokenizedDocument,
    ) -> Vec<DescribedFeature> {
        let features = self.represent(document, tokens);
        let entries = features.as_weighted();
        let mut described = WordShingles { words: self.words }.describe(document, tokens);
        for run in &mut described {
            let entry = entries.binary_search_by_key(&run.feature, |entry| entry.feature);
            run.weight = entry.map_or(0.0, |place| f64::from(entries[place].weight).powi(2));
        }
        described
    }
}

/// The share of the heavier document's weight that the other one has as well.
#[derive(Clone, Copy, Debug)]
struct LeastShare;

impl Measure for LeastShare {
    fn accepts(&self, kind: &FeatureKind) -> bool {
        *kind == FeatureKind::Weighted
    }

    fn measure(&self, left: &Features, right: &Features) -> Comparison {
        let (left, right) = (left.as_weighted(), right.as_weighted());
        let jaccard = Similarity::ExtendedJaccard.of(left, right);
        let (left, right) = (squared_length(left), squared_length(right));
        // j = s / (l + r - s), so s = j (l + r) / (1 + j).
        let shared = jaccard * (left + right) / (1.0 + jaccard);
        let heavier = left.max(right);
        let share = if heavier > 0.0 { (shared / heavier).clamp(0.0, 1.0) } else { 0.0 };
        Comparison::resemblance(share)
    }
}

/// Bands of weighted minima; there is no signature.
#[derive(Clone, Debug)]
struct RarityKeys {
    minima: WeightedMinwise,
    banding: Banding,
    seed: u64,
}

impl Sign for RarityKeys {
    fn accepts(&self, kind: &FeatureKind) -> bool {
        *kind == FeatureKind::Weighted
    }

    fn sign(&self, features: &Features) -> Result<Signature, Rejection> {
        if features.is_empty() {
            return Err(Rejection::Empty);
        }
        Ok(Signature::default())
    }

    fn bucket_keys(&self, features: &Features, _: &Signature, keys: &mut Vec<BucketKey>) {
        let rarities = squared(features.as_weighted());
        self.banding.keys(self.seed, &self.minima.samples(&rarities), keys);
    }

    fn compare(&self, _: &Signature, _: &Signature) -> Comparison {
        Comparison::resemblance(0.0)
    }
}

/// Text → words → runs, without tokens: what is observed are the words, in order.
struct FusedRuns {
    analyzer: Analyzer,
    represent: RareRuns,
    sign: RarityKeys,
}

impl Observe for FusedRuns {
    fn observe(&self, document: &Document<'_>, scratch: &mut Scratch, observed: &mut Vec<u64>) {
        word_hashes(&self.analyzer, document.text, scratch, observed);
    }

    fn weigh(&self, observed: &[u64], _: &mut Scratch) -> Result<SignedDocument, Rejection> {
        SignedDocument::of(&self.sign, &self.represent.of_words(observed))
    }

    fn features(&self, observed: &[u64]) -> Option<Features> {
        Some(self.represent.of_words(observed))
    }
}

#[cfg(test)]
mod tests {
    use lookalike_statistics::StatisticsBuilder;

    use super::*;
    use crate::random::SplitMix64;

    fn artifacts(config: &RarityConfig, texts: &[String]) -> Artifacts {
        let analyzer = Analyzer::new(&config.analyzer).unwrap();
        let mut builder = StatisticsBuilder::new(config.analyzer.clone());
        for text in texts {
            builder.add_text(&analyzer, text);
        }
        Artifacts::with_statistics(Arc::new(builder.finish()))
    }

    fn score(config: &RarityConfig, texts: &[String], left: usize, right: usize) -> f64 {
        let detector = config.build(&artifacts(config, texts)).unwrap();
        let prepare = |text: &String| {
            detector.prepare(&Document::from_text(text), &mut Scratch::default()).unwrap()
        };
        detector.score(&prepare(&texts[left]), &prepare(&texts[right]))
    }

    fn words(seed: u64, n: usize) -> String {
        let mut random = SplitMix64::new(seed);
        let words: Vec<String> = (0..n).map(|_| format!("w{}", random.next_u64() % 5000)).collect();
        words.join(" ")
    }

    /// Twenty pages of one frame of fifty words; the last one tells the story of the first again.
    fn pages() -> Vec<String> {
        let story = |n: u64| if n == 19 { words(100, 30) } else { words(100 + n, 30) };
        (0..20).map(|n| format!("{} {}", words(1, 50), story(n))).collect()
    }

    #[test]
    fn a_frame_that_all_pages_have_hardly_counts_and_a_story_does() {
        let pages = pages();
        let config = RarityConfig::default();
        let (other, same) = (score(&config, &pages, 0, 1), score(&config, &pages, 0, 19));
        assert!(other < 0.05, "{other}");
        assert!((same - 1.0).abs() < 1e-9, "{same}");
    }

    #[test]
    fn the_scores_are_those_of_their_formulas() {
        let texts = ["a b c d e", "a b c d x", "z z z z"].map(str::to_owned);
        // The run of both has only words of both; the other of each has a word of its own.
        let (common, own) = ((4.0_f64 / 2.0).ln(), 4.0_f64.ln());
        let of = |share| score(&RarityConfig { share, ..RarityConfig::default() }, &texts, 0, 1);
        let close = |left: f64, right: f64| assert!((left - right).abs() < 1e-6, "{left} {right}");
        close(of(WeightShare::Jaccard), common / (common + 2.0 * own));
        close(of(WeightShare::Least), common / (common + own));
    }

    #[test]
    fn pairs_at_the_threshold_are_found_as_often_as_is_promised() {
        for (share, threshold) in [(WeightShare::Jaccard, 0.3), (WeightShare::Least, 0.48)] {
            let config = RarityConfig { share, threshold, ..RarityConfig::default() };
            // Pairs of texts whose first part is the same, most a little above the threshold.
            let texts: Vec<String> = (0..600)
                .map(|n: u64| {
                    let shared = words(n / 2, 60 + (n / 2 % 20) as usize);
                    format!("{shared} {}", words(10_000 + n, 60))
                })
                .collect();
            let detector = config.build(&artifacts(&config, &texts)).unwrap();
            let prepared: Vec<_> = texts
                .iter()
                .map(|text| {
                    detector.prepare(&Document::from_text(text), &mut Scratch::default()).unwrap()
                })
                .collect();
            let pairs = prepared.chunks(2).filter(|pair| {
                (threshold..threshold + 0.15).contains(&detector.score(&pair[0], &pair[1]))
            });
            let (mut all, mut found) = (0.0, 0.0);
            for pair in pairs {
                all += 1.0;
                found += f64::from(u8::from(detector.judge(&pair[0], &pair[1]).duplicate));
            }
            assert!(all >= 100.0 && found >= 0.97 * all, "{share:?}: {found} of {all}");
        }
    }

    #[test]
    fn parameters_that_cannot_work_are_refused() {
        let default = RarityConfig::default;
        let counted = artifacts(&default(), &pages());
        for config in [
            RarityConfig { threshold: 0.0, ..default() },
            RarityConfig { threshold: 0.01, ..default() },
            RarityConfig { recall: 1.0, ..default() },
            RarityConfig { ngram: 0, ..default() },
            RarityConfig { analyzer: AnalyzerConfig::paper_2008(), ..default() },
        ] {
            assert!(config.build(&counted).is_err(), "{config:?}");
        }
        assert!(default().build(&Artifacts::default()).is_err());
    }
}
