//! Which artefacts a method accepts.

use std::sync::Arc;

use lookalike_text::AnalyzerConfig;

use super::Artifacts;
use crate::DetectError;
use crate::model::{Learned, Model, SvmModel};
use crate::represent::learned::KgramWeights;

impl Artifacts {
    /// The model for a method that weighs k-grams.
    pub(super) fn andd_model(
        &self,
        method: &'static str,
        analyzer: &AnalyzerConfig,
    ) -> Result<(&Arc<Model>, &KgramWeights), DetectError> {
        let model = self.fitting_model(method, analyzer)?;
        match &model.learned {
            Learned::Andd(weights) => Ok((model, weights)),
            Learned::Svm(_) => Err(wrong_kind(method, model, "andd")),
        }
    }

    /// The model for the method `svm`.
    pub(super) fn svm_model(
        &self,
        method: &'static str,
        analyzer: &AnalyzerConfig,
    ) -> Result<(&Arc<Model>, &SvmModel), DetectError> {
        let model = self.fitting_model(method, analyzer)?;
        match &model.learned {
            Learned::Svm(svm) => Ok((model, svm)),
            Learned::Andd(_) => Err(wrong_kind(method, model, "svm")),
        }
    }

    /// The model, if it was trained with this analyzer and with the statistics given, if any are:
    /// a model brings its own.
    fn fitting_model(
        &self,
        method: &'static str,
        analyzer: &AnalyzerConfig,
    ) -> Result<&Arc<Model>, DetectError> {
        let model = self.model.as_ref().ok_or(DetectError::NoModel(method))?;
        if &model.analyzer != analyzer {
            let written = |analyzer: &AnalyzerConfig| toml::to_string(analyzer).unwrap_or_default();
            let (theirs, ours) = (written(&model.analyzer), written(analyzer));
            return Err(DetectError::Mismatch(format!(
                "{method}: the model was trained with another analyzer; use the model's analyzer settings or train it again with yours\nthe model's:\n{theirs}yours:\n{ours}"
            )));
        }
        match &self.statistics {
            Some(statistics) if statistics.fingerprint() != model.statistics.fingerprint() => {
                Err(DetectError::Mismatch(format!(
                    "{method}: the model was trained with other collection statistics ({:016x}) than those given ({:016x}); leave out --stats, since the model brings its own, or train it again with --stats",
                    model.statistics.fingerprint(),
                    statistics.fingerprint()
                )))
            }
            _ => Ok(model),
        }
    }
}

fn wrong_kind(method: &'static str, model: &Model, wanted: &'static str) -> DetectError {
    DetectError::Mismatch(format!(
        "{method}: the model was made by `lookalike train {}`; make one with `lookalike train {wanted}`",
        model.kind()
    ))
}
