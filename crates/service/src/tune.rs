//! What `tune` makes of people's words: one trial at a time, in the background.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Json;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use lookalike::tune::{
    Candidate, Estimate, Goal, Labels, Promise, TuneOptions, TuneOutcome, candidates, tune,
};
use lookalike::{Context, Groups, Interrupt, JudgedDocuments, RunConfig, Silent};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::app::App;
use crate::clock::now;
use crate::judgments::json_body;
use crate::parameters::Parameters;
use crate::problem::Problem;

/// How long methods are tried, unless a request says otherwise, and at most.
const BUDGET_SECONDS: u64 = 60;
const LONGEST_SECONDS: u64 = 600;
/// Labelled documents that are taken.
const MOST_DOCUMENTS: usize = 20_000;

#[derive(Default)]
struct Trial {
    state: &'static str,
    started: Option<u64>,
    finished: Option<u64>,
    error: Option<String>,
    result: Option<Value>,
}

/// The last trial, and the one that is under way.
pub struct TuneDesk {
    trial: Mutex<Trial>,
    interrupt: Interrupt,
}

impl TuneDesk {
    /// Nothing tried yet.
    pub fn new() -> Self {
        let trial = Trial { state: "none", ..Trial::default() };
        Self { trial: Mutex::new(trial), interrupt: Interrupt::new() }
    }

    fn trial(&self) -> MutexGuard<'_, Trial> {
        self.trial.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stops a trial that is under way.
    pub fn stop(&self) {
        self.interrupt.stop();
    }
}

/// What may be asked of a trial.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Wish {
    budget_s: Option<u64>,
    methods: Vec<String>,
    precision: Option<f64>,
}

/// `POST /v1/tune`.
pub async fn start(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<(StatusCode, Json<Value>), Problem> {
    Parameters::of(request.uri())?.finish()?;
    let wish: Wish = json_body(&request)?;
    let seconds = wish.budget_s.unwrap_or(BUDGET_SECONDS);
    if !(1..=LONGEST_SECONDS).contains(&seconds) {
        let told = format!("`budget_s` lies between 1 and {LONGEST_SECONDS}");
        return Err(Problem::field("budget_s", told));
    }
    let goal = match wish.precision {
        None => Goal::F1,
        Some(wanted) if (0.0..=1.0).contains(&wanted) => Goal::Precision(wanted),
        Some(_) => return Err(Problem::field("precision", "`precision` lies between 0 and 1")),
    };
    let mut tried = candidates();
    if let Some(unknown) =
        wish.methods.iter().find(|name| !tried.iter().any(|known| known.config.name() == **name))
    {
        let told = format!("there is no method `{unknown}`");
        return Err(Problem::field("methods", told));
    }
    tried.retain(|known| {
        wish.methods.is_empty() || wish.methods.iter().any(|name| name == known.config.name())
    });
    let labelled = app.compute(|app| Ok(app.snapshot().judged_documents()?)).await?;
    if labelled.pairs.positive.is_empty() || labelled.pairs.negative.is_empty() {
        let told = "methods are tried on pairs that people called duplicates and pairs that they \
                    did not; there are not both";
        return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, told));
    }
    if labelled.documents.len() > MOST_DOCUMENTS {
        let told =
            format!("more than {MOST_DOCUMENTS} documents are labelled: use `lookalike tune`");
        return Err(Problem::too_large(told));
    }
    {
        let mut trial = app.tune.trial();
        if trial.state == "running" {
            return Err(Problem::new(StatusCode::CONFLICT, "methods are being tried already"));
        }
        *trial = Trial { state: "running", started: Some(now()), ..Trial::default() };
    }
    let of_trial = Arc::clone(&app);
    let budget = Duration::from_secs(seconds);
    tokio::task::spawn_blocking(move || run(&of_trial, labelled, tried, (goal, budget)));
    Ok((StatusCode::ACCEPTED, Json(told(&app).await?)))
}

/// `GET /v1/tune`.
pub async fn get(State(app): State<Arc<App>>) -> Result<Json<Value>, Problem> {
    Ok(Json(told(&app).await?))
}

async fn told(app: &Arc<App>) -> Result<Value, Problem> {
    app.compute(|app| {
        let snapshot = app.snapshot();
        let (mut yes, mut no, mut not_there) = (0, 0, 0);
        for (a, b, said) in snapshot.judgments() {
            let duplicate = said.last().is_some_and(|said| said.duplicate);
            if snapshot.outline(a)?.is_none() || snapshot.outline(b)?.is_none() {
                not_there += 1;
            } else if duplicate {
                yes += 1;
            } else {
                no += 1;
            }
        }
        let Trial { state, started, finished, error, result } = &*app.tune.trial();
        Ok(json!({
            "state": state, "started": started, "finished": finished,
            "labels": {"yes": yes, "no": no, "not_there": not_there},
            "error": error, "result": result,
        }))
    })
    .await
}

fn run(
    app: &App,
    labelled: JudgedDocuments,
    tried: Vec<Candidate>,
    (goal, budget): (Goal, Duration),
) {
    let JudgedDocuments { documents, pairs, .. } = labelled;
    let run = RunConfig {
        text_key: "text".into(),
        id_key: "id".into(),
        html: false,
        ..app.index.config().run.clone()
    };
    let in_use = app.snapshot().outlines().count();
    let options = TuneOptions {
        goal,
        budget,
        run: run.clone(),
        documents: Some(in_use),
        ..TuneOptions::default()
    };
    let context =
        Context { progress: &Silent, interrupt: &app.tune.interrupt, temp_dir: &app.temp_dir };
    let groups = Groups::guess(&documents);
    let outcome = tune(&documents, &groups, &Labels::Pairs(pairs), tried, &options, &context);
    let mut trial = app.tune.trial();
    trial.finished = Some(now());
    match outcome {
        Ok(outcome) => {
            trial.state = "done";
            trial.result = Some(as_json(&outcome, &run));
        }
        Err(error) => {
            trial.state = "failed";
            trial.error = Some(error.to_string());
        }
    }
}

fn as_json(outcome: &TuneOutcome, run: &RunConfig) -> Value {
    let estimate = |e: &Estimate| json!({"mean": e.mean, "low": e.low, "high": e.high});
    let promise = |promise: &Promise| {
        json!({
            "precision": estimate(&promise.precision),
            "recall": estimate(&promise.recall),
            "f1": estimate(&promise.f1),
        })
    };
    let ranking: Vec<Value> = outcome
        .ranking
        .iter()
        .map(|tuned| {
            let mut row = promise(&tuned.reached);
            row["method"] = tuned.candidate.name.clone().into();
            row["threshold"] = tuned.candidate.config.threshold().into();
            row
        })
        .collect();
    let best = outcome.best().map(|best| best.configuration(run));
    json!({
        "ranking": ranking,
        "promise": promise(&outcome.promise),
        "no_time_for": outcome.skipped,
        "notes": outcome.warnings,
        // A learned method needs its model as well, which only `lookalike tune` writes.
        "config": best.filter(|_| outcome.model.is_none()).and_then(|best| best.to_toml().ok()),
    })
}
