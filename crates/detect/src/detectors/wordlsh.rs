//! `wordlsh`: documents that share most of their words, by many small tuples of minima.
//!
//! resemblance = |A∩B| / |A∪B| over the sets of words. Tuples of minima find the candidates, whose
//! words are then compared (Haveliwala, Gionis, Indyk 2000). The paper's 125 tuples of three minima
//! find all pairs down to about 0.33; for lower thresholds tuples are shorter.
//!
//! Choose it where the order of words does not matter. On running text, documents on one topic
//! share many words: `minhash` with its shingles tells copies from relatives.

use std::sync::Arc;

use lookalike_text::{Analyzer, AnalyzerConfig};
use serde::{Deserialize, Serialize};

use crate::measure::SetMeasure;
use crate::represent::WordShingles;
use crate::sign::{BandedMinwise, Banding, FusedShingles};
use crate::{
    Artifacts, BandSearch, CandidateSearch, DetectError, Detector, PROMISED_RECALL, Recipe,
};

/// Parameters of `wordlsh`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct WordlshConfig {
    /// Tuples, each a bucket key; without them and `rows`, 125 tuples of three minima, or others
    /// where these would miss pairs at the threshold.
    #[serde(alias = "num-buckets", alias = "num_buckets", skip_serializing_if = "Option::is_none")]
    pub bands: Option<usize>,
    /// Minima in a tuple.
    #[serde(
        alias = "hashes-per-bucket",
        alias = "hashes_per_bucket",
        skip_serializing_if = "Option::is_none"
    )]
    pub rows: Option<usize>,
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
        Self {
            bands: None,
            rows: None,
            threshold: 0.7,
            seed: 1,
            analyzer: AnalyzerConfig::default(),
        }
    }
}

/// The paper's tuples.
const OF_THE_PAPER: Banding = Banding { bands: 125, rows: 3 };

impl WordlshConfig {
    /// The bands and rows that were given, or that find a pair at the threshold as likely as
    /// promised: the paper's where they do, else shorter tuples of as many minima.
    ///
    /// # Errors
    /// A parameter out of range, or a threshold so low that no 4096 tuples keep the promise.
    fn banding(&self) -> Result<Banding, DetectError> {
        const METHOD: &str = "wordlsh";
        DetectError::unless_threshold(METHOD, self.threshold)?;
        for (name, given, most, expected) in [
            ("bands", self.bands, MOST_BANDS, "it must be between 1 and 4096"),
            ("rows", self.rows, 16, "it must be between 1 and 16"),
        ] {
            let value = given.unwrap_or(1);
            DetectError::unless((1..=most).contains(&value), (METHOD, name), value, expected)?;
        }
        if self.bands.is_some() || self.rows.is_some() {
            let bands = self.bands.unwrap_or(OF_THE_PAPER.bands);
            return Ok(Banding { bands, rows: self.rows.unwrap_or(OF_THE_PAPER.rows) });
        }
        let threshold = self.threshold;
        if OF_THE_PAPER.detection(threshold) >= PROMISED_RECALL {
            return Ok(OF_THE_PAPER);
        }
        let minima = OF_THE_PAPER.permutations();
        Banding::for_threshold(threshold, PROMISED_RECALL, minima)
            .or_else(|| Banding::with_rows(1, threshold, PROMISED_RECALL))
            .filter(|banding| banding.bands <= MOST_BANDS)
            .ok_or_else(|| {
                let expected = "no 4096 keys find pairs that share so little; raise it, or set \
                                bands and rows to search without a promise";
                let value = threshold.to_string();
                DetectError::Parameter { method: METHOD, parameter: "threshold", value, expected }
            })
    }
}

/// Beyond this the keys of a document outweigh the document.
const MOST_BANDS: usize = 4096;

impl Recipe for WordlshConfig {
    const SUMMARY: &'static str =
        "words in common (Jaccard), found by tuples of minima and confirmed";

    fn analyzer(&self) -> &AnalyzerConfig {
        &self.analyzer
    }

    threshold_of!(field);

    fn search(&self) -> Option<CandidateSearch> {
        Some(BandSearch::of_compared(self.banding().ok()?).into())
    }

    fn build(&self, _: &Artifacts) -> Result<Detector, DetectError> {
        let banding = self.banding()?;
        let represent = Arc::new(WordShingles { words: 1 });
        let sign = BandedMinwise::new(0, banding, self.seed);
        let fused = FusedShingles {
            analyzer: Analyzer::new(&self.analyzer)?,
            words: 1,
            sign: sign.clone(),
        };
        let analyzer = Analyzer::new(&self.analyzer)?;
        let (sign, measure) = (Box::new(sign), Box::new(SetMeasure::Jaccard));
        let plain = Detector::confirmed(analyzer, represent, sign, measure, self.threshold);
        Ok(plain.observed_by(fused))
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
    fn bands_are_the_papers_unless_these_would_miss_pairs_at_the_threshold() {
        let banding = |threshold| WordlshConfig { threshold, ..Default::default() }.banding();
        assert_eq!(banding(0.7).unwrap(), OF_THE_PAPER);
        assert_eq!(banding(0.35).unwrap(), OF_THE_PAPER);
        assert_eq!(banding(0.2).unwrap(), Banding { bands: 113, rows: 2 });
        for threshold in [0.005, 0.01, 0.05, 0.1, 0.2, 0.3, 0.33, 0.5, 0.9, 1.0] {
            let detection = banding(threshold).unwrap().detection(threshold);
            assert!(detection >= PROMISED_RECALL, "{threshold}: {detection}");
        }
        let given = WordlshConfig { threshold: 0.2, rows: Some(3), ..Default::default() };
        assert_eq!(given.banding().unwrap(), OF_THE_PAPER);
    }

    #[test]
    fn parameters_that_cannot_work_are_refused() {
        let default = WordlshConfig::default;
        for config in [
            WordlshConfig { bands: Some(0), ..default() },
            WordlshConfig { rows: Some(0), ..default() },
            WordlshConfig { threshold: 0.0, ..default() },
            WordlshConfig { threshold: 0.001, ..default() },
        ] {
            assert!(config.build(&Artifacts::default()).is_err(), "{config:?}");
        }
    }
}
