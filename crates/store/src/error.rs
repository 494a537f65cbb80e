//! What can go wrong, in sentences that name the file.

use std::borrow::Cow;
use std::io;

/// Why the store could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file system refused.
    #[error("cannot {action} {file}: {source}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        file: String,
        /// The reason.
        source: io::Error,
    },
    /// A file does not hold what was written to it.
    #[error("{file} is damaged: {what}; restore the index from a copy, or build it anew")]
    Damaged {
        /// The file.
        file: String,
        /// What does not fit, and where.
        what: String,
    },
    /// A file that the manifest names is not there.
    #[error("{file} is missing; restore the index from a copy, or build it anew")]
    Missing {
        /// The file.
        file: String,
    },
    /// There is no index in the folder.
    #[error("{0} is not an index: it has no MANIFEST; `create` makes one")]
    NotAnIndex(String),
    /// There is an index in the folder already, or something else.
    #[error("{0} exists and is not empty; an index is created in a folder of its own")]
    Exists(String),
    /// The index was written by another version of the format.
    #[error("{file} has format version {found}, this program reads version {expected}")]
    Version {
        /// The file.
        file: String,
        /// Its version.
        found: u32,
        /// The version this program writes.
        expected: u32,
    },
    /// Another writer has the index.
    #[error("{folder} is being written by {holder}; wait until it ends (readers need not wait)")]
    Locked {
        /// The folder of the index.
        folder: String,
        /// Who writes, as it has announced.
        holder: String,
    },
    /// An id that is already there, where that was declared an error.
    #[error("id {:?} is already in the index, or twice in one batch", shown_id(.0))]
    DuplicateId(String),
    /// An id, a head or a body beyond what the format allows.
    #[error("{what} of document {id:?} has {bytes} bytes; at most {most} can be stored")]
    TooLarge {
        /// Which part.
        what: &'static str,
        /// The document, as [`shown_id`] shows it.
        id: String,
        /// Its size.
        bytes: usize,
        /// The limit.
        most: usize,
    },
    /// Every document number has been used.
    #[error(
        "the index has numbered {0} additions and has no number left; export it and create it anew"
    )]
    Full(u32),
    /// A write failed in a way that leaves the files' state unknown.
    #[error("an earlier write to {0} failed and its outcome is unknown; open the index again")]
    Failed(String),
}

/// Characters of an id that a message shows: an id may have a megabyte.
const SHOWN_CHARACTERS: usize = 80;

/// An id as messages show it: long ones by their beginning.
pub fn shown_id(id: &str) -> Cow<'_, str> {
    match id.char_indices().nth(SHOWN_CHARACTERS) {
        Some((end, _)) => Cow::Owned(format!("{}…", &id[..end])),
        None => Cow::Borrowed(id),
    }
}

/// A result of the store.
pub type Result<T> = std::result::Result<T, StoreError>;
