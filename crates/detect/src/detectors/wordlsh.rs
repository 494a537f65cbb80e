//! `wordlsh`: documents that share most of their words, by many small tuples of minima.
//!
//! resemblance = |A∩B| / |A∪B| over the sets of words; 125 keys of three minima each find the
//! candidates, whose words are then compared (Haveliwala, Gionis, Indyk 2000).
//!
//! Choose it where the order of words does not matter. On running text, documents on one topic
//! share many words: `minhash` with its shingles tells copies from relatives.

use std::sync::Arc;

use lookalike_text::{Analyzer, AnalyzerConfig};
use serde::{Deserialize, Serialize};

use crate::measure::SetMeasure;
use crate::represent::WordShingles;
use crate::sign::{BandedMinwise, Banding, FusedShingles};
use crate::{Artifacts, DetectError, Detector, Recipe};

/// Parameters of `wordlsh`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct WordlshConfig {
    /// Tuples, each a bucket key.
    #[serde(alias = "num-buckets", alias = "num_buckets")]
    pub bands: usize,
    /// Minima in a tuple.
    #[serde(alias = "hashes-per-bucket", alias = "hashes_per_bucket")]
    pub rows: usize,
    /// The least Jaccard resemblance of a duplicate.
    #[serde(alias = "jaccard-threshold", alias = "jaccard_threshold")]
    pub threshold: f64,
    /// Decides the random orders.
    pub seed: u64,
    /// What the words are.
    pub analyzer: AnalyzerConfig,
}

impl Default for WordlshConfig {
    fn default() -> Self {
        Self { bands: 125, rows: 3, threshold: 0.7, seed: 1, analyzer: AnalyzerConfig::default() }
    }
}

impl Recipe for WordlshConfig {
    const SUMMARY: &'static str =
        "words in common (Jaccard), found by tuples of minima and confirmed";

    fn analyzer(&self) -> &AnalyzerConfig {
        &self.analyzer
    }

    threshold_of!(field);

    fn build(&self, _: &Artifacts) -> Result<Detector, DetectError> {
        DetectError::unless(
            (1..=4096).contains(&self.bands),
            ("wordlsh", "bands"),
            self.bands,
            "it must be between 1 and 4096",
        )?;
        DetectError::unless(
            (1..=16).contains(&self.rows),
            ("wordlsh", "rows"),
            self.rows,
            "it must be between 1 and 16",
        )?;
        DetectError::unless_threshold("wordlsh", self.threshold)?;
        let banding = Banding { bands: self.bands, rows: self.rows };
        let represent = Arc::new(WordShingles { words: 1 });
        let sign = BandedMinwise::new(0, banding, self.seed);
        let fused = FusedShingles {
            analyzer: Analyzer::new(&self.analyzer)?,
            words: 1,
            sign: sign.clone(),
            compares_shingles: true,
        };
        let analyzer = Analyzer::new(&self.analyzer)?;
        let (sign, measure) = (Box::new(sign), Box::new(SetMeasure::Jaccard));
        let plain = Detector::confirmed(analyzer, represent, sign, measure, self.threshold);
        Ok(plain.fused(Box::new(fused)))
    }
}

#[cfg(test)]
mod tests {
    use lookalike_text::Document;

    use super::*;
    use crate::{Rejection, Scratch};

    #[test]
    fn the_order_of_words_does_not_matter() {
        let detector = WordlshConfig::default().build(&Artifacts::default()).unwrap();
        let sign = |text| detector.sign(&Document::from_text(text), &mut Scratch::default());
        assert_eq!(sign("one two three"), sign("Three, two, one, two"));
        assert_eq!(sign("one two three").unwrap().keys.len(), 125);
        assert_eq!(sign(""), Err(Rejection::Empty));
    }

    #[test]
    fn parameters_that_cannot_work_are_refused() {
        let default = WordlshConfig::default;
        for config in [
            WordlshConfig { bands: 0, ..default() },
            WordlshConfig { rows: 0, ..default() },
            WordlshConfig { threshold: 0.0, ..default() },
        ] {
            assert!(config.build(&Artifacts::default()).is_err(), "{config:?}");
        }
    }
}
