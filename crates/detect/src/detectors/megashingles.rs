//! `megashingles`: pairs of super shingles, two equal groups are a match.
//!
//! Six groups of fourteen minima of the five-word shingles, and a key for each pair of groups
//! (Fetterly, Manasse, Najork 2003): two of six must agree, which finds 0.37 of the pairs with
//! Jaccard 0.9 and 0.9 of those with 0.95.
//!
//! Choose it to repeat the paper, or for copies that are all but identical in very large
//! collections; `supershingles` asks for one group.

use std::sync::Arc;

use lookalike_text::{Analyzer, AnalyzerConfig};
use serde::{Deserialize, Serialize};

use crate::represent::WordShingles;
use crate::sign::{Banding, Groups};
use crate::{Artifacts, DetectError, Detector, Recipe};

/// Parameters of `megashingles`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct MegashinglesConfig {
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

impl Default for MegashinglesConfig {
    fn default() -> Self {
        Self {
            ngram: 5,
            groups: 6,
            rows: 14,
            required: 2,
            seed: 1,
            analyzer: AnalyzerConfig::default(),
        }
    }
}

impl Recipe for MegashinglesConfig {
    const SUMMARY: &'static str = "pairs of super shingles, two of six equal decide";

    fn analyzer(&self) -> &AnalyzerConfig {
        &self.analyzer
    }

    fn build(&self, _: &Artifacts) -> Result<Detector, DetectError> {
        DetectError::unless(
            self.ngram > 0,
            ("megashingles", "ngram"),
            self.ngram,
            "a shingle has at least one word",
        )?;
        DetectError::unless(
            (1..=64).contains(&self.groups),
            ("megashingles", "groups"),
            self.groups,
            "it must be between 1 and 64",
        )?;
        DetectError::unless(
            (1..=1024).contains(&self.rows),
            ("megashingles", "rows"),
            self.rows,
            "it must be between 1 and 1024",
        )?;
        DetectError::unless(
            (1..=self.groups.min(3)).contains(&self.required),
            ("megashingles", "required"),
            self.required,
            "it must be 1, 2 or 3, and at most the number of groups",
        )?;
        let banding = Banding { bands: self.groups, rows: self.rows };
        Ok(Detector::by_keys(
            Analyzer::new(&self.analyzer)?,
            Arc::new(WordShingles { words: self.ngram }),
            Box::new(Groups::new(banding, self.required, self.seed)),
        ))
    }
}

#[cfg(test)]
mod tests {
    use lookalike_text::Document;

    use super::*;
    use crate::{Rejection, Scratch};

    #[test]
    fn keys_are_as_many_as_the_choices_of_super_shingles() {
        let detector = MegashinglesConfig::default().build(&Artifacts::default()).unwrap();
        let document = Document::from_text("nine words are enough to make more than one shingle");
        let signed = detector.sign(&document, &mut Scratch::default()).unwrap();
        assert_eq!((signed.signature.0.len(), signed.keys.len()), (6, 15));
        let empty = detector.sign(&Document::from_text(""), &mut Scratch::default());
        assert_eq!(empty, Err(Rejection::Empty));
    }

    #[test]
    fn parameters_that_cannot_work_are_refused() {
        let default = MegashinglesConfig::default;
        for config in [
            MegashinglesConfig { ngram: 0, ..default() },
            MegashinglesConfig { groups: 0, ..default() },
            MegashinglesConfig { rows: 0, ..default() },
            MegashinglesConfig { required: 7, ..default() },
        ] {
            assert!(config.build(&Artifacts::default()).is_err(), "{config:?}");
        }
    }
}
