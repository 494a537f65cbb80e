//! `svm`: a support vector machine over similarities of two documents.
//!
//! Features are the terms of highest tf-idf, of the document or of each sentence; a pair is the
//! vector of up to five similarities of these, and beyond the 2014 paper of the Jaccard
//! resemblances of shingles; a discriminant learned from labelled pairs decides. Candidates are
//! pairs that share a top term. Choose it where pairs were judged and no threshold can be guessed;
//! `andd` learns more from the same labels where text and template mix.

use std::sync::Arc;

use lookalike_text::{Analyzer, AnalyzerConfig};
use serde::{Deserialize, Serialize};

use crate::measure::Similarity;
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
    const SUMMARY: &'static str = "a learned discriminant over similarities of top terms and \
                                   shingles, no threshold; needs a model from `lookalike train svm`";

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
        let top_terms = Arc::new(svm.views.top_terms(statistics, &analyzer));
        let confirm = Confirm {
            represent: Arc::new(svm.views.represent(top_terms.clone())),
            measure: Box::new(svm.views.measure()),
            decide: Box::new(svm.machine.clone()),
        };
        // Threshold 0: every top term is a key.
        let keys = PrefixKeys::new(Similarity::Cosine, 0.0, None, 1);
        Ok(Detector::by_keys(analyzer, top_terms, Box::new(keys)).confirmed_by(confirm))
    }
}
