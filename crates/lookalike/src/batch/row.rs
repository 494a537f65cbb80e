//! A row of the input as every pass that numbers documents sees it.

use lookalike_corpus::{Row, RowDocument};
use lookalike_detect::identity;

use crate::{KeepRule, KeepValue, UnreadableRow};

/// How much of an unreadable row is shown; `dedup` puts all of it aside.
const SHOWN_BYTES: usize = 1000;

/// What a pass knows of a row: enough for the catalog, and what it made of the text.
pub struct ReadRow<T> {
    /// The document's id; empty for an unreadable row.
    pub id: String,
    /// A digest of what the method can see of the document.
    pub identity: u128,
    /// A digest of the row as it stands in the file.
    pub digest: u64,
    /// What decides which copy is kept.
    pub keep: KeepValue,
    /// What was made of the document, or why there is none.
    pub content: Result<T, UnreadableRow>,
}

/// How rows are looked at.
pub struct RowReader<'a> {
    /// The rule whose values are taken.
    pub keep: &'a KeepRule,
    /// Whether documents with another title or address are other documents.
    pub reads_metadata: bool,
}

impl RowReader<'_> {
    /// Takes from a row what the catalog needs, and what `make` makes of its document.
    pub fn read<T>(&self, row: &Row<'_>, make: impl FnOnce(&RowDocument<'_>) -> T) -> ReadRow<T> {
        let document = match &row.content {
            Ok(document) => document,
            Err(unreadable) => {
                return ReadRow {
                    id: String::new(),
                    identity: 0,
                    digest: row.digest(),
                    keep: self.keep.value(0, None),
                    content: Err(UnreadableRow {
                        place: unreadable.place.clone(),
                        reason: unreadable.reason.clone(),
                        content: row.bytes().map(beginning),
                    }),
                };
            }
        };
        let field = self.keep.field().and_then(|name| document.field(name));
        ReadRow {
            id: document.id.clone().into_owned(),
            identity: identity(&document.document(), self.reads_metadata),
            digest: row.digest(),
            keep: self.keep.value(document.text.len(), field.as_ref()),
            content: Ok(make(document)),
        }
    }
}

/// The beginning of a row as text, whatever its bytes are.
fn beginning(row: &[u8]) -> String {
    let shown = &row[..row.len().min(SHOWN_BYTES)];
    let text = String::from_utf8_lossy(shown).trim_end_matches(['\r', '\n']).to_owned();
    if row.len() > SHOWN_BYTES { text + "…" } else { text }
}
