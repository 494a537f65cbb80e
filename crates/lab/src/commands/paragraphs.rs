//! Paragraph fingerprints, and what leaving out boilerplate does.

use anyhow::{Context as _, Result};
use clap::Args;
use lookalike_detect::DetectorConfig;
use lookalike_lab::experiments::{boilerplate, paragraphs};
use lookalike_lab::perturb::PartialCopies;
use lookalike_learn::Outcome;
use lookalike_learn::compare::ComparedMethod;
use lookalike_statistics::boilerplate::BoilerplateOptions;

use super::CollectionArguments;
use super::Usage;

/// What the experiment takes.
#[derive(Debug, Args)]
pub struct ParagraphsArguments {
    #[command(flatten)]
    collection: CollectionArguments,
    /// Articles in the labelled collection, before copies
    #[arg(long, value_name = "N", default_value_t = PartialCopies::default().articles)]
    articles: usize,
    /// Copies of each kind of edit
    #[arg(long, value_name = "N", default_value_t = PartialCopies::default().per_kind)]
    per_kind: usize,
    /// Only these methods, with parameters as in paragraph:relation=contains:threshold=0.5
    #[arg(long, value_name = "METHOD,...")]
    methods: Option<String>,
    /// Seed of the choice and of the edits
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// What the experiment takes.
#[derive(Debug, Args)]
pub struct BoilerplateArguments {
    #[command(flatten)]
    collection: CollectionArguments,
    /// The field that holds the cluster
    #[arg(long, value_name = "FIELD", default_value = "cluster")]
    label: String,
    /// Otherwise different documents that make a paragraph boilerplate
    #[arg(long, value_name = "N", default_value_t = BoilerplateOptions::default().min_documents)]
    min_documents: usize,
    /// Thresholds of minhash
    #[arg(
        long,
        value_name = "T,...",
        value_delimiter = ',',
        default_value = "0.1,0.2,0.3,0.5,0.7"
    )]
    thresholds: Vec<f64>,
}

impl ParagraphsArguments {
    /// Runs the experiment.
    pub fn run(&self) -> Result<Outcome> {
        let copies = PartialCopies {
            articles: self.articles,
            per_kind: self.per_kind,
            seed: self.seed,
            ..PartialCopies::default()
        };
        let only = self.methods.as_deref().map(ComparedMethod::parse_list).transpose();
        let only = only.map_err(|error| Usage(error.to_string()))?.unwrap_or_default();
        Ok(paragraphs::run(&self.collection.load("label")?, &copies, &only)?)
    }
}

impl BoilerplateArguments {
    /// Runs the experiment.
    pub fn run(&self) -> Result<Outcome> {
        let method = DetectorConfig::named("minhash").context("minhash is not compiled in")?;
        let options = BoilerplateOptions {
            min_documents: self.min_documents,
            ..BoilerplateOptions::default()
        };
        let collection = self.collection.load(&self.label)?;
        Ok(boilerplate::run(&collection, &method, &self.thresholds, options)?)
    }
}
