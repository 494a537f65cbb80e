//! People's words on pairs: said, listed, and exported for `tune` and `train`.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use lookalike::{OnDuplicate, OnMatch, Tie};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::app::App;
use crate::body::{held, kind};
use crate::clock::now;
use crate::parameters::{Parameters, cursor};
use crate::problem::Problem;
use crate::writer::{Change, Changed};

/// Words that are taken at once.
const MOST: usize = 1000;

/// A word as it is sent.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Word {
    a: String,
    b: String,
    // Missing is not the same as null, which takes a word back.
    #[serde(deserialize_with = "Option::deserialize")]
    duplicate: Option<bool>,
    /// When it was said, where that is known; now otherwise.
    time: Option<u64>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Words {
    One(Word),
    Many(Vec<Word>),
}

/// Reads a JSON body as a value, and names the field that is wrong with it.
pub fn json_body<T: serde::de::DeserializeOwned>(request: &Request) -> Result<T, Problem> {
    kind(request.headers())?;
    let held = held(request)?;
    let value: Value = serde_json::from_slice(&held.bytes)
        .map_err(|error| Problem::broken(format!("the body is no JSON: {error}")))?;
    T::deserialize(&value).map_err(|error| {
        let told = error.to_string();
        match field_at_fault::<T>(&value, &told) {
            Some(field) => Problem::field(field, told),
            None => Problem::new(StatusCode::UNPROCESSABLE_ENTITY, told),
        }
    })
}

/// The field that an error is about: the one it names, or else the one without which it is another.
fn field_at_fault<T: serde::de::DeserializeOwned>(value: &Value, told: &str) -> Option<String> {
    if told.starts_with("unknown field") || told.starts_with("missing field") {
        return told.split('`').nth(1).map(str::to_owned);
    }
    let fields = value.as_object()?;
    let without = |name: &String| {
        let mut others = fields.clone();
        others.remove(name);
        T::deserialize(Value::Object(others)).err().is_none_or(|error| error.to_string() != told)
    };
    fields.keys().find(|name| without(name)).cloned()
}

/// `POST /v1/judgments`.
pub async fn say(State(app): State<Arc<App>>, request: Request) -> Result<Json<Value>, Problem> {
    let mut parameters = Parameters::of(request.uri())?;
    let known = parameters.switch("known", false)?;
    parameters.finish()?;
    let value: Value = json_body(&request)?;
    let is_list = value.is_array();
    let words: Words = serde_json::from_value(value).map_err(|_| {
        let told = "a judgment is {\"a\": id, \"b\": id, \"duplicate\": true, false or null}";
        Problem::field(
            "duplicate",
            if is_list { format!("each of the array: {told}") } else { told.into() },
        )
    })?;
    let words = match words {
        Words::One(word) => vec![word],
        Words::Many(words) => words,
    };
    if words.len() > MOST {
        return Err(Problem::too_large(format!("more than {MOST} judgments at once")));
    }
    let snapshot = app.snapshot();
    for (index, word) in words.iter().enumerate() {
        let wrong = |field: &str, told: &str| Err(Problem::field(field, told).at(index));
        if word.a == word.b {
            return wrong("b", "a judgment is on two documents; one was named twice");
        }
        for (field, id) in [("a", &word.a), ("b", &word.b)] {
            if id.is_empty() || id.len() > app.limits.id_bytes {
                return wrong(field, "the id is empty or too long");
            }
            if known && snapshot.outline(id)?.is_none() {
                return Err(Problem::no_document(id).at(index));
            }
        }
    }
    let said = |w: &Word| (w.a.clone(), w.b.clone(), w.duplicate, w.time);
    let change = words.iter().map(said).collect();
    // As it is listed from now on.
    let time = match app.writer.write(Change::Judge(change)).await? {
        Changed::Judged(time) => time,
        Changed::Added(..) | Changed::Removed(_) => now(),
    };
    for word in &words {
        if let Some(duplicate) = word.duplicate {
            app.questions.answered(&word.a, &word.b, duplicate);
        }
    }
    let told = words.iter().map(|Word { a, b, duplicate, time: said }| {
        let time = said.map_or(time, |said| said.min(time));
        json!({"a": a, "b": b, "duplicate": duplicate, "time": time})
    });
    Ok(Json(json!({"judgments": told.collect::<Vec<Value>>()})))
}

/// `GET /v1/judgments`.
pub async fn list(State(app): State<Arc<App>>, request: Request) -> Result<Response, Problem> {
    let mut parameters = Parameters::of(request.uri())?;
    let as_lines = [("json", false), ("jsonl", true)];
    let as_lines = parameters.choice("format", &as_lines)?.unwrap_or(false);
    let limit = parameters.limit()?;
    let after: Option<(String, String)> = parameters.cursor()?;
    parameters.finish()?;
    app.compute(move |app| {
        let snapshot = app.snapshot();
        if as_lines {
            let mut lines = Vec::new();
            snapshot.export_judgments(&mut lines)?;
            let kind = [(header::CONTENT_TYPE, "application/x-ndjson")];
            return Ok((kind, lines).into_response());
        }
        let is_after = |a: &str, b: &str| {
            after.as_ref().is_none_or(|after| (a, b) > (after.0.as_str(), after.1.as_str()))
        };
        let mut rows = Vec::new();
        let mut next = None;
        let mut last = None;
        for (a, b, duplicate, time) in snapshot.judgments().filter(|(a, b, ..)| is_after(a, b)) {
            if rows.len() >= limit {
                next = last.as_ref().map(cursor);
                break;
            }
            last = Some((a, b));
            rows.push(json!({"a": a, "b": b, "duplicate": duplicate, "time": time}));
        }
        let total = snapshot.n_judgments();
        Ok(Json(json!({"total": total, "judgments": rows, "next": next})).into_response())
    })
    .await
}

/// Which of two documents is kept.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Keep {
    keep: String,
    over: String,
}

/// `POST /v1/keep`: the other document of a pair is kept from now on.
///
/// The rule `first` keeps what was added first, so that the one that gives way is added again.
pub async fn keep(State(app): State<Arc<App>>, request: Request) -> Result<Json<Value>, Problem> {
    Parameters::of(request.uri())?.finish()?;
    let Keep { keep, over } = json_body(&request)?;
    if keep == over {
        return Err(Problem::field("over", "two documents are wanted; one was named twice"));
    }
    let rule = app.index.config().effective_keep();
    if !rule.criteria().is_empty() || rule.tie() != Tie::First {
        let told = format!("the keep rule of this index is `{rule}`, which decides what is kept");
        return Err(Problem::new(StatusCode::CONFLICT, told));
    }
    let snapshot = app.snapshot();
    let kept = snapshot.outline(&keep)?.ok_or_else(|| Problem::no_document(&keep))?;
    let given = snapshot.document(&over)?.ok_or_else(|| Problem::no_document(&over))?;
    if !given.has_text {
        return Err(lookalike::IndexError::NoTexts(app.index.options().store).into());
    }
    drop((kept, snapshot));
    let word = (keep.clone(), over.clone(), Some(true), None);
    app.writer.write(Change::Judge(vec![word])).await?;
    let (on_id, on_match) = (OnDuplicate::Replace, OnMatch::Keep);
    let documents = vec![given.document];
    app.writer.write(Change::Add { documents, on_id, on_match }).await?;
    app.questions.answered(&keep, &over, true);
    Ok(Json(json!({"keep": keep, "over": over})))
}
