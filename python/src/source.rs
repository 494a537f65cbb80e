//! A corpus from Python: columns, Arrow tables, a stream that is kept in a working file, or paths.

use std::ffi::OsString;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, Float64Builder, Int64Builder, LargeStringBuilder, UInt64Builder,
};
use arrow_array::{Array, ArrayRef, BooleanArray, LargeStringArray, RecordBatch, UInt64Array};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use lookalike::Corpus;
use lookalike_corpus::{IdKey, InputOptions, PROBLEM_COLUMN};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyEllipsis, PyFloat, PyInt, PyIterator, PyList, PyString};
use tempfile::TempPath;

use crate::arrow::{Columns, import_column, import_table, unreadable};
use crate::errors::{ConfigError, InputError, OutputError, failed_run, with_causes};

/// Documents to work on, which can be read as often as needed.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub struct Source {
    /// The documents.
    pub corpus: Arc<Corpus>,
    /// The ids by row, where they are not those that the corpus makes.
    pub ids: Ids,
    spool: Option<Spool>,
}

/// Ids as the caller knows them.
pub enum Ids {
    /// A column of the caller's, in chunks.
    Column(Vec<ArrayRef>),
    /// The row's number, counted from 0.
    Rows,
    /// Whatever the corpus says.
    Corpus,
}

/// A stream in a working file that vanishes with it.
struct Spool {
    path: TempPath,
    schema: SchemaRef,
}

#[pymethods]
impl Source {
    /// Files, folders and patterns.
    #[staticmethod]
    fn from_paths(
        py: Python<'_>,
        paths: Vec<OsString>,
        text: String,
        id: Option<String>,
        fields: Vec<String>,
    ) -> PyResult<Self> {
        let mut options = options(text, Some(id.unwrap_or_else(|| "id".to_owned())));
        options.fields = fields;
        let folder = std::env::temp_dir();
        let corpus = py.detach(|| Corpus::open(&paths, options, &folder));
        let corpus = corpus.map_err(|error| failed_run(error.into()))?;
        Ok(Self::of_corpus(corpus))
    }

    /// Columns by name: lists of Python values, or anything that speaks the Arrow interface.
    #[staticmethod]
    fn from_columns(
        columns: &Bound<'_, PyDict>,
        text: String,
        id: Option<String>,
    ) -> PyResult<Self> {
        let mut fields = Vec::new();
        let mut arrays: Vec<ArrayRef> = Vec::new();
        for (name, values) in columns {
            let name: String = name.extract()?;
            let array = match values.cast::<PyList>() {
                Ok(list) if name == text => {
                    let (texts, problems) = text_column(list, &text)?;
                    if problems.null_count() < problems.len() {
                        fields.push(Field::new(PROBLEM_COLUMN, DataType::LargeUtf8, true));
                        arrays.push(Arc::new(problems));
                    }
                    texts
                }
                Ok(list) => value_column(list, &name, Some(&name) == id.as_ref())?,
                Err(_) => whole_column(import_column(&values)?)?,
            };
            fields.push(Field::new(name, array.data_type().clone(), true));
            arrays.push(array);
        }
        let schema = Arc::new(Schema::new(fields));
        let batch = RecordBatch::try_new(schema, arrays).map_err(unreadable)?;
        Self::of_batches(vec![batch], text, id)
    }

    /// Arrow tables, one after the other.
    #[staticmethod]
    fn from_arrow(
        tables: Vec<Bound<'_, PyAny>>,
        text: String,
        id: Option<String>,
    ) -> PyResult<Self> {
        let mut batches = Vec::new();
        for table in tables {
            batches.extend(import_table(&table)?);
        }
        Self::of_batches(batches, text, id)
    }

    /// Arrow tables of an iterator that can be read once: kept in a working file.
    #[staticmethod]
    fn from_stream(
        py: Python<'_>,
        tables: &Bound<'_, PyIterator>,
        text: String,
        id: Option<String>,
        fields: Vec<String>,
    ) -> PyResult<Self> {
        let spool = Spool::write(py, tables)?;
        let names = spool.names();
        let fields_of_text = text_fields(&text)?;
        if !names.contains(&text) && !fields_of_text.iter().any(|field| names.contains(field)) {
            let names = names.join(", ");
            return Err(InputError::new_err(format!(
                "there is no column `{text}`; name the column of the text with text=…; the columns are {names}"
            )));
        }
        let id = id.or_else(|| names.contains(&"id".to_owned()).then(|| "id".to_owned()));
        let ids = id.as_ref().map_or(Ok(Ids::Rows), |id| spool.column(id).map(Ids::Column))?;
        let path = spool.path.to_string_lossy().into_owned();
        let folder = std::env::temp_dir();
        let options = InputOptions { fields, ..options(text, id) };
        let corpus = Corpus::open(&[path], options, &folder);
        let corpus = corpus.map_err(|error| failed_run(error.into()))?;
        Ok(Self { corpus: Arc::new(corpus), ids, spool: Some(spool) })
    }

