//! What a method has learned: an artefact of its own, with a file of its own.
//!
//! A model carries everything its use depends on: the analyzer, the document frequencies it was
//! trained with and whose it is to be asked with, the features and their scaling, the weights, and
//! how it was trained. Version 5 of
//! the file, all numbers little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `LOOKMODL` |
//! | 4 | format version |
//! | 4 | 0 |
//! | 8 | length of the description, d |
//! | 8 | length of the statistics, s |
//! | d | the description as JSON: analyzer, what was learned, training report |
//! | s | the statistics, as [`Statistics::to_bytes`] writes them |
//! | 8 | XXH3-64 of all bytes before |

use std::collections::BTreeMap;
use std::sync::Arc;

use lookalike_statistics::{Statistics, StatisticsError};
use lookalike_text::AnalyzerConfig;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::decide::SupportVectors;
use crate::represent::PairViews;
use crate::represent::learned::KgramWeights;

/// The version of the file format that this program writes and reads; raised too where the same text
/// has other words than before.
pub const MODEL_FORMAT_VERSION: u32 = 6;

const MAGIC: &[u8; 8] = b"LOOKMODL";
const HEADER_LENGTH: usize = 32;
const CHECKSUM_LENGTH: usize = 8;

/// A trained method.
#[derive(Clone, Debug)]
pub struct Model {
    /// The analyzer that made the terms it was trained on.
    pub analyzer: AnalyzerConfig,
    /// The document frequencies it was trained with.
    pub statistics: Arc<Statistics>,
    /// Whose document frequencies it is asked with.
    pub frequencies: Frequencies,
    /// What was learned.
    pub learned: Learned,
    /// How it was trained.
    pub report: TrainingReport,
    /// What the training documents look like: first quartile, median and third quartile of figures
    /// that whoever trains it chooses.
    pub profile: BTreeMap<String, [f64; 3]>,
}

/// Whose document frequencies a model is asked with.
///
/// Weights are learned on frequencies relative to the collection, so that what was learned on one
/// collection can be asked on another with the frequencies of that one. Frequencies that somebody
/// chose belong to the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Frequencies {
    /// Those of the collection at hand, counted as the ones it was trained with.
    #[default]
    Collection,
    /// Those it was trained with, which it brings.
    Model,
}

/// What was learned, by the kind of method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Learned {
    /// Weights of k-grams, for `andd`, `andd-cosine` and `andd-jaccard`.
    Andd(KgramWeights),
    /// Support vectors over similarities of two documents, for `svm`.
    Svm(SvmModel),
}

/// What the method `svm` learns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SvmModel {
    /// What of two documents is compared.
    pub views: PairViews,
    /// The discriminant.
    pub machine: SupportVectors,
}

/// How a model was trained and how well it fits what it was trained on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrainingReport {
    /// Documents it was trained on.
    pub n_documents: usize,
    /// Pairs of near-duplicates it was shown.
    pub n_positive: usize,
    /// Pairs of different documents it was shown.
    pub n_negative: usize,
    /// Steps of the optimizer.
    pub iterations: usize,
    /// The loss before the first step.
    pub loss_before: f64,
    /// The loss after the last step.
    pub loss_after: f64,
    /// Precision on the training pairs at the model's own threshold.
    pub precision: f64,
    /// Recall there.
    pub recall: f64,
    /// Where its randomness started.
    pub seed: u64,
    /// What models learned on some of the documents reached on others that they had not seen.
    pub unseen: Option<UnseenReport>,
}

/// What was reached on documents that nothing was learned from: mean, and the ends of the interval
/// that new documents lie in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UnseenReport {
    /// The share of found pairs that are true.
    pub precision: [f64; 3],
    /// The share of true pairs that are found.
    pub recall: [f64; 3],
    /// The harmonic mean of both.
    pub f1: [f64; 3],
    /// For a collection of so many documents.
    pub n_documents: usize,
    /// How documents were told apart, as a sentence.
    pub groups: String,
}

/// Bytes that are not a model this program can use.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// Something else altogether.
    #[error("this is not a model file; make one with `lookalike train`")]
    NotModel,
    /// A model of another time.
    #[error(
        "the model has format version {found}, this program reads version {expected}; train it again with this program"
    )]
    Version {
        /// The file's version.
        found: u32,
        /// The program's version.
        expected: u32,
    },
    /// Cut short or changed.
    #[error("the model file is damaged; copy it again from where it was trained")]
    Damaged,
    /// Intact, but not a description this program understands.
    #[error("the model's description cannot be read: {0}")]
    Content(String),
    /// The statistics inside do not work.
    #[error(transparent)]
    Statistics(#[from] StatisticsError),
}

