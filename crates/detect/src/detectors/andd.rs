//! `andd`, `andd-cosine`, `andd-jaccard`: k-grams weighted as a model learned from labelled
//! near-duplicates.
//!
//! Adaptive near-duplicate detection (Hajishirzi, Yih, Kolcz, 2010): the weight of a k-gram is a
//! linear function of what is observed of it (how often, how rare, where, in what block), learned
//! so that near-duplicates are more alike than other pairs. `andd` compares the vectors
//! themselves and finds every pair above the threshold; `andd-cosine` and `andd-jaccard` keep
//! signatures of fixed size. Choose them where some sixty documents can be labelled and fixed
//! methods confuse template with story; without labels see `spotsigs`.

use std::sync::Arc;

use lookalike_text::{Analyzer, AnalyzerConfig};
use serde::{Deserialize, Serialize};

use crate::decide::Threshold;
use crate::measure::Similarity;
use crate::model::Model;
use crate::represent::learned::{KgramWeights, LearnedKgrams, LearnedWords, WordObserver};
use crate::sign::{
    Banding, FusedLearned, Hyperplanes, MinimaOf, PlaneEntries, PrefixKeys, SignByHyperplanes,
    SignByWeightedMinwise, StoredMinima, WeightedMinwise, WeightedScheme,
};
use crate::{
    Artifacts, BandSearch, CandidateSearch, Confirm, DetectError, Detector, ObserveTerms, Recipe,
    Resemblance, Sign,
};

/// Parameters of `andd`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AnddConfig {
    /// The least similarity of a duplicate; without it, what training found best.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// Only so many of a document's highest weights count; without it, all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_terms: Option<usize>,
    /// What the terms are; must be the model's.
    pub analyzer: AnalyzerConfig,
}

/// Parameters of `andd-cosine`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AnddCosineConfig {
    /// The least cosine of a duplicate; without it, what training found best.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// Bits of a signature (the paper: 384).
    pub bits: usize,
    /// What the random planes are made of; `gaussian` is the paper's.
    #[serde(skip_serializing_if = "PlaneEntries::is_default")]
    pub planes: PlaneEntries,
    /// Whether a candidate is confirmed on the exact vectors, instead of on the bits.
    pub confirm: bool,
    /// Bucket keys of a document.
    pub bands: usize,
    /// Weighted minima a bucket key is made of.
    pub rows: usize,
    /// Only so many of a document's highest weights count.
    pub active_terms: usize,
    /// Decides planes and keys.
    pub seed: u64,
    /// What the terms are; must be the model's.
    pub analyzer: AnalyzerConfig,
}

impl Default for AnddCosineConfig {
    fn default() -> Self {
        Self {
            threshold: None,
            bits: 384,
            planes: PlaneEntries::Signs,
            confirm: true,
            bands: DEFAULT_BANDING.bands,
            rows: DEFAULT_BANDING.rows,
            active_terms: 200,
            seed: 1,
            analyzer: AnalyzerConfig::default(),
        }
    }
}

/// Parameters of `andd-jaccard`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AnddJaccardConfig {
    /// The least similarity of a duplicate; without it, what training found best.
    ///
    /// Extended Jaccard where candidates are confirmed, the Jaccard of what `minima` are taken of
    /// where they are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// Samples of a signature (the paper: 80).
    pub samples: usize,
    /// How a weighted set is sampled.
    pub scheme: WeightedScheme,
    /// What the minima are taken of; `weights` is the paper's.
    #[serde(skip_serializing_if = "MinimaOf::is_default")]
    pub minima: MinimaOf,
    /// Bits kept of each minimum; the paper's 80 values in 200 bytes are 20.
    #[serde(skip_serializing_if = "is_default_bits")]
    pub value_bits: u32,
    /// Whether a candidate is confirmed on the exact vectors, instead of on the samples.
    pub confirm: bool,
    /// Bucket keys of a document.
    pub bands: usize,
    /// Weighted minima a bucket key is made of.
    pub rows: usize,
    /// Only so many of a document's highest weights count; without it, all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_terms: Option<usize>,
    /// Decides samples and keys.
    pub seed: u64,
    /// What the terms are; must be the model's.
    pub analyzer: AnalyzerConfig,
}

