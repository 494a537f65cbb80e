//! `exact`: documents whose normalized text is the same, term for term.
//!
//! Signature = 128-bit hash of the analyzed terms in reading order. Choose it to drop true copies
//! whatever their case, white space, punctuation or Unicode form; it finds no edited copy.

use std::sync::Arc;

use lookalike_text::{Analyzer, AnalyzerConfig};
use serde::{Deserialize, Serialize};

use crate::represent::NormalizedText;
use crate::sign::WholeDigest;
use crate::{Artifacts, DetectError, Detector, Recipe};

/// Parameters of `exact`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ExactConfig {
    /// What makes two texts the same.
    pub analyzer: AnalyzerConfig,
}

impl Recipe for ExactConfig {
    const SUMMARY: &'static str = "the same text after normalization, word for word";

    fn analyzer(&self) -> &AnalyzerConfig {
        &self.analyzer
    }

    fn build(&self, _: &Artifacts) -> Result<Detector, DetectError> {
        let analyzer = Analyzer::new(&self.analyzer)?;
        Ok(Detector::by_keys(analyzer, Arc::new(NormalizedText), Box::new(WholeDigest)))
    }
}
