//! What labels are for: training, tuning, comparing, and which pairs to ask about.

use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use lookalike::label::{Answers, Chosen, Questions, Round, choose_by, questions};
use lookalike::tune::{
    Estimate, Goal, Labels, Promise, TuneOptions, TuneOutcome, candidates_named, with_boilerplate,
};
use lookalike::{Config, JudgmentsFile, LabelledCorpus, Profile, RunError};
use lookalike_detect::Model;
use lookalike_learn::Collection;
use lookalike_learn::compare::{self, CompareOptions, ComparedMethod, Judgment};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::config::parse;
use crate::errors::{ConfigError, InputError, OutputError, failed_run, with_causes};
use crate::run::{in_use, write};
use crate::source::Source;
use crate::train::{Training, read_labels};
use crate::waiting::{wait_for, wait_or_leave};

/// Which columns say something of a document's kind, and the file of judged pairs.
type Fields = (String, Option<String>, Option<String>);

/// Learns a model, writes it to a file and says what it reached.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "one for each keyword of the Python function")]
pub fn train(
    py: Python<'_>,
    source: Py<Source>,
    settings: &str,
    options: &str,
    fields: Fields,
    halvings: usize,
    path: &str,
    report: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let config = parse(settings)?;
    let training = Training::parse(options)?;
    let corpus = source.get().corpus.clone();
    let (label, group, judged) = fields;
    let (model, corpus) = wait_for(py, report.as_ref(), |context| {
        let (corpus, labels) = read_labels(&corpus, &label, group.as_deref(), judged.as_deref())?;
        own_pool(config.run.threads, || {
            Ok((training.learn(&config, &corpus, &labels, halvings, context)?, corpus))
        })
    })?;
    write(Path::new(path), &model.to_bytes())?;
    let facts = json!({
        "method": model.kind(),
        "documents": model.report.n_documents,
        "unreadable": corpus.n_unreadable,
        "unlabelled": corpus.n_unlabelled,
        "near_duplicates": model.report.n_positive,
        "others": model.report.n_negative,
        "unseen": model.report.unseen,
    });
    Ok(facts.to_string())
}

/// Finds the best configuration, writes it to a file, and its model beside it.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "one for each keyword of the Python function")]
pub fn tune(
    py: Python<'_>,
    source: Py<Source>,
    settings: &str,
    fields: Fields,
    methods: Vec<String>,
    precision: Option<f64>,
    halvings: usize,
    budget_seconds: f64,
    path: &str,
    report: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let config = parse(settings)?;
    let corpus = source.get().corpus.clone();
    let goal = precision.map_or(Goal::F1, Goal::Precision);
    if let Some(judged) = fields.2.as_deref().filter(|_| methods.is_empty()) {
        let answers = lookalike::read_answers(Path::new(judged)).map_err(failed_run)?;
        if answers.iter().any(|answer| answer.draw.is_some()) {
            let chosen = wait_for(py, report.as_ref(), |context| {
                own_pool(config.run.threads, || {
                    let answers = Answers { choosing: &answers, checking: &[] };
                    choose_by(&corpus, &config.run, answers, goal, context)
                })
            })?;
            return write_choice(chosen, &config, Path::new(path));
        }
    }
    let tried = candidates_named(&methods)
        .map_err(|error| ConfigError::new_err(format!("methods: {error}")))?;
    // What is asked for holds for all; else each method is tried with and without templates.
    let tried = match config.run.ignore_boilerplate {
        Some(number) => tried.into_iter().map(|c| c.ignoring(Some(number))).collect(),
        None => with_boilerplate(&tried),
    };
    let budget = Duration::try_from_secs_f64(budget_seconds)
        .map_err(|_| ConfigError::new_err("budget: expected a number of seconds"))?;
    let run = config.run.clone();
    let options = TuneOptions { goal, halvings, budget, run, ..TuneOptions::default() };
    let (label, group, judged) = fields;
    let (outcome, corpus, labels) = wait_for(py, report.as_ref(), |context| {
        let (corpus, labels) = read_labels(&corpus, &label, group.as_deref(), judged.as_deref())?;
        own_pool(config.run.threads, || {
            let (documents, groups) = (&corpus.documents, &corpus.groups);
            lookalike::tune::tune(documents, groups, &labels, tried, &options, context)
        })
        .map(|outcome| (outcome, corpus, labels))
    })?;
    write_config(&outcome, &config, (&corpus, &labels), Path::new(path))?;
    Ok(tuned(&outcome, &corpus).to_string())
}

