//! `lookalike tune`: the best method and threshold for labelled documents.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Args;
use lookalike::decide::{WIDEST, tells};
use lookalike::label::{Answers, Checked, Chosen, choose_by};
use lookalike::tune::{
    Candidate, Estimate, Goal, Labels, Promise, TuneOptions, TuneOutcome, candidates_named, tune,
    with_boilerplate,
};
use lookalike::{Config, LabelFields, LabelledCorpus, Profile, RunConfig, RunError};
use lookalike_detect::Model;
use lookalike_statistics::Statistics;
use serde_json::json;

use crate::arguments::{ClusterArguments, CommonArguments, Format, ReportArguments};
use crate::commands::decide::write as write_reasoned;
use crate::commands::incomplete::Incomplete;
use crate::configuration::{RunResources, Typed, Usage};
use crate::display::{self, Listing};
use crate::output_file;

/// What `lookalike tune` takes.
#[derive(Debug, Args)]
pub struct TuneArguments {
    /// Labelled documents: files, folders or globs
    #[arg(required = true, value_name = "LABELLED")]
    inputs: Vec<OsString>,
    /// The configuration file to write; a model it needs is written beside it
    #[arg(long, short, value_name = "FILE.toml")]
    out: PathBuf,
    /// The field that names a document's cluster of near-duplicates
    #[arg(long, visible_alias = "cluster-key", value_name = "FIELD", default_value = "cluster")]
    label_key: String,
    /// Judged pairs instead of clusters: JSON Lines of a, b (ids) and duplicate (true or false). Pairs
    /// that `label` drew choose among a few measures and their thresholds
    #[arg(long, visible_alias = "judgments", value_name = "FILE")]
    judged: Option<PathBuf>,
    /// With --judged: further answers that `label` drew, which have no part in the choice and say how
    /// good it is
    #[arg(long, value_name = "FILE", requires = "judged")]
    check: Option<PathBuf>,
    /// The judged pairs are a random sample of all pairs, whatever their file says of draws: try
    /// all methods on them
    #[arg(long, requires = "judged")]
    drawn_at_random: bool,
    /// The field that names where a document comes from: site, template, sender [default: guessed]
    #[arg(long, value_name = "FIELD")]
    group_key: Option<String>,
    /// Further documents of the collection, without labels, whose words are counted too
    #[arg(long, value_name = "INPUT", num_args = 1..)]
    collection: Vec<OsString>,
    /// How many documents the choice will be used on [default: as many as are given]
    #[arg(long, value_name = "N")]
    documents: Option<usize>,
    /// Leave out paragraphs that at least N otherwise different documents repeat [default: each
    /// method is tried with and without]
    #[arg(long, value_name = "N")]
    ignore_boilerplate: Option<usize>,
    /// Seek the best recall at this precision, instead of the best F1
    #[arg(long, value_name = "P")]
    precision: Option<f64>,
    /// Only these methods [default: all]
    #[arg(long = "methods", value_name = "NAME", value_delimiter = ',')]
    methods: Vec<String>,
    /// Random halvings of the labels
    #[arg(long, value_name = "N", default_value_t = 5)]
    halvings: usize,
    /// Start no further candidate after this time: 90s, 10m, 1h
    #[arg(long, value_name = "TIME", default_value = "10m")]
    budget: String,
    /// Replace a file that exists
    #[arg(long, help_heading = "Output")]
    force: bool,
    #[command(flatten)]
    clusters: ClusterArguments,
    #[command(flatten)]
    pub common: CommonArguments,
}

