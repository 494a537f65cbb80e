//! People's verdicts on pairs: given, listed, and exported for `tune` and `train`.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use lookalike::{IndexSnapshot, Judgment, Said};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::app::App;
use crate::body::{held, kind};
use crate::clock::now;
use crate::parameters::{Parameters, cursor};
use crate::problem::Problem;
use crate::tokens::{Client, Role, Roles};
use crate::writer::Change;

/// Verdicts that are taken at once.
const MOST: usize = 1000;

/// Bytes of a name, and of what says how a verdict came about.
const LONGEST_NAME: usize = 200;

/// A verdict as it is sent.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Word {
    a: String,
    b: String,
    // Missing is not the same as null, which takes a verdict back.
    #[serde(deserialize_with = "Option::deserialize")]
    duplicate: Option<bool>,
    /// The id of the two that is to be kept, if the person chose.
    keep: Option<String>,
    /// When it was said, where that is known; now otherwise.
    time: Option<u64>,
    /// Who said it, where that is not whoever sends it.
    by: Option<String>,
    /// With what.
    how: Option<String>,
}

impl Word {
    /// What is wrong with it: a field, and why.
    fn fault(&self, longest_id: usize) -> Option<(&'static str, &'static str)> {
        let Self { a, b, duplicate, keep, by, how, .. } = self;
        let is_wrong = |id: &str| id.is_empty() || id.len() > longest_id;
        let is_long =
            |name: &Option<String>| name.as_ref().is_some_and(|name| name.len() > LONGEST_NAME);
        let keeps_other = keep.as_ref().is_some_and(|keep| keep != a && keep != b);
        let keeps_none = keep.is_some() && *duplicate != Some(true);
        let faults = [
            (a == b, "b", "a judgment is on two documents; one was named twice"),
            (is_wrong(a), "a", "the id is empty or too long"),
            (is_wrong(b), "b", "the id is empty or too long"),
            (keeps_other, "keep", "`keep` is `a` or `b`"),
            (keeps_none, "keep", "only of two duplicates one is kept: send `duplicate: true`"),
            (is_long(by), "by", "the name has more than 200 bytes"),
            (is_long(how), "how", "`how` has more than 200 bytes"),
        ];
        faults.into_iter().find(|(is_there, ..)| *is_there).map(|(_, field, told)| (field, told))
    }

    /// The judgment, of the client unless it names somebody else.
    fn into_judgment(self, snapshot: &IndexSnapshot, client: &Client, now: u64) -> Judgment {
        let Self { a: left, b: right, duplicate, keep: keeps, time, by, how } = self;
        let word = duplicate.map_or(lookalike::Word::Withdrawn, lookalike::Word::of);
        // Verdicts from before there were names belong to everybody.
        let takes_back_nameless = by.is_none() && duplicate.is_none() && {
            let said = snapshot.said(&left, &right);
            said.iter().all(|said| *said.by != *client.name)
        };
        let own = || if takes_back_nameless { String::new() } else { client.name.to_string() };
        let (by, how) = (by.unwrap_or_else(own), how.unwrap_or_else(|| "http".into()));
        Judgment { left, right, word, keeps, time: time.unwrap_or(now).min(now), by, how }
    }
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
    let (snapshot, client) = (app.snapshot(), client_of(&request));
    for (index, word) in words.iter().enumerate() {
        if let Some((field, told)) = word.fault(app.limits.id_bytes) {
            return Err(Problem::field(field, told).at(index));
        }
        let is_own = word.by.as_ref().is_none_or(|by| **by == *client.name);
        if !is_own && !client.roles.has(Role::Write) {
            let told =
                "verdicts of others are taken only from a token with the role `write` as well";
            return Err(Problem::new(StatusCode::FORBIDDEN, told).of_field("by").at(index));
        }
        for id in [&word.a, &word.b] {
            if known && snapshot.outline(id)?.is_none() {
                return Err(Problem::no_document(id).at(index));
            }
        }
    }
    let now = now();
    let judgments = words.into_iter().map(|word| word.into_judgment(&snapshot, &client, now));
    let judgments: Vec<Judgment> = judgments.collect();
    drop(snapshot);
    app.writer.write(Change::Judge(judgments.clone())).await?;
    for judgment in &judgments {
        if judgment.word != lookalike::Word::Withdrawn {
            let is_duplicate = judgment.word == lookalike::Word::Yes;
            app.questions.answered(&judgment.left, &judgment.right, is_duplicate);
        }
    }
    let told: Vec<Value> = judgments.into_iter().map(as_listed).collect();
    Ok(Json(json!({"judgments": told})))
}

