//! Methods that need a model: learned on one half of the clusters or judged pairs, measured on the
//! other.

use std::sync::Arc;

use lookalike_detect::measure::Similarity;
use lookalike_detect::train::{self, AnddOptions, LabelledDocument, SvmOptions, TrainingPairs};
use lookalike_detect::{Artifacts, Detector, Model};
use lookalike_statistics::Statistics;
use lookalike_text::Document;

use super::methods::ComparedMethod;
use super::scoring::{Scores, score};
use super::truth::Truth;
use crate::collection::LabDocument;
use crate::evaluate::{Halving, halve_clusters};
use crate::{Collection, LabError};

/// What came of one halving.
pub(super) struct ScoredHalf {
    pub(super) detector: Detector,
    pub(super) scores: Scores,
    /// True pairs of the test half.
    pub(super) n_true: u64,
}

/// Trains on each half and scores the other; the documents' statistics are the collection's.
pub(super) fn score_halves(
    method: &ComparedMethod,
    collection: &Collection,
    truth: &Truth,
    halvings: usize,
    seed: u64,
) -> Result<Vec<ScoredHalf>, LabError> {
    let config = &method.config;
    let statistics = Arc::new(collection.statistics(config.analyzer())?);
    let score_half = |halving: &Halving| {
        let documents = |half: &[usize]| -> Vec<LabDocument> {
            half.iter().map(|&document| collection.documents[document].clone()).collect()
        };
        let learner = Learner { method, statistics: statistics.clone() };
        let model =
            Arc::new(learner.learn(&documents(&halving.train), &truth.within(&halving.train))?);
        let detector = config.build(&Artifacts { model: Some(model), ..Artifacts::default() })?;
        let (test, truth) = (documents(&halving.test), truth.within(&halving.test));
        let masks = vec![0; test.len()];
        let scores = score(&detector, &test, &truth, &masks, 0);
        Ok(ScoredHalf { detector, scores, n_true: truth.n_true(|_| true) })
    };
    halve_clusters(&truth.groups(collection.len()), halvings, seed).iter().map(score_half).collect()
}

struct Learner<'a> {
    method: &'a ComparedMethod,
    statistics: Arc<Statistics>,
}

impl Learner<'_> {
    fn learn(&self, documents: &[LabDocument], truth: &Truth) -> Result<Model, LabError> {
        let config = &self.method.config;
        let analyzer = config.analyzer().clone();
        let statistics = Some(self.statistics.clone());
        let plain: Vec<Document<'_>> = documents.iter().map(LabDocument::document).collect();
        let labelled = |clusters: &[u32]| -> Vec<LabelledDocument<'_>> {
            let labelled = plain.iter().zip(clusters);
            labelled.map(|(&document, &cluster)| LabelledDocument { document, cluster }).collect()
        };
        if config.name() == "svm" {
            let options = SvmOptions { analyzer, statistics, ..SvmOptions::default() };
            return Ok(match truth {
                Truth::Clusters(clusters) => train::svm(&labelled(clusters), &options)?,
                Truth::Judged(pairs) => train::svm_from_pairs(&plain, &sides(pairs), &options)?,
            });
        }
        let similarity = match config.name() {
            "andd-jaccard" => Similarity::ExtendedJaccard,
            _ => Similarity::Cosine,
        };
        let mut options =
            AnddOptions { analyzer, statistics, similarity, ..AnddOptions::default() };
        options.features.k = self.method.kgram;
        Ok(match truth {
            Truth::Clusters(clusters) => train::andd(&labelled(clusters), &options)?,
            Truth::Judged(pairs) => train::andd_from_pairs(&plain, &sides(pairs), &options)?,
        })
    }
}

fn sides(judged: &[(u32, u32, bool)]) -> TrainingPairs {
    let side = |wanted: bool| {
        let pairs = judged.iter().filter(|(.., is_true)| *is_true == wanted);
        pairs.map(|&(left, right, _)| (left, right)).collect()
    };
    TrainingPairs { positive: side(true), negative: side(false) }
}
