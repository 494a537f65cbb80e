//! Whether `tune` keeps what it promised.

use anyhow::Result;
use clap::Args;
use lookalike::tune::Goal;
use lookalike_lab::Outcome;
use lookalike_lab::experiments::promise;

use super::CollectionArguments;
use crate::commands::tune::chosen_candidates;

/// What the experiment takes.
#[derive(Debug, Args)]
pub struct PromiseArguments {
    #[command(flatten)]
    collection: CollectionArguments,
    /// The field that names a document's cluster
    #[arg(long, value_name = "FIELD", default_value = "cluster")]
    label_key: String,
    /// Clusters by exact binary cosine instead: documents joined by pairs of at least this
    #[arg(long, value_name = "T")]
    cosine: Option<f64>,
    /// Ask tune for the best recall at this precision, instead of the best F1
    #[arg(long, value_name = "P")]
    precision: Option<f64>,
    /// Only these methods [default: all]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    methods: Vec<String>,
    /// Random halvings of the clusters
    #[arg(long, value_name = "N", default_value_t = 5)]
    halvings: usize,
    /// Seed of the halvings
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

impl PromiseArguments {
    /// Runs the experiment.
    pub fn run(&self) -> Result<Outcome> {
        let options = promise::PromiseOptions {
            halvings: self.halvings,
            seed: self.seed,
            goal: self.precision.map_or(Goal::F1, Goal::Precision),
            candidates: chosen_candidates(&self.methods)?,
            cosine: self.cosine,
        };
        Ok(promise::run(&self.collection.load(&self.label_key)?, &options)?)
    }
}
