//! The formats, one file each: bytes to rows.

pub(crate) mod files;
pub(crate) mod jsonl;
pub(crate) mod records;

use serde_json::Value;

/// Where the fields of a row that nobody has asked for yet can be found.
#[derive(Debug)]
pub(crate) enum Columns<'a> {
    /// The row is its text and nothing else.
    None,
    /// A JSON object.
    Json(&'a str),
}

impl Columns<'_> {
    pub(crate) fn field(&self, name: &str) -> Option<Value> {
        match self {
            Self::None => None,
            Self::Json(line) => jsonl::field(line, name),
        }
    }
}
