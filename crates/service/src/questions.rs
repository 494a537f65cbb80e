//! The labelling queue: pairs to ask about, drawn evenly over all scores.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use lookalike::label::Questions;
use lookalike::{Context, IndexError, Interrupt, RunConfig, RunError, Silent};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::app::App;
use crate::clock::now;
use crate::documents::short;
use crate::parameters::Parameters;
use crate::problem::Problem;

/// Documents, and bytes of their texts, among which questions are looked for: the newest.
const MOST_DOCUMENTS: usize = 50_000;
const MOST_BYTES: u64 = 128 << 20;
/// How long a request waits for questions, unless it says otherwise.
const PATIENCE: f64 = 20.0;
/// Questions that are made anew when changes are older than this.
const KEPT: Duration = Duration::from_mins(5);

#[derive(Default)]
struct Book {
    made: Option<Made>,
    being_made: bool,
}

struct Made {
    time: u64,
    since: Instant,
    sequence: u64,
    questions: Result<Questions, Problem>,
}

/// What there is to ask.
pub struct QuestionBook {
    book: Mutex<Book>,
    changed: watch::Sender<u64>,
    interrupt: Interrupt,
}

impl QuestionBook {
    /// Without questions; they are looked for when somebody asks.
    pub fn new() -> Self {
        let (changed, _) = watch::channel(0);
        Self { book: Mutex::default(), changed, interrupt: Interrupt::new() }
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes an answer, so that the next question knows of it.
    pub fn answered(&self, a: &str, b: &str, duplicate: bool) {
        if let Some(Made { questions: Ok(questions), .. }) = &mut self.book().made {
            questions.answer_pair(a, b, duplicate);
        }
    }

    /// Stops looking.
    pub fn stop(&self) {
        self.interrupt.stop();
    }

    /// Whether questions must be looked for: there are none, they are used up, or the index has
    /// changed since and they are not new.
    fn is_wanting(&self, sequence: u64) -> bool {
        match &self.book().made {
            None => true,
            Some(made) => {
                let used_up = made.questions.as_ref().map_or(true, |found| found.n_open() == 0);
                made.sequence < sequence && (used_up || made.since.elapsed() > KEPT)
            }
        }
    }

    /// Looks for questions, unless somebody does already.
    fn look(&self, app: &Arc<App>, sequence: u64) {
        let mut book = self.book();
        if book.being_made {
            return;
        }
        book.being_made = true;
        drop(book);
        let app = Arc::clone(app);
        tokio::task::spawn_blocking(move || {
            let questions = app.questions.make(&app);
            let made = Made { time: now(), since: Instant::now(), sequence, questions };
            let mut book = app.questions.book();
            (book.made, book.being_made) = (Some(made), false);
            drop(book);
            app.questions.changed.send_modify(|version| *version += 1);
        });
    }

    fn make(&self, app: &App) -> Result<Questions, Problem> {
        let memory = app.index.config().run.memory.min(app.memory);
        let run = RunConfig { memory, ..app.index.config().run.clone() };
        let context =
            Context { progress: &Silent, interrupt: &self.interrupt, temp_dir: &app.temp_dir };
        let found = app.snapshot().questions((MOST_DOCUMENTS, MOST_BYTES), &run, &context);
        let nothing = |told: String| Problem::new(StatusCode::CONFLICT, told);
        let mut questions = found.map_err(|error| match error {
            IndexError::Run(
                error @ (RunError::NothingToAsk
                | RunError::NoThreshold(_)
                | RunError::NothingReadable(_)),
            ) => nothing(error.to_string()),
            error => error.into(),
        })?;
        questions.forget_texts();
        Ok(questions)
    }
}

/// `GET /v1/questions`.
pub async fn list(State(app): State<Arc<App>>, request: Request) -> Result<Json<Value>, Problem> {
    let mut parameters = Parameters::of(request.uri())?;
    let limit = parameters.limit()?;
    let longest = parameters.wait(PATIENCE)?;
    parameters.finish()?;
    let sequence = app.writer.sequence();
    let mut changed = app.questions.changed.subscribe();
    if app.questions.is_wanting(sequence) {
        app.questions.look(&app, sequence);
        // Old questions are better than waiting.
        let has_some = matches!(&app.questions.book().made, Some(Made { questions: Ok(found), .. })
            if found.n_open() > 0);
        if !has_some {
            let _ = timeout(longest, changed.changed()).await;
        }
    }
    app.compute(move |app| {
        let book = app.questions.book();
        let Some(made) = &book.made else {
            return Err(Problem::not_ready("questions are being looked for; ask again"));
        };
        let questions = made.questions.as_ref().map_err(Problem::clone)?;
        let asked: Vec<(String, String, f64)> = questions
            .next(limit)
            .into_iter()
            .map(|question| {
                (question.left.id.clone(), question.right.id.clone(), questions.score(question))
            })
            .collect();
        let (time, line, open) = (made.time, questions.line(), questions.n_open());
        let measure = questions.measure();
        drop(book);
        let snapshot = app.snapshot();
        let mut rows = Vec::new();
        for (a, b, score) in asked {
            let (left, right) = (snapshot.document(&a)?, snapshot.document(&b)?);
            let (a, b) = (short(&a, left.as_ref()), short(&b, right.as_ref()));
            rows.push(json!({"a": a, "b": b, "score": score}));
        }
        let answered = snapshot.n_judgments();
        Ok(Json(json!({
            "made": time, "line": line, "measure": measure, "answered": answered, "open": open, "questions": rows,
        })))
    })
    .await
}
