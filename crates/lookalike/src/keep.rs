//! Which document of a cluster is kept.

use std::cmp::{Ordering, Reverse};
use std::fmt;
use std::str::FromStr;

use crate::ConfigError;

/// The rule that orders documents from the most to the least worth keeping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeepRule {
    /// The first in reading order: the only rule that depends on the order of the input.
    First,
    /// The longest text.
    Longest,
    /// The shortest text.
    Shortest,
    /// The largest date in a field.
    Newest(String),
    /// The smallest date in a field.
    Oldest(String),
    /// The largest number in a field.
    Max(String),
    /// The value of a field that comes first in a list; others come after all of them.
    Prefer(String, Vec<String>),
}

/// What a rule looks at in one document; the best document compares as the smallest.
#[derive(Clone, Debug, PartialEq)]
pub struct KeepValue(Value);

#[derive(Clone, Debug, PartialEq)]
enum Value {
    /// Nothing but the reading order.
    Order,
    /// Smaller is better.
    Number(f64),
    /// Smaller is better: dates that are no numbers, as text.
    Text(String),
    /// Larger is better.
    TextDescending(Reverse<String>),
    /// The field is absent: after everything else.
    Missing,
}

impl KeepRule {
    /// The field the rule looks at, if it looks at one.
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::First | Self::Longest | Self::Shortest => None,
            Self::Newest(field)
            | Self::Oldest(field)
            | Self::Max(field)
            | Self::Prefer(field, _) => Some(field),
        }
    }

    /// The value of a document under this rule.
    pub fn value(&self, text_bytes: usize, field: Option<&serde_json::Value>) -> KeepValue {
        let number = |value: &serde_json::Value| {
            value.as_f64().or_else(|| value.as_str().and_then(|text| text.trim().parse().ok()))
        };
        let value = match self {
            Self::First => Value::Order,
            Self::Longest => Value::Number(-(text_bytes as f64)),
            Self::Shortest => Value::Number(text_bytes as f64),
            Self::Max(_) => field.and_then(number).map_or(Value::Missing, |n| Value::Number(-n)),
            Self::Oldest(_) => match field {
                Some(field) => match number(field) {
                    Some(n) => Value::Number(n),
                    None => field.as_str().map_or(Value::Missing, |t| Value::Text(t.to_owned())),
                },
                None => Value::Missing,
            },
            Self::Newest(_) => match field {
                Some(field) => match number(field) {
                    Some(n) => Value::Number(-n),
                    None => field
                        .as_str()
                        .map_or(Value::Missing, |t| Value::TextDescending(Reverse(t.to_owned()))),
                },
                None => Value::Missing,
            },
            Self::Prefer(_, values) => field
                .and_then(|field| {
                    let text = field.as_str().map_or_else(|| field.to_string(), str::to_owned);
                    values.iter().position(|value| *value == text)
                })
                .map_or(Value::Missing, |position| Value::Number(position as f64)),
        };
        KeepValue(value)
    }
}

impl KeepValue {
    /// The order of two documents, the one to keep first; equal values are left to the caller,
    /// who breaks the tie by id.
    pub fn compare(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Value::Number(a), Value::Number(b)) => a.total_cmp(b),
            (Value::Text(a), Value::Text(b)) => a.cmp(b),
            (Value::TextDescending(a), Value::TextDescending(b)) => a.cmp(b),
            (a, b) => a.kind().cmp(&b.kind()),
        }
    }

    /// Whether the rule leaves everything to the reading order.
    pub fn is_order(&self) -> bool {
        self.0 == Value::Order
    }
}

impl Value {
    fn kind(&self) -> u8 {
        match self {
            Self::Order => 0,
            Self::Number(_) => 1,
            Self::Text(_) | Self::TextDescending(_) => 2,
            Self::Missing => 3,
        }
    }
}

impl FromStr for KeepRule {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Self, ConfigError> {
        let wrong = || ConfigError::Value {
            key: "keep",
            value: text.to_owned(),
            expected: "first, longest, shortest, newest:FIELD, oldest:FIELD, max:FIELD or prefer:FIELD=a,b,c",
        };
        let (rule, field) = match text.split_once(':') {
            None => {
                return match text {
                    "first" => Ok(Self::First),
                    "longest" => Ok(Self::Longest),
                    "shortest" => Ok(Self::Shortest),
                    _ => Err(wrong()),
                };
            }
            Some((_, "")) => return Err(wrong()),
            Some((rule, field)) => (rule, field.to_owned()),
        };
        match rule {
            "newest" => Ok(Self::Newest(field)),
            "oldest" => Ok(Self::Oldest(field)),
            "max" => Ok(Self::Max(field)),
            "prefer" => {
                let (field, values) = field.split_once('=').ok_or_else(wrong)?;
                Ok(Self::Prefer(field.to_owned(), values.split(',').map(str::to_owned).collect()))
            }
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for KeepRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::First => formatter.write_str("first"),
            Self::Longest => formatter.write_str("longest"),
            Self::Shortest => formatter.write_str("shortest"),
            Self::Newest(field) => write!(formatter, "newest:{field}"),
            Self::Oldest(field) => write!(formatter, "oldest:{field}"),
            Self::Max(field) => write!(formatter, "max:{field}"),
            Self::Prefer(field, values) => write!(formatter, "prefer:{field}={}", values.join(",")),
        }
    }
}

crate::serde_as_text!(KeepRule);

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn best<'a>(rule: &str, fields: &'a [serde_json::Value]) -> &'a serde_json::Value {
        let rule: KeepRule = rule.parse().unwrap();
        let value = |field: &serde_json::Value| rule.value(0, Some(field).filter(|f| !f.is_null()));
        fields.iter().min_by(|a, b| value(a).compare(&value(b))).unwrap()
    }

    #[test]
    fn rules_read_what_they_write() {
        for text in [
            "first",
            "longest",
            "shortest",
            "newest:date",
            "oldest:a.b",
            "max:score",
            "prefer:source=a,b",
        ] {
            assert_eq!(text.parse::<KeepRule>().unwrap().to_string(), text);
        }
        for text in ["", "last", "newest", "newest:", "prefer:source", "biggest:x"] {
            assert!(text.parse::<KeepRule>().is_err(), "{text}");
        }
    }

    #[test]
    fn dates_compare_as_numbers_or_as_text_and_a_missing_one_comes_last() {
        let dates = [json!("2024-05-01"), json!(null), json!("2023-12-31")];
        assert_eq!(best("newest:date", &dates), &dates[0]);
        assert_eq!(best("oldest:date", &dates), &dates[2]);
        let stamps = [json!(9), json!("10"), json!(null)];
        assert_eq!(best("newest:date", &stamps), &stamps[1]);
        assert_eq!(best("oldest:date", &stamps), &stamps[0]);
    }

    #[test]
    fn preferred_values_come_in_their_order() {
        let sources = [json!("blog"), json!("agency"), json!("paper")];
        assert_eq!(best("prefer:source=agency,paper", &sources), &sources[1]);
        assert_eq!(best("prefer:source=paper,agency", &sources), &sources[2]);
    }
}
