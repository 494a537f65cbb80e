//! `lookalike tune`: the best method and threshold for labelled documents.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Args;
use lookalike::tune::{
    Candidate, Estimate, Goal, Labels, TuneOptions, TuneOutcome, candidates, tune,
};
use lookalike::{Config, RunConfig};
use serde_json::json;

use crate::arguments::{ClusterArguments, CommonArguments, Format, ReportArguments};
use crate::configuration::{Surroundings, Typed, Usage};
use crate::display::{self, Listing};
use crate::output_file;

/// What `lookalike tune` takes.
#[derive(Debug, Args)]
pub struct TuneArguments {
    /// Labelled documents: files, folders or globs
    #[arg(required = true, value_name = "LABELLED")]
    inputs: Vec<String>,
    /// The configuration file to write; a model it needs is written beside it
    #[arg(long, short, value_name = "FILE.toml")]
    out: PathBuf,
    /// The field that names a document's cluster of near-duplicates
    #[arg(long, visible_alias = "cluster-key", value_name = "FIELD", default_value = "cluster")]
    label_key: String,
    /// Judged pairs instead of clusters: JSON Lines of a, b (ids) and duplicate (true or false)
    #[arg(long, visible_alias = "judgments", value_name = "FILE")]
    judged: Option<PathBuf>,
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
    #[arg(long, help_heading = "Run")]
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
    let tried = chosen_candidates(&arguments.methods)?;
    let options =
        TuneOptions { goal, halvings: arguments.halvings, budget, ..TuneOptions::default() };
    let typed = Typed::default().with_common(&arguments.common)?;
    let config = typed.with(&arguments.clusters)?.resolve()?;
    let surroundings = Surroundings::of(&arguments.common, &config)?;
    let outcome = surroundings.run(|context| {
        let temp_dir = context.temp_dir;
        let key = &arguments.label_key;
        let corpus = lookalike::labelled_corpus(&arguments.inputs, &config.run, key, temp_dir)?;
        let labels = match &arguments.judged {
            None => {
                corpus.require_labels(key)?;
                Labels::Clusters(corpus.clusters)
            }
            Some(path) => Labels::Pairs(lookalike::judged_pairs(path, &corpus.documents)?),
        };
        tune(&corpus.documents, &labels, tried, &options, context)
    })?;
    write(&outcome, &config.run, &arguments.out)?;
    match arguments.common.report {
        ReportArguments { quiet: true, .. } => Ok(()),
        ReportArguments { format: Format::Json, .. } => {
            display::json(&as_json(&outcome, &arguments.out))
        }
        _ => report(&outcome, &arguments.out),
    }
}

/// The methods with these names, in their variants; all of them where none is named.
pub(super) fn chosen_candidates(names: &[String]) -> Result<Vec<Candidate>> {
    let mut candidates = candidates();
    let is_known = |name: &&String| candidates.iter().any(|c| c.config.name() == *name);
    if let Some(unknown) = names.iter().find(|name| !is_known(name)) {
        return Err(Usage(format!("--methods: there is no method `{unknown}`")).into());
    }
    if !names.is_empty() {
        candidates.retain(|c| names.iter().any(|name| name == c.config.name()));
    }
    Ok(candidates)
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

/// Writes the best configuration, and its model beside it.
fn write(outcome: &TuneOutcome, run: &RunConfig, out: &Path) -> Result<()> {
    let best = outcome.best().context("no method was tried; give --budget more time")?;
    let mut config = Config { run: run.clone(), detector: best.clone() };
    if let Some(model) = &outcome.model {
        let path = out.with_extension("model");
        output_file::write(&path, &model.to_bytes())?;
        // Files that stand beside the configuration are looked for there.
        config.run.model = path.file_name().map(PathBuf::from);
    }
    output_file::write(out, config.to_toml()?.as_bytes())
}

fn as_json(outcome: &TuneOutcome, out: &Path) -> serde_json::Value {
    let estimate = |e: &Estimate| json!({"mean": e.mean, "low": e.low, "high": e.high});
    let ranking: Vec<_> = outcome
        .ranking
        .iter()
        .map(|tuned| {
            json!({
                "method": tuned.candidate.name,
                "threshold": tuned.candidate.config.threshold(),
                "precision": estimate(&tuned.precision),
                "recall": estimate(&tuned.recall),
                "f1": estimate(&tuned.f1),
            })
        })
        .collect();
    json!({
        "config": out,
        "ranking": ranking,
        "no_time_for": outcome.skipped,
        "notes": outcome.warnings,
    })
}

fn report(outcome: &TuneOutcome, out: &Path) -> Result<()> {
    let mut table = Listing::new(&["method", "threshold", "precision", "recall", "F1"]);
    let shown = |e: &Estimate| format!("{:.3} ({:.3}-{:.3})", e.mean, e.low, e.high);
    for tuned in &outcome.ranking {
        let threshold = tuned.candidate.config.threshold();
        table.row([
            tuned.candidate.name.clone(),
            threshold.map_or_else(|| "-".to_owned(), |threshold| format!("{threshold:.3}")),
            shown(&tuned.precision),
            shown(&tuned.recall),
            shown(&tuned.f1),
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