/// What drawn answers chose, as a configuration.
fn write_choice(chosen: Option<Chosen>, config: &Config, path: &Path) -> PyResult<String> {
    let one_kind = "no answer is yes: there is nothing to choose by; go on with label_queue";
    let chosen = chosen.ok_or_else(|| InputError::new_err(one_kind))?;
    let config = chosen.configuration(&config.run).map_err(failed_run)?;
    let text = config.to_toml().map_err(|error| OutputError::new_err(error.to_string()))?;
    write(path, text.as_bytes())?;
    Ok(json!({
        "measure": chosen.measure.name, "threshold": chosen.line, "answers": chosen.answers,
        "duplicates": chosen.duplicates, "not_drawn": chosen.undrawn,
        "f1_on_these_answers": chosen.f1,
    })
    .to_string())
}

fn tuned(outcome: &TuneOutcome, corpus: &LabelledCorpus) -> Value {
    let estimate = |e: &Estimate| json!({"mean": e.mean, "low": e.low, "high": e.high});
    let promise = |reached: &Promise| {
        json!({
            "precision": estimate(&reached.precision),
            "recall": estimate(&reached.recall),
            "f1": estimate(&reached.f1),
        })
    };
    let row = |tuned: &lookalike::tune::Tuned| {
        let mut row = promise(&tuned.reached);
        row["method"] = json!(tuned.candidate.name);
        row["threshold"] = json!(tuned.candidate.config.threshold());
        row
    };
    json!({
        "ranking": outcome.ranking.iter().map(row).collect::<Vec<Value>>(),
        "groups": corpus.groups.to_string(),
        "promise": promise(&outcome.promise),
        "no_time_for": outcome.skipped,
        "notes": outcome.warnings,
    })
}

/// Both files say what they were made on.
fn write_config(
    outcome: &TuneOutcome,
    config: &Config,
    (corpus, labels): (&LabelledCorpus, &Labels),
    path: &Path,
) -> PyResult<()> {
    let best = outcome.best();
    let best = best.ok_or_else(|| ConfigError::new_err("no method was tried; give budget more"))?;
    let mut config = best.configuration(&config.run);
    let (documents, analyzer) = (&corpus.documents, best.config.analyzer());
    if let Some(model) = &outcome.model {
        let beside = path.with_extension("model");
        let profile = Profile::of_labelled(documents, &corpus.groups, labels, analyzer);
        let profile = profile.map_err(failed_run)?.figures;
        write(&beside, &Model { profile, ..model.clone() }.to_bytes())?;
        // Files that stand beside the configuration are looked for there.
        config.run.model = beside.file_name().map(Into::into);
    } else {
        config.run.made_on = Some(Profile::of_documents(documents, analyzer).map_err(failed_run)?);
    }
    let text = config.to_toml().map_err(|error| OutputError::new_err(error.to_string()))?;
    write(path, text.as_bytes())
}

