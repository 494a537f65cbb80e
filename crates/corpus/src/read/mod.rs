//! The formats, one file each: bytes to rows.

pub(crate) mod buffers;
pub(crate) mod csv;
pub(crate) mod files;
pub(crate) mod guarded;
pub(crate) mod json_array;
mod json_scan;
mod json_string;
mod json_string_wide;
pub(crate) mod jsonl;
#[cfg(feature = "mail")]
pub(crate) mod mail;
#[cfg(feature = "mail")]
mod mail_nesting;
pub(crate) mod mbox;
#[cfg(feature = "documents")]
pub(crate) mod office;
#[cfg(feature = "documents")]
mod office_text;
#[cfg(feature = "parquet")]
pub(crate) mod parquet;
#[cfg(feature = "parquet")]
mod parquet_pages;
#[cfg(feature = "parquet")]
mod parquet_parts;
#[cfg(feature = "parquet")]
mod parquet_text;
#[cfg(feature = "parquet")]
mod parquet_thrift;
#[cfg(feature = "parquet")]
mod parquet_views;
#[cfg(feature = "documents")]
mod pdf;
#[cfg(feature = "documents")]
mod pdf_layout;
#[cfg(feature = "documents")]
pub(crate) mod pdf_process;
pub(crate) mod reader;
pub(crate) mod records;
pub(crate) mod warc;

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::RowDocument;

/// Where the fields of a row that nobody has asked for yet can be found.
#[derive(Debug)]
pub(crate) enum Columns<'a> {
    /// The row is its text and nothing else.
    None,
    /// The fields of a document from memory.
    Fields(&'a serde_json::Map<String, Value>),
    /// A JSON object.
    Json {
        /// As it stands in the file.
        line: &'a str,
        /// Whether it is known to have no other fields than its text and its id.
        nothing_else: bool,
    },
    /// A CSV record and the header that explains it.
    Csv(&'a [u8], &'a csv::Header),
    /// A mail message.
    #[cfg_attr(not(feature = "mail"), expect(dead_code, reason = "no message is read"))]
    Mail(Cow<'a, [u8]>),
    /// A record of a web archive.
    Warc(&'a [u8]),
    /// A row of a batch.
    #[cfg(feature = "parquet")]
    Parquet(&'a arrow_array::RecordBatch, usize),
}

impl Columns<'_> {
    /// All fields by name but those of text and id, which are named here, as far as they were read.
    pub(crate) fn all_but(&self, known: &[&str]) -> Map<String, Value> {
        let named = |names: Vec<String>| {
            let wanted = names.into_iter().filter(|name| !known.contains(&name.as_str()));
            wanted.filter_map(|name| Some((name.clone(), self.field(&name)?))).collect()
        };
        match self {
            Self::None | Self::Mail(_) | Self::Warc(_) => Map::new(),
            Self::Fields(fields) => {
                let wanted = fields.iter().filter(|(name, _)| !known.contains(&name.as_str()));
                wanted.map(|(name, value)| (name.clone(), value.clone())).collect()
            }
            Self::Json { nothing_else: true, .. } => Map::new(),
            Self::Json { line, .. } => jsonl::all_but(line, known),
            Self::Csv(_, header) => named(header.names().to_vec()),
            #[cfg(feature = "parquet")]
            Self::Parquet(batch, _) => {
                let schema = batch.schema();
                let names = schema.fields().iter().map(|field| field.name());
                named(names.filter(|name| *name != parquet::PROBLEM_COLUMN).cloned().collect())
            }
        }
    }

    pub(crate) fn field(&self, name: &str) -> Option<Value> {
        match self {
            Self::None => None,
            Self::Fields(fields) => crate::memory::field(fields, name),
            Self::Json { line, .. } => jsonl::field(line, name),
            Self::Csv(record, header) => csv::field(record, header, name),
            #[cfg(feature = "mail")]
            Self::Mail(message) => mail::field(message, name),
            #[cfg(not(feature = "mail"))]
            Self::Mail(_) => None,
            Self::Warc(record) => warc::field(record, name),
            #[cfg(feature = "parquet")]
            Self::Parquet(batch, row) => parquet::field(batch, *row, name),
        }
    }
}

/// A row whose text is a page: what a reader sees of it, and its title if the row has no other.
#[cfg(feature = "html")]
pub(crate) fn visible(mut document: RowDocument<'_>) -> Result<RowDocument<'_>, String> {
    let page = lookalike_text::extract::html(&document.text).map_err(|error| error.to_string())?;
    document.text = Cow::Owned(page.text);
    document.title = document.title.or_else(|| page.title.map(Cow::Owned));
    Ok(document)
}

#[cfg(not(feature = "html"))]
pub(crate) fn visible(_: RowDocument<'_>) -> Result<RowDocument<'_>, String> {
    Err("this build cannot read HTML (feature `html` is off)".into())
}
