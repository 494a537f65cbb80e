//! Texts of columnar rows that stand in several places, as [`TextKey`] says.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Fields, Schema};

use super::parquet::{is_string, string_at, value_at};
use crate::text_key::{Items, Joined, Step, TextKey};

/// Whether a schema has what a key asks for.
///
/// # Errors
/// No path leads to a column, or one leads to something that is no text.
pub(super) fn check(schema: &Schema, key: &TextKey) -> Result<(), String> {
    let mut is_there = false;
    for path in &key.paths {
        is_there |= check_path(schema.fields(), path)?;
    }
    if is_there {
        return Ok(());
    }
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let roots: Vec<&str> = key.roots().collect();
    Err(format!("no column `{}`; there are: {}", roots.join("`, `"), names.join(", ")))
}

fn check_path(fields: &Fields, path: &[Step]) -> Result<bool, String> {
    let Some((Step { name, items }, rest)) = path.split_first() else { return Ok(false) };
    let Some((_, field)) = fields.find(name) else { return Ok(false) };
    let mut data_type = field.data_type();
    if items.is_some() {
        data_type = match data_type {
            DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
                item.data_type()
            }
            other => return Err(format!("column `{name}` is {other}, not a list")),
        };
    }
    match data_type {
        DataType::Struct(fields) if !rest.is_empty() => check_path(fields, rest),
        DataType::Dictionary(_, values) if rest.is_empty() && is_string(values) => Ok(true),
        other if rest.is_empty() && is_string(other) => Ok(true),
        other => Err(format!("column `{name}` is {other}, not text")),
    }
}

/// The text of a row; what is null or not there says nothing.
pub(super) fn of_row(batch: &RecordBatch, row: usize, key: &str) -> String {
    let Ok(Some(key)) = TextKey::parse(key) else { return String::new() };
    let mut text = Joined::default();
    for path in &key.paths {
        if let Some((step, rest)) = path.split_first()
            && let Some(column) = batch.column_by_name(&step.name)
        {
            collect(column, row, (step, rest), &mut text);
        }
    }
    text.finish().unwrap_or_default()
}

fn collect(array: &ArrayRef, row: usize, (step, rest): (&Step, &[Step]), text: &mut Joined) {
    let Some(wanted) = &step.items else { return descend(array, row, rest, text) };
    if array.is_null(row) {
        return;
    }
    let items: ArrayRef = if let Some(list) = array.as_list_opt::<i32>() {
        list.value(row)
    } else if let Some(list) = array.as_list_opt::<i64>() {
        list.value(row)
    } else if let Some(list) = array.as_fixed_size_list_opt() {
        list.value(row)
    } else {
        return;
    };
    for item in 0..items.len() {
        if counts(&items, item, wanted) {
            descend(&items, item, rest, text);
        }
    }
}

fn counts(items: &ArrayRef, item: usize, wanted: &Items) -> bool {
    let Items::With(field, wanted) = wanted else { return true };
    let column = items.as_struct_opt().and_then(|fields| fields.column_by_name(field));
    let value = column.and_then(|column| value_at(column.as_ref(), item));
    value.is_some_and(|value| match value.as_str() {
        Some(text) => text == wanted,
        // A number or truth value, as it is written.
        None => &value.to_string() == wanted,
    })
}

fn descend(array: &ArrayRef, row: usize, rest: &[Step], text: &mut Joined) {
    let Some((step, after)) = rest.split_first() else {
        if let Some(found) = string_at(array.as_ref(), row) {
            text.push(found);
        }
        return;
    };
    let fields = array.as_struct_opt().filter(|fields| !fields.is_null(row));
    if let Some(column) = fields.and_then(|fields| fields.column_by_name(&step.name)) {
        collect(column, row, (step, after), text);
    }
}
