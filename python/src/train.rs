//! Labels and what is learned from them.

use std::path::Path;
use std::sync::Arc;

use lookalike::tune::{Labels, LearnedKind, teach};
use lookalike::{Config, Context, Corpus, LabelFields, LabelledCorpus, RunError};
use lookalike_detect::measure::Similarity;
use lookalike_detect::represent::Level;
use lookalike_detect::train::{AnddOptions, KernelChoice, SvmOptions};
use lookalike_detect::{Frequencies, Model};
use pyo3::prelude::*;
use serde::Deserialize;

use crate::errors;

/// What is to be learned, and how; everything left out is as the command line has it.
#[derive(Deserialize)]
#[serde(tag = "method", rename_all = "kebab-case")]
pub enum Training {
    /// Weights of terms.
    Andd(Andd),
    /// A discriminant over similarities.
    Svm(Svm),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Andd {
    #[serde(default)]
    similarity: SimilarityName,
    kgram: Option<usize>,
    blocks: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Svm {
    kernel: Option<KernelName>,
    cost: Option<f64>,
    level: Option<LevelName>,
    terms: Option<usize>,
    shingles: Option<Vec<usize>>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum SimilarityName {
    #[default]
    Cosine,
    ExtendedJaccard,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum KernelName {
    Linear,
    Rbf,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum LevelName {
    Document,
    Sentence,
}

impl Training {
    /// The options that a JSON object stands for.
    pub fn parse(options: &str) -> PyResult<Self> {
        serde_json::from_str(options).map_err(|error| {
            errors::ConfigError::new_err(format!("these are no options of training: {error}"))
        })
    }

    fn kind(&self, frequencies: Frequencies) -> LearnedKind {
        match self {
            Self::Andd(wanted) => {
                let mut options = AnddOptions { frequencies, ..AnddOptions::default() };
                options.similarity = match wanted.similarity {
                    SimilarityName::Cosine => Similarity::Cosine,
                    SimilarityName::ExtendedJaccard => Similarity::ExtendedJaccard,
                };
                options.features.k = wanted.kgram.unwrap_or(1);
                options.features.blocks = wanted.blocks.unwrap_or(true);
                LearnedKind::Andd(Box::new(options))
            }
            Self::Svm(wanted) => {
                let mut options = SvmOptions { frequencies, ..SvmOptions::default() };
                wanted.apply(&mut options);
                LearnedKind::Svm(Box::new(options))
            }
        }
    }

    /// Learns from all labels, after seeing on halves of the documents what that is worth.
    pub fn learn(
        &self,
        config: &Config,
        corpus: &LabelledCorpus,
        labels: &Labels,
        halvings: usize,
        context: &Context<'_>,
    ) -> Result<Model, RunError> {
        let analyzer = config.detector.analyzer();
        // Counts that are given belong to the model; others are those of whatever it is asked on.
        let (statistics, frequencies) = if let Some(path) = config.run.stats.as_deref() {
            (lookalike::read_statistics(path)?, Frequencies::Model)
        } else {
            let counted = lookalike::document_statistics(&corpus.documents, analyzer)?;
            (Arc::new(counted), Frequencies::Collection)
        };
        let kind = self.kind(frequencies);
        teach(&kind, corpus, labels, (analyzer, &statistics), halvings, context)
    }
}

impl Svm {
    fn apply(&self, options: &mut SvmOptions) {
        if let Some(kernel) = self.kernel {
            options.kernel = match kernel {
                KernelName::Linear => KernelChoice::Linear,
                KernelName::Rbf => KernelChoice::Rbf,
            };
        }
        if let Some(level) = self.level {
            options.views.level = match level {
                LevelName::Document => Level::Document,
                LevelName::Sentence => Level::Sentence,
            };
        }
        options.cost = self.cost.unwrap_or(options.cost);
        options.views.terms = self.terms.unwrap_or(options.views.terms);
        if let Some(shingles) = &self.shingles {
            options.views.shingles.clone_from(shingles);
        }
    }
}

/// The documents, and their clusters or the judged pairs of a file.
pub fn read_labels(
    corpus: &Arc<Corpus>,
    label: &str,
    group: Option<&str>,
    judged: Option<&str>,
) -> Result<(LabelledCorpus, Labels), RunError> {
    let corpus = lookalike::read_labelled(corpus, LabelFields { label, group })?;
    let labels = if let Some(path) = judged {
        Labels::Pairs(lookalike::judged_pairs(Path::new(path), &corpus.documents)?)
    } else {
        corpus.require_labels(label)?;
        Labels::Clusters(corpus.clusters.clone())
    };
    Ok((corpus, labels))
}
