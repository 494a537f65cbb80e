//! `minhash`: documents that share at least so many of their word shingles.
//!
//! resemblance = |A∩B| / |A∪B| over the sets of word n-grams (Broder 1997). Minima of the sets
//! under random orders, cut into bands, find the candidates; an estimate from all minima drops the
//! hopeless ones; what is left is confirmed on the exact sets, so that the threshold means what it says and only a few pairs close to it can be
//! missed: by default one in a hundred exactly at the threshold, far fewer above.
//!
//! Choose it for edited copies of running text at any scale. It does not see paraphrases, and a
//! page's template counts as much as its story: for those see `spotsigs`.

use std::sync::Arc;

use lookalike_text::{Analyzer, AnalyzerConfig};
use serde::{Deserialize, Serialize};

use crate::decide::{Threshold, promising_agreement};
use crate::measure::SetMeasure;
use crate::represent::WordShingles;
use crate::sign::{BandedMinwise, Banding, CHANCE, FusedShingles};
use crate::{
    Artifacts, BandSearch, CandidateSearch, Confirm, DetectError, Detector, PROMISED_RECALL, Recipe,
};

/// Parameters of `minhash`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct MinhashConfig {
    /// Words in a shingle.
    #[serde(alias = "ngram-size", alias = "ngram_size")]
    pub ngram: usize,
    /// Minima of a document, a byte each in its signature; bands and rows are chosen within them.
    #[serde(alias = "num-perm", alias = "num_perm")]
    pub permutations: usize,
    /// The least Jaccard resemblance of a duplicate.
    #[serde(alias = "jaccard-threshold", alias = "jaccard_threshold")]
    pub threshold: f64,
    /// The least probability with which a pair at the threshold becomes a candidate.
    pub recall: f64,
    /// Bucket keys of a document, instead of choosing them from threshold and recall.
    #[serde(alias = "num-buckets", alias = "num_buckets", skip_serializing_if = "Option::is_none")]
    pub bands: Option<usize>,
    /// Minima a bucket key is made of, instead of choosing them from threshold and recall.
    #[serde(
        alias = "hashes-per-bucket",
        alias = "hashes_per_bucket",
        skip_serializing_if = "Option::is_none"
    )]
    pub rows: Option<usize>,
    /// Decides the random orders.
    pub seed: u64,
    /// What the words are.
    pub analyzer: AnalyzerConfig,
}

impl Default for MinhashConfig {
    fn default() -> Self {
        Self {
            ngram: 5,
            permutations: 128,
            threshold: 0.7,
            recall: PROMISED_RECALL,
            bands: None,
            rows: None,
            seed: 1,
            analyzer: AnalyzerConfig::default(),
        }
    }
}

impl MinhashConfig {
    /// The bands and rows this configuration leads to.
    ///
    /// # Errors
    /// A parameter out of range, or a recall that the permutations do not allow.
    pub fn banding(&self) -> Result<Banding, DetectError> {
        if !(self.threshold > 0.0 && self.threshold <= 1.0) {
            return Err(wrong("threshold", self.threshold, "it must be above 0 and at most 1"));
        }
        if !(self.recall > 0.0 && self.recall < 1.0) {
            return Err(wrong("recall", self.recall, "it must be between 0 and 1"));
        }
        let (threshold, recall) = (self.threshold, self.recall);
        let allowed = 1..=MOST_PERMUTATIONS;
        for (name, value) in [("bands", self.bands), ("rows", self.rows)] {
            if let Some(value) = value.filter(|value| !allowed.contains(value)) {
                return Err(wrong(name, value as f64, "it must be between 1 and 65536"));
            }
        }
        let banding = match (self.bands, self.rows) {
            (Some(bands), Some(rows)) => Some(Banding { bands, rows }),
            (Some(bands), None) => Banding::with_bands(bands, threshold, recall),
            (None, Some(rows)) => Banding::with_rows(rows, threshold, recall),
            (None, None) => Banding::for_threshold(threshold, recall, self.permutations),
        };
        banding.filter(|banding| banding.permutations() <= MOST_PERMUTATIONS).ok_or_else(|| {
            if self.bands.is_none() && self.rows.is_none() {
                return self.too_few_permutations();
            }
            let expected = "too few (or, by bands and rows, too many) to reach the recall at the \
                            threshold; raise it, or lower the recall";
            wrong("permutations", self.permutations as f64, expected)
        })
    }

    /// Why the recall is out of reach, with what would bring it within.
    fn too_few_permutations(&self) -> DetectError {
        let Self { permutations, threshold, recall, .. } = *self;
        // A pair at the threshold shares each minimum with this probability, and one has to be found.
        let needed = ((1.0 - recall).ln() / (1.0 - threshold).ln()).ceil();
        let least = 1.0 - (1.0 - recall).powf(1.0 / permutations.max(1) as f64);
        DetectError::Config(format!(
            "minhash: threshold = {threshold} with permutations = {permutations} cannot reach \
             recall = {recall}: raise threshold to {:.3}, or permutations to {needed}, or lower recall",
            (1000.0 * least).ceil() / 1000.0
        ))
    }

