//! Documents: checked, added, looked at, removed.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse, Response};
use lookalike::{
    AddStatus, CheckStatus, CheckedDocument, LISTED_MATCHES, OnDuplicate, OnMatch, OwnedDocument,
    StoredDocument,
};
use serde_json::{Value, json};

use crate::app::App;
use crate::body::{Kind, held, kind};
use crate::evidence::with_evidence;
use crate::parameters::Parameters;
use crate::problem::Problem;
use crate::rows::Documents;
use crate::stream::stream;
use crate::writer::{Change, Changed, Removal};

/// What is to be done with documents.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// How they are added; `None` where they are only checked.
    pub adding: Option<(OnDuplicate, OnMatch)>,
    /// Whether to say why.
    pub explain: bool,
    /// Whether to say where the first matches differ; for one document.
    pub difference: bool,
    /// Which matches a check lists.
    pub listed: Listed,
}

/// Which matches of a document are listed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Listed {
    /// At most so many.
    pub limit: Option<usize>,
    /// Those with at least this score; whether a document is a duplicate does not depend on it.
    pub threshold: Option<f64>,
    /// So many of those that are no duplicates.
    pub nearest: usize,
}

impl Listed {
    fn of(parameters: &mut Parameters) -> Result<Self, Problem> {
        let count = |parameters: &mut Parameters, name: &str| match parameters.value(name)? {
            Some(count) if count > LISTED_MATCHES => {
                Err(Problem::field(name, format!("`{name}` is at most {LISTED_MATCHES}")))
            }
            count => Ok(count),
        };
        Ok(Self {
            limit: count(parameters, "limit")?,
            threshold: parameters.score("threshold")?,
            nearest: count(parameters, "nearest")?.unwrap_or(0),
        })
    }

    /// Leaves out what is not to be listed. What is left out by the limit is counted.
    fn apply(self, row: &mut CheckedDocument) {
        if let Some(threshold) = self.threshold {
            row.matches.retain(|found| found.score >= threshold);
            row.nearest.retain(|found| found.score >= threshold);
        }
        if let Some(limit) = self.limit {
            row.more_matches += row.matches.len().saturating_sub(limit) as u64;
            row.matches.truncate(limit);
        }
    }
}

impl Wanted {
    /// Does it; one row for each document, in order.
    pub async fn run(
        self,
        app: &Arc<App>,
        documents: Vec<OwnedDocument>,
    ) -> Result<Vec<Value>, Problem> {
        let (documents, mut rows) = match self.adding {
            None => {
                let bytes = documents.iter().map(|document| document.text.len()).sum();
                app.judge(bytes, move |app, interrupt| {
                    let nearest = self.listed.nearest;
                    let mut checked = app.snapshot().check_until(&documents, nearest, interrupt)?;
                    for row in &mut checked {
                        app.metrics.documents("check", word(row.status), 1);
                        self.listed.apply(row);
                    }
                    let rows: Vec<Value> = checked.iter().map(|row| json!(row)).collect();
                    Ok((documents, rows))
                })
                .await?
            }
            Some((on_id, on_match)) => {
                let change = Change::Add { documents, on_id, on_match };
                let Changed::Added(documents, rows) = app.writer.write(change).await? else {
                    return Err(Problem::internal(&"the writer answered something else"));
                };
                for row in &rows {
                    let status = match row.added {
                        AddStatus::LeftOut => "left-out",
                        AddStatus::Skipped => "skipped",
                        _ => word(row.checked.status),
                    };
                    app.metrics.documents("add", status, 1);
                }
                (documents, rows.iter().map(|row| json!(row)).collect())
            }
        };
        if !self.explain {
            return Ok(rows);
        }
        let bytes = documents.iter().map(|document| document.text.len()).sum();
        app.judge(bytes, move |app, interrupt| {
            let snapshot = app.snapshot();
            for (document, row) in documents.iter().zip(&mut rows) {
                if interrupt.is_set() {
                    return Err(Problem::not_ready("nobody waits for the answer any more"));
                }
                with_evidence(&snapshot, document, row, self.difference)?;
            }
            Ok(rows)
        })
        .await
    }
}

fn word(status: CheckStatus) -> &'static str {
    match status {
        CheckStatus::New => "new",
        CheckStatus::Duplicate => "duplicate",
        CheckStatus::TooShort => "too-short",
    }
}

