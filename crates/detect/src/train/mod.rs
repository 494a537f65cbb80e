//! Labelled documents → model. Nothing here touches the clock or a generator it was not given a
//! seed for: the same documents and options give the same bytes.

mod andd;
mod lbfgs;
mod objective;
mod pairs;
mod penalty;
mod separate;
mod standardize;
mod statistics;
mod svm;
mod threshold;

use lookalike_text::{AnalyzerError, Document};

pub use andd::{AnddOptions, Start, andd, andd_from_pairs};
pub use lbfgs::{LbfgsOptions, Minimum, minimize};
pub use pairs::{Pair, PairSampling, TrainingPairs, components};
pub use statistics::count_clusters;
pub use svm::{KernelChoice, SvmOptions, svm, svm_from_pairs};
pub use threshold::{BestThreshold, best_threshold};

/// A document and the cluster of near-duplicates it belongs to.
#[derive(Clone, Copy, Debug)]
pub struct LabelledDocument<'a> {
    /// The document.
    pub document: Document<'a>,
    /// Documents of the same number are near-duplicates of each other, all others are not.
    pub cluster: u32,
}

/// Training data that no model can be learned from, or options that do not work.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// The analyzer's configuration does not work.
    #[error(transparent)]
    Analyzer(#[from] AnalyzerError),
    /// No near-duplicates are among the documents.
    #[error(
        "no two of the {0} labelled documents are near-duplicates; label some clusters of two or more documents"
    )]
    NoPositives(usize),
    /// All documents are near-duplicates of each other.
    #[error(
        "all of the {0} labelled documents are near-duplicates of each other; label some that are not"
    )]
    NoNegatives(usize),
    /// An option outside what training allows.
    #[error("{option}: {expected}")]
    Option {
        /// The option's name as users write it.
        option: &'static str,
        /// What is allowed, as a sentence.
        expected: &'static str,
    },
    /// The statistics given were counted with another analyzer.
    #[error(
        "the statistics were counted with another analyzer than the one to train with; count them again with `lookalike stats` and the same analyzer"
    )]
    Statistics,
}
