//! Arrow memory to and from Python through the `PyCapsule` interface, without a copy.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchIterator, StructArray, types};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};

use crate::errors::{InputError, LookalikeError};

/// Columns of a result.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub struct Columns {
    batches: Vec<RecordBatch>,
    schema: SchemaRef,
}

impl Columns {
    /// A table of one batch.
    pub fn new(batch: RecordBatch) -> Self {
        Self { schema: batch.schema(), batches: vec![batch] }
    }

    /// A table of any number of batches.
    pub fn of_batches(schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        Self { batches, schema }
    }
}

#[pymethods]
impl Columns {
    fn names(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    #[pyo3(signature = (_requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        _requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let batches: Vec<Result<RecordBatch, ArrowError>> =
            self.batches.iter().cloned().map(Ok).collect();
        let reader = RecordBatchIterator::new(batches, Arc::clone(&self.schema));
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let rows = PyList::empty(py);
        for batch in &self.batches {
            for row in 0..batch.num_rows() {
                let values = PyDict::new(py);
                for (field, column) in self.schema.fields().iter().zip(batch.columns()) {
                    values.set_item(field.name(), value_of(py, column, row)?)?;
                }
                rows.append(values)?;
            }
        }
        Ok(rows)
    }

    /// The values of one column.
    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        let values = PyList::empty(py);
        for batch in &self.batches {
            let column = batch.column_by_name(name);
            let column = column.ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
            for row in 0..column.len() {
                values.append(value_of(py, column, row)?)?;
            }
        }
        Ok(values)
    }

    fn to_bytes(&self) -> PyResult<Vec<u8>> {
        let failed = |error: ArrowError| LookalikeError::new_err(error.to_string());
        let mut writer =
            arrow_ipc::writer::StreamWriter::try_new(Vec::new(), &self.schema).map_err(failed)?;
        for batch in &self.batches {
            writer.write(batch).map_err(failed)?;
        }
        writer.into_inner().map_err(failed)
    }

    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        let failed = |error: ArrowError| LookalikeError::new_err(error.to_string());
        let reader = arrow_ipc::reader::StreamReader::try_new(bytes, None).map_err(failed)?;
        let schema = reader.schema();
        let batches = reader.collect::<Result<_, _>>().map_err(failed)?;
        Ok(Self { batches, schema })
    }
}

/// One value as Python knows it.
pub fn value_of<'py>(
    py: Python<'py>,
    column: &dyn Array,
    row: usize,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    if column.is_null(row) {
        return Ok(None);
    }
    macro_rules! number {
        ($kind:ident) => {
            column.as_primitive::<types::$kind>().value(row).into_pyobject(py)?.into_any()
        };
    }
    let value = match column.data_type() {
        DataType::Boolean => {
            column.as_boolean().value(row).into_pyobject(py)?.to_owned().into_any()
        }
        DataType::Int8 => number!(Int8Type),
        DataType::Int16 => number!(Int16Type),
        DataType::Int32 => number!(Int32Type),
        DataType::Int64 => number!(Int64Type),
        DataType::UInt8 => number!(UInt8Type),
        DataType::UInt16 => number!(UInt16Type),
        DataType::UInt32 => number!(UInt32Type),
        DataType::UInt64 => number!(UInt64Type),
        DataType::Float32 => number!(Float32Type),
        DataType::Float64 => number!(Float64Type),
        DataType::Utf8 => column.as_string::<i32>().value(row).into_pyobject(py)?.into_any(),
        DataType::LargeUtf8 => column.as_string::<i64>().value(row).into_pyobject(py)?.into_any(),
        DataType::Utf8View => column.as_string_view().value(row).into_pyobject(py)?.into_any(),
        DataType::Dictionary(_, _) => {
            let dictionary = column.as_any_dictionary();
            let key = dictionary.normalized_keys()[row];
            return value_of(py, dictionary.values(), key);
        }
        other => {
            return Err(InputError::new_err(format!(
                "values of type {other} need a data frame library; use to_arrow(), to_pandas() or to_polars()"
            )));
        }
    };
    Ok(Some(value))
}

/// The batches of anything that speaks the Arrow interface: a table, a batch, a stream.
pub fn import_table(object: &Bound<'_, PyAny>) -> PyResult<Vec<RecordBatch>> {
    if object.hasattr("__arrow_c_stream__")? {
        let reader = RecordBatchStreamReader::try_new(stream(object)?).map_err(unreadable)?;
        return reader.collect::<Result<_, _>>().map_err(unreadable);
    }
    if object.hasattr("__arrow_c_array__")? {
        let pair = object.call_method0("__arrow_c_array__")?;
        let (schema, array): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
        return Ok(vec![import_batch(&schema, &array)?]);
    }
    let kind = object.get_type().name()?;
    Err(InputError::new_err(format!("{kind} is no Arrow data")))
}

/// The chunks of a column that speaks the Arrow interface.
pub fn import_column(object: &Bound<'_, PyAny>) -> PyResult<Vec<ArrayRef>> {
    let reader = ArrayStreamReader::try_new(stream(object)?).map_err(unreadable)?;
    reader.collect::<Result<_, _>>().map_err(unreadable)
}

fn stream(object: &Bound<'_, PyAny>) -> PyResult<FFI_ArrowArrayStream> {
    let capsule = object.call_method0("__arrow_c_stream__")?;
    let pointer = capsule.cast::<PyCapsule>()?.pointer_checked(Some(c"arrow_array_stream"))?;
    // SAFETY: the capsule's name says what it points to, and `from_raw` takes the stream out of it,
    // leaving a released one behind, as the interface asks for.
    Ok(unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr().cast()) })
}

fn import_batch(schema: &Bound<'_, PyAny>, array: &Bound<'_, PyAny>) -> PyResult<RecordBatch> {
    let schema = schema.cast::<PyCapsule>()?.pointer_checked(Some(c"arrow_schema"))?;
    let array = array.cast::<PyCapsule>()?.pointer_checked(Some(c"arrow_array"))?;
    // SAFETY: the names of the capsules say what they point to; the array is moved out of its
    // capsule, whose destructor finds a released one, and the schema is only read.
    let data = unsafe {
        let array = FFI_ArrowArray::from_raw(array.as_ptr().cast());
        let schema: &FFI_ArrowSchema = schema.cast().as_ref();
        from_ffi(array, schema)
    };
    let data = data.map_err(unreadable)?;
    if !matches!(data.data_type(), DataType::Struct(_)) {
        return Err(InputError::new_err(
            "a column is no table; give a table with a column of texts",
        ));
    }
    Ok(RecordBatch::from(StructArray::from(data)))
}

/// Arrow data that cannot be read, as an exception.
pub fn unreadable(error: ArrowError) -> PyErr {
    InputError::new_err(error.to_string())
}
