//! `minwise`: shares of equal minima, the `Shingles` of the papers.
//!
//! resemblance = the share of 84 minima of the shingle set that agree, an estimate of |A∩B| / |A∪B|
//! (Broder, Charikar, Frieze, Mitzenmacher 2000; 84 values of Henzinger 2006). Bands of the minima
//! find the candidates.
//!
//! Choose it to repeat the papers, or where documents are gone and only signatures remain: the
//! estimate is off by 0.05 as a rule. `minhash` confirms on the documents themselves.

use std::sync::Arc;

use lookalike_text::{Analyzer, AnalyzerConfig};
use serde::{Deserialize, Serialize};

use crate::decide::Threshold;
use crate::represent::WordShingles;
use crate::sign::{Banding, FusedShingles, Minima};
use crate::{
    Artifacts, BandSearch, CandidateSearch, DetectError, Detector, PROMISED_RECALL, Recipe,
};

/// Parameters of `minwise`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct MinwiseConfig {
    /// Words in a shingle.
    #[serde(alias = "ngram-size", alias = "ngram_size")]
    pub ngram: usize,
    /// Minima of a signature.
    #[serde(alias = "num-perm", alias = "num_perm")]
    pub permutations: usize,
    /// The least share of equal minima of a duplicate.
    #[serde(alias = "jaccard-threshold", alias = "jaccard_threshold")]
    pub threshold: f64,
    /// Decides the random orders.
    pub seed: u64,
    /// What the words are.
    pub analyzer: AnalyzerConfig,
}

impl Default for MinwiseConfig {
    fn default() -> Self {
        Self {
            ngram: 8,
            permutations: 84,
            threshold: 0.7,
            seed: 1,
            analyzer: AnalyzerConfig::default(),
        }
    }
}

impl MinwiseConfig {
    /// Bands that keep the promise where so many minima allow it, else the best there are.
    fn banding(&self) -> Banding {
        Banding::for_threshold(self.threshold, PROMISED_RECALL, self.permutations)
            .unwrap_or(Banding { bands: self.permutations, rows: 1 })
    }
}

impl Recipe for MinwiseConfig {
    const SUMMARY: &'static str = "the share of 84 equal minima of the shingles, unconfirmed";

    fn analyzer(&self) -> &AnalyzerConfig {
        &self.analyzer
    }

    threshold_of!(field);

    fn search(&self) -> Option<CandidateSearch> {
        Some(BandSearch::of_compared(self.banding()).into())
    }

    fn build(&self, _: &Artifacts) -> Result<Detector, DetectError> {
        DetectError::unless(
            self.ngram > 0,
            ("minwise", "ngram"),
            self.ngram,
            "a shingle has at least one word",
        )?;
        DetectError::unless(
            (1..=65_536).contains(&self.permutations),
            ("minwise", "permutations"),
            self.permutations,
            "it must be between 1 and 65536",
        )?;
        DetectError::unless_threshold("minwise", self.threshold)?;
        let sign = Minima::new(self.permutations, self.banding(), self.seed);
        let fused = FusedShingles {
            analyzer: Analyzer::new(&self.analyzer)?,
            words: self.ngram,
            sign: sign.clone(),
        };
        let plain = Detector::by_signatures(
            Analyzer::new(&self.analyzer)?,
            Arc::new(WordShingles { words: self.ngram }),
            Box::new(sign),
            // A hair below, so that rounding never drops what just reaches it.
            Box::new(Threshold(self.threshold - 1e-9)),
        );
        Ok(plain.observed_by(fused))
    }
}

#[cfg(test)]
mod tests {
    use lookalike_text::Document;

    use super::*;
    use crate::{Rejection, Scratch};

    #[test]
    fn a_signature_has_84_values_and_equal_texts_score_one() {
        let detector = MinwiseConfig::default().build(&Artifacts::default()).unwrap();
        let document = Document::from_text("nine words are enough to make more than one shingle");
        let signed = detector.sign(&document, &mut Scratch::default()).unwrap();
        assert_eq!(signed.signature.0.len(), 84);
        let rule = detector.rule().signatures.unwrap();
        assert_eq!(rule.judge(&signed.signature, &signed.signature).score, 1.0);
        let empty = detector.sign(&Document::from_text(""), &mut Scratch::default());
        assert_eq!(empty, Err(Rejection::Empty));
    }

    #[test]
    fn thresholds_too_low_for_bands_still_find_every_agreement() {
        let config = MinwiseConfig { threshold: 0.01, ..MinwiseConfig::default() };
        let detector = config.build(&Artifacts::default()).unwrap();
        let document = Document::from_text("one two three");
        let signed = detector.sign(&document, &mut Scratch::default()).unwrap();
        assert_eq!(signed.keys.len(), 84);
    }
}
