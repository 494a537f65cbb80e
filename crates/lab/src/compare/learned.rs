//! Methods that need a model: learned on one half of the clusters, measured on the other.

use std::sync::Arc;

use lookalike_detect::measure::Similarity;
use lookalike_detect::train::{self, AnddOptions, LabelledDocument, SvmOptions};
use lookalike_detect::{Artifacts, DetectorConfig, Model};
use lookalike_statistics::Statistics;

use super::scoring::{Scores, score};
use super::truth::Truth;
use crate::collection::LabDocument;
use crate::evaluate::{Halving, halve_clusters};
use crate::{Collection, LabError};

/// Trains on each half and scores the other; the documents' statistics are the collection's.
pub(super) fn score_halves(
    config: &DetectorConfig,
    collection: &Collection,
    clusters: &[u32],
    halvings: usize,
    seed: u64,
) -> Result<Vec<(Scores, u64)>, LabError> {
    let statistics = Arc::new(collection.statistics(config.analyzer())?);
    let score_half = |halving: &Halving| {
        let labelled: Vec<LabelledDocument<'_>> = halving
            .train
            .iter()
            .map(|&document| LabelledDocument {
                document: collection.documents[document].document(),
                cluster: clusters[document],
            })
            .collect();
        let model = Arc::new(learn(config, &labelled, statistics.clone())?);
        let detector = config.build(&Artifacts { model: Some(model), ..Artifacts::default() })?;
        let documents: Vec<LabDocument> =
            halving.test.iter().map(|&document| collection.documents[document].clone()).collect();
        let truth = Truth::Clusters(halving.test.iter().map(|&d| clusters[d]).collect());
        let masks = vec![0; documents.len()];
        Ok((score(&detector, &documents, &truth, &masks, 0), truth.n_true(|_| true)))
    };
    halve_clusters(clusters, halvings, seed).iter().map(score_half).collect()
}

fn learn(
    config: &DetectorConfig,
    labelled: &[LabelledDocument<'_>],
    statistics: Arc<Statistics>,
) -> Result<Model, LabError> {
    let analyzer = config.analyzer().clone();
    let statistics = Some(statistics);
    if config.name() == "svm" {
        let options = SvmOptions { analyzer, statistics, ..SvmOptions::default() };
        return Ok(train::svm(labelled, &options)?);
    }
    let similarity = match config.name() {
        "andd-jaccard" => Similarity::ExtendedJaccard,
        _ => Similarity::Cosine,
    };
    let options = AnddOptions { analyzer, statistics, similarity, ..AnddOptions::default() };
    Ok(train::andd(labelled, &options)?)
}
