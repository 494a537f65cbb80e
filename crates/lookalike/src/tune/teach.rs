//! A model from labelled documents, and what it is worth on documents it did not see.

use std::sync::Arc;

use lookalike_detect::model::UnseenReport;
use lookalike_detect::{DetectorConfig, Model};
use lookalike_statistics::Statistics;
use lookalike_text::{AnalyzerConfig, Document};

use super::{Candidate, Estimate, Labels, LearnedKind, Taught, TuneOptions, tune};
use crate::{ConfigError, Context, LabelledCorpus, OwnedDocument, Profile, RunError};

/// Learns from all labels, and sees on divisions of the documents what that is worth; with no
/// `halvings` it does not look.
///
/// # Errors
/// Documents without near-duplicates or without different ones, or the user stopped it.
pub fn teach(
    kind: &LearnedKind,
    corpus: &LabelledCorpus,
    labels: &Labels,
    (analyzer, statistics): (&AnalyzerConfig, &Arc<Statistics>),
    halvings: usize,
    context: &Context<'_>,
) -> Result<Model, RunError> {
    let documents: Vec<Document<'_>> =
        corpus.documents.iter().map(OwnedDocument::document).collect();
    let taught = match labels {
        Labels::Clusters(clusters) => Taught::Clusters(clusters),
        Labels::Pairs(pairs) => Taught::Pairs(pairs),
    };
    let mut model = kind.learn(analyzer, &documents, taught, Arc::clone(statistics))?;
    let profile = Profile::of_labelled(&corpus.documents, &corpus.groups, labels, analyzer)?;
    model.profile = profile.figures;
    if halvings == 0 {
        return Ok(model);
    }
    let mut table = toml::Table::new();
    table.insert("method".into(), model.kind().into());
    let words = toml::Value::try_from(analyzer);
    table.insert("analyzer".into(), words.map_err(|e| ConfigError::Invalid(e.to_string()))?);
    let candidate = Candidate {
        name: model.kind().to_owned(),
        config: DetectorConfig::from_table(table)?,
        learns: Some(kind.clone()),
        ignore_boilerplate: None,
    };
    let statistics = vec![Arc::clone(statistics)];
    let options = TuneOptions { halvings, statistics, ..TuneOptions::default() };
    let (documents, groups) = (&corpus.documents, &corpus.groups);
    let tried = tune(documents, groups, labels, vec![candidate], &options, context)?;
    let part = |e: Estimate| [e.mean, e.low, e.high];
    model.report.unseen = (!tried.ranking.is_empty()).then(|| UnseenReport {
        precision: part(tried.promise.precision),
        recall: part(tried.promise.recall),
        f1: part(tried.promise.f1),
        n_documents: documents.len(),
        groups: groups.to_string(),
    });
    Ok(model)
}
