//! Judgments that contradict each other.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::Args;
use lookalike_lab::experiments::judgments;
use lookalike_learn::Outcome;

/// What the experiment takes.
#[derive(Debug, Args)]
pub struct JudgmentsArguments {
    /// A clusters.jsonl written by `lookalike find`
    #[arg(value_name = "CLUSTERS")]
    clusters: PathBuf,
    /// Relevance judgments, TREC's `topic iteration document relevance`
    #[arg(long, value_name = "FILE")]
    qrels: PathBuf,
}

impl JudgmentsArguments {
    /// Runs the experiment.
    pub fn run(&self) -> Result<Outcome> {
        let read = |path: &Path| {
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
        };
        let mut members = judgments::Members::new();
        for (number, line) in read(&self.clusters)?.lines().enumerate() {
            let row: serde_json::Value = serde_json::from_str(line)
                .with_context(|| format!("{}:{}", self.clusters.display(), number + 1))?;
            let field = |name: &str| row[name].as_str().map(str::to_owned);
            if let (Some(cluster), Some(id)) = (field("cluster"), field("id")) {
                members.push((cluster, id));
            }
        }
        Ok(judgments::run(&read(&self.qrels)?, &members)?)
    }
}
