//! Parquet: the rows of each batch that stay and, with two more columns, those that go.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, LargeStringArray, PrimitiveArray, RecordBatch,
    StringArray, StringViewArray, types,
};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrow_select::filter::filter_record_batch;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use super::outputs::Evidence;
use super::sink::create_file;
use super::{Fate, Removal, Stop};
use crate::CorpusError;
use crate::source::Source;

/// A row group is written out when it has grown to this size in memory.
const ROW_GROUP_BYTES: usize = 32 << 20;
/// Rows of this size begin a row group: its first strings become a dictionary, which the library
/// holds once less often than a page of them.
const LARGE_BATCH_BYTES: usize = 16 << 20;

/// The outputs of one Parquet file.
pub(crate) struct ParquetOutput {
    properties: WriterProperties,
    kept: ParquetSink,
    removed: ParquetSink,
    unreadable: Option<ParquetSink>,
    unreadable_path: PathBuf,
}

impl ParquetOutput {
    pub(crate) fn create(
        path: impl Fn(&str) -> PathBuf,
        source: &Source,
        batch: &RecordBatch,
        evidence: &Evidence<'_>,
        text_key: &str,
    ) -> Result<Self, Stop> {
        let schema = batch.schema();
        let is_taken = |name: &str| schema.field_with_name(name).is_ok();
        if let Some(names) = evidence.names.instead(is_taken) {
            return Err(Stop::Taken(names));
        }
        let properties = properties(compression_of(&source.path), &schema, text_key);
        let removed_schema = removed_schema(&schema, evidence);
        Ok(Self {
            kept: ParquetSink::create(path("kept"), schema, properties.clone())?,
            removed: ParquetSink::create(path("removed"), removed_schema, properties.clone())?,
            properties,
            unreadable: None,
            unreadable_path: path("unreadable"),
        })
    }

    pub(crate) fn write(&mut self, batch: RecordBatch, fates: &[Fate]) -> Result<(), Stop> {
        let rows = |wanted: fn(&Fate) -> bool| {
            // A row of many megabytes comes alone and is not copied.
            if fates.iter().all(wanted) {
                return Ok(batch.clone());
            }
            let mask: BooleanArray = fates.iter().map(|fate| Some(wanted(fate))).collect();
            filter_record_batch(&batch, &mask).map_err(ParquetError::from)
        };
        let kept = rows(|fate| *fate == Fate::Kept);
        let unreadable =
            fates.contains(&Fate::Unreadable).then(|| rows(|fate| *fate == Fate::Unreadable));
        let removed = rows(|fate| matches!(fate, Fate::Removed(_)));
        let schema = batch.schema();
        // Whoever writes the rows holds them alone.
        drop(batch);
        self.kept.write(kept)?;
        if let Some(unreadable) = unreadable {
            let sink = match self.unreadable.take() {
                Some(sink) => sink,
                None => ParquetSink::create(
                    self.unreadable_path.clone(),
                    schema,
                    self.properties.clone(),
                )?,
            };
            self.unreadable.insert(sink).write(unreadable)?;
        }
        let schema = Arc::clone(&self.removed.schema);
        match removed.map(|rows| with_evidence(&rows, schema, fates)) {
            Ok(None) => Err(Stop::IdsAreText),
            Ok(Some(removed)) => Ok(self.removed.write(removed)?),
            Err(error) => Err(self.removed.failed(error).into()),
        }
    }

    pub(crate) fn finish(self) -> Result<(), CorpusError> {
        let sinks = [Some(self.kept), Some(self.removed), self.unreadable];
        sinks.into_iter().flatten().try_for_each(ParquetSink::finish)
    }
}

struct ParquetSink {
    path: PathBuf,
    schema: SchemaRef,
    writer: ArrowWriter<BufWriter<File>>,
}

impl ParquetSink {
    fn create(
        path: PathBuf,
        schema: SchemaRef,
        properties: WriterProperties,
    ) -> Result<Self, CorpusError> {
        let failed = |source| CorpusError::Write { path: path.clone(), source };
        let file = create_file(&path).map_err(failed)?;
        let writer =
            ArrowWriter::try_new(BufWriter::new(file), Arc::clone(&schema), Some(properties))
                .map_err(|error| failed(io::Error::other(error)))?;
        Ok(Self { path, schema, writer })
    }

    fn write(&mut self, rows: Result<RecordBatch, ParquetError>) -> Result<(), CorpusError> {
        let write = || {
            let rows = rows?;
            let is_large = rows.num_rows() > 0 && rows.get_array_memory_size() > LARGE_BATCH_BYTES;
            if is_large && self.writer.in_progress_rows() > 0 {
                self.writer.flush()?;
            }
            self.writer.write(&rows)?;
            // Pages are packed beside what the writer has, and not beside the rows as well.
            drop(rows);
            if self.writer.in_progress_size() > ROW_GROUP_BYTES {
                self.writer.flush()?;
            }
            Ok(())
        };
        write().map_err(|error: ParquetError| self.failed(error))
    }

    fn finish(mut self) -> Result<(), CorpusError> {
        match self.writer.finish() {
            Ok(_) => {}
            Err(error) => return Err(self.failed(error)),
        }
        let flushed = self.writer.inner_mut().get_mut().sync_all();
        flushed.map_err(|source| CorpusError::Write { path: self.path, source })
    }

