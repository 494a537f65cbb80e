//! Why an experiment could not be run.

use lookalike::{IndexError, RunError};
use lookalike_detect::DetectError;
use lookalike_detect::train::TrainError;
use lookalike_learn::LearnError;
use lookalike_text::AnalyzerError;

/// An experiment that cannot be run as asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabError {
    /// A detector could not be built.
    #[error(transparent)]
    Detect(#[from] DetectError),
    /// The analyzer's configuration does not work.
    #[error(transparent)]
    Analyzer(#[from] AnalyzerError),
    /// A run of the engine failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A model could not be trained.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// A durable index could not do its part.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The collection, a comparison or a picture.
    #[error(transparent)]
    Learn(#[from] LearnError),
    /// The collection lacks what the experiment needs.
    #[error("{0}")]
    Collection(String),
    /// An option is outside what the experiment allows.
    #[error("{option} = {value}: {expected}")]
    Option {
        /// The option as users write it.
        option: &'static str,
        /// What was given.
        value: String,
        /// What is allowed, as a sentence.
        expected: &'static str,
    },
    /// A line of a qrels file that is not `topic iteration document relevance`.
    #[error("line {line} of the judgments is not `topic iteration document relevance`")]
    Judgment {
        /// The line's number, from 1.
        line: usize,
    },
    /// Working files could not be written.
    #[error("the working files could not be written to {}", folder.display())]
    Write {
        /// The folder.
        folder: std::path::PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}
