//! How likely signatures survive edits.

use anyhow::Result;
use clap::Args;
use lookalike_detect::sign::BagRule;
use lookalike_lab::experiments::stability;
use lookalike_learn::Outcome;

use super::Usage;

/// What the experiment takes.
#[derive(Debug, Args)]
pub struct StabilityArguments {
    /// How many lexicons are needed, as in n=5,stability=0.9; nothing is simulated
    #[arg(long, value_name = "n=N,stability=S")]
    plan: Option<String>,
    /// Numbers of randomized lexicons
    #[arg(long, value_name = "K,...", value_delimiter = ',')]
    bags: Vec<usize>,
    /// Numbers of edited lexicon terms
    #[arg(long, value_name = "N,...", value_delimiter = ',')]
    edits: Vec<u32>,
    /// How lexicons are drawn: bootstrap, drop:0.33
    #[arg(long, value_name = "RULE,...", value_delimiter = ',')]
    bag_rule: Vec<BagRule>,
    /// Documents signed for each row
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    trials: usize,
    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

impl StabilityArguments {
    /// Runs the experiment.
    pub fn run(&self) -> Result<Outcome> {
        let mut options = stability::StabilityOptions {
            trials: self.trials,
            seed: self.seed,
            ..stability::StabilityOptions::default()
        };
        if !self.bag_rule.is_empty() {
            let drop = |rule: &BagRule| match rule {
                BagRule::Bootstrap => None,
                BagRule::Drop(share) => Some(*share),
            };
            options.drops = self.bag_rule.iter().map(drop).collect();
        }
        if let Some(plan) = &self.plan {
            let (n_edits, wanted) = parse_plan(plan)?;
            return Ok(stability::plan(n_edits, wanted, &options.drops).into());
        }
        if !self.bags.is_empty() {
            options.bags.clone_from(&self.bags);
        }
        if !self.edits.is_empty() {
            options.edits.clone_from(&self.edits);
        }
        Ok(stability::run(&options)?)
    }
}

/// Reads `n=5,stability=0.9`, in either order.
fn parse_plan(text: &str) -> Result<(u32, f64), Usage> {
    let wrong = || Usage(format!("--plan {text}: write for example n=5,stability=0.9"));
    let (mut n_edits, mut wanted) = (None, None);
    for part in text.split(',') {
        match part.split_once('=').map(|(name, value)| (name.trim(), value.trim())) {
            Some(("n", value)) => n_edits = value.parse().ok(),
            Some(("stability", value)) => wanted = value.parse().ok(),
            _ => return Err(wrong()),
        }
    }
    n_edits.zip(wanted.filter(|s| (0.0..1.0).contains(s))).ok_or_else(wrong)
}
