//! Sizes, counts and growth of the index.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::{Request, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use lookalike::{IndexSnapshot, IndexStat};
use serde::Serialize;
use serde_json::{Value, json};

use crate::app::App;
use crate::guard::client;
use crate::parameters::Parameters;
use crate::problem::Problem;

/// Steps of growth.
const STEPS: u64 = 60;

/// How many of the living documents had been added by a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Growth {
    time: u64,
    documents: u64,
}

fn growth(snapshot: &IndexSnapshot) -> Result<Vec<Growth>, Problem> {
    let mut times = Vec::new();
    for outline in snapshot.outlines() {
        times.push(outline?.added);
    }
    Ok(steps(times))
}

/// At most so many steps of equal length, the last at the last time.
fn steps(mut times: Vec<u64>) -> Vec<Growth> {
    times.sort_unstable();
    let (Some(first), Some(last)) = (times.first().copied(), times.last().copied()) else {
        return Vec::new();
    };
    let length = (last - first).div_ceil(STEPS).max(1);
    let n_steps = (last - first).div_ceil(length).max(1);
    let step = |at: u64| {
        let time = last - (n_steps - 1 - at) * length;
        Growth { time, documents: times.partition_point(|added| *added <= time) as u64 }
    };
    (0..n_steps).map(step).collect()
}

/// Whoever asks waits for counts that take no longer than this; others are made beside the questions.
const QUICK: Duration = Duration::from_millis(20);
/// Counting takes at most one part in so many of the time.
const REST: u32 = 10;

/// Sizes, counts and growth at a time.
#[derive(Clone, Debug)]
pub struct Counted {
    sequence: u64,
    index: IndexStat,
    growth: Vec<Growth>,
    /// How long counting took, and when it ended.
    took: Duration,
    since: Instant,
}

/// What was counted last, and whether somebody counts.
#[derive(Debug, Default)]
pub struct Counts {
    last: Mutex<Option<Counted>>,
    being_made: AtomicBool,
}

impl Counts {
    fn last(&self) -> MutexGuard<'_, Option<Counted>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts that are as fresh as can be had at once: of a large index those before the last changes,
/// while it is counted again.
async fn counted(app: &Arc<App>) -> Result<Counted, Problem> {
    let Some(last) = app.counts.last().clone() else {
        return app.compute(count).await;
    };
    // Documents expire without a change.
    let expires = app.index.options().time_to_live.is_some();
    if last.sequence == app.writer.sequence() && !expires {
        return Ok(last);
    }
    if last.took <= QUICK {
        return app.compute(count).await;
    }
    let is_rested = last.since.elapsed() > last.took * REST;
    if is_rested && !app.counts.being_made.swap(true, Ordering::AcqRel) {
        let app = Arc::clone(app);
        tokio::task::spawn_blocking(move || {
            if let Err(problem) = count(&app) {
                tracing::error!(reason = problem.detail, "the index could not be counted");
            }
            app.counts.being_made.store(false, Ordering::Release);
        });
    }
    Ok(last)
}

/// Counts a large index before anybody asks, who would have to wait for the first time.
pub async fn count_ahead(app: Arc<App>) {
    if let Err(problem) = app.compute(count).await {
        tracing::error!(reason = problem.detail, "the index could not be counted");
    }
}

fn count(app: &App) -> Result<Counted, Problem> {
    let start = Instant::now();
    let sequence = app.writer.sequence();
    let snapshot = app.snapshot();
    let (index, growth) = (snapshot.stat()?, growth(&snapshot)?);
    let counted = Counted { sequence, index, growth, took: start.elapsed(), since: Instant::now() };
    *app.counts.last() = Some(counted.clone());
    Ok(counted)
}

/// `GET /v1/stat`.
pub async fn get(State(app): State<Arc<App>>, request: Request) -> Result<Json<Value>, Problem> {
    let mut parameters = Parameters::of(request.uri())?;
    let longest = parameters.wanted_wait()?;
    parameters.finish()?;
    let seen = app.findings.if_wanted(&app, longest).await;
    let Counted { sequence, index, growth, .. } = counted(&app).await?;
    app.compute(move |app| {
        let config = app.index.config();
        let options = app.index.options();
        let findings = seen.map(|seen| {
            let view = &seen.view;
            let mut findings = seen.told();
            findings["documents"] = view.documents.into();
            findings["copies"] = view.copies.into();
            findings["clusters"] = view.clusters.len().into();
            findings["largest_cluster"] =
                view.clusters.first().map_or(0, crate::view::Cluster::size).into();
            findings["pairs"] = view.n_pairs.into();
            findings["seconds"] = view.seconds.into();
            findings["sizes"] = json!(view.sizes());
            findings["scores"] = json!(view.score_steps());
            findings
        });
        Ok(Json(json!({
            "version": env!("CARGO_PKG_VERSION"),
            "method": config.detector.name(),
            "threshold": config.detector.threshold(),
            "keep": config.effective_keep().to_string(),
            "store": options.store,
            "time_to_live_ms": options.time_to_live,
            "sequence": sequence,
            "index": index,
            "growth": growth,
            "findings": findings,
            "config": config.to_toml().unwrap_or_default(),
        })))
    })
    .await
}

/// `GET /v1/session`: what whoever asks may do.
pub async fn session(State(app): State<Arc<App>>, request: Request) -> Json<Value> {
    let client = client(&app, request.headers());
    Json(json!({
        "authenticated": client.is_some(),
        "tokens_required": app.tokens.is_some(),
        "name": client.as_ref().map(|client| &*client.name),
        "roles": client.map(|client| client.roles.names()).unwrap_or_default(),
    }))
}

/// `GET /metrics`.
pub async fn metrics(State(app): State<Arc<App>>) -> Result<Response, Problem> {
    let living = match app.index.options().time_to_live {
        None => app.snapshot().len(),
        // Those that have expired are there until a merge reclaims them.
        Some(_) => counted(&app).await?.index.documents,
    };
    let text = app.metrics.text(living);
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    Ok(([(header::CONTENT_TYPE, kind)], text).into_response())
}

/// `GET /healthz`: the process answers.
pub async fn health() -> Json<Value> {
    Json(json!({"status": "ok"}))
}

/// `GET /readyz`: it can write, and is not about to end.
pub async fn ready(State(app): State<Arc<App>>) -> Result<Json<Value>, Problem> {
    if *app.ending.borrow() {
        return Err(Problem::not_ready("the service is ending"));
    }
    if !app.writer.is_alive() || app.writer.has_failed() {
        return Err(Problem::not_ready("the index cannot be written; see the log"));
    }
    Ok(Json(json!({"status": "ready"})))
}

/// `GET /openapi.json`.
pub async fn openapi() -> Response {
    let kind = [(header::CONTENT_TYPE, "application/json")];
    (kind, include_str!("openapi.json")).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_has_few_steps_and_ends_with_all() {
        assert_eq!(steps(Vec::new()), []);
        assert_eq!(steps(vec![5, 5]), [Growth { time: 5, documents: 2 }]);
        let grown = steps((0..10_000).map(|n| n * 7).collect());
        assert!(grown.len() <= 60 && grown.is_sorted_by_key(|step| (step.time, step.documents)));
        assert_eq!(grown.last(), Some(&Growth { time: 69_993, documents: 10_000 }));
    }
}
