//! Rows of an input as documents for an index.

use lookalike_corpus::{InputOptions, RowDocument, RowPlace};
use serde_json::Value;

use crate::OwnedDocument;

/// A row's document with all of its fields but those that are its text and its id.
///
/// The id is empty where the row has none of its own: one that was made of the row's place would be
/// that of another document in the next file. A file that is one document is known by its name.
pub fn indexed_document(
    document: &RowDocument<'_>,
    place: RowPlace<'_>,
    options: &InputOptions,
) -> OwnedDocument {
    let id_key = options.id_key.field();
    let known: Vec<&str> =
        [Some(options.text_key.as_str()), id_key].into_iter().flatten().collect();
    let fields = document.fields_but(&known);
    let mut owned = OwnedDocument { fields, ..OwnedDocument::from(document) };
    let names = |value: &Value| match value {
        Value::String(text) => !text.is_empty(),
        Value::Number(_) | Value::Bool(_) => true,
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    };
    let is_made_up = place.row.is_some_and(|row| owned.id.ends_with(&format!(":{row}")))
        && !id_key.and_then(|key| document.field(key)).is_some_and(|value| names(&value));
    if is_made_up {
        owned.id.clear();
    }
    owned
}
