//! Documents out of the JSON that clients send: one, an array, or a line of NDJSON.

use std::fmt;

use lookalike::{Config, OwnedDocument};
use lookalike_corpus::{InputOptions, parse_json_row};
use serde::de::{DeserializeSeed, Deserializer, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::problem::Problem;
use crate::settings::Limits;

/// Deeper JSON is refused: what reads it later would have to refuse it.
const MOST_DEPTH: usize = 100;

/// Reads documents as the index's configuration says.
#[derive(Debug)]
pub struct RowReader {
    options: InputOptions,
    text_bytes: usize,
    id_bytes: usize,
    documents: usize,
}

/// What a body holds.
pub enum Documents {
    /// One document by itself.
    One(Box<OwnedDocument>),
    /// An array.
    Many(Vec<OwnedDocument>),
}

impl RowReader {
    /// A reader of rows for an index.
    pub fn new(config: &Config, limits: &Limits) -> Self {
        let options = lookalike::input_options(config);
        let options = InputOptions { max_row_bytes: limits.body_bytes, ..options };
        let Limits { text_bytes, id_bytes, documents, .. } = *limits;
        Self { options, text_bytes, id_bytes, documents }
    }

    /// The documents of a JSON body.
    pub fn body(&self, body: &[u8], needs_id: bool) -> Result<Documents, Problem> {
        match body.trim_ascii_start().first() {
            Some(b'{') => Ok(Documents::One(Box::new(self.row(body, needs_id)?))),
            Some(b'[') => {
                let mut json = serde_json::Deserializer::from_slice(body);
                let rows = AtMost(self.documents)
                    .deserialize(&mut json)
                    .and_then(|rows| json.end().map(|()| rows))
                    .map_err(|error| Problem::broken(format!("the body is no JSON: {error}")))?;
                let Some(rows) = rows else {
                    let most = self.documents;
                    return Err(Problem::too_large(format!(
                        "the array has more than {most} documents; send them as NDJSON \
                         (application/x-ndjson), which is answered as it comes"
                    )));
                };
                let read = |(index, raw): (usize, &RawValue)| {
                    self.row(raw.get().as_bytes(), needs_id).map_err(|problem| problem.at(index))
                };
                Ok(Documents::Many(
                    rows.into_iter().enumerate().map(read).collect::<Result<_, _>>()?,
                ))
            }
            _ => Err(Problem::broken("the body is neither a JSON object nor an array of objects")),
        }
    }

    /// One document.
    pub fn row(&self, row: &[u8], needs_id: bool) -> Result<OwnedDocument, Problem> {
        if depth(row) > MOST_DEPTH {
            return Err(Problem::broken(format!("the JSON is nested more than {MOST_DEPTH} deep")));
        }
        let document = parse_json_row(row, &self.options, "").map_err(|reason| {
            let key = &self.options.text_key;
            if reason.contains(&format!("`{key}`")) {
                Problem::field(key.clone(), reason)
            } else {
                Problem::broken(reason)
            }
        })?;
        let id_key = self.options.id_key.field().unwrap_or("id");
        if needs_id && document.id.is_empty() {
            return Err(Problem::field(id_key, format!("field `{id_key}` is missing or empty")));
        }
        if document.id.len() > self.id_bytes {
            let told = format!("field `{id_key}` has more than {} bytes", self.id_bytes);
            return Err(Problem::field(id_key, told));
        }
        if document.text.len() > self.text_bytes {
            let key = self.options.text_key.clone();
            let told = format!("field `{key}` has more than {} bytes", self.text_bytes);
            return Err(Problem::too_large(told).of_field(key));
        }
        Ok(document)
    }
}

/// How deep brackets are nested, strings left aside.
fn depth(json: &[u8]) -> usize {
    let (mut depth, mut deepest, mut at) = (0_usize, 0, 0);
    while at < json.len() {
        match json[at] {
            b'{' | b'[' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                at += 1;
                while let Some(found) = memchr::memchr2(b'"', b'\\', json.get(at..).unwrap_or(&[]))
                {
                    at += found;
                    if json[at] == b'"' {
                        break;
                    }
                    at += 2;
                }
            }
            _ => {}
        }
        at += 1;
    }
    deepest
}