/// The JSON part of the file.
#[derive(Serialize, Deserialize)]
struct Description {
    analyzer: AnalyzerConfig,
    statistics_fingerprint: u64,
    frequencies: Frequencies,
    learned: Learned,
    report: TrainingReport,
    profile: BTreeMap<String, [f64; 3]>,
}

impl Model {
    /// The name of what it was trained for: `andd` or `svm`.
    pub fn kind(&self) -> &'static str {
        match self.learned {
            Learned::Andd(_) => "andd",
            Learned::Svm(_) => "svm",
        }
    }

    /// The same model with the frequencies of another collection.
    pub fn asked_with(&self, statistics: Arc<Statistics>) -> Self {
        Self { statistics, ..self.clone() }
    }

    /// A hash of everything that decides a verdict; signatures and indexes record it.
    pub fn fingerprint(&self) -> u64 {
        let learned = serde_json::to_vec(&(&self.analyzer, &self.learned)).unwrap_or_default();
        xxh3_64(&learned) ^ self.statistics.fingerprint().rotate_left(1)
    }

    /// The model as the bytes of a file; the same content gives the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let description = Description {
            analyzer: self.analyzer.clone(),
            statistics_fingerprint: self.statistics.fingerprint(),
            frequencies: self.frequencies,
            learned: self.learned.clone(),
            report: self.report.clone(),
            profile: self.profile.clone(),
        };
        // Structs of plain fields: there is nothing that could fail to be written.
        let description = serde_json::to_vec(&description).unwrap_or_default();
        let statistics = self.statistics.to_bytes();
        let mut bytes =
            Vec::with_capacity(HEADER_LENGTH + description.len() + statistics.len() + 8);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&MODEL_FORMAT_VERSION.to_le_bytes());
        bytes.extend_from_slice(&[0; 4]);
        bytes.extend_from_slice(&(description.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&(statistics.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&description);
        bytes.extend_from_slice(&statistics);
        let checksum = xxh3_64(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads the bytes that [`Model::to_bytes`] wrote.
    ///
    /// # Errors
    /// Bytes of another kind or version, cut short, or changed since they were written.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelError> {
        if !bytes.starts_with(MAGIC) {
            return Err(ModelError::NotModel);
        }
        let number = |from: usize| {
            let chunk = bytes.get(from..)?.first_chunk()?;
            Some(u64::from_le_bytes(*chunk))
        };
        let found = number(8).ok_or(ModelError::Damaged)? as u32;
        if found != MODEL_FORMAT_VERSION {
            return Err(ModelError::Version { found, expected: MODEL_FORMAT_VERSION });
        }
        let description_length = number(16).ok_or(ModelError::Damaged)?;
        let statistics_length = number(24).ok_or(ModelError::Damaged)?;
        let expected = u128::from(description_length) + u128::from(statistics_length);
        if bytes.len() as u128 != expected + (HEADER_LENGTH + CHECKSUM_LENGTH) as u128 {
            return Err(ModelError::Damaged);
        }
        let (content, checksum) = bytes.split_at(bytes.len() - CHECKSUM_LENGTH);
        if xxh3_64(content).to_le_bytes() != checksum {
            return Err(ModelError::Damaged);
        }
        let (description, statistics) =
            content[HEADER_LENGTH..].split_at(description_length as usize);
        let description: Description = serde_json::from_slice(description)
            .map_err(|error| ModelError::Content(error.to_string()))?;
        let statistics = Statistics::from_bytes(statistics)?;
        if statistics.fingerprint() != description.statistics_fingerprint {
            return Err(ModelError::Damaged);
        }
        let Description { analyzer, frequencies, learned, report, profile, .. } = description;
        check(&learned).map_err(|message| ModelError::Content(message.into()))?;
        Ok(Self {
            analyzer,
            statistics: Arc::new(statistics),
            frequencies,
            learned,
            report,
            profile,
        })
    }
}

/// Whether the parts of what was learned fit each other, so that using it cannot panic.
fn check(learned: &Learned) -> Result<(), &'static str> {
    match learned {
        Learned::Andd(weights) => weights.check(),
        Learned::Svm(svm) => svm.machine.check(svm.views.n_similarities()),
    }
}