/// Who sent a request.
fn client_of(request: &Request) -> Client {
    let client = request.extensions().get().cloned();
    client.unwrap_or(Client { roles: Roles::ALL, name: Arc::default() })
}

/// A judgment as it is listed from now on; one that was taken back has `null`.
fn as_listed(judgment: Judgment) -> Value {
    let Judgment { left, right, word, keeps, time, by, how } = judgment;
    let duplicate = word == lookalike::Word::Yes;
    let mut row = json!({"a": left, "b": right});
    lookalike::described(&Said { duplicate, keeps, time, by, how }, &mut row);
    if word == lookalike::Word::Withdrawn {
        row["duplicate"] = Value::Null;
    }
    row
}

/// What people said about a pair, by time: the last verdict holds.
pub fn verdicts(said: &[Said]) -> Vec<Value> {
    let row = |said: &Said| {
        let mut row = json!({});
        lookalike::described(said, &mut row);
        row
    };
    said.iter().map(row).collect()
}

/// Whether people contradict each other.
pub fn disagree(said: &[Said]) -> bool {
    said.iter().any(|one| one.duplicate != said[0].duplicate)
}

/// `GET /v1/judgments`.
pub async fn list(State(app): State<Arc<App>>, request: Request) -> Result<Response, Problem> {
    let mut parameters = Parameters::of(request.uri())?;
    let as_lines = [("json", false), ("jsonl", true)];
    let as_lines = parameters.choice("format", &as_lines)?.unwrap_or(false);
    let limit = parameters.limit()?;
    let disagreed = parameters.switch("disagreed", false)?;
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
        let judgments = snapshot.judgments().filter(|(a, b, _)| is_after(a, b));
        for (a, b, said) in judgments.filter(|(.., said)| !disagreed || disagree(said)) {
            if rows.len() >= limit {
                next = last.as_ref().map(cursor);
                break;
            }
            last = Some((a, b));
            rows.extend(said.iter().map(|said| {
                let mut row = json!({"a": a, "b": b});
                lookalike::described(said, &mut row);
                row
            }));
        }
        let total = snapshot.n_judgments();
        Ok(Json(json!({"total": total, "judgments": rows, "next": next})).into_response())
    })
    .await
}

/// Which of two documents is kept.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeepRequest {
    keep: String,
    over: String,
    how: Option<String>,
}

/// `POST /v1/keep`: the other document of a pair is kept from now on, whatever the keep rule says.
pub async fn keep(State(app): State<Arc<App>>, request: Request) -> Result<Json<Value>, Problem> {
    Parameters::of(request.uri())?.finish()?;
    let KeepRequest { keep, over, how } = json_body(&request)?;
    let (a, b) = (keep.clone(), over.clone());
    let word =
        Word { a, b, duplicate: Some(true), keep: Some(keep.clone()), time: None, by: None, how };
    if word.a == word.b {
        return Err(Problem::field("over", "two documents are wanted; one was named twice"));
    }
    if let Some((field, told)) = word.fault(app.limits.id_bytes) {
        return Err(Problem::field(if field == "how" { field } else { "keep" }, told));
    }
    let snapshot = app.snapshot();
    for id in [&keep, &over] {
        snapshot.outline(id)?.ok_or_else(|| Problem::no_document(id))?;
    }
    let judgment = word.into_judgment(&snapshot, &client_of(&request), now());
    drop(snapshot);
    app.writer.write(Change::Judge(vec![judgment])).await?;
    app.questions.answered(&keep, &over, true);
    Ok(Json(json!({"keep": keep, "over": over})))
}
