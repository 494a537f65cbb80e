//! What can go wrong when rows, buckets and words do not fit in memory.

use std::io;
use std::path::PathBuf;

use crate::DocumentId;

/// A failure of the temporary files, or a limit of the formats in them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// No temporary file could be made.
    #[error("cannot create a temporary file in {}: {source}", path.display())]
    Create {
        /// The folder for temporary files.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A temporary file could not be written, most often because the disk is full.
    #[error("cannot write to a temporary file in {}: {source}", path.display())]
    Write {
        /// The folder for temporary files.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A temporary file could not be read back.
    #[error("cannot read back a temporary file in {}: {source}", path.display())]
    Read {
        /// The folder for temporary files.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// More shared rows than positions of 32 bits can tell apart.
    #[error("more than {} rows share a bucket; split the input", u32::MAX)]
    TooManyRows,
    /// Words must be put in the order of the documents.
    #[error("words of document {} were put after those of document {}", document.0, last.0)]
    OutOfOrder {
        /// The document that came too late.
        document: DocumentId,
        /// The last document put before it.
        last: DocumentId,
    },
}
