//! What a removed row says of its removal, under names that its own fields do not have.

use serde_json::Value;

use crate::read::jsonl;

/// The names of the two fields that are added to removed rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvidenceNames {
    /// The field with the id of the document that stays: `duplicate_of` unless that is taken.
    pub duplicate_of: String,
    /// The field with the score against it: `score` unless that is taken.
    pub score: String,
}

impl Default for EvidenceNames {
    fn default() -> Self {
        Self { duplicate_of: DUPLICATE_OF.into(), score: SCORE.into() }
    }
}

impl EvidenceNames {
    /// Later names where `is_taken` says so, or `None` where both are free.
    pub(crate) fn instead(&self, is_taken: impl Fn(&str) -> bool) -> Option<Self> {
        let free = |present: &str, plain: &str| {
            // Never back to an earlier name: another row has it.
            let mut from_present = spellings(plain).skip_while(|name| name != present);
            from_present.find(|name| !is_taken(name)).unwrap_or_default()
        };
        let names = Self {
            duplicate_of: free(&self.duplicate_of, DUPLICATE_OF),
            score: free(&self.score, SCORE),
        };
        (names != *self).then_some(names)
    }

    /// Other names where a JSON row has fields of these names.
    pub(crate) fn instead_in_json(&self, row: &[u8]) -> Option<Self> {
        // Most rows have none of the names anywhere; an escaped letter could hide one.
        let has = |word: &str| memchr::memmem::find(row, word.as_bytes()).is_some();
        if !has(&self.score) && !has(&self.duplicate_of) && !has("\\u00") {
            return None;
        }
        let names = std::str::from_utf8(row).ok().and_then(jsonl::names)?;
        self.instead(|name| names.iter().any(|taken| taken == name))
    }
}

const DUPLICATE_OF: &str = "duplicate_of";
const SCORE: &str = "score";

/// The name, and what stands in for it: `lookalike_score`, `lookalike_score2`, and so on.
fn spellings(plain: &str) -> impl Iterator<Item = String> {
    let later = (2..).map(move |n: u32| format!("lookalike_{plain}{n}"));
    [plain.to_owned(), format!("lookalike_{plain}")].into_iter().chain(later)
}

/// The id as a JSON value: a number where the row's own id is one.
pub(crate) fn json_id(row: &[u8], id_key: Option<&str>, duplicate_of: &str) -> Value {
    let text = || Value::from(duplicate_of);
    let Ok(plain) = serde_json::from_str::<Value>(duplicate_of) else { return text() };
    let Some(key) = id_key.filter(|_| plain.is_number() || plain.is_boolean()) else {
        return text();
    };
    let own = std::str::from_utf8(row).ok().and_then(|row| jsonl::field(row.trim_ascii(), key));
    // A number that does not read back as the same text would name another document.
    let is_same_kind = own.is_some_and(|own| {
        (own.is_number() && plain.is_number()) || (own.is_boolean() && plain.is_boolean())
    });
    let spelled = plain.to_string();
    if is_same_kind && spelled == duplicate_of { plain } else { text() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_taken_give_way() {
        let names = EvidenceNames::default();
        let score = |row: &str| names.instead_in_json(row.as_bytes()).map(|names| names.score);
        assert_eq!(score(r#"{"text":"the score"}"#), None);
        assert_eq!(score(r#"{"text":"\"score\"","meta":{"score":1}}"#), None);
        assert_eq!(score(r#"{"score":1}"#).as_deref(), Some("lookalike_score"));
        assert_eq!(score(r#"{"sc\u006fre":1}"#).as_deref(), Some("lookalike_score"));
        let both = names.instead(|name| name == "score" || name == "lookalike_score").unwrap();
        assert_eq!(both.score, "lookalike_score2");
        assert_eq!(both.duplicate_of, "duplicate_of");
        let later = both.instead(|name| name == "lookalike_score2").unwrap();
        assert_eq!(later.score, "lookalike_score3");
    }

    #[test]
    fn an_id_is_a_number_where_ids_are_numbers() {
        let id = |row: &str, id: &str| json_id(row.as_bytes(), Some("id"), id).to_string();
        assert_eq!(id(r#"{"id":8}"#, "7"), "7");
        assert_eq!(id(r#"{"id":"8"}"#, "7"), "\"7\"");
        assert_eq!(id(r#"{"id":8}"#, "7.50"), "\"7.50\"");
        assert_eq!(id(r#"{"id":8}"#, "in.jsonl:3"), "\"in.jsonl:3\"");
        assert_eq!(id(r#"{"text":""}"#, "7"), "\"7\"");
    }
}
