//! `supershingles`: six groups of fourteen minima, one equal group is a match.
//!
//! The `1-Shingles` of the papers (Broder 2000; Henzinger 2006): found with probability
//! 1 - (1 - s^14)^6, which is 0.77 at a Jaccard of 0.9 and 0.02 at 0.7.
//!
//! Choose it to repeat the papers: a shared key decides, so nothing is compared, and nothing is
//! confirmed.

use std::sync::Arc;

use lookalike_text::{Analyzer, AnalyzerConfig};
use serde::{Deserialize, Serialize};

use crate::represent::WordShingles;
use crate::sign::{Banding, FusedShingles, Groups};
use crate::{Artifacts, BandSearch, CandidateSearch, DetectError, Detector, Recipe, Resemblance};

/// Parameters of `supershingles`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SupershinglesConfig {
    /// Words in a shingle.
    #[serde(alias = "ngram-size", alias = "ngram_size")]
    pub ngram: usize,
    /// Super shingles of a document.
    pub groups: usize,
    /// Minima in a super shingle.
    pub rows: usize,
    /// Super shingles that must agree, each with its counterpart.
    pub required: usize,
    /// Decides the random orders.
    pub seed: u64,
    /// What the words are.
    pub analyzer: AnalyzerConfig,
}

impl Default for SupershinglesConfig {
    fn default() -> Self {
        Self {
            ngram: 8,
            groups: 6,
            rows: 14,
            required: 1,
            seed: 1,
            analyzer: AnalyzerConfig::default(),
        }
    }
}

impl Recipe for SupershinglesConfig {
    const SUMMARY: &'static str = "super shingles of 14 minima each, one of six equal decides";

    fn analyzer(&self) -> &AnalyzerConfig {
        &self.analyzer
    }

    fn search(&self) -> Option<CandidateSearch> {
        let banding = Banding { bands: self.groups, rows: self.rows };
        let of = Resemblance::Other;
        Some(BandSearch { banding, required: self.required, of }.into())
    }

    fn build(&self, _: &Artifacts) -> Result<Detector, DetectError> {
        self.build_as("supershingles")
    }
}

impl SupershinglesConfig {
    /// The detector of a method whose keys are choices of such groups.
    pub(super) fn build_as(&self, method: &'static str) -> Result<Detector, DetectError> {
        DetectError::unless(
            self.ngram > 0,
            (method, "ngram"),
            self.ngram,
            "a shingle has at least one word",
        )?;
        DetectError::unless(
            (1..=64).contains(&self.groups),
            (method, "groups"),
            self.groups,
            "it must be between 1 and 64",
        )?;
        DetectError::unless(
            (1..=1024).contains(&self.rows),
            (method, "rows"),
            self.rows,
            "it must be between 1 and 1024",
        )?;
        DetectError::unless(
            (1..=self.groups.min(3)).contains(&self.required),
            (method, "required"),
            self.required,
            "it must be 1, 2 or 3, and at most the number of groups",
        )?;
        let banding = Banding { bands: self.groups, rows: self.rows };
        let sign = Groups::new(banding, self.required, self.seed);
        let fused = FusedShingles {
            analyzer: Analyzer::new(&self.analyzer)?,
            words: self.ngram,
            sign: sign.clone(),
        };
        let analyzer = Analyzer::new(&self.analyzer)?;
        let represent = Arc::new(WordShingles { words: self.ngram });
        Ok(Detector::by_keys(analyzer, represent, Box::new(sign)).observed_by(fused))
    }
}

#[cfg(test)]
mod tests {
    use lookalike_text::Document;

    use super::*;
    use crate::{Rejection, Scratch};

    #[test]
    fn keys_are_as_many_as_the_choices_of_super_shingles() {
        let detector = SupershinglesConfig::default().build(&Artifacts::default()).unwrap();
        let document = Document::from_text("nine words are enough to make more than one shingle");
        let signed = detector.sign(&document, &mut Scratch::default()).unwrap();
        assert_eq!((signed.signature.0.len(), signed.keys.len()), (6, 6));
        let empty = detector.sign(&Document::from_text(""), &mut Scratch::default());
        assert_eq!(empty, Err(Rejection::Empty));
    }

    #[test]
    fn parameters_that_cannot_work_are_refused() {
        let default = SupershinglesConfig::default;
        for config in [
            SupershinglesConfig { ngram: 0, ..default() },
            SupershinglesConfig { groups: 0, ..default() },
            SupershinglesConfig { rows: 0, ..default() },
            SupershinglesConfig { required: 7, ..default() },
        ] {
            assert!(config.build(&Artifacts::default()).is_err(), "{config:?}");
        }
    }
}
