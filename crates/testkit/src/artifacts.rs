//! What a method needs besides its parameters, made from the tiny corpus.

use std::sync::Arc;

use lookalike_detect::{Artifacts, Detector, DetectorConfig};
use lookalike_statistics::StatisticsBuilder;
use lookalike_text::Analyzer;

use crate::corpus;

/// Artefacts of [`corpus::STORIES`] under the method's own analyzer.
///
/// A method that needs a further artefact (a model) gets it here, so that every suite that runs
/// over all methods covers it.
pub fn artifacts_for(config: &DetectorConfig) -> Artifacts {
    let mut artifacts = Artifacts::default();
    if config.needs_statistics() {
        let analyzer = Analyzer::new(config.analyzer()).unwrap();
        let mut builder = StatisticsBuilder::new(config.analyzer().clone());
        for story in corpus::STORIES {
            builder.add(&analyzer.tokenize(story));
        }
        artifacts.statistics = Some(Arc::new(builder.finish()));
    }
    artifacts
}

/// The detector of a configuration, with the artefacts of the tiny corpus.
pub fn build(config: &DetectorConfig) -> Detector {
    config
        .build(&artifacts_for(config))
        .unwrap_or_else(|error| panic!("{}: {error}", config.name()))
}
