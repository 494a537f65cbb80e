//! `lookalike compare`: every method on one labelled collection, in one table.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::Args;
use lookalike_lab::compare::{self, CompareOptions, ComparedMethod, Judgment};
use serde_json::Value;

use super::lab::{CollectionArguments, print};
use crate::arguments::Format;
use crate::configuration::Usage;

/// What `lookalike compare` takes.
#[derive(Debug, Args)]
pub struct CompareArguments {
    #[command(flatten)]
    collection: CollectionArguments,
    /// The field that names a document's cluster
    #[arg(long, value_name = "FIELD", default_value = "cluster")]
    cluster_key: String,
    /// Labelled pairs, instead of clusters: JSON Lines of `a`, `b` and `near_duplicate` (or `label`)
    #[arg(long, value_name = "PAIRS.jsonl")]
    judgments: Option<PathBuf>,
    /// Only these methods, with parameters as in minhash:ngram=3:threshold=0.8,spotsigs
    #[arg(long, value_name = "METHOD,...")]
    methods: Option<String>,
    /// Random halvings of the clusters that Max F1 is averaged over
    #[arg(long, value_name = "N", default_value_t = CompareOptions::default().halvings)]
    halvings: usize,
    /// Of larger collections, so many documents are drawn, in whole clusters
    #[arg(long, value_name = "N", default_value_t = CompareOptions::default().max_documents)]
    max_documents: usize,
    /// Seed of the halvings and of the draw
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Folder for table.json, clusters.json and plot.svg
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// How the tables are printed
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

/// Runs the command.
pub fn run(arguments: &CompareArguments) -> Result<()> {
    if arguments.halvings > 32 {
        return Err(Usage("--halvings: at most 32".into()).into());
    }
    let methods = match &arguments.methods {
        Some(text) => ComparedMethod::parse_list(text).map_err(|error| Usage(error.to_string()))?,
        None => ComparedMethod::all(),
    };
    let options = CompareOptions {
        methods,
        halvings: arguments.halvings,
        seed: arguments.seed,
        max_documents: arguments.max_documents,
    };
    let judgments = arguments.judgments.as_deref().map(read_judgments).transpose()?;
    let collection = arguments.collection.load(&arguments.cluster_key)?;
    let outcome = compare::run(collection, judgments.as_deref(), &options)?;
    if let Some(folder) = &arguments.out {
        outcome.write(folder)?;
    }
    print(&outcome, arguments.format)
}

/// Reads labelled pairs; `near_duplicate` counts before `label`, and a grade of 1 or more means
/// near-duplicate.
fn read_judgments(path: &Path) -> Result<Vec<Judgment>> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read the judgments {}", path.display()))?;
    let mut judgments = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let place = || format!("{}:{}", path.display(), number + 1);
        let row: Value = serde_json::from_str(line).with_context(place)?;
        let judgment = judgment(&row)
            .with_context(|| format!("{}: expected a, b and near_duplicate or label", place()))?;
        judgments.push(judgment);
    }
    Ok(judgments)
}

fn judgment(row: &Value) -> Option<Judgment> {
    let id = |name: &str| match &row[name] {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let verdict = row.get("near_duplicate").or_else(|| row.get("label"))?;
    let near_duplicate =
        verdict.as_bool().or_else(|| verdict.as_f64().map(|grade| grade >= 1.0))?;
    Some(Judgment { left: id("a")?, right: id("b")?, near_duplicate })
}
