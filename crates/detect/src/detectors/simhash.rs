//! `simhash`: documents whose bit signatures differ in at most a few places.
//!
//! Bit j = sign of Σ weight(f) · (±1 by bit j of f's random word), over words or word n-grams
//! (Charikar 2002); duplicates within a Hamming distance, 3 of 64 bits (Manku, Jain, Das Sarma
//! 2007), found through tables so that nothing is scanned. The score is 1 - distance / bits; the
//! cosine it stands for is cos(π · distance / bits).
//!
//! Choose it where a signature must be tiny, 8 bytes a document. It takes documents with the same
//! common words for duplicates more readily than `minhash`, and one word in fifty changed is often
//! more than 3 bits: give it 384 bits, as the papers do, where that matters.

use std::sync::Arc;

use lookalike_text::{Analyzer, AnalyzerConfig, Document};
use serde::{Deserialize, Serialize};

use crate::decide::Threshold;
use crate::represent::{WeightedGrams, Weighting, shingle_from, word_hashes};
use crate::sign::Projected;
use crate::{
    Artifacts, CandidateSearch, DetectError, Detector, Observe, Recipe, Rejection, Scratch,
    SignedDocument,
};

/// Parameters of `simhash`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SimhashConfig {
    /// Words in a feature.
    #[serde(alias = "ngram-size", alias = "ngram_size")]
    pub ngram: usize,
    /// Bits of a signature, 1 to 4096.
    #[serde(alias = "hash-bits", alias = "hash_bits")]
    pub bits: usize,
    /// The most bits in which duplicates differ.
    #[serde(alias = "bit-diff", alias = "bit_diff")]
    pub distance: usize,
    /// What a feature weighs.
    pub weights: Weighting,
    /// Decides the random directions.
    pub seed: u64,
    /// What the words are.
    pub analyzer: AnalyzerConfig,
}

impl Default for SimhashConfig {
    fn default() -> Self {
        Self {
            ngram: 1,
            bits: 64,
            distance: 3,
            weights: Weighting::Tf,
            seed: 1,
            analyzer: AnalyzerConfig::default(),
        }
    }
}

/// More bits than any paper uses.
const MOST_BITS: usize = 4096;

impl SimhashConfig {
    fn check(&self) -> Result<(), DetectError> {
        let wrong = |parameter, value: usize, expected| {
            Err(DetectError::Parameter {
                method: "simhash",
                parameter,
                value: value.to_string(),
                expected,
            })
        };
        if self.ngram == 0 {
            return wrong("ngram", self.ngram, "a feature has at least one word");
        }
        if !(1..=MOST_BITS).contains(&self.bits) {
            return wrong("bits", self.bits, "it must be between 1 and 4096");
        }
        if self.distance >= self.bits {
            return wrong("distance", self.distance, "it must be less than bits");
        }
        Ok(())
    }
}

impl Recipe for SimhashConfig {
    const SUMMARY: &'static str = "bit signatures (random projection) within a Hamming distance";

    fn analyzer(&self) -> &AnalyzerConfig {
        &self.analyzer
    }

    threshold_of!(distance);

    fn needs_statistics(&self) -> bool {
        self.weights.needs_statistics()
    }

    fn search(&self) -> Option<CandidateSearch> {
        Some(CandidateSearch::EveryPair)
    }

    fn build(&self, artifacts: &Artifacts) -> Result<Detector, DetectError> {
        self.check()?;
        if self.needs_statistics() && artifacts.statistics.is_none() {
            return Err(DetectError::NoStatistics("simhash"));
        }
        let sign = Projected::new(self.bits, self.distance, self.seed);
        let represent = WeightedGrams::new(self.ngram, self.weights, artifacts.statistics.clone());
        // Distances are whole numbers: half a bit of slack keeps rounding out of the verdict.
        let threshold = 1.0 - (self.distance as f64 + 0.5) / self.bits as f64;
        let detector = Detector::by_signatures(
            Analyzer::new(&self.analyzer)?,
            Arc::new(represent),
            Box::new(sign.clone()),
            Box::new(Threshold(threshold)),
        );
        if self.weights != Weighting::Tf {
            return Ok(detector);
        }
        let analyzer = Analyzer::new(&self.analyzer)?;
        Ok(detector.observed_by(FusedSimhash { analyzer, words: self.ngram, sign }))
    }
}

/// Text → words → bits: where each occurrence weighs 1, nothing needs to be sorted or counted.
struct FusedSimhash {
    analyzer: Analyzer,
    words: usize,
    sign: Projected,
}

impl Observe for FusedSimhash {
    fn observe(&self, document: &Document<'_>, scratch: &mut Scratch, observed: &mut Vec<u64>) {
        let begin = observed.len();
        word_hashes(&self.analyzer, document.text, scratch, observed);
        if self.words > 1 && observed.len() > begin + 1 {
            shingle_from(observed, begin, self.words);
        }
    }

    fn weigh(&self, observed: &[u64], _: &mut Scratch) -> Result<SignedDocument, Rejection> {
        if observed.is_empty() {
            return Err(Rejection::Empty);
        }
        let signature = self.sign.project_occurrences(observed);
        let mut keys = Vec::new();
        self.sign.signature_keys(&signature, &mut keys);
        Ok(SignedDocument::new(signature, keys))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DetectorConfig;

    #[test]
    fn fused_signing_equals_the_plain_composition() {
        for ngram in [1, 3] {
            let config = SimhashConfig { ngram, bits: 200, ..SimhashConfig::default() };
            let detector = config.build(&Artifacts::default()).unwrap();
            for text in ["", "one", "one two", "to be or not to be, that is the question: to be"] {
                let document = Document::from_text(text);
                let plain = detector.sign_plainly(&document, &mut Scratch::default());
                assert_eq!(detector.sign(&document, &mut Scratch::default()), plain, "{text}");
            }
        }
    }

    #[test]
    fn the_distance_decides() {
        let detector = SimhashConfig::default().build(&Artifacts::default()).unwrap();
        let judge = |left: u64, right: u64| {
            let (left, right) = (crate::Signature(vec![left]), crate::Signature(vec![right]));
            let rule = detector.rule().signatures.unwrap();
            rule.judge(&left, &right)
        };
        assert!(judge(0, 0b111).duplicate);
        assert_eq!(judge(0, 0b111).score, 1.0 - 3.0 / 64.0);
        assert!(!judge(0, 0b1111).duplicate);
    }

    #[test]
    fn a_threshold_is_a_distance() {
        let mut config = SimhashConfig::default();
        assert!(config.set_threshold(config.threshold().unwrap()));
        assert_eq!(config.distance, 3);
        config.set_threshold(0.0);
        assert_eq!(config.distance, 63);
        assert!(config.build(&Artifacts::default()).is_ok());
    }

    #[test]
    fn weights_by_rarity_need_statistics() {
        let table = toml::toml! { method = "simhash"
        hash-bits = 384
        weights = "tf-idf" };
        let config = DetectorConfig::from_table(table).unwrap();
        assert!(config.needs_statistics());
        let error = config.build(&Artifacts::default()).err().unwrap().to_string();
        assert!(error.contains("statistics"), "{error}");
    }
}
