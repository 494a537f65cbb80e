//! A row of the input as every pass that numbers documents sees it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::catalog::NOBODY;
use lookalike_corpus::{Row, RowDocument};
use lookalike_detect::identity;

use crate::{KeepCandidate, KeepRule, KeepValue, RunConfig, UnreadableRow};

/// How much of an unreadable row is shown; `dedup` puts all of it aside.
const SHOWN_BYTES: usize = 1000;

/// What a pass knows of a row: enough for the catalog, and what it made of the text.
pub struct ReadRow<T> {
    /// The document's id; empty for an unreadable row.
    pub id: String,
    /// Whether the id is the spelling of a number or truth value.
    pub id_is_literal: bool,
    /// A digest of what the method can see of the document; confirmed by its bucket keys once it
    /// is signed.
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
    keep: &'a KeepRule,
    /// Whether documents with another title or address are other documents.
    reads_metadata: bool,
    named_id: NamedId,
}

/// Whether any row has the field that was named for ids; absent ids have a substitute, so that a
/// field that was mistyped would otherwise be missed by nobody.
#[derive(Clone, Debug)]
pub struct NamedId {
    field: Arc<str>,
    seen: Arc<AtomicBool>,
}

impl NamedId {
    /// Nothing seen yet. The usual field may be absent, and rows may be numbered on purpose.
    pub fn new(run: &RunConfig) -> Self {
        let is_usual = run.id_key == "row" || run.id_key == RunConfig::default().id_key;
        Self { field: run.id_key.as_str().into(), seen: Arc::new(AtomicBool::new(is_usual)) }
    }

    /// The field, if no row had it.
    pub fn missing(&self) -> Option<&str> {
        (!self.seen.load(Ordering::Relaxed)).then_some(&*self.field)
    }

    /// Whether it was seen.
    pub fn is_seen(&self) -> bool {
        self.seen.load(Ordering::Relaxed)
    }

    /// An earlier reading of the same rows has seen it.
    pub fn set_seen(&self) {
        self.seen.store(true, Ordering::Relaxed);
    }

    fn look(&self, document: &RowDocument<'_>) {
        if !self.seen.load(Ordering::Relaxed) && document.field(&self.field).is_some() {
            self.seen.store(true, Ordering::Relaxed);
        }
    }
}

impl<'a> RowReader<'a> {
    /// A reader for a run.
    pub fn new(keep: &'a KeepRule, reads_metadata: bool, named_id: &NamedId) -> Self {
        Self { keep, reads_metadata, named_id: named_id.clone() }
    }

    /// Takes from a row what the catalog needs, and what `make` makes of its document.
    pub fn read<T>(&self, row: &Row<'_>, make: impl FnOnce(&RowDocument<'_>) -> T) -> ReadRow<T> {
        let document = match &row.content {
            Ok(document) => document,
            Err(unreadable) => {
                return ReadRow {
                    id: String::new(),
                    id_is_literal: false,
                    identity: NOBODY,
                    digest: row.digest(),
                    keep: self.keep.value_of_nothing(),
                    content: Err(UnreadableRow {
                        place: unreadable.place.clone(),
                        reason: unreadable.reason.clone(),
                        content: row.bytes().map(beginning),
                        incomplete: unreadable.incomplete,
                    }),
                };
            }
        };
        self.named_id.look(document);
        let candidate = KeepCandidate {
            text_bytes: document.text.len(),
            file: row.place.file,
            field: &|name| document.field(name),
        };
        ReadRow {
            id: document.id.clone().into_owned(),
            id_is_literal: document.id_is_literal,
            identity: if document.text.trim_ascii_start().is_empty() {
                NOBODY
            } else {
                identity(&document.document(), self.reads_metadata)
            },
            digest: row.digest(),
            keep: self.keep.value(&candidate),
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
