//! What a method needs besides its parameters, made from the tiny corpus.

use std::sync::Arc;

use lookalike_detect::measure::Similarity;
use lookalike_detect::train::{self, AnddOptions, LabelledDocument, SvmOptions};
use lookalike_detect::{Artifacts, Detector, DetectorConfig, Model};
use lookalike_statistics::StatisticsBuilder;
use lookalike_text::{Analyzer, Document};

use crate::corpus;

/// Artefacts of [`corpus::STORIES`] under the method's own analyzer.
///
/// A method that needs a further artefact (a model) gets it here, so that every suite that runs
/// over all methods covers it.
pub fn artifacts_for(config: &DetectorConfig) -> Artifacts {
    artifacts_from(config, &labelled_stories())
}

/// Artefacts of other documents under the method's own analyzer.
pub fn artifacts_from(config: &DetectorConfig, documents: &[LabelledDocument<'_>]) -> Artifacts {
    let mut artifacts = Artifacts::default();
    if config.needs_statistics() {
        let analyzer = Analyzer::new(config.analyzer()).unwrap();
        let mut builder = StatisticsBuilder::new(config.analyzer().clone());
        for labelled in documents {
            builder.add(&analyzer.tokenize(labelled.document.text));
        }
        artifacts.statistics = Some(Arc::new(builder.finish()));
    }
    if config.needs_model() {
        artifacts.model = Some(Arc::new(model_from(config, documents)));
    }
    artifacts
}

/// The tiny corpus with its clusters: the last two stories are edited copies of the first two.
pub fn labelled_stories() -> Vec<LabelledDocument<'static>> {
    let clusters = [0, 1, 2, 3, 4, 0, 1];
    let labelled =
        |(story, cluster)| LabelledDocument { document: Document::from_text(story), cluster };
    corpus::STORIES.iter().copied().zip(clusters).map(labelled).collect()
}

/// A model of the kind a method needs.
fn model_from(config: &DetectorConfig, documents: &[LabelledDocument<'_>]) -> Model {
    let analyzer = config.analyzer().clone();
    let trained = if matches!(config, DetectorConfig::Svm(_)) {
        train::svm(documents, &SvmOptions { analyzer, ..SvmOptions::default() })
    } else {
        let similarity = match config {
            DetectorConfig::AnddJaccard(_) => Similarity::ExtendedJaccard,
            _ => Similarity::Cosine,
        };
        train::andd(documents, &AnddOptions { analyzer, similarity, ..AnddOptions::default() })
    };
    trained.unwrap_or_else(|error| panic!("{}: {error}", config.name()))
}

/// The detector of a configuration, with the artefacts of the tiny corpus.
pub fn build(config: &DetectorConfig) -> Detector {
    config
        .build(&artifacts_for(config))
        .unwrap_or_else(|error| panic!("{}: {error}", config.name()))
}
