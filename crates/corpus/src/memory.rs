//! Documents that are in memory already: a list of them, or record batches of a table.
//!
//! They are read in blocks like files, so that nothing after this knows the difference. Texts are
//! borrowed from where they are and never copied.

use std::path::PathBuf;
use std::sync::Arc;

use lookalike_text::Document;
use serde_json::{Map, Value};

use crate::RowDocument;
use crate::block::Content;
use crate::read::Columns;
use crate::source::{Compression, Format, Source};

/// The most rows in a block, however short they are.
const MAX_BLOCK_ROWS: usize = 8192;

/// A document that outlives the block it was read in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnedDocument {
    /// The document's id. In a corpus from memory an empty one becomes the document's position in
    /// the list, counted from 0.
    pub id: String,
    /// Its visible text.
    pub text: String,
    /// Its title or subject.
    pub title: Option<String>,
    /// Its address.
    pub url: Option<String>,
    /// Whatever else is known of it: keep rules and labels look here.
    pub fields: Map<String, Value>,
}

impl OwnedDocument {
    /// A document of which only the id and the text are known.
    pub fn new(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self { id: id.into(), text: text.into(), ..Self::default() }
    }

    /// The document as the stages see it.
    pub fn document(&self) -> Document<'_> {
        Document {
            text: &self.text,
            title: self.title.as_deref(),
            url: self.url.as_deref(),
            whole_text: None,
        }
    }

    /// The document as one row of JSON Lines.
    pub(crate) fn to_json(&self, ordinal: u64) -> Vec<u8> {
        let mut row = Map::new();
        row.insert("id".into(), self.id_or(ordinal).into_owned().into());
        row.insert("text".into(), self.text.clone().into());
        let optional = [("title", &self.title), ("url", &self.url)];
        for (name, value) in optional {
            row.extend(value.as_ref().map(|value| (name.to_owned(), value.clone().into())));
        }
        for (name, value) in &self.fields {
            row.entry(name.clone()).or_insert_with(|| value.clone());
        }
        Value::Object(row).to_string().into_bytes()
    }

    fn id_or(&self, ordinal: u64) -> std::borrow::Cow<'_, str> {
        if self.id.is_empty() { ordinal.to_string().into() } else { self.id.as_str().into() }
    }

    /// The document as a row of a block.
    pub(crate) fn row(&self, ordinal: u64) -> RowDocument<'_> {
        RowDocument {
            id: self.id_or(ordinal),
            id_is_literal: false,
            text: self.text.as_str().into(),
            title: self.title.as_deref().map(Into::into),
            url: self.url.as_deref().map(Into::into),
            columns: Columns::Fields(&self.fields),
        }
    }
}

impl From<&RowDocument<'_>> for OwnedDocument {
    fn from(row: &RowDocument<'_>) -> Self {
        Self {
            id: row.id.clone().into_owned(),
            text: row.text.clone().into_owned(),
            title: row.title.as_deref().map(str::to_owned),
            url: row.url.as_deref().map(str::to_owned),
            fields: Map::new(),
        }
    }
}

