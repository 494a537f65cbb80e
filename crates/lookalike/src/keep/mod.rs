//! Which document of a cluster is kept.

mod date;
mod told;
mod value;

use std::fmt;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value;

pub(crate) use self::told::KeepNotes;
pub use self::told::{KeepFieldError, KeepNote};
use self::value::{Found, ascending, earliest_first};
pub use self::value::{KeepValue, Usable};
use crate::ConfigError;

/// What a file says of itself, under names that no field of a row can have.
const FILE_FIELDS: [&str; 3] = ["file.modified", "file.size", "file.path"];

/// The rule that orders documents from the most to the least worth keeping.
///
/// Criteria count in their order, each where those before it find no difference. What is equal
/// under all of them stays in reading order, or in that of the ids where the rule ends in `id`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeepRule {
    criteria: Vec<Criterion>,
    tie: Tie,
}

/// What decides between documents that are equal under every criterion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tie {
    /// The first that is read.
    #[default]
    First,
    /// The smallest id, so that the order of the input cannot matter.
    Id,
}

/// One thing to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Criterion {
    /// The longest text.
    Longest,
    /// The shortest text.
    Shortest,
    /// The latest date in a field.
    Newest(String),
    /// The earliest date in a field.
    Oldest(String),
    /// The largest number in a field.
    Max(String),
    /// The smallest number in a field.
    Min(String),
    /// The value of a field that comes first in a list; `*` stands for any characters. Other
    /// values come after all of them.
    Prefer(String, Vec<String>),
}

/// What a row offers to a rule.
pub struct Candidate<'a> {
    /// Length of the text.
    pub text_bytes: usize,
    /// The path of the file it stands in, as it was given.
    pub file: &'a str,
    /// Looks up a field of the row.
    pub field: &'a dyn Fn(&str) -> Option<Value>,
}

impl Candidate<'_> {
    /// A document of which nothing but its text is known.
    pub fn of_text(text: &str) -> Self {
        Self { text_bytes: text.len(), file: "-", field: &|_| None }
    }
}

impl KeepRule {
    /// The rule `longest`.
    pub fn longest() -> Self {
        Self { criteria: vec![Criterion::Longest], tie: Tie::First }
    }

    /// Whether a longer document goes before a shorter one, whatever else the rule says.
    pub fn prefers_longest(&self) -> bool {
        self.criteria.first() == Some(&Criterion::Longest)
    }

    /// The fields of rows that the rule looks at, each once.
    pub fn fields(&self) -> Vec<&str> {
        let mut fields: Vec<&str> = Vec::new();
        for field in self.criteria.iter().filter_map(Criterion::field) {
            if !fields.contains(&field) && !FILE_FIELDS.contains(&field) {
                fields.push(field);
            }
        }
        fields
    }

    /// Whether the rule looks at the file that a document stands in.
    pub fn looks_at_files(&self) -> bool {
        let mut fields = self.criteria.iter().filter_map(Criterion::field);
        fields.any(|field| FILE_FIELDS.contains(&field))
    }

    /// The criteria, the most important first.
    pub fn criteria(&self) -> &[Criterion] {
        &self.criteria
    }

    /// What decides where the criteria do not.
    pub fn tie(&self) -> Tie {
        self.tie
    }

    /// The value of a document under this rule.
    pub fn value(&self, candidate: &Candidate<'_>) -> KeepValue {
        let mut value = KeepValue::default();
        for criterion in &self.criteria {
            value.push(criterion.found(candidate));
        }
        value
    }

    /// The value of a row that holds no document: after all that do.
    pub fn value_of_nothing(&self) -> KeepValue {
        let mut value = KeepValue::default();
        for _ in &self.criteria {
            value.push(Found::Missing);
        }
        value
    }
}

impl Criterion {
    /// The field that is looked at, if one is.
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::Longest | Self::Shortest => None,
            Self::Newest(field)
            | Self::Oldest(field)
            | Self::Max(field)
            | Self::Min(field)
            | Self::Prefer(field, _) => Some(field),
        }
    }

    /// What a usable value of the field is called.
    fn kind(&self) -> &'static str {
        match self {
            Self::Newest(_) | Self::Oldest(_) => "date",
            Self::Max(_) | Self::Min(_) => "number",
            Self::Longest | Self::Shortest | Self::Prefer(..) => "value",
        }
    }

    fn found(&self, candidate: &Candidate<'_>) -> Found {
        let usable = |key: Option<u64>| key.map_or(Found::Unusable, Found::Key);
        let Some(field) = self.field() else {
            let length = candidate.text_bytes as f64;
            return Found::Key(ascending(if *self == Self::Longest { -length } else { length }));
        };
        let value = if FILE_FIELDS.contains(&field) {
            fact_of_file(field, candidate.file)
        } else {
            (candidate.field)(field).filter(|value| !value.is_null())
        };
        let Some(value) = value else { return Found::Missing };
        match self {
            Self::Oldest(_) => usable(date::of_value(&value).map(earliest_first)),
            Self::Newest(_) => usable(date::of_value(&value).map(|at| !earliest_first(at))),
            Self::Min(_) => usable(number(&value).map(ascending)),
            Self::Max(_) => usable(number(&value).map(|number| ascending(-number))),
            Self::Prefer(_, wanted) => {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                let place = wanted.iter().position(|pattern| matches(pattern, &text));
                Found::Key(place.unwrap_or(wanted.len()) as u64)
            }
            Self::Longest | Self::Shortest => Found::Missing,
        }
    }
}

