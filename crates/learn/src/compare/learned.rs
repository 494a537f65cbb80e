//! Methods that need a model: learned on one half of the clusters or judged pairs, measured on the
//! other.

use std::sync::Arc;

use lookalike_detect::measure::Similarity;
use lookalike_detect::train::{self, AnddOptions, LabelledDocument, SvmOptions, TrainingPairs};
use lookalike_detect::{Artifacts, Detector, Model};
use lookalike_statistics::Statistics;
use lookalike_text::Document;

use super::Compared;
use super::methods::ComparedMethod;
use super::scoring::{Judged, Scores, score};
use super::truth::Truth;
use crate::LabelledText;
use crate::LearnError;
use crate::evaluate::{Halving, halve_clusters};

/// What came of one halving.
pub(super) struct ScoredHalf {
    pub(super) detector: Detector,
    pub(super) scores: Scores,
    /// True and other pairs of the test half.
    pub(super) totals: (u64, u64),
}

impl Compared<'_> {
    /// Trains on each half and scores the other; the documents' statistics are the collection's.
    pub(super) fn score_halves(
        &self,
        method: &ComparedMethod,
        halvings: usize,
        seed: u64,
    ) -> Result<Vec<ScoredHalf>, LearnError> {
        let (collection, truth) = (self.collection, self.truth);
        let config = &method.config;
        let statistics = Arc::new(collection.statistics(config.analyzer())?);
        let score_half = |halving: &Halving| {
            let documents = |half: &[usize]| -> Vec<LabelledText> {
                half.iter().map(|&document| collection.documents[document].clone()).collect()
            };
            let mut training = documents(&halving.train);
            if let Some(set) = &self.boilerplate {
                for document in &mut training {
                    document.text = set.mask(&document.text).into_owned();
                }
            }
            let learner = Learner { method, statistics: statistics.clone() };
            let model = Some(Arc::new(learner.learn(&training, &truth.within(&halving.train))?));
            let boilerplate = self.boilerplate.clone();
            let detector =
                method.build(&Artifacts { model, boilerplate, ..Artifacts::default() })?;
            let (test, truth) = (documents(&halving.test), truth.within(&halving.test));
            let masks = vec![0; test.len()];
            let judged = Judged { truth: &truth, masks: &masks, halvings: 0 };
            let scores = score(&detector, detector.keys_decide(), &test, judged);
            Ok(ScoredHalf { detector, scores, totals: truth.totals() })
        };
        halve_clusters(&truth.groups(collection.len()), halvings, seed)
            .iter()
            .map(score_half)
            .collect()
    }
}

struct Learner<'a> {
    method: &'a ComparedMethod,
    statistics: Arc<Statistics>,
}

impl Learner<'_> {
    fn learn(&self, documents: &[LabelledText], truth: &Truth) -> Result<Model, LearnError> {
        let config = &self.method.config;
        let analyzer = config.analyzer().clone();
        let statistics = Some(self.statistics.clone());
        let plain: Vec<Document<'_>> = documents.iter().map(LabelledText::document).collect();
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