impl From<String> for OwnedDocument {
    fn from(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

impl From<&str> for OwnedDocument {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

/// A field of an object; `a.b` leads into nested ones.
pub(crate) fn field(fields: &Map<String, Value>, name: &str) -> Option<Value> {
    if let Some(value) = fields.get(name) {
        return Some(value.clone());
    }
    let mut parts = name.split('.');
    let mut found = fields.get(parts.next()?)?;
    for part in parts {
        found = found.get(part)?;
    }
    Some(found.clone())
}

/// What a corpus from memory holds, and what its blocks are called in messages.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    pub rows: MemoryRows,
    pub source: Arc<Source>,
}

#[derive(Clone, Debug)]
pub(crate) enum MemoryRows {
    Documents(Arc<Vec<OwnedDocument>>),
    /// Batches, none of them empty.
    #[cfg(feature = "parquet")]
    Batches(Arc<Vec<arrow_array::RecordBatch>>),
}

impl Memory {
    pub(crate) fn new(rows: MemoryRows) -> Self {
        let format = match &rows {
            MemoryRows::Documents(_) => Format::JsonLines,
            #[cfg(feature = "parquet")]
            MemoryRows::Batches(_) => Format::Parquet,
        };
        let source = Source {
            path: PathBuf::new(),
            name: "memory".into(),
            id_name: "memory".into(),
            format,
            compression: Compression::None,
            size_bytes: 0,
            modified: None,
            problem: None,
            held: None,
        };
        Self { rows, source: Arc::new(source) }
    }

    /// The size of all texts.
    #[cfg_attr(
        not(feature = "parquet"),
        expect(unused_variables, reason = "only batches have columns")
    )]
    pub(crate) fn text_bytes(&self, text_key: &str) -> u64 {
        match &self.rows {
            MemoryRows::Documents(documents) => documents.iter().map(|d| d.text.len() as u64).sum(),
            #[cfg(feature = "parquet")]
            MemoryRows::Batches(batches) => {
                let sizes = batches.iter().map(|batch| batch_sizes(batch, text_key));
                sizes.flatten().map(|size| size as u64).sum()
            }
        }
    }

    /// The rows that come next, about `block_bytes` of text, and the size of their texts.
    pub(crate) fn next_content(
        &self,
        next: &mut NextRows,
        text_key: &str,
        block_bytes: usize,
    ) -> Option<(Content, u64)> {
        #[cfg(not(feature = "parquet"))]
        let _ = text_key;
        match &self.rows {
            MemoryRows::Documents(documents) => {
                let start = next.row;
                let sizes = documents[start..].iter().map(|document| document.text.len());
                let (count, bytes) = block_of(sizes, block_bytes);
                next.row += count;
                let (documents, rows) = (Arc::clone(documents), start..start + count);
                let source = Arc::clone(&self.source);
                (count > 0).then_some((Content::Documents { source, documents, rows }, bytes))
            }
            #[cfg(feature = "parquet")]
            MemoryRows::Batches(batches) => {
                let batch = batches.get(next.batch)?;
                let start = next.row;
                let part = batch.slice(start, batch.num_rows() - start);
                let (count, bytes) = block_of(batch_sizes(&part, text_key), block_bytes);
                let first_number = next.number + 1;
                next.number += count as u64;
                next.row += count;
                if next.row == batch.num_rows() {
                    (next.batch, next.row) = (next.batch + 1, 0);
                }
                let (source, batch) = (Arc::clone(&self.source), part.slice(0, count));
                Some((Content::Batch { source, batch, first_number }, bytes))
            }
        }
    }
}

/// How far a pass has come.
#[derive(Debug, Default)]
pub(crate) struct NextRows {
    /// The next row of the list, or of the batch.
    row: usize,
    #[cfg(feature = "parquet")]
    batch: usize,
    /// Rows before it in all batches.
    #[cfg(feature = "parquet")]
    number: u64,
}

/// How many of the next rows make a block, and their bytes; at least one row where there is any.
fn block_of(sizes: impl Iterator<Item = usize>, block_bytes: usize) -> (usize, u64) {
    let (mut count, mut bytes) = (0, 0);
    for size in sizes.take(MAX_BLOCK_ROWS) {
        if count > 0 && bytes >= block_bytes {
            break;
        }
        count += 1;
        bytes += size;
    }
    (count, bytes as u64)
}

#[cfg(feature = "parquet")]
fn batch_sizes<'b>(
    batch: &'b arrow_array::RecordBatch,
    text_key: &'b str,
) -> impl Iterator<Item = usize> + use<'b> {
    use crate::read::parquet::{column, string_at};
    let texts = column(batch, text_key);
    let size = move |row| texts.and_then(|texts| string_at(texts, row)).map_or(0, str::len);
    (0..batch.num_rows()).map(size)
}
