//! Parquet, batch by batch; only the columns that are asked for.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch, types};
use arrow_schema::{DataType, Schema, SchemaRef, TimeUnit};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use serde_json::Value;

use super::guarded::guarded;
use super::parquet_pages::{MAX_HELD_BYTES, Refusal, Texts};
use super::reader::Projection;
use super::{Columns, parquet_pages, parquet_parts, parquet_text, parquet_thrift, parquet_views};
use crate::source::Source;
use crate::text_key::TextKey;
use crate::{InputOptions, RowDocument};

/// The column by which a batch from memory says why a row of it holds no document; null for others.
pub const PROBLEM_COLUMN: &str = "\0problem";

/// What comes next in a file.
pub(crate) enum FileRows {
    /// Rows, and the number of the first.
    Batch(RecordBatch, u64),
    /// A row that is not read, by its number, or several of them; others may follow.
    Refused(Option<u64>, String),
    /// Why there are no more.
    Damaged(String),
}

/// A Parquet file in the middle of being read.
pub(crate) struct BatchReader {
    file: File,
    metadata: ArrowReaderMetadata,
    columns: ProjectionMask,
    /// What has not been begun.
    parts: VecDeque<parquet_parts::Part>,
    /// The part that was begun last, and how many of its rows have been handed out.
    begun: Option<(parquet_parts::Part, usize)>,
    /// Its reader, and how many rows are left of it where they are counted.
    batches: Option<(ParquetRecordBatchReader, Option<usize>)>,
    /// Rows that have been read and not been handed out, and the first of them.
    waiting: Option<(RecordBatch, usize)>,
    block_bytes: usize,
    text_key: String,
    max_row_bytes: usize,
    /// The columns as the file has them, where rows are read to be written again.
    original: Option<SchemaRef>,
    /// The number of the next row, from 1.
    next_number: u64,
    /// Bytes on disk for each row, for progress.
    bytes_per_row: u64,
}

impl BatchReader {
    /// Opens a file and checks that it has the text.
    ///
    /// # Errors
    /// A damaged file, or one without a text column; in words.
    pub(crate) fn open(
        source: &Source,
        options: &InputOptions,
        projection: Projection,
        block_bytes: usize,
    ) -> Result<Self, String> {
        let opened = guarded(|| Self::open_undamaged(source, options, projection, block_bytes));
        opened.unwrap_or_else(|| Err("not a complete Parquet file: its footer is damaged".into()))
    }

    fn open_undamaged(
        source: &Source,
        options: &InputOptions,
        projection: Projection,
        block_bytes: usize,
    ) -> Result<Self, String> {
        let file = File::open(&source.path).map_err(|error| error.to_string())?;
        parquet_thrift::check_footer(&file)?;
        let damaged = |error| format!("not a complete Parquet file: {error}");
        let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(damaged)?;
        let original = Arc::clone(builder.schema());
        check_text(&original, &options.text_key)?;
        let file = File::open(&source.path).map_err(|error| error.to_string())?;
        let views = ArrowReaderOptions::new().with_schema(parquet_views::with_views(&original));
        let metadata =
            ArrowReaderMetadata::load(&file, views).map_err(|error| error.to_string())?;
        let rows = metadata.metadata().file_metadata().num_rows().max(1) as u64;
        let columns = match projection {
            Projection::All => ProjectionMask::all(),
            Projection::Needed => {
                let roots = needed_roots(metadata.schema(), options);
                ProjectionMask::roots(metadata.parquet_schema(), roots)
            }
        };
        let texts = Texts { key: &options.text_key, max_bytes: options.max_row_bytes };
        let large = parquet_pages::check(&file, metadata.metadata(), &columns, texts)?;
        Ok(Self {
            parts: parquet_parts::parts(metadata.metadata(), large),
            file,
            metadata,
            columns,
            begun: None,
            batches: None,
            waiting: None,
            block_bytes,
            text_key: options.text_key.clone(),
            max_row_bytes: options.max_row_bytes,
            original: (projection == Projection::All).then_some(original),
            next_number: 1,
            bytes_per_row: source.size_bytes / rows,
        })
    }

    /// No rows, with all columns; where rows are read to be written again.
    pub(crate) fn no_rows(&self) -> Option<RecordBatch> {
        self.original.as_ref().map(|schema| RecordBatch::new_empty(Arc::clone(schema)))
    }

