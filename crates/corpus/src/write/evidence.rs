//! What a removed row says of its removal, under names that its own fields do not have.

use crate::read::jsonl;

/// The names of the fields that are added to removed rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EvidenceNames {
    /// The field with the id of the document that stays: `duplicate_of` unless that is taken.
    pub duplicate_of: String,
    /// The field with the score against it: `score` unless that is taken.
    pub score: String,
    /// The field with the share of its words that stand there, where rows have one: `accounted` unless
    /// that is taken.
    pub accounted: Option<String>,
}

impl EvidenceNames {
    /// The plain names.
    pub fn new(tells_accounted: bool) -> Self {
        Self {
            duplicate_of: DUPLICATE_OF.into(),
            score: SCORE.into(),
            accounted: tells_accounted.then(|| ACCOUNTED.into()),
        }
    }

    /// The fields that have another name than the plain one, and that name.
    pub fn renamed(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let accounted = self.accounted.as_deref().map(|name| (ACCOUNTED, name));
        [(DUPLICATE_OF, self.duplicate_of.as_str()), (SCORE, self.score.as_str())]
            .into_iter()
            .chain(accounted)
            .filter(|(plain, name)| plain != name)
    }

    /// Later names where `is_taken` says so, or `None` where all are free.
    pub(crate) fn instead(&self, is_taken: impl Fn(&str) -> bool) -> Option<Self> {
        let free = |present: &str, plain: &str| {
            // Never back to an earlier name: another row has it.
            let mut from_present = spellings(plain).skip_while(|name| name != present);
            from_present.find(|name| !is_taken(name)).unwrap_or_default()
        };
        let names = Self {
            duplicate_of: free(&self.duplicate_of, DUPLICATE_OF),
            score: free(&self.score, SCORE),
            accounted: self.accounted.as_deref().map(|name| free(name, ACCOUNTED)),
        };
        (names != *self).then_some(names)
    }

    /// Other names where a JSON row has fields of these names.
    pub(crate) fn instead_in_json(&self, row: &[u8]) -> Option<Self> {
        // Most rows have none of the names anywhere; an escaped letter could hide one.
        let has = |word: &str| memchr::memmem::find(row, word.as_bytes()).is_some();
        let names = [Some(&self.score), Some(&self.duplicate_of), self.accounted.as_ref()];
        if !names.into_iter().flatten().any(|name| has(name)) && !has("\\u00") {
            return None;
        }
        let names = std::str::from_utf8(row).ok().and_then(jsonl::names)?;
        self.instead(|name| names.iter().any(|taken| taken == name))
    }
}

const DUPLICATE_OF: &str = "duplicate_of";
const SCORE: &str = "score";
const ACCOUNTED: &str = "accounted";

/// The name, and what stands in for it: `lookalike_score`, `lookalike_score2`, and so on.
fn spellings(plain: &str) -> impl Iterator<Item = String> {
    let later = (2..).map(move |n: u32| format!("lookalike_{plain}{n}"));
    [plain.to_owned(), format!("lookalike_{plain}")].into_iter().chain(later)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_taken_give_way() {
        let names = EvidenceNames::new(false);
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
        let asked = EvidenceNames::new(true).instead_in_json(br#"{"accounted":1}"#).unwrap();
        assert_eq!(asked.renamed().collect::<Vec<_>>(), [("accounted", "lookalike_accounted")]);
    }
}
