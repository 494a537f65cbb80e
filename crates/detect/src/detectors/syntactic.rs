//! `syntactic`: documents with the same set of terms after purely syntactic filters.
//!
//! Signature = SHA-1 over the distinct terms that pass the filters, in ascending order (Chowdhury
//! et al. 2002, section 4.2: stop words, short terms, long terms, terms with special characters,
//! stemming, in any combination). The paper's baseline, and the default here, is stemming without
//! terms that have special characters.
//!
//! Choose it for copies whose order, markup or word forms changed; one new word breaks the match.

use std::sync::Arc;

use lookalike_text::{Analyzer, AnalyzerConfig, SyntacticFilters, WordRule};
use serde::{Deserialize, Serialize};

use crate::represent::{Lexicon, Retain};
use crate::sign::{BagRule, Bags, Coordinates, DigestRule, FusedTerms, SignatureLimits};
use crate::{Artifacts, DetectError, Detector, Recipe};

/// Parameters of `syntactic`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SyntacticConfig {
    /// The filters are part of the analyzer.
    pub analyzer: AnalyzerConfig,
}

impl Default for SyntacticConfig {
    fn default() -> Self {
        let filters =
            SyntacticFilters { no_special: true, stem: true, ..SyntacticFilters::default() };
        let words = WordRule::Whitespace;
        Self { analyzer: AnalyzerConfig { words, filters, ..AnalyzerConfig::default() } }
    }
}

impl Recipe for SyntacticConfig {
    const SUMMARY: &'static str =
        "the same set of words after stop word, length, character and stemming filters";

    fn analyzer(&self) -> &AnalyzerConfig {
        &self.analyzer
    }

    fn build(&self, _: &Artifacts) -> Result<Detector, DetectError> {
        let lexicon = Arc::new(Lexicon::everything());
        let coordinates = Coordinates {
            digest: DigestRule::Sha1,
            bags: Bags::new(0, BagRule::Bootstrap, 0),
            limits: SignatureLimits {
                min_distinct: 1,
                min_terms: 1,
                bag_min_terms: 1,
                min_share: 0.0,
            },
        };
        let analyzer = Analyzer::new(&self.analyzer)?;
        let represent = Arc::new(Retain(lexicon.clone()));
        let detector = Detector::by_keys(analyzer, represent, Box::new(coordinates.clone()));
        let analyzer = Analyzer::new(&self.analyzer)?;
        Ok(detector.observed_by(FusedTerms::new(analyzer, lexicon, coordinates)))
    }
}
