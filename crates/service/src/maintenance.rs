//! What operators do to an index while it serves: removing many documents, compacting, verifying.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Json;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::app::App;
use crate::clock::now;
use crate::filter::DocumentFilter;
use crate::judgments::json_body;
use crate::parameters::Parameters;
use crate::problem::{Problem, with_reasons};
use crate::writer::{Change, Changed, Removal};

/// Which documents are to be removed: one kind of choice, of which all parts hold.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Chosen {
    ids: Option<Vec<String>>,
    expired: Option<bool>,
    field: Option<String>,
    added_after: Option<u64>,
    added_before: Option<u64>,
    /// Whether they are only counted.
    #[serde(default)]
    dry_run: bool,
}

/// `POST /v1/remove`.
pub async fn remove(State(app): State<Arc<App>>, request: Request) -> Result<Json<Value>, Problem> {
    Parameters::of(request.uri())?.finish()?;
    let Chosen { ids, expired, field, added_after, added_before, dry_run } = json_body(&request)?;
    let mut filter = DocumentFilter::new(field, added_after, added_before)?;
    let is_expired = expired == Some(true);
    let chosen = [ids.is_some(), is_expired, filter.is_needed()];
    if chosen.iter().filter(|given| **given).count() != 1 {
        let told = "send one of `ids`, `expired: true`, or a filter of `field`, `added_after` and \
                    `added_before`";
        return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, told));
    }
    let named = ids.as_ref().map(Vec::len);
    let removal = match ids {
        Some(ids) => Removal::Ids(ids),
        None if is_expired => Removal::Expired,
        None => {
            let select = move |app: &App| {
                let with_fields = filter.reads_fields();
                Ok(app.snapshot().numbers(with_fields, |stored| filter.passes(Some(stored)))?)
            };
            Removal::Numbers(app.compute(select).await?)
        }
    };
    if dry_run {
        let count = app.compute(move |app| would_remove(app, &removal)).await?;
        return Ok(Json(json!({"removed": 0, "would_remove": count})));
    }
    let Changed::Removed(removed) = app.writer.write(Change::Remove(removal)).await? else {
        return Err(Problem::internal(&"the writer answered something else"));
    };
    let unknown = named.map_or(0, |named| named.saturating_sub(removed));
    Ok(Json(json!({"removed": removed, "unknown_ids": unknown})))
}

fn would_remove(app: &App, removal: &Removal) -> Result<usize, Problem> {
    let snapshot = app.snapshot();
    match removal {
        Removal::Numbers(numbers) => Ok(numbers.len()),
        Removal::Expired => Ok(snapshot.stat()?.expired as usize),
        Removal::Ids(ids) => {
            let ids: std::collections::BTreeSet<&String> = ids.iter().collect();
            let mut count = 0;
            for id in ids {
                count += usize::from(snapshot.outline(id)?.is_some());
            }
            Ok(count)
        }
    }
}

/// What is done to the index as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum Task {
    /// Make one segment of all, and reclaim what was removed or has expired.
    Compact,
    /// Read every byte, and look up every document by its keys.
    Verify,
}

/// The last task, and whether it is under way.
#[derive(Clone, Debug, Serialize)]
struct Work {
    state: &'static str,
    task: Option<Task>,
    started: Option<u64>,
    finished: Option<u64>,
    error: Option<String>,
    result: Option<Value>,
}

/// The task that is under way, one at a time.
pub struct Maintenance(Mutex<Work>);

impl Maintenance {
    /// Nothing done yet.
    pub fn new() -> Self {
        let (task, started, finished) = (None, None, None);
        Self(Mutex::new(Work { state: "none", task, started, finished, error: None, result: None }))
    }

    fn work(&self) -> MutexGuard<'_, Work> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What an operator asks for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    task: Task,
}

/// `POST /v1/maintenance`.
pub async fn start(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<(StatusCode, Json<Value>), Problem> {
    Parameters::of(request.uri())?.finish()?;
    let Wanted { task } = json_body(&request)?;
    {
        let mut work = app.maintenance.work();
        if work.state == "running" {
            return Err(Problem::new(StatusCode::CONFLICT, "another task is running; wait for it"));
        }
        let (state, started) = ("running", Some(now()));
        *work =
            Work { state, task: Some(task), started, finished: None, error: None, result: None };
    }
    let told = json!(*app.maintenance.work());
    tokio::task::spawn_blocking(move || run(&app, task));
    Ok((StatusCode::ACCEPTED, Json(told)))
}

/// `GET /v1/maintenance`.
pub async fn get(State(app): State<Arc<App>>) -> Json<Value> {
    Json(json!(*app.maintenance.work()))
}

fn run(app: &App, task: Task) {
    let done = match task {
        Task::Compact => app.index.compact(now()).and_then(|()| Ok(json!(app.snapshot().stat()?))),
        Task::Verify => app.snapshot().verify().map(|verified| json!(verified)),
    };
    let mut work = app.maintenance.work();
    work.finished = Some(now());
    match done {
        Ok(result) => (work.state, work.result) = ("done", Some(result)),
        Err(error) => {
            let reason = with_reasons(&error);
            tracing::error!(reason, "maintenance of the index failed");
            (work.state, work.error) = ("failed", Some(reason));
        }
    }
}