    /// The estimate below which a candidate is not worth an exact comparison.
    fn promising_estimate(&self, n_bins: usize) -> f64 {
        let agreement = self.threshold + (1.0 - self.threshold) * CHANCE;
        let miss = SHARE_OF_MISSES * (1.0 - self.recall);
        let agreeing = promising_agreement(n_bins, agreement, miss) as f64 / n_bins as f64;
        // A hair below, so that rounding never drops what just reaches it.
        (agreeing - CHANCE) / (1.0 - CHANCE) - 1e-9
    }
}

/// The share of the misses that [`MinhashConfig::recall`] allows which the estimate may cause.
const SHARE_OF_MISSES: f64 = 0.01;

/// Beyond this a signature costs more than comparing the documents would.
const MOST_PERMUTATIONS: usize = 65_536;

fn wrong(parameter: &'static str, value: f64, expected: &'static str) -> DetectError {
    DetectError::Parameter { method: "minhash", parameter, value: value.to_string(), expected }
}

impl Recipe for MinhashConfig {
    const SUMMARY: &'static str =
        "word n-grams in common (Jaccard), found by banded minima and confirmed exactly";

    fn analyzer(&self) -> &AnalyzerConfig {
        &self.analyzer
    }

    threshold_of!(field);

    fn search(&self) -> Option<CandidateSearch> {
        Some(BandSearch::of_compared(self.banding().ok()?).into())
    }

    fn promised_recall(&self) -> f64 {
        self.recall
    }

    fn build(&self, _: &Artifacts) -> Result<Detector, DetectError> {
        if self.ngram == 0 {
            return Err(wrong("ngram", 0.0, "a shingle has at least one word"));
        }
        let sign = BandedMinwise::new(self.permutations, self.banding()?, self.seed);
        let promising = Threshold(self.promising_estimate(sign.n_bins()));
        let represent = Arc::new(WordShingles { words: self.ngram });
        let fused = FusedShingles {
            analyzer: Analyzer::new(&self.analyzer)?,
            words: self.ngram,
            sign: sign.clone(),
        };
        let analyzer = Analyzer::new(&self.analyzer)?;
        Ok(Detector::by_signatures(
            analyzer,
            represent.clone(),
            Box::new(sign),
            Box::new(promising),
        )
        .confirmed_by(Confirm {
            represent,
            measure: Box::new(SetMeasure::Jaccard),
            decide: Box::new(Threshold(self.threshold)),
        })
        .observed_by(fused))
    }
}

#[cfg(test)]
mod tests {
    use lookalike_text::Document;

    use super::*;
    use crate::{DetectorConfig, Scratch};

    fn judge(detector: &Detector, left: &str, right: &str) -> f64 {
        let mut scratch = Scratch::default();
        let left = detector.features(&Document::from_text(left), &mut scratch);
        let right = detector.features(&Document::from_text(right), &mut scratch);
        let rule = detector.rule().features.unwrap();
        rule.judge(&left, &right).score
    }

    #[test]
    fn the_score_is_the_exact_jaccard_of_the_shingles() {
        let config = MinhashConfig { ngram: 2, threshold: 0.1, ..MinhashConfig::default() };
        let detector = config.build(&Artifacts::default()).unwrap();
        // Two of the four distinct word pairs are shared.
        assert_eq!(judge(&detector, "one two three four", "one two three five"), 0.5);
        assert_eq!(judge(&detector, "one", "one"), 1.0);
        assert_eq!(judge(&detector, "one", "two"), 0.0);
    }

    #[test]
    fn the_names_that_other_tools_use_are_understood() {
        let table = toml::toml! { method = "minhash"
        num-perm = 256
        jaccard-threshold = 0.8
        num-buckets = 20
        hashes-per-bucket = 12
        ngram-size = 3 };
        let DetectorConfig::Minhash(config) = DetectorConfig::from_table(table).unwrap() else {
            panic!("another method");
        };
        assert_eq!((config.permutations, config.threshold, config.ngram), (256, 0.8, 3));
        assert_eq!(config.banding().unwrap(), Banding { bands: 20, rows: 12 });
    }

    #[test]
    fn parameters_that_cannot_work_are_refused() {
        let default = MinhashConfig::default;
        for config in [
            MinhashConfig { ngram: 0, ..default() },
            MinhashConfig { threshold: 0.0, ..default() },
            MinhashConfig { threshold: f64::NAN, ..default() },
            MinhashConfig { recall: 1.0, ..default() },
            MinhashConfig { bands: Some(0), ..default() },
            MinhashConfig { threshold: 0.01, ..default() },
        ] {
            assert!(config.build(&Artifacts::default()).is_err(), "{config:?}");
        }
    }

    #[test]
    fn fused_signing_and_features_equal_the_plain_composition() {
        let detector = MinhashConfig::default().build(&Artifacts::default()).unwrap();
        let mut scratch = Scratch::default();
        for text in ["", "one", "Four words, not five", "a b c d e f g h i j a b c d e f g h"] {
            let document = Document::from_text(text);
            let plain = detector.sign_plainly(&document, &mut Scratch::default());
            assert_eq!(detector.sign(&document, &mut scratch), plain, "{text}");
            let features = detector.features_plainly(&document, &mut Scratch::default());
            assert_eq!(detector.features(&document, &mut scratch), features, "{text}");
        }
    }
}
