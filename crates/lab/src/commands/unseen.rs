//! `lookalike-lab unseen`, `lookalike-lab pairs`, `lookalike-lab promise` and `lookalike-lab labelling`: methods, presets and what `tune` chooses, as
//! `find` runs them.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use lookalike::tune::{Candidate, Goal, Labels, candidates_named, with_boilerplate};
use lookalike::{Config, LabelFields, LabelledCorpus};
use lookalike_lab::experiments::{cosine_pairs, labelling, promise, unseen};
use lookalike_learn::Outcome;

use super::Usage;

#[derive(Debug, Args)]
pub(super) struct UnseenArguments {
    #[command(flatten)]
    labelled: LabelledArguments,
    /// Methods and presets: NAME:KEY=VALUE:..., preset=NAME
    #[arg(
        long,
        value_name = "METHOD,...",
        value_delimiter = ',',
        default_value = "andd,andd-cosine,andd-jaccard,svm,preset=pages,spotsigs,minhash"
    )]
    methods: Vec<String>,
    #[command(flatten)]
    divisions: DivisionArguments,
}

#[derive(Debug, Args)]
pub(super) struct PairsArguments {
    #[command(flatten)]
    labelled: LabelledArguments,
    /// Methods and presets: NAME:KEY=VALUE:..., preset=NAME
    #[arg(
        long,
        value_name = "METHOD,...",
        value_delimiter = ',',
        default_value = "preset=mail,imatch:preset=mail:bags=10,imatch:preset=mail:bags=10:verify=none"
    )]
    methods: Vec<String>,
    /// The least cosine of the sets of terms of a true pair
    #[arg(long, value_name = "T", default_value_t = 0.9)]
    cosine: f64,
}

#[derive(Debug, Args)]
pub(super) struct PromiseArguments {
    #[command(flatten)]
    labelled: LabelledArguments,
    /// Judged pairs instead of clusters: JSON Lines of a, b (ids) and duplicate (true or false)
    #[arg(long, visible_alias = "judgments", value_name = "FILE")]
    judged: Option<PathBuf>,
    /// Clusters by exact binary cosine instead: documents joined by pairs of at least this
    #[arg(long, value_name = "T")]
    cosine: Option<f64>,
    /// Ask tune for the best recall at this precision, instead of the best F1
    #[arg(long, value_name = "P")]
    precision: Option<f64>,
    /// Only these methods [default: all]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    methods: Vec<String>,
    #[command(flatten)]
    divisions: DivisionArguments,
}

#[derive(Debug, Args)]
pub(super) struct LabellingArguments {
    #[command(flatten)]
    labelled: LabelledArguments,
    /// The method or preset that looks for pairs to ask about: NAME:KEY=VALUE:..., preset=NAME
    #[arg(long, value_name = "METHOD", default_value = "minhash")]
    method: String,
    /// Numbers of answers
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_values_t = [0, 10, 20, 40, 80])]
    answers: Vec<usize>,
    /// What tune may choose from [default: all methods]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    methods: Vec<String>,
    #[command(flatten)]
    divisions: DivisionArguments,
}

#[derive(Debug, Args)]
struct DivisionArguments {
    /// Random divisions
    #[arg(long, visible_alias = "halvings", value_name = "N", default_value_t = 5)]
    seeds: usize,
    /// Where the divisions start
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

#[derive(Debug, Args)]
struct LabelledArguments {
    /// Files, folders or globs
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<String>,
    /// The field that names a document's cluster, or its label
    #[arg(long, value_name = "FIELD", default_value = "cluster")]
    label_key: String,
    /// The field that names where a document comes from [default: guessed]
    #[arg(long, value_name = "FIELD")]
    group_key: Option<String>,
}

impl LabelledArguments {
    fn read(&self) -> Result<LabelledCorpus> {
        let fields = LabelFields { label: &self.label_key, group: self.group_key.as_deref() };
        let (run, temp_dir) = (lookalike::RunConfig::default(), std::env::temp_dir());
        Ok(lookalike::labelled_corpus(&self.inputs, &run, fields, &temp_dir)?)
    }

    fn read_with_labels(&self) -> Result<LabelledCorpus> {
        let corpus = self.read()?;
        corpus.require_labels(&self.label_key)?;
        Ok(corpus)
    }
}

/// `NAME:KEY=VALUE:...` or `KEY=VALUE:...` as a configuration.
fn method(text: &str) -> Result<(String, Config)> {
    let mut table = toml::Table::new();
    for (place, part) in text.split(':').enumerate() {
        if place == 0 && !part.contains('=') {
            table.insert("method".into(), part.into());
        } else {
            lookalike::assign(&mut table, part).map_err(|error| Usage(error.to_string()))?;
        }
    }
    let config = Config::from_table(table).map_err(|error| Usage(format!("{text}: {error}")))?;
    Ok((text.to_owned(), config))
}

/// What `tune` may choose from.
fn candidates(names: &[String]) -> Result<Vec<Candidate>> {
    Ok(candidates_named(names).map_err(|error| Usage(format!("--methods: {error}")))?)
}

fn methods(texts: &[String]) -> Result<Vec<(String, Config)>> {
    texts.iter().map(|text| method(text)).collect()
}

impl UnseenArguments {
    pub(super) fn run(&self) -> Result<Outcome> {
        let options = unseen::UnseenOptions {
            methods: methods(&self.methods)?,
            seeds: self.divisions.seeds,
            seed: self.divisions.seed,
        };
        Ok(unseen::run(&self.labelled.read_with_labels()?, &options)?)
    }
}

impl PairsArguments {
    pub(super) fn run(&self) -> Result<Outcome> {
        let options =
            cosine_pairs::CosineOptions { methods: methods(&self.methods)?, cosine: self.cosine };
        Ok(cosine_pairs::run(&self.labelled.read_with_labels()?, &options)?)
    }
}

impl LabellingArguments {
    pub(super) fn run(&self) -> Result<Outcome> {
        let options = labelling::LabellingOptions {
            method: method(&self.method)?.1,
            answers: self.answers.clone(),
            candidates: with_boilerplate(&candidates(&self.methods)?),
            divisions: self.divisions.seeds,
            seed: self.divisions.seed,
        };
        Ok(labelling::run(&self.labelled.read_with_labels()?, &options)?)
    }
}

impl PromiseArguments {
    pub(super) fn run(&self) -> Result<Outcome> {
        let options = promise::PromiseOptions {
            divisions: self.divisions.seeds,
            seed: self.divisions.seed,
            goal: self.precision.map_or(Goal::F1, Goal::Precision),
            candidates: with_boilerplate(&candidates(&self.methods)?),
            cosine: self.cosine,
        };
        let corpus = self.labelled.read()?;
        let labels = if let Some(path) = &self.judged {
            Labels::Pairs(lookalike::judged_pairs(path, &corpus.documents)?)
        } else {
            if self.cosine.is_none() {
                corpus.require_labels(&self.labelled.label_key)?;
            }
            Labels::Clusters(corpus.clusters.clone())
        };
        Ok(promise::run(&corpus, &labels, &options)?)
    }
}