    /// What comes next; `None` after the last row.
    pub(crate) fn next_rows(&mut self, consumed: &AtomicU64) -> Option<FileRows> {
        let damaged = |row: u64, error: &str| {
            let reason = format!("from row {row} on the file cannot be read: {error}");
            Some(FileRows::Damaged(reason))
        };
        let (batch, start) = match self.waiting.take() {
            Some(waiting) => waiting,
            // The library panics on some damaged pages; its reader is not used again after that.
            None => match guarded(|| self.read_batch()) {
                Some(Ok(None)) => return self.refused_rows(consumed),
                Some(Ok(Some(batch))) => (batch, 0),
                Some(Err(error)) => return damaged(self.next_number, &error),
                None => return damaged(self.next_number, "a page is damaged"),
            },
        };
        let length = parquet_views::rows_of_bytes(&batch, start, self.block_bytes);
        let length = length.min(batch.num_rows() - start);
        let first = self.next_number;
        self.count(length, consumed);
        if let Some((_, handed)) = &mut self.begun {
            *handed += length;
        }
        let mut rows = batch.slice(start, length);
        if start + length < batch.num_rows() {
            self.waiting = Some((batch, start + length));
        }
        // A long row comes alone.
        if length == 1 {
            let text = column(&rows, &self.text_key).and_then(|column| string_at(column, 0));
            if let Some(reason) = too_long(text.map_or(0, str::len), self.max_row_bytes) {
                return Some(FileRows::Refused(Some(first), reason));
            }
            let row_bytes = parquet_views::row_bytes(&rows, 0);
            if self.original.is_some() && row_bytes > parquet_parts::BATCH_BYTES {
                self.leave_page();
            }
        }
        if let Some(schema) = &self.original {
            match parquet_views::restored(&rows, schema) {
                Some(restored) => rows = restored,
                None => return damaged(first, "its columns do not fit its schema"),
            }
        }
        Some(FileRows::Batch(rows, first))
    }

    /// The rows of the next part, if they are not to be read.
    fn refused_rows(&mut self, consumed: &AtomicU64) -> Option<FileRows> {
        let part = self.parts.pop_front()?;
        let (n_rows, first) = (part.n_rows().unwrap_or(0), self.next_number);
        self.count(n_rows, consumed);
        let held = match part.refused {
            Some(Refusal::Text(length)) => {
                let allowed = self.max_row_bytes;
                let reason =
                    format!("the row has about {length} bytes, more than the {allowed} allowed");
                return Some(FileRows::Refused(Some(first), reason));
            }
            Some(Refusal::Page(held)) => held,
            None => 0,
        };
        let reason = format!(
            "a page of which {held} bytes would be held, packed and unpacked, more than the \
             {MAX_HELD_BYTES} allowed; write the file with smaller pages"
        );
        Some(if n_rows == 1 {
            FileRows::Refused(Some(first), format!("the row stands in {reason}"))
        } else {
            let last = self.next_number - 1;
            FileRows::Refused(None, format!("rows {first} to {last} stand in {reason}"))
        })
    }

    /// Gives back the page of a long row that is copied and written next; the rows after it are read
    /// from a new beginning.
    fn leave_page(&mut self) {
        if let Some((part, handed)) = self.begun.take() {
            (self.batches, self.waiting) = (None, None);
            for rest in part.after(handed, self.metadata.metadata()).into_iter().rev() {
                self.parts.push_front(rest);
            }
        }
    }

    fn count(&mut self, n_rows: usize, consumed: &AtomicU64) {
        self.next_number += n_rows as u64;
        consumed.fetch_add(n_rows as u64 * self.bytes_per_row, Ordering::Relaxed);
    }

    /// Rows as the library reads them; `None` after the last part, or before one that is not read.
    fn read_batch(&mut self) -> Result<Option<RecordBatch>, String> {
        loop {
            let (reader, left) = match &mut self.batches {
                Some(batches) => batches,
                None => match self.parts.pop_front_if(|part| part.refused.is_none()) {
                    Some(part) => {
                        let reader = self.begin(&part)?;
                        let n_rows = part.n_rows();
                        self.begun = Some((part, 0));
                        self.batches.insert((reader, n_rows))
                    }
                    None => return Ok(None),
                },
            };
            let batch = reader.next().transpose().map_err(|error| error.to_string())?;
            let n_rows = batch.as_ref().map_or(0, RecordBatch::num_rows);
            *left = left.map(|left| left.saturating_sub(n_rows));
            // A reader holds its last page until it is dropped.
            if batch.is_none() || *left == Some(0) {
                self.batches = None;
            }
            if batch.is_some() {
                return Ok(batch);
            }
        }
    }