/// Date, size or path of a file; nothing of standard input.
fn fact_of_file(field: &str, path: &str) -> Option<Value> {
    let metadata = || std::fs::metadata(path).ok();
    match field {
        "file.path" => Some(path.into()),
        "file.size" => Some(metadata()?.len().into()),
        _ => {
            let modified: SystemTime = metadata()?.modified().ok()?;
            // In microseconds: a number so large that it is read as such.
            let since = modified.duration_since(UNIX_EPOCH).ok()?;
            Some((since.as_micros().max(100_000_000_000_000) as u64).into())
        }
    }
}

fn number(value: &Value) -> Option<f64> {
    let parsed = || value.as_str().and_then(|text| text.trim().parse().ok());
    value.as_f64().or_else(parsed).filter(|number: &f64| number.is_finite())
}

/// Whether a text is as a pattern says, where `*` stands for any characters.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(place) => rest = &rest[place + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

impl FromStr for KeepRule {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Self, ConfigError> {
        let wrong = || ConfigError::Value {
            key: "keep",
            value: text.to_owned(),
            expected: "first, id, longest, shortest, newest:FIELD, oldest:FIELD, max:FIELD, min:FIELD or prefer:FIELD=a,b,c; several in order with `then` between them, `first` or `id` last",
        };
        let mut rule = Self::default();
        let parts: Vec<&str> = text.split(" then ").map(str::trim).collect();
        for (place, part) in parts.iter().enumerate() {
            let is_last = place + 1 == parts.len();
            match *part {
                "first" | "id" if is_last => {
                    rule.tie = if *part == "id" { Tie::Id } else { Tie::First };
                }
                _ => rule.criteria.push(part.parse().map_err(|()| wrong())?),
            }
        }
        Ok(rule)
    }
}

impl FromStr for Criterion {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let Some((name, field)) = text.split_once(':') else {
            return match text {
                "longest" => Ok(Self::Longest),
                "shortest" => Ok(Self::Shortest),
                _ => Err(()),
            };
        };
        let (field, values) = match (name, field.split_once('=')) {
            ("prefer", Some((field, values))) => (field, values),
            ("prefer", None) => return Err(()),
            _ => (field, ""),
        };
        if field.is_empty() || field.starts_with("file.") && !FILE_FIELDS.contains(&field) {
            return Err(());
        }
        let field = field.to_owned();
        match name {
            "newest" => Ok(Self::Newest(field)),
            "oldest" => Ok(Self::Oldest(field)),
            "max" => Ok(Self::Max(field)),
            "min" => Ok(Self::Min(field)),
            "prefer" => Ok(Self::Prefer(field, values.split(',').map(str::to_owned).collect())),
            _ => Err(()),
        }
    }
}

impl fmt::Display for KeepRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, criterion) in self.criteria.iter().enumerate() {
            let between = if place == 0 { "" } else { " then " };
            write!(formatter, "{between}{criterion}")?;
        }
        match (self.tie, self.criteria.is_empty()) {
            (Tie::First, true) => formatter.write_str("first"),
            (Tie::First, false) => Ok(()),
            (Tie::Id, true) => formatter.write_str("id"),
            (Tie::Id, false) => formatter.write_str(" then id"),
        }
    }
}

impl fmt::Display for Criterion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Longest => formatter.write_str("longest"),
            Self::Shortest => formatter.write_str("shortest"),
            Self::Newest(field) => write!(formatter, "newest:{field}"),
            Self::Oldest(field) => write!(formatter, "oldest:{field}"),
            Self::Max(field) => write!(formatter, "max:{field}"),
            Self::Min(field) => write!(formatter, "min:{field}"),
            Self::Prefer(field, values) => write!(formatter, "prefer:{field}={}", values.join(",")),
        }
    }
}