/// Runs the command.
pub fn run(arguments: &TuneArguments) -> Result<()> {
    output_file::check(&arguments.out, arguments.force)?;
    let goal = match arguments.precision {
        None => Goal::F1,
        Some(wanted) if (0.0..=1.0).contains(&wanted) => Goal::Precision(wanted),
        Some(wanted) => return Err(Usage(format!("--precision {wanted}: from 0 to 1")).into()),
    };
    let budget = duration(&arguments.budget)
        .ok_or_else(|| Usage(format!("--budget {}: expected 90s, 10m or 1h", arguments.budget)))?;
    let typed = Typed::default().with_common(&arguments.common)?;
    let mut config = typed.with(&arguments.clusters)?.resolve()?;
    config.run.ignore_boilerplate = arguments.ignore_boilerplate.or(config.run.ignore_boilerplate);
    let tried = candidates_named(&arguments.methods)
        .map_err(|error| Usage(format!("--methods: {error}")))?;
    // What is asked for holds for all; else each method is tried with and without templates.
    let tried = match config.run.ignore_boilerplate {
        Some(number) => tried.into_iter().map(|c| c.ignoring(Some(number))).collect(),
        None => with_boilerplate(&tried),
    };
    let resources = RunResources::of(&arguments.common, &config)?;
    if let Some(path) = arguments.judged.as_deref().filter(|_| !arguments.drawn_at_random) {
        return by_answers(arguments, path, (&config, goal), &resources);
    }
    // Reading and guessing groups look at no interrupt, and everything is in memory.
    let (outcome, corpus, labels) = crate::end_at_once(|| {
        resources.run(|context| {
            let temp_dir = context.temp_dir;
            let key = &arguments.label_key;
            let fields = LabelFields { label: key, group: arguments.group_key.as_deref() };
            let corpus =
                lookalike::labelled_corpus(&arguments.inputs, &config.run, fields, temp_dir)?;
            let labels = match &arguments.judged {
                None => {
                    corpus.require_labels(key)?;
                    Labels::Clusters(corpus.clusters.clone())
                }
                Some(path) => Labels::Pairs(lookalike::judged_pairs(path, &corpus.documents)?),
            };
            let options = TuneOptions {
                goal,
                halvings: arguments.halvings,
                budget,
                documents: arguments.documents,
                run: config.run.clone(),
                statistics: counted(&tried, &corpus, &arguments.collection, &config, context)?,
                ..TuneOptions::default()
            };
            let outcome =
                tune(&corpus.documents, &corpus.groups, &labels, tried, &options, context)?;
            anyhow::Ok((outcome, corpus, labels))
        })
    })?;
    write(&outcome, &config.run, (&corpus, &labels), &arguments.out)?;
    match arguments.common.report {
        ReportArguments { quiet: true, .. } => {}
        ReportArguments { format: Format::Json, .. } => {
            display::json(&as_json(&outcome, &corpus, &arguments.out))?;
        }
        _ => report(&outcome, &corpus, arguments.documents, &arguments.out)?,
    }
    Incomplete::of_labelled(&corpus).refuse()
}

