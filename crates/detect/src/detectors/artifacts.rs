//! Which artefacts a method accepts.

use std::sync::Arc;

use lookalike_text::AnalyzerConfig;

use super::Artifacts;
use crate::DetectError;
use crate::model::{Frequencies, Learned, Model, SvmModel};
use crate::represent::learned::KgramWeights;

impl Artifacts {
    /// The model for a method that weighs k-grams.
    pub(super) fn andd_model(
        &self,
        method: &'static str,
        analyzer: &AnalyzerConfig,
    ) -> Result<(Arc<Model>, KgramWeights), DetectError> {
        let model = self.fitting_model(method, analyzer)?;
        match &model.learned {
            Learned::Andd(weights) => Ok((model.clone(), weights.clone())),
            Learned::Svm(_) => Err(wrong_kind(method, &model, "andd")),
        }
    }

    /// The model for the method `svm`.
    pub(super) fn svm_model(
        &self,
        method: &'static str,
        analyzer: &AnalyzerConfig,
    ) -> Result<(Arc<Model>, SvmModel), DetectError> {
        let model = self.fitting_model(method, analyzer)?;
        match &model.learned {
            Learned::Svm(svm) => Ok((model.clone(), svm.clone())),
            Learned::Andd(_) => Err(wrong_kind(method, &model, "svm")),
        }
    }

    /// The model, if it was trained with this analyzer, with the statistics it is to be asked with:
    /// those given, where it was made to be asked with other ones than its own.
    fn fitting_model(
        &self,
        method: &'static str,
        analyzer: &AnalyzerConfig,
    ) -> Result<Arc<Model>, DetectError> {
        let model = self.model.as_ref().ok_or(DetectError::NoModel(method))?;
        if &model.analyzer != analyzer {
            let written = |analyzer: &AnalyzerConfig| toml::to_string(analyzer).unwrap_or_default();
            let (theirs, ours) = (written(&model.analyzer), written(analyzer));
            return Err(DetectError::Mismatch(format!(
                "{method}: the model was trained with another analyzer; use the model's analyzer settings or train it again with yours\nthe model's:\n{theirs}yours:\n{ours}"
            )));
        }
        let own = model.statistics.fingerprint();
        let Some(given) = self.statistics.as_ref().filter(|given| given.fingerprint() != own)
        else {
            return Ok(model.clone());
        };
        if given.analyzer() != analyzer {
            return Err(DetectError::Mismatch(format!(
                "{method}: the statistics were counted with another analyzer than the model was trained with; count them again with the model's"
            )));
        }
        if given.n_documents() == 0 {
            return Err(DetectError::Mismatch(format!(
                "{method}: the statistics were counted over no document; leave them out to use the model's own"
            )));
        }
        match model.frequencies {
            Frequencies::Collection => Ok(Arc::new(model.asked_with(given.clone()))),
            Frequencies::Model => Err(DetectError::Mismatch(format!(
                "{method}: the model was made for the collection statistics it was trained with ({own:016x}) and brings them, those given are others ({:016x}); leave out the key `stats`, or train a model by counting the collection",
                given.fingerprint()
            ))),
        }
    }
}

fn wrong_kind(method: &'static str, model: &Model, wanted: &'static str) -> DetectError {
    DetectError::Mismatch(format!(
        "{method}: the model was made by `lookalike train {}`; make one with `lookalike train {wanted}`",
        model.kind()
    ))
}
