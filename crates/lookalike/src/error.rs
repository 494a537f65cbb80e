//! What can go wrong in a run, as sentences a user can act on.

use std::path::PathBuf;

use lookalike_corpus::CorpusError;
use lookalike_detect::train::TrainError;
use lookalike_detect::{DetectError, ModelError};
use lookalike_index::{DocumentId, IndexError};
use lookalike_statistics::StatisticsError;
use lookalike_statistics::boilerplate::BoilerplateError;
use lookalike_store::shown_id;

use crate::KeepFieldError;

/// A configuration that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A value outside what its key allows.
    #[error("{key} = `{value}`: expected {expected}")]
    Value {
        /// The key, which is also the flag's name.
        key: &'static str,
        /// What was given.
        value: String,
        /// What is allowed.
        expected: &'static str,
    },
    /// A table that is no configuration.
    #[error("{0}")]
    Invalid(String),
    /// The method or its parameters.
    #[error(transparent)]
    Detector(#[from] DetectError),
}

/// A run that could not be finished.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The method or its artefacts.
    #[error(transparent)]
    Detect(#[from] DetectError),
    /// Reading the input or writing it back.
    #[error(transparent)]
    Corpus(CorpusError),
    /// The join's working files.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// A statistics file.
    #[error("{path} is no statistics file to use")]
    Statistics {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: StatisticsError,
    },
    /// A boilerplate file.
    #[error("{path} is no boilerplate file to use")]
    Boilerplate {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: BoilerplateError,
    },
    /// A model file.
    #[error("{path} is no model to use")]
    Model {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: ModelError,
    },
    /// Labelled documents that nothing can be learned from.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// A line of a pairs file that is none.
    #[error("{path}, line {line}: {reason}")]
    JudgedPair {
        /// The file.
        path: PathBuf,
        /// The line's number, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// Counts that cannot be added up.
    #[error(transparent)]
    Counting(#[from] StatisticsError),
    /// A result file or a working file.
    #[error("cannot {action} {path}")]
    File {
        /// What was tried: read, write, create.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's answer.
        source: std::io::Error,
    },
    /// Two documents with one id.
    #[error(
        "two documents have the id `{}`: {first} and {second}; make the ids unique, name another field with the key `id-key`, or number the rows with the key `id-key` = row",
        shown_id(.id)
    )]
    DuplicateId {
        /// The id.
        id: String,
        /// Where it stands first.
        first: String,
        /// Where it stands again.
        second: String,
    },
    /// The keep rule names a field that nothing can be decided by.
    #[error(transparent)]
    Keep(#[from] KeepFieldError),
    /// The field that was to hold ids is in no row.
    #[error(
        "no row has the field `{0}` that was to hold its id; name another one, or number the rows with the key `id-key` = row"
    )]
    NoIdField(String),
    /// The output folder has something in it.
    #[error(
        "{0} is not empty; choose another folder, or have its results overwritten with the key `force`"
    )]
    OutputNotEmpty(PathBuf),
    /// A file in the output folder that no run has written, or that was changed since.
    #[error(
        "{0} was not written by lookalike, or was changed since; move it away or choose another folder. Nothing was replaced"
    )]
    NotOurs(PathBuf),
    /// Two runs into one folder.
    #[error("another run is writing into {0}; wait for it, or choose another folder")]
    OutputInUse(PathBuf),
    /// Signed documents that do not fit the run.
    #[error("the run cannot go on from {folder}: {what}; remove that folder to begin anew")]
    Resume {
        /// Where they are.
        folder: PathBuf,
        /// Why they do not fit.
        what: &'static str,
    },
    /// Input that cannot be read a second time.
    #[error("{0}: a run over a stream cannot be resumed; save it to a file first")]
    NothingToResume(String),
    /// Not one document could be read.
    #[error("no document could be read: {0}")]
    NothingReadable(String),
    /// More rows than document numbers.
    #[error("the input has more than 4,294,967,295 rows; split it")]
    TooManyRows,
    /// A document that was asked for by id is not in the input.
    #[error("no document with the id `{}` was found in the input", shown_id(.0))]
    UnknownId(String),
    /// No two documents are alike enough to ask anybody about.
    #[error("no two documents share enough words in a row to ask about them")]
    NothingToAsk,
    /// A method that draws no line to ask around.
    #[error(
        "{0} has no threshold to ask around; choose another method, such as minhash, spotsigs or vectors"
    )]
    NoThreshold(&'static str),
    /// Documents of which none names its cluster.
    #[error(
        "no document has the field `{0}` that names its cluster; name another field with the key `label-key`, or give judged pairs with the key `judged`"
    )]
    NoLabels(String),
    /// A prepared document that means nothing to the method of the run.
    #[error(
        "the document `{0}` was prepared by another method, or with other parameters or artefacts; \
         prepare it again from its text"
    )]
    PreparedByAnotherMethod(String),
    /// Where prepared documents are stored could not be read.
    #[error(transparent)]
    Stored(Box<dyn std::error::Error + Send + Sync>),
    /// The threads that the configuration asks for.
    #[error("cannot start {threads} threads: {reason}; lower the key `threads`")]
    Threads {
        /// How many.
        threads: usize,
        /// The system's answer.
        reason: String,
    },
    /// What a verdict rests on was not kept: a defect of the program.
    #[error(
        "the {0} of document {n} of this run cannot be read back; this is a defect of lookalike, \
         please report it with the command that led to it",
        n = .1.0
    )]
    MissingPart(&'static str, DocumentId),
    /// Nothing was kept that verdicts could rest on: a defect of the program.
    #[error(
        "the {0} of the documents were not kept; this is a defect of lookalike, please report it \
         with the command that led to it"
    )]
    MissingStore(&'static str),
    /// Documents of which none names its group.
    #[error(
        "no document has the field `{0}` that names its group; leave it out and groups are guessed"
    )]
    NoGroups(String),
    /// The user stopped the run.
    #[error("interrupted; nothing was written")]
    Interrupted,
}

impl From<CorpusError> for RunError {
    fn from(error: CorpusError) -> Self {
        match error {
            CorpusError::Stopped => Self::Interrupted,
            error => Self::Corpus(error),
        }
    }
}

/// Names the path an input/output error happened at.
pub(crate) fn file_error(
    action: &'static str,
    path: &std::path::Path,
) -> impl FnOnce(std::io::Error) -> RunError {
    let path = path.to_owned();
    move |source| RunError::File { action, path, source }
}
