//! `svm`: a support vector machine over similarities of the documents' top terms.
//!
//! Features are the terms of highest tf-idf, of the document or of each sentence; a pair is the
//! vector of up to five similarities; a discriminant learned from labelled pairs decides (2014
//! paper). Candidates are pairs that share a feature: all others have similarity 0. Choose it
//! where pairs were judged and no threshold can be guessed; `andd` learns more from the same labels
//! where text and template mix.

use std::sync::Arc;

use lookalike_text::{Analyzer, AnalyzerConfig};
use serde::{Deserialize, Serialize};

use crate::measure::{Similarity, SimilarityVector};
use crate::represent::TopTerms;
use crate::sign::PrefixKeys;
use crate::{Artifacts, Confirm, DetectError, Detector, Recipe};

/// Parameters of `svm`; everything else is in the model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SvmConfig {
    /// What the terms are; must be the model's.
    pub analyzer: AnalyzerConfig,
}

impl Recipe for SvmConfig {
    const SUMMARY: &'static str = "a learned discriminant over similarities of top terms, no \
                                   threshold; needs a model from `lookalike train svm`";

    fn analyzer(&self) -> &AnalyzerConfig {
        &self.analyzer
    }

    fn needs_model(&self) -> bool {
        true
    }

    fn build(&self, artifacts: &Artifacts) -> Result<Detector, DetectError> {
        let (model, svm) = artifacts.svm_model("svm", &self.analyzer)?;
        let analyzer = Analyzer::new(&self.analyzer)?;
        let statistics = model.statistics.clone();
        let represent = Arc::new(TopTerms::new(&svm.features, statistics, &analyzer));
        let confirm = Confirm {
            represent: represent.clone(),
            measure: Box::new(SimilarityVector(svm.features.measures.clone())),
            decide: Box::new(svm.machine.clone()),
        };
        // Threshold 0: every feature is a key.
        let keys = PrefixKeys::new(Similarity::Cosine, 0.0, None, 1);
        Ok(Detector::by_keys(analyzer, represent, Box::new(keys)).confirmed_by(confirm))
    }
}
