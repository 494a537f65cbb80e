//! Strings of a Parquet file as views into its pages, and back into what the file says they are.
//!
//! One string of a dictionary may stand in a million rows: copied out, a file of a few kilobytes
//! would fill any memory. Views share the dictionary, and rows are copied out few at a time.

use std::sync::Arc;

use arrow_array::builder::GenericStringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, GenericStringArray, OffsetSizeTrait, RecordBatch, StringViewArray, StructArray,
};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef};

/// The schema with every string a view, in structures too.
pub(super) fn with_views(schema: &Schema) -> SchemaRef {
    Arc::new(Schema::new_with_metadata(viewed(schema.fields()), schema.metadata().clone()))
}

fn viewed(fields: &Fields) -> Fields {
    fields.iter().map(viewed_field).collect()
}

fn viewed_field(field: &FieldRef) -> FieldRef {
    let data_type = match field.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
        DataType::Struct(fields) => DataType::Struct(viewed(fields)),
        _ => return Arc::clone(field),
    };
    Arc::new(Field::clone(field).with_data_type(data_type))
}

/// How many rows from `start` on have about `wanted` bytes of strings together; at least one.
pub(super) fn rows_of_bytes(batch: &RecordBatch, start: usize, wanted: usize) -> usize {
    let mut bytes = 0;
    let fits = |row: &usize| {
        bytes += row_bytes(batch, *row);
        bytes <= wanted
    };
    (start..batch.num_rows()).take_while(fits).count().max(1)
}

/// The bytes of a row's strings.
pub(super) fn row_bytes(batch: &RecordBatch, row: usize) -> usize {
    batch.columns().iter().map(|column| value_bytes(column, row)).sum()
}

fn value_bytes(array: &ArrayRef, row: usize) -> usize {
    match array.data_type() {
        _ if array.is_null(row) => 0,
        // The low half of the view's first word.
        DataType::Utf8View => array.as_string_view().views()[row] as u32 as usize,
        DataType::Struct(_) => {
            array.as_struct().columns().iter().map(|column| value_bytes(column, row)).sum()
        }
        _ => 8,
    }
}

/// The same rows with the types of `schema` again.
pub(super) fn restored(batch: &RecordBatch, schema: &SchemaRef) -> Option<RecordBatch> {
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = columns.map(|(column, field)| restored_array(column, field.data_type()));
    RecordBatch::try_new(Arc::clone(schema), columns.collect::<Option<_>>()?).ok()
}

fn restored_array(array: &ArrayRef, data_type: &DataType) -> Option<ArrayRef> {
    Some(match (array.data_type(), data_type) {
        (DataType::Utf8View, DataType::Utf8) => Arc::new(copied::<i32>(array.as_string_view())),
        (DataType::Utf8View, DataType::LargeUtf8) => {
            Arc::new(copied::<i64>(array.as_string_view()))
        }
        (DataType::Struct(_), DataType::Struct(fields)) => {
            let whole = array.as_struct();
            let columns = whole.columns().iter().zip(fields);
            let columns = columns.map(|(column, field)| restored_array(column, field.data_type()));
            let columns = columns.collect::<Option<_>>()?;
            let nulls = whole.nulls().cloned();
            Arc::new(StructArray::try_new(fields.clone(), columns, nulls).ok()?)
        }
        _ => Arc::clone(array),
    })
}

/// The strings in memory of exactly their size: a row may have many megabytes.
fn copied<O: OffsetSizeTrait>(array: &StringViewArray) -> GenericStringArray<O> {
    let bytes = array.iter().flatten().map(str::len).sum();
    let mut strings = GenericStringBuilder::with_capacity(array.len(), bytes);
    strings.extend(array);
    strings.finish()
}
