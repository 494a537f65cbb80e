//! `dsc`: Broder's shingling, digital syntactic clustering.
//!
//! Word shingles whose hash a modulus divides are kept; resemblance = |A∩B| / |A∪B| of what is
//! kept, at least a threshold (Broder, Glassman, Manasse, Zweig 1997; settings of Chowdhury et al.
//! 2002). Exact on the sample: prefixes of the kept sets find every pair.
//!
//! The papers also drop shingles found in more than 1000 documents, to keep lists of equal
//! shingles short. Here prefix keys and the join's bound on crowded buckets do that, and the
//! resemblance stays what it is. Choose it to repeat the papers; `minhash` compares whole documents
//! at less cost, and this one ignores most documents of under a hundred words.

use std::sync::Arc;

use lookalike_text::{Analyzer, AnalyzerConfig};
use serde::{Deserialize, Serialize};

use crate::measure::SetMeasure;
use crate::represent::SelectedShingles;
use crate::sign::SetPrefix;
use crate::{Artifacts, CandidateSearch, DetectError, Detector, Recipe};

/// Parameters of `dsc`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct DscConfig {
    /// Words in a shingle.
    #[serde(alias = "ngram-size", alias = "ngram_size")]
    pub ngram: usize,
    /// One shingle in so many is kept.
    pub modulus: u64,
    /// The least Jaccard resemblance of a duplicate.
    #[serde(alias = "jaccard-threshold", alias = "jaccard_threshold")]
    pub threshold: f64,
    /// What the words are.
    pub analyzer: AnalyzerConfig,
}

impl Default for DscConfig {
    fn default() -> Self {
        Self { ngram: 10, modulus: 25, threshold: 0.5, analyzer: AnalyzerConfig::default() }
    }
}

impl Recipe for DscConfig {
    const SUMMARY: &'static str = "Broder's sampled shingles, Jaccard of the samples";

    fn analyzer(&self) -> &AnalyzerConfig {
        &self.analyzer
    }

    threshold_of!(field);

    fn search(&self) -> Option<CandidateSearch> {
        Some(CandidateSearch::EveryPair)
    }

    fn build(&self, _: &Artifacts) -> Result<Detector, DetectError> {
        DetectError::unless(
            self.ngram > 0,
            ("dsc", "ngram"),
            self.ngram,
            "a shingle has at least one word",
        )?;
        DetectError::unless(
            self.modulus > 0,
            ("dsc", "modulus"),
            self.modulus,
            "at least one shingle in so many is kept",
        )?;
        DetectError::unless_threshold("dsc", self.threshold)?;
        let represent = Arc::new(SelectedShingles { words: self.ngram, modulus: self.modulus });
        let sign = SetPrefix::new(self.threshold, 0);
        let analyzer = Analyzer::new(&self.analyzer)?;
        let (sign, measure) = (Box::new(sign), Box::new(SetMeasure::Jaccard));
        Ok(Detector::confirmed(analyzer, represent, sign, measure, self.threshold))
    }
}

#[cfg(test)]
mod tests {
    use lookalike_text::Document;

    use super::*;
    use crate::{Rejection, Scratch};

    fn keys(config: &DscConfig, text: &str) -> Result<Vec<crate::BucketKey>, Rejection> {
        let detector = config.build(&Artifacts::default()).unwrap();
        let signed = detector.sign(&Document::from_text(text), &mut Scratch::default());
        signed.map(|signed| signed.keys)
    }

    fn text(words: std::ops::Range<u32>) -> String {
        words.map(|word| format!("word{word}")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_document_of_which_no_shingle_is_kept_is_too_short() {
        let config = DscConfig { modulus: 1_000_000_007, ..DscConfig::default() };
        assert_eq!(keys(&config, &text(0..100)), Err(Rejection::TooShort));
    }

    #[test]
    fn long_documents_that_differ_little_share_a_key() {
        let config = DscConfig::default();
        let (left, right) = (keys(&config, &text(0..2000)), keys(&config, &text(100..2100)));
        let right = right.unwrap();
        assert!(left.unwrap().iter().any(|key| right.contains(key)));
        let other = keys(&config, &text(5000..7000)).unwrap();
        assert!(right.iter().all(|key| !other.contains(key)));
    }

    #[test]
    fn parameters_that_cannot_work_are_refused() {
        let default = DscConfig::default;
        for config in [
            DscConfig { ngram: 0, ..default() },
            DscConfig { modulus: 0, ..default() },
            DscConfig { threshold: 2.0, ..default() },
        ] {
            assert!(config.build(&Artifacts::default()).is_err(), "{config:?}");
        }
    }
}