    fn failed(&self, error: ParquetError) -> CorpusError {
        let source = match error {
            ParquetError::External(cause) => match cause.downcast::<io::Error>() {
                Ok(cause) => *cause,
                Err(cause) => io::Error::other(cause),
            },
            other => io::Error::other(other),
        };
        CorpusError::Write { path: self.path.clone(), source }
    }
}

/// How files are written: of texts no least and greatest are kept, which nobody looks for and
/// which would be two more copies of a long one.
fn properties(compression: Compression, schema: &Schema, text_key: &str) -> WriterProperties {
    let path = match schema.field_with_name(text_key) {
        Ok(_) => vec![text_key.to_owned()],
        Err(_) => text_key.split('.').map(str::to_owned).collect(),
    };
    WriterProperties::builder()
        .set_compression(compression)
        .set_column_statistics_enabled(ColumnPath::new(path), EnabledStatistics::None)
        .build()
}

/// The input's columns and those that say why a row was removed.
fn removed_schema(schema: &Schema, evidence: &Evidence<'_>) -> SchemaRef {
    let mut fields: Vec<_> = schema.fields().iter().cloned().collect();
    let id_type = evidence
        .id_key
        .filter(|_| !evidence.ids_are_text)
        .and_then(|key| schema.field_with_name(key).ok())
        .map_or(DataType::Utf8, |field| id_type(field.data_type()));
    fields.push(Arc::new(Field::new(&evidence.names.duplicate_of, id_type, false)));
    for name in
        [Some(&evidence.names.score), evidence.names.accounted.as_ref()].into_iter().flatten()
    {
        fields.push(Arc::new(Field::new(name, DataType::Float64, true)));
    }
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

/// The type of a column of ids, as far as ids can be put back into it from their text.
fn id_type(column: &DataType) -> DataType {
    match column {
        DataType::Dictionary(_, values) => id_type(values),
        DataType::Int8
        | DataType::Int16
        | DataType::Int32
        | DataType::Int64
        | DataType::UInt8
        | DataType::UInt16
        | DataType::UInt32
        | DataType::UInt64
        | DataType::Float32
        | DataType::Float64
        | DataType::LargeUtf8
        | DataType::Utf8View => column.clone(),
        _ => DataType::Utf8,
    }
}

/// The ids as a column of this type, or `None` where one of them cannot be.
fn id_column(ids: &[&str], data_type: &DataType) -> Option<ArrayRef> {
    macro_rules! numbers {
        ($kind:ty) => {{
            let parsed: Result<Vec<_>, _> = ids.iter().map(|id| id.parse()).collect();
            Some(Arc::new(PrimitiveArray::<$kind>::from_iter_values(parsed.ok()?)) as ArrayRef)
        }};
    }
    match data_type {
        DataType::Int8 => numbers!(types::Int8Type),
        DataType::Int16 => numbers!(types::Int16Type),
        DataType::Int32 => numbers!(types::Int32Type),
        DataType::Int64 => numbers!(types::Int64Type),
        DataType::UInt8 => numbers!(types::UInt8Type),
        DataType::UInt16 => numbers!(types::UInt16Type),
        DataType::UInt32 => numbers!(types::UInt32Type),
        DataType::UInt64 => numbers!(types::UInt64Type),
        DataType::Float32 => numbers!(types::Float32Type),
        DataType::Float64 => numbers!(types::Float64Type),
        DataType::LargeUtf8 => Some(Arc::new(LargeStringArray::from_iter_values(ids))),
        DataType::Utf8View => Some(Arc::new(StringViewArray::from_iter_values(ids))),
        _ => Some(Arc::new(StringArray::from_iter_values(ids))),
    }
}

/// The removed rows with their evidence, or `None` where an id does not fit its column.
fn with_evidence(
    rows: &RecordBatch,
    schema: SchemaRef,
    fates: &[Fate],
) -> Option<Result<RecordBatch, ParquetError>> {
    let removals = || {
        fates.iter().filter_map(|fate| match fate {
            Fate::Removed(removal) => Some(removal),
            _ => None,
        })
    };
    let numbers = |value: fn(&Removal) -> f64| -> ArrayRef {
        let known = |value: f64| (!value.is_nan()).then_some(value);
        Arc::new(removals().map(value).map(known).collect::<Float64Array>())
    };
    let ids: Vec<&str> = removals().map(|removal| removal.duplicate_of.text.as_str()).collect();
    let mut columns: Vec<ArrayRef> = rows.columns().to_vec();
    columns.push(id_column(&ids, schema.field(columns.len()).data_type())?);
    columns.push(numbers(|removal| removal.score));
    if columns.len() < schema.fields().len() {
        columns.push(numbers(|removal| removal.accounted));
    }
    Some(RecordBatch::try_new(schema, columns).map_err(ParquetError::from))
}

/// How the first column of a file is compressed; that is how the file was meant to be.
fn compression_of(path: &Path) -> Compression {
    File::open(path)
        .ok()
        .and_then(|file| ParquetRecordBatchReaderBuilder::try_new(file).ok())
        .and_then(|builder| {
            let group = builder.metadata().row_groups().first()?.clone();
            group.columns().first().map(ColumnChunkMetaData::compression)
        })
        .unwrap_or(Compression::SNAPPY)
}
