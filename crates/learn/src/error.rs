//! Why methods could not be compared.

use std::path::PathBuf;

use lookalike::ConfigError;
use lookalike_detect::DetectError;
use lookalike_detect::train::TrainError;
use lookalike_text::AnalyzerError;

/// A comparison that cannot be made as asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LearnError {
    /// A detector could not be built.
    #[error(transparent)]
    Detect(#[from] DetectError),
    /// A method's parameters cannot be read.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The analyzer's configuration does not work.
    #[error(transparent)]
    Analyzer(#[from] AnalyzerError),
    /// The input could not be read, or a detector not be built for a run.
    #[error(transparent)]
    Run(#[from] lookalike::RunError),
    /// A model could not be trained.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// The collection lacks what the comparison needs.
    #[error("{0}")]
    Collection(String),
    /// An option is outside what is allowed.
    #[error("{option} = {value}: {expected}")]
    Option {
        /// The option as users write it.
        option: &'static str,
        /// What was given.
        value: String,
        /// What is allowed, as a sentence.
        expected: &'static str,
    },
    /// The results could not be written.
    #[error("the results could not be written to {}", folder.display())]
    Write {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}