impl Default for AnddJaccardConfig {
    fn default() -> Self {
        Self {
            threshold: None,
            samples: 80,
            scheme: WeightedScheme::Unary,
            minima: MinimaOf::Squares,
            value_bits: DEFAULT_VALUE_BITS,
            confirm: true,
            bands: DEFAULT_BANDING.bands,
            rows: DEFAULT_BANDING.rows,
            active_terms: None,
            seed: 1,
            analyzer: AnalyzerConfig::default(),
        }
    }
}

/// Learned weights leave near-duplicates far apart from the rest, so that few rows suffice.
const DEFAULT_BANDING: Banding = Banding { bands: 32, rows: 2 };

const DEFAULT_VALUE_BITS: u32 = 32;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_default_bits(bits: &u32) -> bool {
    *bits == DEFAULT_VALUE_BITS
}

impl AnddJaccardConfig {
    /// Levels of a typical weight, or of its square, in the unary codes of signatures.
    const LEVELS: f64 = 16.0;

    /// The minima of signatures for these weights.
    pub fn stored_minima(&self, weights: &KgramWeights) -> StoredMinima {
        let typical = match self.minima {
            MinimaOf::Squares => weights.typical_square,
            MinimaOf::Weights => weights.typical_weight,
        };
        let levels = (Self::LEVELS / typical) as f32;
        StoredMinima {
            minima: WeightedMinwise::new(self.scheme, self.samples, levels, self.seed),
            of: self.minima,
            bits: self.value_bits,
        }
    }
}

/// Levels of a typical weight in those of bucket keys: what finds candidates may be coarser than
/// what compares.
const KEY_LEVELS: f64 = 4.0;

/// The parts that the three recipes share.
struct Parts {
    analyzer: Analyzer,
    model: Arc<Model>,
    weights: KgramWeights,
    represent: Arc<LearnedKgrams>,
    /// The same vectors in one pass, where k-grams are words.
    words: Option<LearnedWords>,
}

impl Parts {
    fn new(
        method: &'static str,
        artifacts: &Artifacts,
        analyzer: &AnalyzerConfig,
        active_terms: Option<usize>,
    ) -> Result<Self, DetectError> {
        if active_terms == Some(0) {
            return Err(wrong(method, "active-terms", 0.0, "at least one term must count"));
        }
        let (model, weights) = artifacts.andd_model(method, analyzer)?;
        let represent = Arc::new(LearnedKgrams::new(
            model.clone(),
            &weights,
            Analyzer::new(analyzer)?,
            active_terms,
        ));
        let words = LearnedWords::new(&model, &weights, active_terms)?;
        Ok(Self { analyzer: Analyzer::new(analyzer)?, model, weights, represent, words })
    }

    /// Demands the similarity that the signatures stand for.
    fn trained_for(&self, method: &'static str, similarity: Similarity) -> Result<(), DetectError> {
        if self.weights.similarity == similarity {
            return Ok(());
        }
        let (found, wanted) = (name(self.weights.similarity), name(similarity));
        Err(DetectError::Mismatch(format!(
            "{method}: the model was trained for {found}; train one with the key `similarity` = {wanted}, or choose the method andd"
        )))
    }

    fn confirm(&self, threshold: f64) -> Confirm {
        Confirm {
            represent: self.represent.clone(),
            measure: Box::new(self.weights.similarity),
            decide: Box::new(Threshold(threshold)),
        }
    }

