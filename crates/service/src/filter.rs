//! Filters that look at documents, within bounds.

use lookalike::StoredDocument;
use serde_json::Value;

use crate::parameters::Parameters;
use crate::problem::Problem;

/// Documents that one request looks at; the next page goes on after them.
const MOST_LOOKED_AT: usize = 2000;

/// What a document must have.
#[derive(Debug, Default)]
pub struct DocumentFilter {
    field: Option<(String, String)>,
    after: Option<u64>,
    before: Option<u64>,
    looked_at: usize,
    /// What was looked at last, as a cursor says it.
    pub last: Option<(u64, String)>,
}

impl DocumentFilter {
    /// The filter of a request's parameters.
    pub fn of(parameters: &mut Parameters) -> Result<Self, Problem> {
        let field = parameters.text("field");
        Self::new(field, parameters.value("added_after")?, parameters.value("added_before")?)
    }

    /// A filter by a field, as NAME:VALUE, and by the time of adding.
    pub fn new(
        field: Option<String>,
        after: Option<u64>,
        before: Option<u64>,
    ) -> Result<Self, Problem> {
        let field = field.map(|field| {
            let split = field.split_once(':').map(|(name, value)| (name.into(), value.into()));
            split.ok_or_else(|| Problem::field("field", "`field` is NAME:VALUE"))
        });
        Ok(Self { field: field.transpose()?, after, before, ..Self::default() })
    }

    /// Whether it looks at fields of documents.
    pub fn reads_fields(&self) -> bool {
        self.field.is_some()
    }

    /// Whether anything is asked of documents at all.
    pub fn is_needed(&self) -> bool {
        self.field.is_some() || self.after.is_some() || self.before.is_some()
    }

    /// Whether this request has looked at enough.
    pub fn is_exhausted(&self) -> bool {
        self.looked_at >= MOST_LOOKED_AT
    }

    /// Whether a document has it.
    pub fn passes(&mut self, stored: Option<&StoredDocument>) -> bool {
        self.looked_at += 1;
        if !self.is_needed() {
            return true;
        }
        let Some(stored) = stored else { return false };
        let in_time = self.after.is_none_or(|after| stored.added >= after)
            && self.before.is_none_or(|before| stored.added < before);
        let Some((name, value)) = &self.field else { return in_time };
        let document = &stored.document;
        let has = match (name.as_str(), document.fields.get(name)) {
            ("title", None) => document.title.as_deref() == Some(value),
            ("url", None) => document.url.as_deref() == Some(value),
            (_, Some(Value::String(text))) => text == value,
            (_, Some(other)) => {
                let text = other.to_string();
                text == *value
            }
            (_, None) => false,
        };
        in_time && has
    }
}