    fn begin(&self, part: &parquet_parts::Part) -> Result<ParquetRecordBatchReader, String> {
        let file = self.file.try_clone().map_err(|error| error.to_string())?;
        let builder =
            ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone());
        let builder = part.select(builder).with_projection(self.columns.clone());
        builder.build().map_err(|error| error.to_string())
    }
}

/// Reads one row of a batch.
pub(crate) fn parse<'a>(
    batch: &'a RecordBatch,
    row: usize,
    options: &InputOptions,
    fallback_id: impl FnOnce() -> String,
) -> Result<RowDocument<'a>, String> {
    if let Some(reason) = batch.column_by_name(PROBLEM_COLUMN).and_then(|it| string_at(it, row)) {
        return Err(reason.to_owned());
    }
    let text = match column(batch, &options.text_key) {
        // A row whose text is null has none to read, like one whose text is "".
        Some(column) => Cow::Borrowed(string_at(column, row).unwrap_or_default()),
        None => Cow::Owned(parquet_text::of_row(batch, row, &options.text_key)),
    };
    if let Some(reason) = too_long(text.len(), options.max_row_bytes) {
        return Err(reason);
    }
    let optional = |key: &str| {
        let text = string_at(column(batch, key)?, row)?;
        (!text.is_empty()).then_some(Cow::Borrowed(text))
    };
    let mut id_is_literal = false;
    let id = options.id_key.field().and_then(|key| {
        optional(key).or_else(|| match value_at(column(batch, key)?, row)? {
            Value::Number(number) => {
                id_is_literal = true;
                Some(Cow::Owned(number.to_string()))
            }
            // An empty string names nothing; a decimal number or a date does.
            Value::String(text) if !text.is_empty() => Some(Cow::Owned(text)),
            _ => None,
        })
    });
    Ok(RowDocument {
        id_is_literal,
        id: id.unwrap_or_else(|| Cow::Owned(fallback_id())),
        text,
        title: options.title_keys.iter().find_map(|key| optional(key)),
        url: optional(&options.url_key),
        columns: Columns::Parquet(batch, row),
    })
}

/// What is to be said of a row whose text is longer than it may be.
fn too_long(length: usize, allowed: usize) -> Option<String> {
    (length > allowed)
        .then(|| format!("the row has {length} bytes, more than the {allowed} allowed"))
}

/// The value of a column, or of a field inside a column of structures.
pub(crate) fn field(batch: &RecordBatch, row: usize, name: &str) -> Option<Value> {
    value_at(column(batch, name)?, row)
}

pub(crate) fn check_text(schema: &Schema, key: &str) -> Result<(), String> {
    if schema.field_with_name(key).is_err()
        && let Some(key) = TextKey::parse(key)?
    {
        return parquet_text::check(schema, &key);
    }
    let Some(data_type) = type_of(schema, key) else {
        let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        return Err(format!("no column `{key}`; there are: {}", names.join(", ")));
    };
    let is_text = match data_type {
        DataType::Dictionary(_, values) => is_string(values),
        other => is_string(other),
    };
    let is_list = matches!(data_type, DataType::List(_) | DataType::LargeList(_));
    let way = if is_list { format!("; `{key}[]` reads a list of texts") } else { String::new() };
    if is_text { Ok(()) } else { Err(format!("column `{key}` is {data_type}, not text{way}")) }
}

pub(super) fn is_string(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

fn type_of<'s>(schema: &'s Schema, path: &str) -> Option<&'s DataType> {
    if let Ok(field) = schema.field_with_name(path) {
        return Some(field.data_type());
    }
    let mut parts = path.split('.');
    let mut found = schema.field_with_name(parts.next()?).ok()?.data_type();
    for part in parts {
        let DataType::Struct(fields) = found else { return None };
        found = fields.iter().find(|field| field.name() == part)?.data_type();
    }
    Some(found)
}

