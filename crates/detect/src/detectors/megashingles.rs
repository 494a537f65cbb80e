//! `megashingles`: pairs of super shingles, two equal groups are a match.
//!
//! Six groups of fourteen minima of the five-word shingles, and a key for each pair of groups
//! (Fetterly, Manasse, Najork 2003): two of six must agree, which finds 0.37 of the pairs with
//! Jaccard 0.9 and 0.9 of those with 0.95.
//!
//! Choose it to repeat the paper, or for copies that are all but identical in very large
//! collections; `supershingles` asks for one group.

use lookalike_text::AnalyzerConfig;
use serde::{Deserialize, Serialize};

use super::supershingles::SupershinglesConfig;
use crate::sign::Banding;
use crate::{Artifacts, BandSearch, CandidateSearch, DetectError, Detector, Recipe, Resemblance};

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

    fn search(&self) -> Option<CandidateSearch> {
        let banding = Banding { bands: self.groups, rows: self.rows };
        let of = Resemblance::Other;
        Some(BandSearch { banding, required: self.required, of }.into())
    }

    fn build(&self, _: &Artifacts) -> Result<Detector, DetectError> {
        let Self { ngram, groups, rows, required, seed, analyzer } = self.clone();
        SupershinglesConfig { ngram, groups, rows, required, seed, analyzer }
            .build_as("megashingles")
    }
}

#[cfg(test)]
mod tests {
    use lookalike_text::Document;

    use super::*;
    use crate::Scratch;

    #[test]
    fn every_pair_of_super_shingles_is_a_key() {
        let detector = MegashinglesConfig::default().build(&Artifacts::default()).unwrap();
        let document = Document::from_text("nine words are enough to make more than one shingle");
        let signed = detector.sign(&document, &mut Scratch::default()).unwrap();
        assert_eq!((signed.signature.0.len(), signed.keys.len()), (6, 15));
    }

    #[test]
    fn a_wrong_parameter_is_refused_in_this_method_s_name() {
        let config = MegashinglesConfig { required: 7, ..MegashinglesConfig::default() };
        let error = config.build(&Artifacts::default()).err().unwrap().to_string();
        assert!(error.contains("megashingles") && error.contains("required"), "{error}");
    }
}