/// All methods on labelled documents, as a table in JSON and in Markdown.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "one for each keyword of the Python function")]
pub fn compare_methods(
    py: Python<'_>,
    source: Py<Source>,
    label: String,
    judged: Option<String>,
    methods: Option<&str>,
    halvings: usize,
    max_documents: usize,
    seed: u64,
    ignore_boilerplate: Option<usize>,
    threads: usize,
    out: Option<String>,
) -> PyResult<(String, String)> {
    let methods = match methods {
        None => ComparedMethod::all(),
        Some(list) => ComparedMethod::parse_list(list)
            .map_err(|error| ConfigError::new_err(with_causes(&error)))?,
    };
    if halvings > 32 {
        return Err(ConfigError::new_err("halvings: at most 32"));
    }
    let options = CompareOptions { methods, halvings, seed, max_documents, ignore_boilerplate };
    let corpus = source.get().corpus.clone();
    let outcome = wait_or_leave(py, move || {
        let judgments = judged.map(|path| lookalike::read_judgments(Path::new(&path)));
        let judgments: Option<Vec<Judgment>> = judgments.transpose()?.map(|pairs| {
            let judgment = |pair: lookalike::JudgedPair| Judgment {
                left: pair.left,
                right: pair.right,
                near_duplicate: pair.duplicate,
            };
            pairs.into_iter().map(judgment).collect()
        });
        let collection = Collection::load(&corpus, &label);
        if collection.is_empty() {
            return Err(RunError::NothingReadable("the input is empty".into()));
        }
        own_pool(threads, || Ok(compare::run(collection, judgments.as_deref(), &options)))
    })?;
    let outcome = outcome.map_err(|error| InputError::new_err(with_causes(&error)))?;
    if let Some(folder) = out {
        let written = outcome.write(Path::new(&folder));
        written.map_err(|error| OutputError::new_err(with_causes(&error)))?;
    }
    Ok((outcome.table.to_json().to_string(), outcome.table.to_markdown()))
}

/// A pool of one's own: that of the process would be dead in a forked child.
pub fn own_pool<T: Send>(
    threads: usize,
    work: impl FnOnce() -> Result<T, RunError> + Send,
) -> Result<T, RunError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| RunError::Threads { threads, reason: error.to_string() })?.install(work)
}

/// Pairs to ask about, one after the other.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub struct Queue {
    questions: Mutex<Questions>,
    answers: Option<Mutex<JudgmentsFile>>,
}

/// Number, ids, texts and score of a pair.
type Asked = (usize, String, String, String, String, f64);

/// Finds pairs to ask about; answers go to the file, and what it holds is not asked again.
#[pyfunction]
pub fn label_queue(
    py: Python<'_>,
    source: Py<Source>,
    settings: &str,
    path: Option<&str>,
    report: Option<Bound<'_, PyAny>>,
) -> PyResult<Queue> {
    let config = parse(settings)?;
    let corpus = source.get().corpus.clone();
    let opened = path.map(|path| JudgmentsFile::open(Path::new(path))).transpose();
    let (file, earlier) = match opened.map_err(failed_run)? {
        Some((file, earlier)) => (Some(file), earlier),
        None => (None, Vec::new()),
    };
    let round = Round { answered: &earlier, ..Round::default() };
    let questions =
        wait_for(py, report.as_ref(), |context| questions(&corpus, &config, round, context))?;
    Ok(Queue { questions: Mutex::new(questions), answers: file.map(Mutex::new) })
}

#[pymethods]
impl Queue {
    fn ask(&self) -> PyResult<Option<Asked>> {
        let mut questions = self.questions.try_lock().map_err(|_| in_use())?;
        let Some(number) = questions.ask() else { return Ok(None) };
        let asked = questions.question(number).clone();
        let score = questions.score(&asked);
        let (left, right) = (asked.left, asked.right);
        Ok(Some((number, left.id, right.id, left.text, right.text, score)))
    }

    fn answer(&self, number: usize, left: &str, right: &str, duplicate: bool) -> PyResult<()> {
        let mut questions = self.questions.try_lock().map_err(|_| in_use())?;
        if let Some(file) = &self.answers {
            let mut file = file.try_lock().map_err(|_| in_use())?;
            let draw = questions.question(number).draw;
            file.append((left, right), Some(duplicate), Some(draw)).map_err(failed_run)?;
        }
        questions.answer(number, duplicate);
        Ok(())
    }

    fn line(&self) -> PyResult<f64> {
        Ok(self.questions.try_lock().map_err(|_| in_use())?.line())
    }
}