    /// Signatures that are confirmed on vectors, or decide by themselves.
    fn detector(
        self,
        sign: impl Sign + Clone + 'static,
        needs_order: bool,
        confirm: bool,
        threshold: f64,
    ) -> Detector {
        let confirmation = self.confirm(threshold);
        let plain = Box::new(sign.clone());
        let detector = if confirm {
            Detector::by_keys(self.analyzer, self.represent, plain).confirmed_by(confirmation)
        } else {
            let decide = Box::new(Threshold(threshold));
            Detector::by_signatures(self.analyzer, self.represent, plain, decide)
        };
        let detector = detector.reading_metadata();
        match self.words {
            Some(words) => {
                detector.observed_by(FusedLearned { words, sign: Box::new(sign), needs_order })
            }
            None => detector,
        }
    }

    /// The threshold that was asked for, or what training found best for so many terms.
    fn threshold(
        &self,
        method: &'static str,
        asked: Option<f64>,
        active_terms: Option<usize>,
    ) -> Result<f64, DetectError> {
        checked(method, asked.unwrap_or_else(|| self.weights.threshold_of(active_terms)))
    }

    /// Levels of a weight of 1 in bucket keys.
    fn key_levels(&self) -> f32 {
        (KEY_LEVELS / self.weights.typical_weight) as f32
    }
}

impl Recipe for AnddConfig {
    const SUMMARY: &'static str = "terms weighted as learned from labelled documents, compared \
                                   exactly; needs a model from `lookalike train andd`";

    fn analyzer(&self) -> &AnalyzerConfig {
        &self.analyzer
    }

    threshold_of!(optional field);

    fn needs_model(&self) -> bool {
        true
    }

    fn observer(
        &self,
        model: Option<&Model>,
    ) -> Result<Option<Box<dyn ObserveTerms>>, DetectError> {
        word_observer(model)
    }

    fn search(&self) -> Option<CandidateSearch> {
        Some(CandidateSearch::EveryPair)
    }

    fn build(&self, artifacts: &Artifacts) -> Result<Detector, DetectError> {
        let parts = Parts::new("andd", artifacts, &self.analyzer, self.active_terms)?;
        let threshold = parts.threshold("andd", self.threshold, self.active_terms)?;
        let rarity = (parts.weights.features.k == 1).then(|| parts.model.statistics.clone());
        let sign = PrefixKeys::new(parts.weights.similarity, threshold, rarity, 1);
        Ok(parts.detector(sign, true, true, threshold))
    }
}

impl Recipe for AnddCosineConfig {
    const SUMMARY: &'static str = "learned weights in a signature of hyperplane bits, 48 bytes; \
                                   needs a model from `lookalike train andd`";

    fn analyzer(&self) -> &AnalyzerConfig {
        &self.analyzer
    }

    threshold_of!(optional field);

    fn needs_model(&self) -> bool {
        true
    }

    fn observer(
        &self,
        model: Option<&Model>,
    ) -> Result<Option<Box<dyn ObserveTerms>>, DetectError> {
        word_observer(model)
    }

    fn search(&self) -> Option<CandidateSearch> {
        Some(by_weighted_minima(self.bands, self.rows))
    }

    fn build(&self, artifacts: &Artifacts) -> Result<Detector, DetectError> {
        const METHOD: &str = "andd-cosine";
        if self.bits == 0 || !self.bits.is_multiple_of(64) || self.bits > 65_536 {
            let expected = "a multiple of 64, at most 65536";
            return Err(wrong(METHOD, "bits", self.bits as f64, expected));
        }
        let banding = banding(METHOD, self.bands, self.rows)?;
        let parts = Parts::new(METHOD, artifacts, &self.analyzer, Some(self.active_terms))?;
        parts.trained_for(METHOD, Similarity::Cosine)?;
        let threshold = parts.threshold(METHOD, self.threshold, Some(self.active_terms))?;
        let keys = SignByWeightedMinwise::new(None, banding, parts.key_levels(), self.seed);
        let planes = Hyperplanes::new(self.bits, self.seed).with_entries(self.planes);
        let sign = SignByHyperplanes::new(planes, keys);
        Ok(parts.detector(sign, self.planes.needs_order(), self.confirm, threshold))
    }
}