    /// The names of the columns of a stream.
    fn column_names(&self) -> Vec<String> {
        self.spool.as_ref().map_or_else(Vec::new, Spool::names)
    }

    /// These rows of a stream, in ascending order.
    fn select(&self, py: Python<'_>, rows: Vec<u64>) -> PyResult<Columns> {
        let spool = self.spool.as_ref();
        let spool =
            spool.ok_or_else(|| InputError::new_err("these rows are not in a working file"))?;
        py.detach(|| spool.select(&rows))
    }
}

impl Source {
    /// Documents that go by the ids of their corpus.
    pub fn of_corpus(corpus: Corpus) -> Self {
        Self { corpus: Arc::new(corpus), ids: Ids::Corpus, spool: None }
    }

    fn of_batches(batches: Vec<RecordBatch>, text: String, id: Option<String>) -> PyResult<Self> {
        let ids = match &id {
            None => Ids::Rows,
            Some(name) => Ids::Column(
                batches.iter().filter_map(|batch| batch.column_by_name(name).cloned()).collect(),
            ),
        };
        if let Ids::Column(chunks) = &ids {
            check_ids(chunks, id.as_deref().unwrap_or("id"))?;
        }
        let corpus = Corpus::from_batches(batches, options(text, id));
        let corpus = corpus.map_err(|error| InputError::new_err(with_causes(&error)))?;
        Ok(Self { corpus: Arc::new(corpus), ids, spool: None })
    }
}

fn options(text_key: String, id: Option<String>) -> InputOptions {
    let id_key = id.map_or(IdKey::Row, IdKey::Field);
    InputOptions { text_key, id_key, ..InputOptions::default() }
}

fn check_ids(chunks: &[ArrayRef], name: &str) -> PyResult<()> {
    let is_id = |kind: &DataType| {
        kind.is_integer()
            || matches!(
                kind,
                DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null
            )
            || matches!(kind, DataType::Dictionary(_, value) if value.is_string())
    };
    match chunks.iter().find(|chunk| !is_id(chunk.data_type())) {
        Some(chunk) => Err(InputError::new_err(format!(
            "the ids in column `{name}` are of type {}; ids are texts or whole numbers",
            chunk.data_type()
        ))),
        None => Ok(()),
    }
}

/// Texts, and by row why it holds none; a missing text is null, and nothing is wrong with it.
///
/// The caller puts an ellipsis where a row has no such field at all.
fn text_column(values: &Bound<'_, PyList>, name: &str) -> PyResult<(ArrayRef, LargeStringArray)> {
    let lengths = values.iter().filter_map(|value| value.cast::<PyString>().ok()?.len().ok());
    let mut builder = LargeStringBuilder::with_capacity(values.len(), lengths.sum());
    let mut problems = LargeStringBuilder::new();
    for value in values {
        let Ok(text) = value.cast::<PyString>() else {
            builder.append_null();
            let is_missing = value.is_none() || value.extract::<f64>().is_ok_and(f64::is_nan);
            problems.append_option(if is_missing {
                None
            } else if value.is_instance_of::<PyEllipsis>() {
                Some(format!("no field `{name}`"))
            } else {
                let kind = value.get_type().name()?;
                Some(format!("field `{name}` is of type {kind}, not a text"))
            });
            continue;
        };
        // A lone surrogate is no Unicode text, and its row is unreadable.
        let is_text = if text.call_method0(intern!(text.py(), "isascii"))?.is_truthy()? {
            builder.append_option(text.to_str().ok());
            true
        } else {
            // `to_str` would leave the bytes with the caller's string: a second copy of all texts.
            let bytes = text.encode_utf8().ok();
            let text = bytes.as_ref().and_then(|bytes| str::from_utf8(bytes.as_bytes()).ok());
            builder.append_option(text);
            text.is_some()
        };
        problems.append_option(
            (!is_text)
                .then(|| format!("field `{name}` has a lone surrogate and is no Unicode text")),
        );
    }
    Ok((Arc::new(builder.finish()), problems.finish()))
}

