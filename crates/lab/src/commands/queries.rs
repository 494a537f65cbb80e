//! A sample of a collection asked against it: spam, and the number of lexicons.

use anyhow::Result;
use clap::Args;
use lookalike_lab::experiments::{QueryOptions, bags, mail};
use lookalike_learn::Outcome;

use super::{CollectionArguments, ForeignStatistics, Usage};

/// What the experiment takes.
#[derive(Debug, Args)]
pub struct QueryArguments {
    #[command(flatten)]
    collection: CollectionArguments,
    #[command(flatten)]
    statistics: ForeignStatistics,
    /// Numbers of randomized lexicons
    #[arg(long, value_name = "K,...", value_delimiter = ',')]
    bags: Vec<usize>,
    /// The lexicon, by nidf
    #[arg(long, value_name = "MIN-MAX")]
    nidf: Option<String>,
    /// Any further parameter of imatch, as in --set min-terms=3
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// The share of documents that become queries
    #[arg(long, value_name = "SHARE", default_value_t = QueryOptions::default().share)]
    share: f64,
    /// The binary cosine from which two documents are duplicates
    #[arg(long, value_name = "T", default_value_t = QueryOptions::default().cosine)]
    cosine: f64,
    /// Leave out documents with the same set of words as an earlier one; `lookalike-lab mail` always does
    #[arg(long)]
    without_trivial: bool,
    /// Seed of the sample of queries
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// What the experiment takes.
#[derive(Debug, Args)]
pub struct MailArguments {
    #[command(flatten)]
    queries: QueryArguments,
    /// What one legitimate message taken for spam costs
    #[arg(long, value_name = "COST", default_value_t = 100.0)]
    cost: f64,
}

/// What the experiment takes.
#[derive(Debug, Args)]
pub struct BagsArguments {
    #[command(flatten)]
    queries: QueryArguments,
}

impl QueryArguments {
    fn options(&self, defaults: QueryOptions) -> QueryOptions {
        QueryOptions {
            share: self.share,
            cosine: self.cosine,
            seed: self.seed,
            drop_trivial: self.without_trivial || defaults.drop_trivial,
            ..defaults
        }
    }

    /// I-Match's parameters: those of the experiment, then --nidf, then --set.
    fn parameters(&self, defaults: toml::Table) -> Result<toml::Table> {
        let mut table = defaults;
        if let Some(nidf) = &self.nidf {
            table.insert("nidf".into(), nidf.clone().into());
        }
        for assignment in &self.set {
            let set = lookalike::assign(&mut table, assignment);
            set.map_err(|error| Usage(format!("--set {error}")))?;
        }
        Ok(table)
    }

    fn bags(&self, defaults: Vec<usize>) -> Vec<usize> {
        if self.bags.is_empty() { defaults } else { self.bags.clone() }
    }
}

impl MailArguments {
    /// Runs the experiment.
    pub fn run(&self) -> Result<Outcome> {
        let defaults = mail::MailOptions::default();
        let options = mail::MailOptions {
            bags: self.queries.bags(defaults.bags),
            parameters: self.queries.parameters(defaults.parameters)?,
            queries: self.queries.options(defaults.queries),
            cost: self.cost,
        };
        let collection = self.queries.collection.load("label")?.with_titles_in_text();
        Ok(mail::run(collection, self.queries.statistics.read()?, &options)?)
    }
}

impl BagsArguments {
    /// Runs the experiment.
    pub fn run(&self) -> Result<Outcome> {
        let defaults = bags::BagsOptions::default();
        let options = bags::BagsOptions {
            bags: self.queries.bags(defaults.bags),
            parameters: self.queries.parameters(defaults.parameters)?,
            queries: self.queries.options(defaults.queries),
        };
        let collection = self.queries.collection.load("label")?;
        Ok(bags::run(collection, self.queries.statistics.read()?, &options)?)
    }
}