impl Recipe for AnddJaccardConfig {
    const SUMMARY: &'static str = "learned weights in a signature of weighted minima; needs a \
                                   model from `lookalike train andd --similarity extended-jaccard`";

    fn analyzer(&self) -> &AnalyzerConfig {
        &self.analyzer
    }

    threshold_of!(optional field);

    fn needs_model(&self) -> bool {
        true
    }

    fn observer(
        &self,
        model: Option<&Model>,
    ) -> Result<Option<Box<dyn ObserveTerms>>, DetectError> {
        word_observer(model)
    }

    fn search(&self) -> Option<CandidateSearch> {
        Some(by_weighted_minima(self.bands, self.rows))
    }

    fn build(&self, artifacts: &Artifacts) -> Result<Detector, DetectError> {
        const METHOD: &str = "andd-jaccard";
        if self.samples == 0 || self.samples > 65_536 {
            return Err(wrong(METHOD, "samples", self.samples as f64, "between 1 and 65536"));
        }
        if !(8..=64).contains(&self.value_bits) {
            let bits = f64::from(self.value_bits);
            return Err(wrong(METHOD, "value-bits", bits, "between 8 and 64"));
        }
        let banding = banding(METHOD, self.bands, self.rows)?;
        let parts = Parts::new(METHOD, artifacts, &self.analyzer, self.active_terms)?;
        parts.trained_for(METHOD, Similarity::ExtendedJaccard)?;
        let threshold = if self.confirm {
            parts.threshold(METHOD, self.threshold, self.active_terms)?
        } else {
            let learned = match self.minima {
                MinimaOf::Squares => parts.weights.squared_jaccard_threshold,
                MinimaOf::Weights => parts.weights.weighted_jaccard_threshold,
            };
            checked(METHOD, self.threshold.unwrap_or(learned))?
        };
        let samples = Some(self.stored_minima(&parts.weights));
        let sign = SignByWeightedMinwise::new(samples, banding, parts.key_levels(), self.seed);
        Ok(parts.detector(sign, true, self.confirm, threshold))
    }
}

/// What observes the words that a model weighs, where one pass over them sees all that it weighs.
fn word_observer(model: Option<&Model>) -> Result<Option<Box<dyn ObserveTerms>>, DetectError> {
    let observer = model.map(WordObserver::of_model).transpose()?.flatten();
    Ok(observer.map(|observer| Box::new(observer) as Box<dyn ObserveTerms>))
}

/// Keys are minima of the weights, whatever is compared.
fn by_weighted_minima(bands: usize, rows: usize) -> CandidateSearch {
    BandSearch { banding: Banding { bands, rows }, required: 1, of: Resemblance::Other }.into()
}

fn banding(method: &'static str, bands: usize, rows: usize) -> Result<Banding, DetectError> {
    let allowed = 1..=4096;
    for (parameter, value) in [("bands", bands), ("rows", rows)] {
        if !allowed.contains(&value) {
            return Err(wrong(method, parameter, value as f64, "between 1 and 4096"));
        }
    }
    Ok(Banding { bands, rows })
}

fn checked(method: &'static str, threshold: f64) -> Result<f64, DetectError> {
    if threshold > 0.0 && threshold <= 1.0 {
        return Ok(threshold);
    }
    Err(wrong(method, "threshold", threshold, "above 0 and at most 1"))
}

fn wrong(
    method: &'static str,
    parameter: &'static str,
    value: f64,
    expected: &'static str,
) -> DetectError {
    DetectError::Parameter { method, parameter, value: value.to_string(), expected }
}

fn name(similarity: Similarity) -> &'static str {
    match similarity {
        Similarity::Cosine => "cosine",
        Similarity::ExtendedJaccard => "extended-jaccard",
        Similarity::SquaredJaccard => "squared-jaccard",
    }
}