/// The places of the top-level columns that some key leads into.
fn needed_roots(schema: &Schema, options: &InputOptions) -> Vec<usize> {
    let keys: Vec<&str> = options
        .title_keys
        .iter()
        .chain(&options.fields)
        .chain([&options.text_key, &options.url_key])
        .map(String::as_str)
        .chain(options.id_key.field())
        .collect();
    // Where a column has the name of the key, it is that column.
    let composed = TextKey::parse(&options.text_key).ok().flatten();
    let keys: Vec<&str> =
        keys.into_iter().chain(composed.iter().flat_map(TextKey::roots)).collect();
    let is_needed =
        |name: &str| keys.iter().any(|key| *key == name || key.split('.').next() == Some(name));
    (0..schema.fields().len()).filter(|place| is_needed(schema.field(*place).name())).collect()
}

pub(crate) fn column<'b>(batch: &'b RecordBatch, path: &str) -> Option<&'b dyn Array> {
    if let Some(column) = batch.column_by_name(path) {
        return Some(column.as_ref());
    }
    let mut parts = path.split('.');
    let mut found: &dyn Array = batch.column_by_name(parts.next()?)?.as_ref();
    for part in parts {
        found = found.as_struct_opt()?.column_by_name(part)?.as_ref();
    }
    Some(found)
}

pub(crate) fn string_at(array: &dyn Array, row: usize) -> Option<&str> {
    if array.is_null(row) {
        return None;
    }
    match array.data_type() {
        DataType::Utf8 => Some(array.as_string::<i32>().value(row)),
        DataType::LargeUtf8 => Some(array.as_string::<i64>().value(row)),
        DataType::Utf8View => Some(array.as_string_view().value(row)),
        DataType::Dictionary(_, _) => {
            let dictionary = array.as_any_dictionary_opt()?;
            let key = value_at(dictionary.keys(), row)?.as_u64()?;
            string_at(dictionary.values().as_ref(), key as usize)
        }
        _ => None,
    }
}

pub(super) fn value_at(array: &dyn Array, row: usize) -> Option<Value> {
    if array.is_null(row) {
        return None;
    }
    macro_rules! number {
        ($kind:ty) => {
            array.as_primitive_opt::<$kind>().map(|array| Value::from(array.value(row)))
        };
    }
    match array.data_type() {
        DataType::Boolean => Some(Value::Bool(array.as_boolean().value(row))),
        DataType::Int8 => number!(types::Int8Type),
        DataType::Int16 => number!(types::Int16Type),
        DataType::Int32 => number!(types::Int32Type),
        DataType::Int64 => number!(types::Int64Type),
        DataType::UInt8 => number!(types::UInt8Type),
        DataType::UInt16 => number!(types::UInt16Type),
        DataType::UInt32 => number!(types::UInt32Type),
        DataType::UInt64 => number!(types::UInt64Type),
        DataType::Float32 => number!(types::Float32Type),
        DataType::Float64 => number!(types::Float64Type),
        _ => match string_at(array, row) {
            Some(text) => Some(Value::from(text)),
            None => written_at(array, row).map(Value::from),
        },
    }
}

/// Dates, times and decimal numbers as they are written: a bare number would not say which it is.
fn written_at(array: &dyn Array, row: usize) -> Option<String> {
    macro_rules! moment {
        ($kind:ty) => {
            array.as_primitive_opt::<$kind>()?.value_as_datetime(row).map(|moment| {
                // Without a fraction where there is none.
                moment.format("%Y-%m-%dT%H:%M:%S%.fZ").to_string()
            })
        };
    }
    macro_rules! day {
        ($kind:ty) => {
            array.as_primitive_opt::<$kind>()?.value_as_date(row).map(|day| day.to_string())
        };
    }
    macro_rules! decimal {
        ($kind:ty) => {
            Some(array.as_primitive_opt::<$kind>()?.value_as_string(row))
        };
    }
    match array.data_type() {
        DataType::Date32 => day!(types::Date32Type),
        DataType::Date64 => day!(types::Date64Type),
        DataType::Timestamp(TimeUnit::Second, _) => moment!(types::TimestampSecondType),
        DataType::Timestamp(TimeUnit::Millisecond, _) => moment!(types::TimestampMillisecondType),
        DataType::Timestamp(TimeUnit::Microsecond, _) => moment!(types::TimestampMicrosecondType),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => moment!(types::TimestampNanosecondType),
        DataType::Decimal32(_, _) => decimal!(types::Decimal32Type),
        DataType::Decimal64(_, _) => decimal!(types::Decimal64Type),
        DataType::Decimal128(_, _) => decimal!(types::Decimal128Type),
        DataType::Decimal256(_, _) => decimal!(types::Decimal256Type),
        _ => None,
    }
}