/// The elements of an array as they stand, or `None` where there are more.
struct AtMost(usize);

impl<'de> DeserializeSeed<'de> for AtMost {
    type Value = Option<Vec<&'de RawValue>>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for AtMost {
    type Value = Option<Vec<&'de RawValue>>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array of documents")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<Self::Value, A::Error> {
        let mut taken = Vec::new();
        let mut more = false;
        while let Some(row) = rows.next_element()? {
            if taken.len() < self.0 {
                taken.push(row);
            } else {
                more = true;
            }
        }
        Ok((!more).then_some(taken))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reader() -> RowReader {
        let config = Config::from_table(toml::Table::new()).unwrap();
        let limits = Limits { documents: 3, text_bytes: 20, id_bytes: 8, ..Limits::default() };
        RowReader::new(&config, &limits)
    }

    #[test]
    fn brackets_count_outside_of_strings() {
        assert_eq!(depth(br#"{"a":[1,{"b":"]]}[[[[\"[[\\"}]}"#), 3);
        assert_eq!(depth(br#"{"a":"no end"#), 1);
        assert_eq!(depth(br#"{"a":"\"#), 1);
        assert_eq!(depth(&[b'['; 5000]), 5000);
    }

    #[test]
    fn problems_name_the_field_and_the_place() {
        let reader = reader();
        let problem = |body: &str| match reader.body(body.as_bytes(), true) {
            Ok(_) => panic!("{body} is taken"),
            Err(problem) => {
                (problem.status, problem.field.clone().unwrap_or_default(), problem.index)
            }
        };
        let text = "text".to_owned();
        assert_eq!(problem(r#"{"id":"x"}"#), (422, text.clone(), None));
        assert_eq!(problem(r#"{"id":"x","text":7}"#), (422, text.clone(), None));
        assert_eq!(problem(r#"{"text":"t"}"#), (422, "id".into(), None));
        assert_eq!(problem(r#"{"id":"123456789","text":"t"}"#), (422, "id".into(), None));
        assert_eq!(problem(r#"[{"id":"x","text":"t"},{"id":"y"}]"#), (422, text.clone(), Some(1)));
        let long = format!(r#"{{"id":"x","text":"{}"}}"#, "t".repeat(21));
        assert_eq!(problem(&long), (413, text, None));
        for broken in ["", "7", "{", r#"{"id":"x","text":"t"} x"#, "[1", r#"[{"id":"x""#] {
            assert_eq!(problem(broken).0, 400, "{broken}");
        }
        let many = format!("[{}]", [r#"{"id":"x","text":"t"}"#; 4].join(","));
        assert_eq!(problem(&many).0, 413);
        let deep = format!(r#"{{"id":"x","text":"t","f":{}{}}}"#, "[".repeat(200), "]".repeat(200));
        assert_eq!(problem(&deep).0, 400);
        let Err(problem) = reader.body(b"{\"id\":\"x\",\"text\":\"\xff\"}", true) else { panic!() };
        assert!(problem.detail.contains("UTF-8"));
    }

    #[test]
    fn documents_keep_their_fields_and_numbers_are_ids() {
        let Ok(Documents::Many(documents)) =
            reader().body(br#" [{"id":7,"text":"t","title":"T","lang":"en"}] "#, true)
        else {
            panic!()
        };
        assert_eq!((documents[0].id.as_str(), documents[0].title.as_deref()), ("7", Some("T")));
        assert_eq!(documents[0].fields["lang"], "en");
        assert!(reader().row(br#"{"text":"t"}"#, false).is_ok());
    }
}
