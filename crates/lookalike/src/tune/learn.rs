//! What a method learns before it can run, from some of the labelled documents.

use std::sync::Arc;

use lookalike_detect::measure::Similarity;
use lookalike_detect::train::{
    self, AnddOptions, LabelledDocument, SvmOptions, TrainError, TrainingPairs,
};
use lookalike_detect::{DetectorConfig, Model};
use lookalike_statistics::Statistics;
use lookalike_text::{AnalyzerConfig, Document};

/// What has to be learned before a method can run, and how.
#[derive(Clone, Debug)]
pub enum LearnedKind {
    /// Weights of k-grams.
    Andd(Box<AnddOptions>),
    /// A discriminant.
    Svm(Box<SvmOptions>),
}

/// What is known of the documents that are learned from, by their places.
#[derive(Clone, Copy, Debug)]
pub enum Taught<'a> {
    /// The cluster of each.
    Clusters(&'a [u32]),
    /// Judged pairs.
    Pairs(&'a TrainingPairs),
}

impl LearnedKind {
    /// What this method learns by default; `None` for one that learns nothing.
    pub fn of(config: &DetectorConfig) -> Option<Self> {
        let similarity = match config {
            DetectorConfig::Svm(_) => return Some(Self::Svm(Box::default())),
            DetectorConfig::AnddJaccard(_) => Similarity::ExtendedJaccard,
            _ => Similarity::Cosine,
        };
        let options = AnddOptions { similarity, ..AnddOptions::default() };
        config.needs_model().then(|| Self::Andd(Box::new(options)))
    }

    /// Learns with an analyzer and with the document frequencies of the collection.
    ///
    /// # Errors
    /// Documents without near-duplicates or without different ones.
    pub fn learn(
        &self,
        analyzer: &AnalyzerConfig,
        documents: &[Document<'_>],
        taught: Taught<'_>,
        statistics: Arc<Statistics>,
    ) -> Result<Model, TrainError> {
        let (analyzer, statistics) = (analyzer.clone(), Some(statistics));
        let labelled = |clusters: &[u32]| -> Vec<LabelledDocument<'_>> {
            let both = documents.iter().zip(clusters);
            both.map(|(&document, &cluster)| LabelledDocument { document, cluster }).collect()
        };
        match self {
            Self::Andd(options) => {
                let options = AnddOptions { analyzer, statistics, ..(**options).clone() };
                match taught {
                    Taught::Clusters(clusters) => train::andd(&labelled(clusters), &options),
                    Taught::Pairs(pairs) => train::andd_from_pairs(documents, pairs, &options),
                }
            }
            Self::Svm(options) => {
                let options = SvmOptions { analyzer, statistics, ..(**options).clone() };
                match taught {
                    Taught::Clusters(clusters) => train::svm(&labelled(clusters), &options),
                    Taught::Pairs(pairs) => train::svm_from_pairs(documents, pairs, &options),
                }
            }
        }
    }
}