/// Values of any other column: as numbers where all are, else as text.
fn value_column(values: &Bound<'_, PyList>, name: &str, is_id: bool) -> PyResult<ArrayRef> {
    let values = values.iter().map(plain).collect::<PyResult<Vec<_>>>()?;
    let present = || values.iter().filter(|value| !value.is_none());
    let is_flag = |value: &Bound<'_, PyAny>| value.is_instance_of::<PyBool>();
    let is_whole = |value: &Bound<'_, PyAny>| value.is_instance_of::<PyInt>() && !is_flag(value);
    let is_number = |value: &Bound<'_, PyAny>| value.is_instance_of::<PyFloat>() || is_whole(value);
    if present().all(is_whole) && present().next().is_some() {
        // Hashes of 64 bits are often ids, and have no sign.
        if let Ok(column) = signed_column(&values).or_else(|_| unsigned_column(&values)) {
            return Ok(column);
        }
    }
    let is_text = |value: &Bound<'_, PyAny>| value.is_instance_of::<PyString>() || is_whole(value);
    if is_id && let Some(odd) = present().find(|value| !is_text(value)) {
        let kind = odd.get_type().name()?;
        return Err(InputError::new_err(format!(
            "an id in column `{name}` is of type {kind}; ids are texts or whole numbers"
        )));
    }
    if present().all(is_flag) {
        let mut builder = BooleanBuilder::new();
        for value in &values {
            builder.append_option(value.extract::<Option<bool>>()?);
        }
        return Ok(Arc::new(builder.finish()));
    }
    if !is_id
        && present().all(is_number)
        && let Ok(column) = float_column(&values)
    {
        return Ok(column);
    }
    let mut builder = LargeStringBuilder::new();
    for value in &values {
        if value.is_none() {
            builder.append_null();
            continue;
        }
        let text = value.str()?;
        let text = text.to_string_lossy();
        if is_id && text.contains(char::REPLACEMENT_CHARACTER) && value.str()?.to_str().is_err() {
            return Err(InputError::new_err(format!(
                "the id `{text}` in column `{name}` is no Unicode text"
            )));
        }
        builder.append_value(text);
    }
    Ok(Arc::new(builder.finish()))
}

