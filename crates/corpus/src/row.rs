//! One row of the input: a document, or the reason why there is none.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use lookalike_text::Document;
use serde_json::{Map, Value};
use xxhash_rust::xxh3::xxh3_64;

use crate::read::Columns;

/// One row of the input.
#[derive(Debug)]
pub struct Row<'a> {
    /// The row's number in the whole input: dense from 0, the same in every pass.
    pub ordinal: u64,
    /// Where the row stands.
    pub place: RowPlace<'a>,
    /// The document, or why it could not be read.
    pub content: Result<RowDocument<'a>, Unreadable>,
    pub(crate) raw: Raw<'a>,
}

/// What a row was made of.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Raw<'a> {
    /// Its bytes in the file, and a digest of the header that explains them.
    Bytes {
        /// The bytes; none where they could not be read.
        bytes: &'a [u8],
        /// What else decides what they mean.
        seed: u64,
    },
    /// Fields without bytes of their own, as in columnar files.
    Fields,
}

impl<'a> Row<'a> {
    /// A digest by which a later pass can tell that it sees the same row again: of the row's bytes,
    /// or in columnar files of its id and text.
    pub fn digest(&self) -> u64 {
        match (self.raw, &self.content) {
            (Raw::Bytes { bytes, seed }, _) => digest(bytes, seed),
            (Raw::Fields, Ok(document)) => {
                digest(document.text.as_bytes(), xxh3_64(document.id.as_bytes()))
            }
            (Raw::Fields, Err(_)) => 0,
        }
    }

    /// The bytes of the row in its file, where it has any.
    pub fn bytes(&self) -> Option<&'a [u8]> {
        match self.raw {
            Raw::Bytes { bytes, .. } => (!bytes.is_empty()).then_some(bytes),
            Raw::Fields => None,
        }
    }
}

/// A digest of bytes and of what else decides what they mean; 0 where there are none.
pub(crate) fn digest(bytes: &[u8], seed: u64) -> u64 {
    if bytes.is_empty() { 0 } else { xxh3_64(bytes).rotate_left(1).wrapping_add(seed) }
}

/// A file and a row in it; displays as `file:row`, or `file` where the file is one document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowPlace<'a> {
    /// The file's path as it was given, or `-` for standard input.
    pub file: &'a str,
    /// The row, counted from 1: line, spreadsheet row or message.
    pub row: Option<u64>,
}

impl fmt::Display for RowPlace<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.row {
            Some(row) => write!(formatter, "{}:{row}", self.file),
            None => formatter.write_str(self.file),
        }
    }
}

/// A row that holds no document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {reason}")]
pub struct Unreadable {
    /// Where it stands, as `file:row`.
    pub place: String,
    /// What is wrong, in words.
    pub reason: String,
    /// Whether more than this row is missing: the file could not be read, or not to its end.
    pub incomplete: bool,
}

/// Why there is no document where one was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub reason: String,
    pub incomplete: bool,
}

impl Problem {
    /// The file, or its rest, could not be read.
    pub(crate) fn of_file(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), incomplete: true }
    }
}

/// Files that are listed one by one: a list is for people.
const MOST_INCOMPLETE: usize = 1000;

/// The files that could not be read to their end, by the ordinal of the row that says why.
///
/// Every pass comes upon the same rows, so that it does not matter how many there were.
#[derive(Debug, Default)]
pub(crate) struct Incomplete(Mutex<BTreeMap<u64, Unreadable>>);

impl Incomplete {
    pub(crate) fn note(&self, ordinal: u64, row: &Unreadable) {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        files.entry(ordinal).or_insert_with(|| row.clone());
        if files.len() > MOST_INCOMPLETE {
            files.pop_last();
        }
    }

    pub(crate) fn files(&self) -> Vec<Unreadable> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }
}

/// What is wrong with a single row.
impl From<String> for Problem {
    fn from(reason: String) -> Self {
        Self { reason, incomplete: false }
    }
}

/// A document with what else its row says about it.
#[derive(Debug)]
pub struct RowDocument<'a> {
    /// The document's id; never empty.
    pub id: Cow<'a, str>,
    /// Whether the row has its id as a number or truth value, of which `id` is the spelling.
    pub id_is_literal: bool,
    /// The visible text.
    pub text: Cow<'a, str>,
    /// The title or subject, where there is one.
    pub title: Option<Cow<'a, str>>,
    /// The address of the page, where there is one.
    pub url: Option<Cow<'a, str>>,
    pub(crate) columns: Columns<'a>,
}

impl RowDocument<'_> {
    /// The document as the later stages see it.
    pub fn document(&self) -> Document<'_> {
        Document {
            text: &self.text,
            title: self.title.as_deref(),
            url: self.url.as_deref(),
            whole_text: None,
        }
    }

    /// Any other field of the row (`a.b` for nested ones), a header of a message.
    ///
    /// Parsed anew at each call: meant for the few fields that rules and labels need.
    pub fn field(&self, name: &str) -> Option<Value> {
        self.columns.field(name)
    }

    /// All fields of the row by name but those of its text and its id, which are named here, as far
    /// as they were read; messages and records of web archives have none.
    pub fn fields_but(&self, text_and_id: &[&str]) -> Map<String, Value> {
        self.columns.all_but(text_and_id)
    }
}
