//! One row of the input: a document, or the reason why there is none.

use std::borrow::Cow;
use std::fmt;

use lookalike_text::Document;
use serde_json::Value;

use crate::read::Columns;

/// One row of the input.
#[derive(Debug)]
pub struct Row<'a> {
    /// The row's number in the whole input: dense from 0, the same in every pass.
    pub ordinal: u64,
    /// Where the row stands.
    pub place: Place<'a>,
    /// The document, or why it could not be read.
    pub content: Result<RowDocument<'a>, Unreadable>,
}

/// A file and a row in it; displays as `file:row`, or `file` where the file is one document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place<'a> {
    /// The file's path as it was given, or `-` for standard input.
    pub file: &'a str,
    /// The row, counted from 1: line, spreadsheet row or message.
    pub row: Option<u64>,
}

impl fmt::Display for Place<'_> {
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
}

/// A document with what else its row says about it.
#[derive(Debug)]
pub struct RowDocument<'a> {
    /// The document's id; never empty.
    pub id: Cow<'a, str>,
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
        Document { text: &self.text, title: self.title.as_deref(), url: self.url.as_deref() }
    }

    /// Any other field of the row (`a.b` for nested ones), a header of a message.
    ///
    /// Parsed anew at each call: meant for the few fields that rules and labels need.
    pub fn field(&self, name: &str) -> Option<Value> {
        self.columns.field(name)
    }
}