fn signed_column(values: &[Bound<'_, PyAny>]) -> PyResult<ArrayRef> {
    let mut builder = Int64Builder::new();
    for value in values {
        builder.append_option(value.extract::<Option<i64>>()?);
    }
    Ok(Arc::new(builder.finish()))
}

fn unsigned_column(values: &[Bound<'_, PyAny>]) -> PyResult<ArrayRef> {
    let mut builder = UInt64Builder::new();
    for value in values {
        builder.append_option(value.extract::<Option<u64>>()?);
    }
    Ok(Arc::new(builder.finish()))
}

fn float_column(values: &[Bound<'_, PyAny>]) -> PyResult<ArrayRef> {
    let mut builder = Float64Builder::new();
    for value in values {
        builder.append_option(value.extract::<Option<f64>>()?);
    }
    Ok(Arc::new(builder.finish()))
}

/// A number of `NumPy` as a number of Python; everything else as it is.
fn plain(value: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyAny>> {
    let py = value.py();
    let is_plain = value.is_none() || value.is_exact_instance_of::<PyString>();
    if is_plain || value.get_type().module()? != "numpy" {
        return Ok(value);
    }
    // An array in a field has a length, and is no number.
    let kind =
        value.getattr(intern!(py, "dtype")).and_then(|kind| kind.getattr(intern!(py, "kind")));
    let is_number = kind
        .is_ok_and(|kind| ["b", "i", "u", "f"].iter().any(|known| kind.eq(known).unwrap_or(false)));
    if is_number && !value.hasattr(intern!(py, "__len__"))? {
        return value.call_method0(intern!(py, "item"));
    }
    Ok(value)
}

/// A column of several chunks as one; a single one is not copied.
fn whole_column(chunks: Vec<ArrayRef>) -> PyResult<ArrayRef> {
    if let [only] = chunks.as_slice() {
        return Ok(Arc::clone(only));
    }
    let chunks: Vec<&dyn Array> = chunks.iter().map(AsRef::as_ref).collect();
    arrow_select::concat::concat(&chunks).map_err(unreadable)
}

impl Spool {
    fn write(py: Python<'_>, tables: &Bound<'_, PyIterator>) -> PyResult<Self> {
        let file = tempfile::Builder::new().prefix("lookalike-").suffix(".parquet").tempfile();
        let (file, path) =
            file.map_err(|error| OutputError::new_err(error.to_string()))?.into_parts();
        let level =
            ZstdLevel::try_new(1).map_err(|error| OutputError::new_err(error.to_string()))?;
        let properties =
            WriterProperties::builder().set_compression(Compression::ZSTD(level)).build();
        let mut writer: Option<ArrowWriter<File>> = None;
        let mut file = Some(file);
        for table in tables {
            for batch in import_table(&table?)? {
                py.check_signals()?;
                let written = py.detach(|| {
                    if writer.is_none()
                        && let Some(file) = file.take()
                    {
                        let properties = Some(properties.clone());
                        writer = Some(ArrowWriter::try_new(file, batch.schema(), properties)?);
                    }
                    writer.as_mut().map_or(Ok(()), |writer| writer.write(&batch))
                });
                written.map_err(|error| InputError::new_err(error.to_string()))?;
            }
        }
        let Some(mut writer) = writer else {
            return Err(InputError::new_err("the stream has no batch and so no columns"));
        };
        writer.finish().map_err(|error| OutputError::new_err(error.to_string()))?;
        let schema = open(&PathBuf::from(&path))?.schema().clone();
        Ok(Self { path, schema })
    }

    fn names(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    fn column(&self, name: &str) -> PyResult<Vec<ArrayRef>> {
        let builder = open(&self.path)?;
        let index = builder.schema().index_of(name).map_err(unreadable)?;
        let mask = parquet::arrow::ProjectionMask::roots(builder.parquet_schema(), [index]);
        let reader = builder.with_projection(mask).build().map_err(unreadable_file)?;
        let batches =
            reader.collect::<Result<Vec<RecordBatch>, ArrowError>>().map_err(unreadable)?;
        let columns = batches.iter().map(|batch| Arc::clone(batch.column(0))).collect::<Vec<_>>();
        check_ids(&columns, name)?;
        Ok(columns)
    }

    fn select(&self, rows: &[u64]) -> PyResult<Columns> {
        let reader = open(&self.path)?.build().map_err(unreadable_file)?;
        let mut batches = Vec::new();
        let (mut first, mut rest) = (0_u64, rows);
        for batch in reader {
            let batch = batch.map_err(unreadable)?;
            let end = first + batch.num_rows() as u64;
            let (here, later) = rest.split_at(rest.partition_point(|row| *row < end));
            let mut chosen = vec![false; batch.num_rows()];
            for row in here {
                chosen[(row - first) as usize] = true;
            }
            let chosen = BooleanArray::from(chosen);
            batches.push(
                arrow_select::filter::filter_record_batch(&batch, &chosen).map_err(unreadable)?,
            );
            (first, rest) = (end, later);
        }
        Ok(Columns::of_batches(Arc::clone(&self.schema), batches))
    }
}

fn open(path: &std::path::Path) -> PyResult<ParquetRecordBatchReaderBuilder<File>> {
    let file = File::open(path).map_err(|error| InputError::new_err(error.to_string()))?;
    ParquetRecordBatchReaderBuilder::try_new(file).map_err(unreadable_file)
}

fn unreadable_file(error: parquet::errors::ParquetError) -> PyErr {
    InputError::new_err(error.to_string())
}

impl Ids {
    /// The ids of these rows, as a column of the caller's own type.
    pub fn take(&self, rows: &[u64], name: impl Fn(u64) -> String) -> PyResult<ArrayRef> {
        match self {
            Self::Rows => Ok(Arc::new(UInt64Array::from(rows.to_vec()))),
            Self::Corpus => {
                let mut builder = LargeStringBuilder::new();
                for row in rows {
                    builder.append_value(name(*row));
                }
                Ok(Arc::new(builder.finish()))
            }
            Self::Column(chunks) if rows.is_empty() => {
                let kind = chunks.first().map_or(&DataType::LargeUtf8, |chunk| chunk.data_type());
                Ok(arrow_array::new_empty_array(kind))
            }
            Self::Column(chunks) => {
                let starts: Vec<u64> = chunks
                    .iter()
                    .scan(0, |start, chunk| {
                        let first = *start;
                        *start += chunk.len() as u64;
                        Some(first)
                    })
                    .collect();
                let places: Vec<(usize, usize)> = rows
                    .iter()
                    .map(|row| {
                        let chunk = starts.partition_point(|start| start <= row) - 1;
                        (chunk, (row - starts[chunk]) as usize)
                    })
                    .collect();
                let chunks: Vec<&dyn Array> = chunks.iter().map(AsRef::as_ref).collect();
                arrow_select::interleave::interleave(&chunks, &places).map_err(unreadable)
            }
        }
    }
}

/// The fields of a row that a key of texts looks at.
#[pyfunction]
pub fn text_fields(key: &str) -> PyResult<Vec<String>> {
    lookalike_corpus::text_fields(key).map_err(ConfigError::new_err)
}

/// The text that a key finds in a row of JSON; nothing where there is none.
#[pyfunction]
pub fn composed_text(key: &str, row: &str) -> Option<String> {
    lookalike_corpus::composed_text(key, row)
}
