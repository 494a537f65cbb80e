//! Texts that stand in several places of a row: `title,body`, `messages[].content`,
//! `messages[role=user].content`.
//!
//! A key is a list of paths between commas. A path is names between dots; after a name, `[]` means
//! every item of a list, and `[NAME=VALUE]` every object of a list whose field has this value. What
//! the paths lead to is joined by empty lines, in their order and in that of the lists.

use serde_json::Value;

/// The paths of a key that is more than a name or a path of names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextKey {
    pub paths: Vec<Vec<Step>>,
}

/// One name of a path, and which items of the list behind it count, if it is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub name: String,
    pub items: Option<Items>,
}

/// Which items of a list count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Items {
    All,
    /// Objects of which a field has this value.
    With(String, String),
}

/// What stands between two texts of one document.
const BETWEEN: &str = "\n\n";

impl TextKey {
    /// The paths of a key, unless it is a plain name or path.
    ///
    /// # Errors
    /// The key has brackets or commas and is no list of paths.
    pub fn parse(key: &str) -> Result<Option<Self>, String> {
        if !key.contains(['[', ']', ',']) {
            return Ok(None);
        }
        let paths = key.split(',').map(|path| {
            let steps = steps(path.trim());
            steps.ok_or_else(|| {
                format!(
                    "`{key}` is no key of texts: write names, such as `title,body`, or lists, such \
                     as `messages[].content` or `messages[role=user].content`"
                )
            })
        });
        Ok(Some(Self { paths: paths.collect::<Result<_, _>>()? }))
    }

    /// The names of the fields of a row that it looks at.
    pub fn roots(&self) -> impl Iterator<Item = &str> {
        self.paths.iter().filter_map(|path| Some(path.first()?.name.as_str()))
    }

    /// The text of a row of JSON; `None` where no path leads to anything.
    ///
    /// # Errors
    /// A path leads to something that is no text.
    pub fn of_json(&self, row: &Value) -> Result<Option<String>, String> {
        let mut text = Joined::default();
        for path in &self.paths {
            collect(row, path, &mut text)?;
        }
        Ok(text.finish())
    }
}

/// The fields of a row that a key of texts looks at: one for a plain key.
///
/// # Errors
/// The key has brackets or commas and is no list of paths.
pub fn text_fields(key: &str) -> Result<Vec<String>, String> {
    Ok(match TextKey::parse(key)? {
        Some(key) => key.roots().map(str::to_owned).collect(),
        None => vec![key.to_owned()],
    })
}

/// The text that a key finds in a row of JSON; `None` where there is none, or something else.
pub fn composed_text(key: &str, row: &str) -> Option<String> {
    TextKey::parse(key).ok()??.of_json(&serde_json::from_str(row).ok()?).ok()?
}

fn steps(path: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    let mut rest = path;
    loop {
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let mut step = Step { name: name.to_owned(), items: None };
        rest = after;
        if let Some(inside) = rest.strip_prefix('[') {
            let (condition, after) = inside.split_once(']')?;
            step.items = Some(match condition.split_once('=') {
                None if condition.is_empty() => Items::All,
                None => return None,
                Some((field, value)) => Items::With(field.trim().into(), value.trim().into()),
            });
            rest = after;
        }
        if name.is_empty() || name.contains(']') {
            return None;
        }
        steps.push(step);
        match rest.strip_prefix('.') {
            Some(after) => rest = after,
            None if rest.is_empty() => return Some(steps),
            None => return None,
        }
    }
}

/// Texts that become one.
#[derive(Debug, Default)]
pub(crate) struct Joined(Option<String>);

impl Joined {
    pub fn push(&mut self, text: &str) {
        let joined = self.0.get_or_insert_default();
        if !joined.is_empty() && !text.is_empty() {
            joined.push_str(BETWEEN);
        }
        joined.push_str(text);
    }

    /// The text, unless nothing was found.
    pub fn finish(self) -> Option<String> {
        self.0
    }
}

fn collect(value: &Value, path: &[Step], text: &mut Joined) -> Result<(), String> {
    let Some((Step { name, items }, rest)) = path.split_first() else {
        return match value {
            Value::String(found) => {
                text.push(found);
                Ok(())
            }
            // Nothing was said: a message may have no content.
            Value::Null => {
                text.push("");
                Ok(())
            }
            other => Err(format!("is {}, not a string", kind(other))),
        };
    };
    let Some(found) = value.get(name) else { return Ok(()) };
    let named = |reason: String| {
        if reason.starts_with('`') { reason } else { format!("`{name}` {reason}") }
    };
    let Some(items) = items else { return collect(found, rest, text).map_err(named) };
    let list = match found {
        Value::Array(list) => list.as_slice(),
        Value::Null => &[],
        other => return Err(format!("`{name}` is {}, not a list", kind(other))),
    };
    if list.is_empty() {
        text.push("");
    }
    for item in list {
        let counts = match items {
            Items::All => true,
            Items::With(field, wanted) => match item.get(field) {
                Some(Value::String(value)) => value == wanted,
                Some(value) => &value.to_string() == wanted,
                None => false,
            },
        };
        if counts {
            collect(item, rest, text).map_err(named)?;
        } else {
            // The list is there, though nobody in it has said anything.
            text.push("");
        }
    }
    Ok(())
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn text(key: &str, row: &Value) -> Result<Option<String>, String> {
        TextKey::parse(key).unwrap().unwrap().of_json(row)
    }

    #[test]
    fn paths_lead_through_lists_and_their_texts_are_joined() {
        let row = json!({
            "title": "A title", "body": "A body", "tags": ["one", "two"], "n": 7,
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Why?"},
                {"role": "assistant", "content": null},
                {"role": "user", "content": "Please."},
            ],
            "turns": [{"parts": [{"text": "a"}, {"text": "b"}]}, {"parts": []}],
        });
        for (key, wanted) in [
            ("title,body", "A title\n\nA body"),
            ("title, missing", "A title"),
            ("tags[]", "one\n\ntwo"),
            ("messages[].content", "Be brief.\n\nWhy?\n\nPlease."),
            ("messages[role=user].content", "Why?\n\nPlease."),
            ("messages[role=nobody].content", ""),
            ("title,turns[].parts[].text", "A title\n\na\n\nb"),
        ] {
            assert_eq!(text(key, &row).unwrap().as_deref(), Some(wanted), "{key}");
        }
        assert_eq!(text("a,b", &row), Ok(None));
        assert_eq!(text("title,n", &row).unwrap_err(), "`n` is a number, not a string");
        assert_eq!(text("tags[].x,title[]", &row).unwrap_err(), "`title` is a string, not a list");
        assert_eq!(text("messages[]", &row).unwrap_err(), "`messages` is an object, not a string");
    }

    #[test]
    fn plain_keys_are_left_alone_and_broken_ones_are_told() {
        assert_eq!(TextKey::parse("a.b").unwrap(), None);
        for key in ["a[", "a]", "a[]b", "[]", "a,,b", "a[role]", ".a,b", "a[].,b"] {
            let reason = TextKey::parse(key).unwrap_err();
            assert!(reason.contains("messages[].content") && reason.contains(key), "{reason}");
        }
    }
}
