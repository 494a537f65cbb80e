//! Rows that a keep rule could not judge, counted so that nobody has to guess.

use serde::Serialize;

use super::value::usable;
use super::{KeepRule, Usable};

/// The rows that one criterion could not use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KeepNote {
    /// The criterion, as it is written.
    pub rule: String,
    /// The field it looks at.
    pub field: String,
    /// What it expects of the field: a date, a number, a value.
    pub kind: &'static str,
    /// Documents without the field.
    pub absent: u64,
    /// Documents whose field holds something else.
    pub unusable: u64,
    /// The id of the first of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_unusable: Option<String>,
}

/// A field that a rule names and that no row has, or that no row has anything usable in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeepFieldError {
    /// No row has the field.
    #[error("keep = `{rule}`: no row has the field `{field}`")]
    Absent {
        /// The criterion.
        rule: String,
        /// Its field.
        field: String,
    },
    /// What rows have there cannot be compared.
    #[error("keep = `{rule}`: no row has a {kind} in the field `{field}`; see document `{first}`")]
    Unusable {
        /// The criterion.
        rule: String,
        /// Its field.
        field: String,
        /// What it expects.
        kind: &'static str,
        /// A document that has something else there.
        first: String,
    },
}

/// Counts documents by what each criterion could use of them.
pub(crate) struct KeepNotes {
    n_documents: u64,
    notes: Vec<KeepNote>,
}

impl KeepNotes {
    /// Nothing counted yet.
    pub fn new(rule: &KeepRule) -> Self {
        let note = |criterion: &super::Criterion| KeepNote {
            rule: criterion.to_string(),
            field: criterion.field().unwrap_or_default().to_owned(),
            kind: criterion.kind(),
            absent: 0,
            unusable: 0,
            first_unusable: None,
        };
        Self { n_documents: 0, notes: rule.criteria.iter().map(note).collect() }
    }

    /// Whether there is anything to count.
    pub fn has_criteria(&self) -> bool {
        !self.notes.is_empty()
    }

    /// Counts a document by its value, as bytes.
    pub fn add(&mut self, id: &str, value: &[u8]) {
        self.n_documents += 1;
        for (note, usable) in self.notes.iter_mut().zip(usable(value)) {
            match usable {
                Usable::Yes => {}
                Usable::Absent => note.absent += 1,
                Usable::No => {
                    note.unusable += 1;
                    note.first_unusable.get_or_insert_with(|| id.to_owned());
                }
            }
        }
    }

    /// What there is to tell: nothing of criteria that could use every document.
    ///
    /// # Errors
    /// A criterion could use none.
    pub fn finish(self) -> Result<Vec<KeepNote>, KeepFieldError> {
        let (n_documents, mut notes) = (self.n_documents, self.notes);
        notes.retain(|note| note.absent + note.unusable > 0);
        for note in &notes {
            if note.absent + note.unusable < n_documents {
                continue;
            }
            let (rule, field) = (note.rule.clone(), note.field.clone());
            return Err(match &note.first_unusable {
                None => KeepFieldError::Absent { rule, field },
                Some(first) => {
                    let (kind, first) = (note.kind, first.clone());
                    KeepFieldError::Unusable { rule, field, kind, first }
                }
            });
        }
        Ok(notes)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::Candidate;
    use super::*;

    fn notes(rule: &str, rows: &[Value]) -> Result<Vec<KeepNote>, KeepFieldError> {
        let rule: KeepRule = rule.parse().unwrap();
        let mut notes = KeepNotes::new(&rule);
        for (number, row) in rows.iter().enumerate() {
            let field = |name: &str| row.get(name).cloned();
            let value = rule.value(&Candidate { text_bytes: 1, file: "-", field: &field });
            notes.add(&number.to_string(), value.as_bytes());
        }
        notes.finish()
    }

    #[test]
    fn rows_without_a_usable_field_are_counted() {
        let rows = [json!({"d": "2024"}), json!({}), json!({"d": "soon"}), json!({"d": null})];
        let told = notes("newest:d then longest", &rows).unwrap();
        let [note] = told.as_slice() else { panic!("{told:?}") };
        assert_eq!((note.absent, note.unusable), (2, 1));
        assert_eq!(note.first_unusable.as_deref(), Some("2"));
        assert_eq!(notes("newest:d", &rows[..1]), Ok(Vec::new()));
        assert_eq!(notes("longest", &rows), Ok(Vec::new()));
    }

    #[test]
    fn a_field_that_no_row_has_is_an_error_that_names_it() {
        let rows = [json!({"d": "soon"}), json!({})];
        let error = |rule: &str| notes(rule, &rows).unwrap_err().to_string();
        assert_eq!(error("max:qualty"), "keep = `max:qualty`: no row has the field `qualty`");
        assert!(error("longest then prefer:nope=a").contains("`nope`"));
        assert!(error("newest:d").contains("no row has a date in the field `d`; see document `0`"));
        assert_eq!(notes("max:qualty", &[]), Ok(Vec::new()));
    }
}
