//! The formats, one file each: bytes to rows.

pub(crate) mod buffers;
pub(crate) mod csv;
pub(crate) mod files;
mod json_scan;
mod json_string;
pub(crate) mod jsonl;
#[cfg(feature = "mail")]
pub(crate) mod mail;
pub(crate) mod mbox;
#[cfg(feature = "parquet")]
pub(crate) mod parquet;
pub(crate) mod reader;
pub(crate) mod records;

use std::borrow::Cow;

use serde_json::Value;

/// Where the fields of a row that nobody has asked for yet can be found.
#[derive(Debug)]
pub(crate) enum Columns<'a> {
    /// The row is its text and nothing else.
    None,
    /// The fields of a document from memory.
    Fields(&'a serde_json::Map<String, Value>),
    /// A JSON object.
    Json(&'a str),
    /// A CSV record and the header that explains it.
    Csv(&'a [u8], &'a csv::Header),
    /// A mail message.
    #[cfg_attr(not(feature = "mail"), expect(dead_code, reason = "no message is read"))]
    Mail(Cow<'a, [u8]>),
    /// A row of a batch.
    #[cfg(feature = "parquet")]
    Parquet(&'a arrow_array::RecordBatch, usize),
}

impl Columns<'_> {
    pub(crate) fn field(&self, name: &str) -> Option<Value> {
        match self {
            Self::None => None,
            Self::Fields(fields) => crate::memory::field(fields, name),
            Self::Json(line) => jsonl::field(line, name),
            Self::Csv(record, header) => csv::field(record, header, name),
            #[cfg(feature = "mail")]
            Self::Mail(message) => mail::field(message, name),
            #[cfg(not(feature = "mail"))]
            Self::Mail(_) => None,
            #[cfg(feature = "parquet")]
            Self::Parquet(batch, row) => parquet::field(batch, *row, name),
        }
    }
}
