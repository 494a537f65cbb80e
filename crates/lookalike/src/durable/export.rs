//! What is in the index, written out.

use std::io::Write;

use lookalike_store::{Said, Scanned};
use serde_json::{Value, json};

use super::IndexSnapshot;
use super::create::{IndexError, StoredParts};
use super::stored::StoredText;
use crate::RunError;

/// The field of an exported document that holds the time it was added.
pub const ADDED: &str = "_added";

impl IndexSnapshot {
    /// Writes the documents as JSON Lines in the order they were added; returns how many there are.
    /// The field [`ADDED`] of each is the time it was added, in milliseconds since 1970.
    ///
    /// # Errors
    /// The index has no texts, a file is damaged, or `out` refuses.
    pub fn export(&self, out: &mut dyn Write) -> Result<u64, IndexError> {
        self.write_rows(out, true)
    }

    /// [`IndexSnapshot::export`], with or without times.
    pub(super) fn write_rows(
        &self,
        out: &mut dyn Write,
        with_times: bool,
    ) -> Result<u64, IndexError> {
        let store = self.opened.options.store;
        if store != StoredParts::Text {
            return Err(IndexError::NoTexts(store));
        }
        let mut count = 0;
        for scanned in self.store.scan(self.now, true) {
            let Scanned { head, body } = scanned?;
            let added = with_times.then_some(head.added);
            let row = StoredText::read(&body)?.to_row(&head.id, added)?;
            out.write_all(&row).map_err(written)?;
            count += 1;
        }
        out.flush().map_err(written)?;
        Ok(count)
    }

    /// Writes what each person said, and when, in the format that `tune`, `train` and `find` read.
    ///
    /// # Errors
    /// `out` refuses.
    pub fn export_judgments(&self, out: &mut dyn Write) -> Result<usize, IndexError> {
        let judgments = self.store.judgments();
        for (left, right, said) in judgments.iter() {
            // The last line on a pair holds.
            for said in said {
                let mut row = json!({"a": left, "b": right});
                described(said, &mut row);
                writeln!(out, "{row}").map_err(written)?;
            }
        }
        out.flush().map_err(written)?;
        Ok(judgments.len())
    }
}

/// Writes a verdict into a JSON object, without what is not known of it.
pub fn described(said: &Said, row: &mut Value) {
    row["duplicate"] = said.duplicate.into();
    row["time"] = said.time.into();
    if let Some(id) = &said.keeps {
        row["keep"] = id.as_str().into();
    }
    for (name, value) in [("by", &said.by), ("how", &said.how)] {
        if !value.is_empty() {
            row[name] = value.as_str().into();
        }
    }
}

fn written(source: std::io::Error) -> IndexError {
    IndexError::Run(RunError::File { action: "write", path: "the export".into(), source })
}