/// Chooses by pairs that were drawn for it.
fn by_answers(
    arguments: &TuneArguments,
    path: &Path,
    (config, goal): (&Config, Goal),
    resources: &RunResources,
) -> Result<()> {
    let shown = path.display();
    let answers = lookalike::read_answers(path)?;
    if answers.is_empty() {
        let why =
            "none of its pairs is answered; set `duplicate` of each to true, false or \"unsure\"";
        return Err(Usage(format!("--judged {shown}: {why}")).into());
    }
    let drawn = answers.iter().any(|answer| answer.draw.is_some());
    if !drawn || !arguments.methods.is_empty() {
        let why = if drawn {
            "--methods tries methods on a random sample, and its pairs were drawn by scores"
        } else {
            "it does not say how its pairs were drawn"
        };
        return Err(Usage(format!(
            "--judged {shown}: {why}; draw pairs with `lookalike label`, or say --drawn-at-random if \
             they are a random sample of all pairs"
        ))
        .into());
    }
    let checking = arguments.check.as_deref().map(lookalike::read_answers).transpose()?;
    let given = Answers { choosing: &answers, checking: checking.as_deref().unwrap_or_default() };
    let (chosen, incomplete) = resources.run(|context| {
        let corpus = lookalike::open_input(&arguments.inputs, config, context)?;
        let chosen = choose_by(&corpus, &config.run, given, goal, context)?;
        Ok::<_, RunError>((chosen, Incomplete::of(&corpus)))
    })?;
    let chosen = chosen.with_context(|| {
        format!(
            "{shown}: no answer is yes: there is nothing to choose by; go on with `lookalike label`"
        )
    })?;
    let name = chosen.measure.name;
    let checked = chosen.checked.as_ref();
    let Chosen { line, f1, answers, duplicates, undrawn, .. } = chosen;
    let reason = format!(
        "{answers} answers, {duplicates} of them yes, fit {name} of at least {line:.2} best"
    );
    write_reasoned(&reason, &chosen.configuration(&config.run)?, &arguments.out)?;
    let out = arguments.out.display();
    match arguments.common.report {
        ReportArguments { quiet: true, .. } => {}
        ReportArguments { format: Format::Json, .. } => display::json(&json!({
            "config": arguments.out, "measure": name, "threshold": line, "answers": answers,
            "duplicates": duplicates, "not_drawn": undrawn, "not_there": chosen.missing, "f1_on_these_answers": f1,
            "check": checked.map(check_as_json),
        }))?,
        _ => {
            display::line(&reason)?;
            match checked {
                Some(checked) => report_check(checked)?,
                None => display::line(format_args!(
                    "F1 on these answers is {f1:.2}; they chose, so it is no promise for other pairs: \
                     for one, draw a check with lookalike label --judged {shown} --questions 24, and \
                     give it with --check"
                ))?,
            }
            if undrawn > 0 {
                display::line(format_args!(
                    "note: {undrawn} answers do not say how they were drawn and did not count"
                ))?;
            }
            if chosen.missing > 0 {
                let missing = chosen.missing;
                display::line(format_args!(
                    "note: of {missing} answers a document is not in the input"
                ))?;
            }
            display::line(format_args!("{out}: use it with --config {out}"))?;
        }
    }
    incomplete.refuse()
}

fn check_as_json(checked: &Checked) -> serde_json::Value {
    let estimate = |e: &Estimate| json!({"mean": e.mean, "low": e.low, "high": e.high});
    let Checked { promise, answers, wanted } = checked;
    json!({
        "answers": answers, "more_answers_wanted": wanted,
        "precision": estimate(&promise.precision), "recall": estimate(&promise.recall),
        "f1": estimate(&promise.f1),
    })
}

/// Intervals that tell something, and what it takes to tell the others.
fn report_check(checked: &Checked) -> Result<()> {
    let Checked { promise, answers, wanted } = checked;
    for (name, e) in
        [("precision", promise.precision), ("recall", promise.recall), ("F1", promise.f1)]
    {
        if tells(&e) {
            display::line(format_args!(
                "{name} {:.2}, {:.2} to {:.2} (95 %), by {answers} answers that did not choose",
                e.mean, e.low, e.high
            ))?;
        } else {
            let more = match wanted {
                Some(0) | None => "many more answers".to_owned(),
                Some(more) => format!("about {more} more answers"),
            };
            display::line(format_args!("{name}: cannot tell below ±{WIDEST}: {more}"))?;
        }
    }
    Ok(())
}

/// The document frequencies of all documents given, for each analyzer that needs any; empty where
/// the labelled documents are all there is, which are counted as they are needed.
fn counted(
    tried: &[Candidate],
    corpus: &LabelledCorpus,
    collection: &[OsString],
    config: &Config,
    context: &lookalike::Context<'_>,
) -> Result<Vec<Arc<Statistics>>> {
    let mut counted: Vec<Arc<Statistics>> = Vec::new();
    if collection.is_empty() {
        return Ok(counted);
    }
    let further = lookalike::open_corpus(collection, config, context.temp_dir)?;
    for candidate in tried {
        let analyzer = candidate.config.analyzer();
        let needs_any = candidate.config.needs_statistics() || candidate.learns.is_some();
        if !needs_any || counted.iter().any(|known| known.analyzer() == analyzer) {
            continue;
        }
        let labelled = lookalike::document_statistics(&corpus.documents, analyzer)?;
        let kept = lookalike::KeptTerms::Hashes;
        let rest = lookalike::count_statistics(&further, analyzer, kept, context)?;
        counted.push(Arc::new(labelled.merge(&rest)?));
    }
    Ok(counted)
}

