//! Parquet: the rows of each batch that stay and, with two more columns, those that go.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrow_select::filter::filter_record_batch;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::properties::WriterProperties;
use tempfile::TempPath;

use super::Fate;
use super::sink::{Finished, partial_file};
use crate::CorpusError;
use crate::source::Source;

/// A row group is written out when it has grown to this size in memory.
const ROW_GROUP_BYTES: usize = 32 << 20;

/// A pair of Parquet files of one schema.
pub(crate) struct ParquetOutput {
    schema: SchemaRef,
    kept: ParquetSink,
    removed: ParquetSink,
}

impl ParquetOutput {
    pub(crate) fn create(
        out_dir: &Path,
        name: &str,
        source: &Source,
        batch: &RecordBatch,
    ) -> Result<Self, CorpusError> {
        let compression = compression_of(&source.path);
        let schema = batch.schema();
        let removed_schema = removed_schema(&schema);
        let sink = |kind: &str, schema: SchemaRef| {
            ParquetSink::create(out_dir, &format!("{kind}{name}"), schema, compression)
        };
        Ok(Self {
            kept: sink("kept", Arc::clone(&schema))?,
            removed: sink("removed", removed_schema)?,
            schema,
        })
    }

    /// Whether the batch has the columns of these files.
    pub(crate) fn takes(&self, batch: &RecordBatch) -> bool {
        self.schema.fields() == batch.schema().fields()
    }

    pub(crate) fn write(&mut self, batch: &RecordBatch, fates: &[Fate]) -> Result<(), CorpusError> {
        let kept: BooleanArray = fates.iter().map(|fate| Some(*fate == Fate::Kept)).collect();
        self.kept.write(filter_record_batch(batch, &kept).map_err(ParquetError::from))?;
        let is_removed = |fate: &Fate| Some(matches!(fate, Fate::Removed { .. }));
        let removed: BooleanArray = fates.iter().map(is_removed).collect();
        let removed = filter_record_batch(batch, &removed).map_err(ParquetError::from);
        let schema = Arc::clone(&self.removed.schema);
        self.removed.write(removed.and_then(|rows| with_evidence(&rows, schema, fates)))
    }

    pub(crate) fn finish(self, complete: &mut Vec<Finished>) -> Result<(), CorpusError> {
        complete.push(self.kept.finish()?);
        complete.push(self.removed.finish()?);
        Ok(())
    }
}

struct ParquetSink {
    target: PathBuf,
    partial: TempPath,
    schema: SchemaRef,
    writer: ArrowWriter<BufWriter<File>>,
}

impl ParquetSink {
    fn create(
        out_dir: &Path,
        name: &str,
        schema: SchemaRef,
        compression: Compression,
    ) -> Result<Self, CorpusError> {
        let target = out_dir.join(name);
        let failed = |source| CorpusError::Write { path: target.clone(), source };
        let (file, partial) = partial_file(out_dir).map_err(failed)?.into_parts();
        let properties = WriterProperties::builder().set_compression(compression).build();
        let writer =
            ArrowWriter::try_new(BufWriter::new(file), Arc::clone(&schema), Some(properties))
                .map_err(|error| failed(io::Error::other(error)))?;
        Ok(Self { target, partial, schema, writer })
    }

    fn write(&mut self, rows: Result<RecordBatch, ParquetError>) -> Result<(), CorpusError> {
        let write = || {
            self.writer.write(&rows?)?;
            if self.writer.in_progress_size() > ROW_GROUP_BYTES {
                self.writer.flush()?;
            }
            Ok(())
        };
        write().map_err(|error: ParquetError| self.failed(error))
    }

    fn finish(mut self) -> Result<Finished, CorpusError> {
        match self.writer.finish() {
            Ok(_) => {}
            Err(error) => return Err(self.failed(error)),
        }
        let flushed = self.writer.inner_mut().get_mut().sync_all();
        match flushed {
            Ok(()) => Ok(Finished::File { partial: self.partial, target: self.target }),
            Err(source) => Err(CorpusError::Write { path: self.target, source }),
        }
    }

    fn failed(&self, error: ParquetError) -> CorpusError {
        let source = match error {
            ParquetError::External(cause) => match cause.downcast::<io::Error>() {
                Ok(cause) => *cause,
                Err(cause) => io::Error::other(cause),
            },
            other => io::Error::other(other),
        };
        CorpusError::Write { path: self.target.clone(), source }
    }
}

const DUPLICATE_OF: &str = "duplicate_of";
const SCORE: &str = "score";

/// The input's columns and the two that say why a row was removed.
fn removed_schema(schema: &Schema) -> SchemaRef {
    let is_ours = |name: &str| name == DUPLICATE_OF || name == SCORE;
    let mut fields: Vec<_> =
        schema.fields().iter().filter(|field| !is_ours(field.name())).cloned().collect();
    fields.push(Arc::new(Field::new(DUPLICATE_OF, DataType::Utf8, false)));
    fields.push(Arc::new(Field::new(SCORE, DataType::Float64, false)));
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

fn with_evidence(
    rows: &RecordBatch,
    schema: SchemaRef,
    fates: &[Fate],
) -> Result<RecordBatch, ParquetError> {
    let evidence: Vec<(&str, f64)> = fates
        .iter()
        .filter_map(|fate| match fate {
            Fate::Removed { duplicate_of, score } => Some((duplicate_of.as_str(), *score)),
            _ => None,
        })
        .collect();
    let n_old = schema.fields().len() - 2;
    let mut columns: Vec<ArrayRef> = schema.fields()[..n_old]
        .iter()
        .filter_map(|field| rows.column_by_name(field.name()).cloned())
        .collect();
    columns.push(Arc::new(StringArray::from_iter_values(evidence.iter().map(|(id, _)| id))));
    columns.push(Arc::new(Float64Array::from_iter_values(evidence.iter().map(|(_, s)| *s))));
    Ok(RecordBatch::try_new(schema, columns)?)
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