crate::serde_as_text!(KeepRule);

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn value(rule: &KeepRule, row: &Value) -> KeepValue {
        let field = |name: &str| row.get(name).cloned();
        let text_bytes = row["text"].as_str().map_or(0, str::len);
        rule.value(&Candidate { text_bytes, file: "-", field: &field })
    }

    /// The row that a rule keeps; the first of those that are equal.
    fn best<'a>(rule: &str, rows: &'a [Value]) -> &'a Value {
        let rule: KeepRule = rule.parse().unwrap();
        rows.iter().min_by(|a, b| value(&rule, a).compare(&value(&rule, b))).unwrap()
    }

    fn best_of(rule: &str, fields: &[Value]) -> Value {
        let rows: Vec<Value> = fields.iter().map(|field| json!({"f": field})).collect();
        best(rule, &rows)["f"].clone()
    }

    #[test]
    fn rules_read_what_they_write() {
        for text in [
            "first",
            "id",
            "longest",
            "shortest then id",
            "newest:date",
            "oldest:a.b",
            "max:score",
            "min:rank",
            "newest:file.modified",
            "prefer:source=a,b then longest",
            "prefer:file.path=originals/*,*/mirror/* then max:file.size then id",
        ] {
            assert_eq!(text.parse::<KeepRule>().unwrap().to_string(), text);
        }
        assert_eq!("longest then first".parse::<KeepRule>().unwrap().to_string(), "longest");
        for text in [
            "",
            "last",
            "newest",
            "newest:",
            "prefer:source",
            "biggest:x",
            "first then longest",
            "longest then",
            "longest, first",
            "newest:file.mtime",
        ] {
            assert!(text.parse::<KeepRule>().is_err(), "{text}");
        }
    }

    #[test]
    fn dates_compare_as_instants_and_a_missing_or_unreadable_one_comes_last() {
        let written = [json!("31 Dec 2023"), json!("15 Mar 2024"), json!(null), json!("soon")];
        assert_eq!(best_of("newest:f", &written), "15 Mar 2024");
        assert_eq!(best_of("oldest:f", &written), "31 Dec 2023");
        let zones = [json!("2024-03-15T10:00:00+09:00"), json!("2024-03-15T05:00:00Z")];
        assert_eq!(best_of("newest:f", &zones), zones[1]);
        let stamps = [json!(1_700_000_000), json!("1710460800"), json!(null)];
        assert_eq!(best_of("newest:f", &stamps), stamps[1]);
        assert_eq!(best_of("oldest:f", &stamps), stamps[0]);
        assert_eq!(best_of("newest:f", &[json!("soon"), json!("1999")]), "1999");
    }

    #[test]
    fn numbers_are_compared_as_numbers() {
        let numbers = [json!(9), json!("10"), json!(-3.5), json!("many"), json!(null)];
        assert_eq!(best_of("max:f", &numbers), "10");
        assert_eq!(best_of("min:f", &numbers), -3.5);
    }

    #[test]
    fn preferred_values_come_in_their_order_and_stars_stand_for_anything() {
        let sources = [json!("blog"), json!("agency"), json!("paper")];
        assert_eq!(best_of("prefer:f=agency,paper", &sources), "agency");
        assert_eq!(best_of("prefer:f=paper,agency", &sources), "paper");
        assert_eq!(best_of("prefer:f=pap*,agency", &sources), "paper");
        for (pattern, text, expected) in [
            ("a*", "abc", true),
            ("*c", "abc", true),
            ("a*c", "ac", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*a", "a", false),
            ("abc", "abcd", false),
            ("*", "", true),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn a_later_criterion_decides_where_an_earlier_one_finds_no_difference() {
        let rows = [
            json!({"source": "b", "text": "longest of all"}),
            json!({"source": "a", "text": "short"}),
            json!({"source": "a", "text": "longer"}),
        ];
        assert_eq!(best("prefer:source=a,b then longest", &rows), &rows[2]);
        assert_eq!(best("prefer:source=a,b then shortest", &rows), &rows[1]);
        assert_eq!(best("prefer:source=x", &rows), &rows[0]);
    }

    #[test]
    fn files_are_known_by_date_size_and_path() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let (old, new) = (path("old.txt"), path("new.txt"));
        std::fs::write(&old, "much longer").unwrap();
        std::fs::write(&new, "short").unwrap();
        let long_ago = UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
        std::fs::File::open(&old).unwrap().set_modified(long_ago).unwrap();
        let keeps = |rule: &str, kept: &str, other: &str| {
            let rule: KeepRule = rule.parse().unwrap();
            let value = |file| rule.value(&Candidate { text_bytes: 1, file, field: &|_| None });
            assert!(value(kept) < value(other), "{rule}");
            assert!(value(kept) < value("-") || rule.to_string().starts_with("prefer"), "{rule}");
            assert!(rule.fields().is_empty());
        };
        keeps("newest:file.modified", &new, &old);
        keeps("oldest:file.modified", &old, &new);
        keeps("max:file.size", &old, &new);
        keeps("min:file.size", &new, &old);
        keeps("prefer:file.path=*/old*", &old, &new);
    }
}
