//! `dsc-ss`: Broder's super shingles, one shared is a match.
//!
//! The kept shingles of `dsc` in order, and every s of them, one after the other, hashed to one
//! super shingle (Broder, Glassman, Manasse, Zweig 1997); s = 2 .. 100 in Chowdhury et al. 2002.
//! A shingle more or less moves all super shingles after it, which is why the 2002 paper finds so
//! few copies; `overlap` lets one begin at every shingle, which is ours, not the paper's.
//!
//! Fast, since a shared key is the verdict, but documents with fewer than s kept shingles are
//! ignored, and are reported as too short. Choose it to repeat the papers.

use std::sync::Arc;

use lookalike_text::{Analyzer, AnalyzerConfig};
use serde::{Deserialize, Serialize};

use crate::represent::SelectedShingles;
use crate::sign::Runs;
use crate::{Artifacts, DetectError, Detector, Recipe};

/// Parameters of `dsc-ss`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct DscSsConfig {
    /// Words in a shingle.
    #[serde(alias = "ngram-size", alias = "ngram_size")]
    pub ngram: usize,
    /// One shingle in so many is kept.
    pub modulus: u64,
    /// Kept shingles in a super shingle.
    pub run: usize,
    /// A super shingle begins at every kept shingle, not only where the one before it ended.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub overlap: bool,
    /// What the words are.
    pub analyzer: AnalyzerConfig,
}

impl Default for DscSsConfig {
    fn default() -> Self {
        Self { ngram: 10, modulus: 25, run: 2, overlap: false, analyzer: AnalyzerConfig::default() }
    }
}

impl Recipe for DscSsConfig {
    const SUMMARY: &'static str =
        "Broder's super shingles of sampled shingles; one in common decides";

    fn analyzer(&self) -> &AnalyzerConfig {
        &self.analyzer
    }

    fn build(&self, _: &Artifacts) -> Result<Detector, DetectError> {
        DetectError::unless(
            self.ngram > 0,
            ("dsc-ss", "ngram"),
            self.ngram,
            "a shingle has at least one word",
        )?;
        DetectError::unless(
            self.modulus > 0,
            ("dsc-ss", "modulus"),
            self.modulus,
            "at least one shingle in so many is kept",
        )?;
        DetectError::unless(
            self.run > 0,
            ("dsc-ss", "run"),
            self.run,
            "a super shingle has at least one shingle",
        )?;
        let represent = SelectedShingles { words: self.ngram, modulus: self.modulus };
        let sign = Runs { length: self.run, overlapping: self.overlap };
        Ok(Detector::by_keys(Analyzer::new(&self.analyzer)?, Arc::new(represent), Box::new(sign)))
    }
}

#[cfg(test)]
mod tests {
    use lookalike_text::Document;

    use super::*;
    use crate::{Rejection, Scratch};

    fn keys(config: &DscSsConfig, text: &str) -> Result<Vec<crate::BucketKey>, Rejection> {
        let detector = config.build(&Artifacts::default()).unwrap();
        let signed = detector.sign(&Document::from_text(text), &mut Scratch::default());
        signed.map(|signed| signed.keys)
    }

    fn text(words: std::ops::Range<u32>) -> String {
        words.map(|word| format!("word{word}")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn longer_runs_ignore_more_documents() {
        let ignored = |run| {
            let config = DscSsConfig { run, ..DscSsConfig::default() };
            let lengths = (1..40).map(|tens| text(0..10 * tens));
            lengths.filter(|text| keys(&config, text) == Err(Rejection::TooShort)).count()
        };
        let (two, ten) = (ignored(2), ignored(10));
        assert!(two < ten, "{two} {ten}");
    }

    #[test]
    fn super_shingles_follow_each_other_unless_they_may_overlap() {
        let (plain, overlapping) =
            (DscSsConfig::default(), DscSsConfig { overlap: true, ..DscSsConfig::default() });
        let n_keys = |config: &DscSsConfig| keys(config, &text(0..2000)).unwrap().len();
        let kept = n_keys(&overlapping) + 1;
        assert_eq!(n_keys(&plain), kept / 2);
    }

    #[test]
    fn one_shared_run_makes_a_pair() {
        let left_text = text(0..2000);
        for config in
            [DscSsConfig::default(), DscSsConfig { overlap: true, ..DscSsConfig::default() }]
        {
            let left = keys(&config, &left_text).unwrap();
            // The same words and some more, whose shingles come in between.
            let right = keys(&config, &text(0..2100)).unwrap();
            assert!(left.iter().any(|key| right.contains(key)));
        }
    }
}
