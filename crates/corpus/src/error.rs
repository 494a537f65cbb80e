//! Why the input could not be opened or the output not be written.

use std::io;
use std::path::PathBuf;

/// A failure of the whole run, in contrast to an [`Unreadable`](crate::Unreadable) row.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CorpusError {
    /// The list of inputs is empty.
    #[error("no input given; name files, folders or patterns, or - for standard input")]
    NoInput,
    /// A path that does not exist.
    #[error("{0}: no such file or folder")]
    NotFound(String),
    /// A file whose extension names no format.
    #[error(
        "{0}: unknown format; known are .jsonl .ndjson .json .csv .tsv .parquet .mbox .warc .wet \
         .txt .md .html .htm .eml .docx .docm .odt .pdf, most also with .gz .zst .xz or .bz2. Name the format with the key `as`"
    )]
    UnknownFormat(PathBuf),
    /// A device or a socket, which may never end.
    #[error("{0}: neither a file nor a folder; save what comes out of it, or pipe it to -")]
    Special(PathBuf),
    /// A format that cannot be read from a pipe.
    #[error("{name}: {format} cannot be read from a pipe; save it to a file first")]
    NoStream {
        /// The stream.
        name: String,
        /// What it is said to hold.
        format: &'static str,
    },
    /// A format that is read from files only.
    #[error("{0}: Parquet is read from a file, or as record batches; its bytes are not enough")]
    NotFromMemory(String),
    /// A folder with the results of an earlier run.
    #[error("{0}: this folder holds results of an earlier run; name the files in it to read them")]
    ResultFolder(PathBuf),
    /// Reading was asked to end.
    #[error("reading was stopped")]
    Stopped,
    /// A folder or pattern under which there is no file of a known format.
    #[error(
        "{input}: no file of a known format found there ({ignored} others were ignored; the key \
         `as` names their format, the key `hidden` reads hidden ones)"
    )]
    NothingFound {
        /// The input as given.
        input: String,
        /// How many files of unknown formats were seen.
        ignored: usize,
    },
    /// A pattern that does not parse.
    #[error("{pattern}: not a valid pattern: {source}")]
    BadPattern {
        /// The pattern as given.
        pattern: String,
        /// What is wrong with it.
        source: glob::PatternError,
    },
    /// A path that the system does not let us look at.
    #[error("{}: cannot be read: {source}", path.display())]
    Read {
        /// The path.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Record batches without a column of text.
    #[error("the record batches hold no text to read: {0}")]
    NoTextColumn(String),
    /// A file that is not the same as when the run began.
    #[error("{}: the file changed during the run, so nothing was replaced; start again", .0.display())]
    Changed(PathBuf),
    /// Rows that cannot go into one stream.
    #[error("{0}; write to a folder instead of standard output")]
    NoPipe(String),
    /// A file that could not be written completely.
    #[error("{}: cannot be written: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}