/// `POST /v1/check`.
pub async fn check(State(app): State<Arc<App>>, request: Request) -> Result<Response, Problem> {
    let mut parameters = Parameters::of(request.uri())?;
    let explain = parameters.switch("explain", false)?;
    let difference = parameters.switch("difference", false)?;
    let listed = Listed::of(&mut parameters)?;
    parameters.finish()?;
    let explain = explain || difference;
    answer(app, request, Wanted { adding: None, explain, difference, listed }).await
}

/// `POST /v1/documents`.
pub async fn add(State(app): State<Arc<App>>, request: Request) -> Result<Response, Problem> {
    let mut parameters = Parameters::of(request.uri())?;
    let explain = parameters.switch("explain", false)?;
    let on_id = [
        ("error", OnDuplicate::Refuse),
        ("skip", OnDuplicate::Skip),
        ("replace", OnDuplicate::Replace),
    ];
    let on_id = parameters.choice("on_id", &on_id)?.unwrap_or_default();
    let on_match =
        [("keep", OnMatch::Keep), ("skip", OnMatch::Skip), ("replace", OnMatch::Replace)];
    let on_match = parameters.choice("on_duplicate", &on_match)?.unwrap_or_default();
    parameters.finish()?;
    let adding = Some((on_id, on_match));
    answer(app, request, Wanted { adding, explain, difference: false, listed: Listed::default() })
        .await
}

async fn answer(app: Arc<App>, request: Request, wanted: Wanted) -> Result<Response, Problem> {
    let needs_id = wanted.adding.is_some();
    let kind = kind(request.headers())?;
    let one_only =
        || Problem::field("difference", "differences are shown for one document at a time");
    if kind == Kind::Lines && wanted.difference {
        return Err(one_only());
    }
    if kind == Kind::Lines {
        return stream(app, request, wanted).await;
    }
    let held = held(&request)?;
    // Reading many megabytes of JSON takes its time as well.
    let (documents, held) =
        app.compute(move |app| Ok((app.rows.body(&held.bytes, needs_id)?, held))).await?;
    let response = match documents {
        Documents::One(document) => {
            let mut rows = wanted.run(&app, vec![*document]).await?;
            Json(rows.pop()).into_response()
        }
        Documents::Many(_) if wanted.difference => return Err(one_only()),
        Documents::Many(documents) => Json(wanted.run(&app, documents).await?).into_response(),
    };
    drop(held);
    Ok(response)
}

/// A document as it stands in the index.
pub fn stored(stored: &StoredDocument, with_text: bool) -> Value {
    let StoredDocument { document, has_text, added, expires, text_bytes, rejection } = stored;
    json!({
        "id": document.id,
        "text": (*has_text && with_text).then_some(&document.text),
        "title": document.title,
        "url": document.url,
        "fields": document.fields,
        "added": added,
        "expires": expires,
        "text_bytes": text_bytes,
        "too_short": rejection.map(lookalike::Rejection::name),
    })
}

/// Characters of a text that a list shows.
const SNIPPET: usize = 300;

/// A document as lists show it.
pub fn short(id: &str, stored: Option<&StoredDocument>) -> Value {
    let Some(stored) = stored else { return json!({"id": id, "gone": true}) };
    let document = &stored.document;
    let snippet: Option<String> =
        stored.has_text.then(|| document.text.chars().take(SNIPPET).collect());
    json!({
        "id": document.id,
        "title": document.title,
        "url": document.url,
        "snippet": snippet,
        "added": stored.added,
        "text_bytes": stored.text_bytes,
    })
}

/// `GET /v1/documents/{id}`.
pub async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    request: Request<Body>,
) -> Result<Response, Problem> {
    let mut parameters = Parameters::of(request.uri())?;
    let with_text = parameters.switch("text", true)?;
    parameters.finish()?;
    app.compute(move |app| {
        let found = app.snapshot().document(&id)?.ok_or_else(|| Problem::no_document(&id))?;
        Ok(Json(stored(&found, with_text)).into_response())
    })
    .await
}

/// `DELETE /v1/documents/{id}`.
pub async fn remove(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    Parameters::of(request.uri())?.finish()?;
    let change = Change::Remove(Removal::Ids(vec![id.clone()]));
    let Changed::Removed(1) = app.writer.write(change).await? else {
        return Err(Problem::no_document(&id));
    };
    Ok(Json(json!({"id": id, "removed": true})).into_response())
}
