//! Edited copies hidden in a collection.

use anyhow::Result;
use clap::Args;
use lookalike_detect::represent::RetentionRule;
use lookalike_lab::experiments::{contrived, imatch};
use lookalike_lab::perturb::ContrivedEdits;
use lookalike_learn::Outcome;
use lookalike_learn::compare::ComparedMethod;

use super::CollectionArguments;
use super::Usage;

/// What the experiment takes.
#[derive(Debug, Args)]
pub struct ContrivedArguments {
    #[command(flatten)]
    collection: CollectionArguments,
    /// Documents that are copied
    #[arg(long, value_name = "N", default_value_t = 10)]
    originals: usize,
    /// Edited copies of each
    #[arg(long, value_name = "N", default_value_t = 10)]
    copies: usize,
    /// One word in so many may be edited
    #[arg(long, value_name = "I", default_value_t = ContrivedEdits::default().every)]
    every: usize,
    /// A draw of 1 to 10 above this edits the word
    #[arg(long, value_name = "N", default_value_t = ContrivedEdits::default().alpha)]
    alpha: u32,
    /// Seed of the choice and of the edits
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Only these methods, instead of all; with parameters as in dsc:threshold=0.7:ngram=5
    #[arg(long, value_name = "NAME[:KEY=VALUE...]")]
    method: Vec<String>,
    /// I-Match with these rules, instead of IDF-L-10 and Doc-L-90
    #[arg(long, value_name = "RULE")]
    rule: Vec<RetentionRule>,
}

impl ContrivedArguments {
    /// Runs the experiment.
    pub fn run(&self) -> Result<Outcome> {
        let edits = ContrivedEdits { every: self.every, alpha: self.alpha };
        let defaults = contrived::ContrivedOptions::new()?;
        let mut methods = if self.method.is_empty() && self.rule.is_empty() {
            defaults.methods
        } else {
            Vec::new()
        };
        for rule in &self.rule {
            methods.push((format!("imatch {rule}"), imatch::with_rule(*rule)?));
        }
        for name in &self.method {
            let method = ComparedMethod::parse(name).map_err(|error| Usage(error.to_string()))?;
            methods.push((name.clone(), method.config));
        }
        let options = contrived::ContrivedOptions {
            originals: self.originals,
            copies: self.copies,
            edits,
            seed: self.seed,
            methods,
        };
        Ok(contrived::run(self.collection.load("label")?, &options)?)
    }
}