fn duration(text: &str) -> Option<Duration> {
    let split = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(split);
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        _ => return None,
    };
    Some(Duration::from_secs(number.parse::<u64>().ok()?.checked_mul(seconds)?))
}

/// Writes the best configuration, and its model beside it; both say what they were made on.
fn write(
    outcome: &TuneOutcome,
    run: &RunConfig,
    (corpus, labels): (&LabelledCorpus, &Labels),
    out: &Path,
) -> Result<()> {
    let best = outcome.best().context("no method was tried; give --budget more time")?;
    let mut config = best.configuration(run);
    let analyzer = best.config.analyzer();
    if let Some(model) = &outcome.model {
        let path = out.with_extension("model");
        let profile = Profile::of_labelled(&corpus.documents, &corpus.groups, labels, analyzer)?;
        let profile = profile.figures;
        output_file::write(&path, &Model { profile, ..model.clone() }.to_bytes())?;
        // Files that stand beside the configuration are looked for there.
        config.run.model = path.file_name().map(PathBuf::from);
    } else {
        config.run.made_on = Some(Profile::of_documents(&corpus.documents, analyzer)?);
    }
    output_file::write(out, config.to_toml()?.as_bytes())
}

fn as_json(outcome: &TuneOutcome, corpus: &LabelledCorpus, out: &Path) -> serde_json::Value {
    let estimate = |e: &Estimate| json!({"mean": e.mean, "low": e.low, "high": e.high});
    let ranking: Vec<_> = outcome
        .ranking
        .iter()
        .map(|tuned| {
            json!({
                "method": tuned.candidate.name,
                "threshold": tuned.candidate.config.threshold(),
                "precision": estimate(&tuned.reached.precision),
                "recall": estimate(&tuned.reached.recall),
                "f1": estimate(&tuned.reached.f1),
            })
        })
        .collect();
    json!({
        "config": out,
        "ranking": ranking,
        "groups": corpus.groups.to_string(),
        "promise": {
            "precision": estimate(&outcome.promise.precision),
            "recall": estimate(&outcome.promise.recall),
            "f1": estimate(&outcome.promise.f1),
        },
        "no_time_for": outcome.skipped,
        "notes": outcome.warnings,
    })
}

fn report(
    outcome: &TuneOutcome,
    corpus: &LabelledCorpus,
    documents: Option<usize>,
    out: &Path,
) -> Result<()> {
    let mut table = Listing::new(&["method", "threshold", "precision", "recall", "F1"]);
    let shown = |e: &Estimate| format!("{:.3} ({:.3}-{:.3})", e.mean, e.low, e.high);
    for tuned in &outcome.ranking {
        let threshold = tuned.candidate.config.threshold();
        table.row([
            tuned.candidate.name.clone(),
            threshold.map_or_else(|| "-".to_owned(), |threshold| format!("{threshold:.3}")),
            shown(&tuned.reached.precision),
            shown(&tuned.reached.recall),
            shown(&tuned.reached.f1),
        ]);
    }
    table.align_numbers();
    display::block(table)?;
    display::blank()?;
    for name in &outcome.skipped {
        display::line(format_args!("no time for {name}; give --budget more"))?;
    }
    for warning in &outcome.warnings {
        display::line(format_args!("note: {warning}"))?;
    }
    let Promise { precision, recall, f1 } = &outcome.promise;
    display::line(format_args!("divided by clusters and groups: {}", corpus.groups))?;
    display::line(format_args!(
        "expect of the first on {} documents like these: precision {}, recall {}, F1 {}",
        documents.unwrap_or(corpus.documents.len()),
        shown(precision),
        shown(recall),
        shown(f1)
    ))?;
    display::line(format_args!(
        "{}: {}; use it with --config {}",
        out.display(),
        outcome.ranking.first().map_or("", |best| best.candidate.name.as_str()),
        out.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_their_unit() {
        assert_eq!(duration("90s"), Some(Duration::from_secs(90)));
        assert_eq!(duration("10m"), Some(Duration::from_mins(10)));
        assert_eq!(duration("10"), None);
        assert_eq!(duration("ten minutes"), None);
    }
}
