//! `lookalike compare`: every method on one labelled collection, in one table.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use lookalike::JudgedPair;
use lookalike_learn::Collection;
use lookalike_learn::compare::{self, CompareOptions, ComparedMethod, Judgment};

use crate::arguments::{Format, ReportArguments};
use crate::configuration::Usage;
use crate::display;

/// What `lookalike compare` takes.
#[derive(Debug, Args)]
pub struct CompareArguments {
    /// Files, folders or globs
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<String>,
    /// The field that holds the text
    #[arg(long, value_name = "FIELD", default_value = "text")]
    text_key: String,
    /// The field that holds the id
    #[arg(long, value_name = "FIELD", default_value = "id")]
    id_key: String,
    /// The field that names a document's cluster
    #[arg(long, visible_alias = "label-key", value_name = "FIELD", default_value = "cluster")]
    cluster_key: String,
    /// Judged pairs, instead of clusters: JSON Lines of a, b (ids) and duplicate (true or false)
    #[arg(long, visible_alias = "judged", value_name = "PAIRS.jsonl")]
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
    /// Leave out paragraphs that at least N otherwise different documents repeat
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..))]
    ignore_boilerplate: Option<u32>,
    /// Seed of the halvings and of the draw
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Folder for table.json, clusters.json and plot.svg
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    pub report: ReportArguments,
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
        ignore_boilerplate: arguments.ignore_boilerplate.map(|number| number as usize),
    };
    let judgments = arguments.judgments.as_deref().map(read_judgments).transpose()?;
    let outcome = crate::end_at_once(|| {
        let CompareArguments { inputs, text_key, id_key, cluster_key, .. } = arguments;
        let collection = Collection::open(inputs, text_key, id_key, cluster_key)?;
        anyhow::Ok(compare::run(collection, judgments.as_deref(), &options)?)
    })?;
    if let Some(folder) = &arguments.out {
        outcome.write(folder)?;
    }
    match arguments.report {
        ReportArguments { quiet: true, .. } => Ok(()),
        ReportArguments { format: Format::Json, .. } => display::json(&outcome.table.to_json()),
        _ => display::block(outcome.to_text()),
    }
}

fn read_judgments(path: &Path) -> Result<Vec<Judgment>> {
    let judgment = |pair: JudgedPair| Judgment {
        left: pair.left,
        right: pair.right,
        near_duplicate: pair.duplicate,
    };
    Ok(lookalike::read_judgments(path)?.into_iter().map(judgment).collect())
}
