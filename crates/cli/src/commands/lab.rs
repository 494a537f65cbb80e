//! `lookalike lab`: the papers' experiments on any corpus.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use anyhow::{Context as _, Result};
use clap::{Args, Subcommand};
use lookalike::tune::Goal;
use lookalike_corpus::{Corpus, IdKey, InputOptions};
use lookalike_detect::DetectorConfig;
use lookalike_detect::represent::RetentionRule;
use lookalike_detect::sign::BagRule;
use lookalike_lab::compare::ComparedMethod;
use lookalike_lab::experiments::{
    QueryOptions, andd, bags, boilerplate, contrived, imatch, judgments, mail, paragraphs, promise,
    retention, shortdocs, stability, syntactic, timing,
};
use lookalike_lab::perturb::{ContrivedEdits, PartialCopies};
use lookalike_lab::{Collection, Outcome};
use lookalike_statistics::Statistics;
use lookalike_statistics::boilerplate::BoilerplateOptions;

use crate::arguments::Format;
use crate::configuration::Usage;
use crate::display;

/// What `lookalike lab` takes.
#[derive(Debug, Args)]
pub struct LabArguments {
    #[command(subcommand)]
    experiment: Experiment,
    /// Folder for table.json and plot.svg
    #[arg(long, value_name = "DIR", global = true)]
    out: Option<PathBuf>,
    /// How the tables are printed
    #[arg(long, value_enum, default_value_t = Format::Table, global = true)]
    pub format: Format,
}

#[derive(Debug, Subcommand)]
enum Experiment {
    /// The 52 I-Match retention rules and the syntactic baseline (Table IX, 2002)
    Retention(CollectionArguments),
    /// The 32 combinations of syntactic filters (Table II, 2002)
    Syntactic(CollectionArguments),
    /// Edited copies hidden in a collection, looked for by every method (Tables III, IV, 2002)
    Contrived(ContrivedArguments),
    /// Predicted against simulated survival of signatures; Table 4 (2008)
    Stability(StabilityArguments),
    /// Spam asked against spam and ham, over the number of lexicons (Tables 2, 3, 2008)
    Mail(MailArguments),
    /// A sample asked against its collection, native and foreign lexicon (Figures 3, 4, 2008)
    Bags(BagsArguments),
    /// Learned weights against fixed ones, by halvings of the clusters (Tables 2, 3, 2010)
    Andd(AnddArguments),
    /// Edited and partial copies, paragraph fingerprints beside other methods, and sweeps (2013)
    Paragraphs(ParagraphsArguments),
    /// What leaving out boilerplate does for minhash, by labelled clusters; names the templates
    Boilerplate(BoilerplateArguments),
    /// Documents that super shingles of 2 to 100 ignore, beside I-Match (Tables V, VI, XI, 2002)
    Shortdocs(CollectionArguments),
    /// I-Match, DSC, DSC-SS and syntactic on one corpus, as ratios (Tables VII, VIII, 2002)
    Timing(CollectionArguments),
    /// Whether `tune` keeps on one half of the clusters what it promised on the other
    Promise(PromiseArguments),
    /// Topics of TREC judgments that contradict each other inside a cluster (2002)
    Judgments(JudgmentsArguments),
}

#[derive(Debug, Args)]
pub(super) struct CollectionArguments {
    /// Files, folders or globs
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<String>,
    /// Statistics of a foreign collection (lookalike stats --method imatch)
    #[arg(long, value_name = "FILE")]
    stats: Option<PathBuf>,
    /// The field that holds the text
    #[arg(long, value_name = "FIELD", default_value = "text")]
    text_key: String,
    /// The field that holds the id
    #[arg(long, value_name = "FIELD", default_value = "id")]
    id_key: String,
}

#[derive(Debug, Args)]
struct AnddArguments {
    #[command(flatten)]
    collection: CollectionArguments,
    /// The field that names a document's cluster
    #[arg(long, value_name = "FIELD", default_value = "cluster")]
    label_key: String,
    /// Random halvings of the clusters
    #[arg(long, value_name = "N", default_value_t = 5)]
    halvings: usize,
    /// Terms in a k-gram
    #[arg(long, value_name = "K", value_delimiter = ',', default_values_t = [1, 3])]
    k: Vec<usize>,
    /// Only the main table
    #[arg(long)]
    no_curves: bool,
    /// Seed of halvings and training
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

#[derive(Debug, Args)]
struct ContrivedArguments {
    #[command(flatten)]
    collection: CollectionArguments,
    /// Documents that are copied
    #[arg(long, value_name = "N", default_value_t = 10)]
    originals: usize,
    /// Edited copies of each
    #[arg(long, value_name = "N", default_value_t = 10)]
    copies: usize,
    /// Every which word may be edited
    #[arg(long, value_name = "I", default_value_t = ContrivedEdits::default().every)]
    every: usize,
    /// A draw of 1 to 10 above this edits the word
    #[arg(long, value_name = "N", default_value_t = ContrivedEdits::default().alpha)]
    alpha: u32,
    /// Seed of the choice and of the edits
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Only these methods, instead of all
    #[arg(long, value_name = "NAME")]
    method: Vec<String>,
    /// I-Match with these rules, instead of IDF-L-10 and Doc-L-90
    #[arg(long, value_name = "RULE")]
    rule: Vec<RetentionRule>,
}

#[derive(Debug, Args)]
struct StabilityArguments {
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

#[derive(Debug, Args)]
struct QueryArguments {
    #[command(flatten)]
    collection: CollectionArguments,
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
    /// Seed of the sample of queries
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

#[derive(Debug, Args)]
struct MailArguments {
    #[command(flatten)]
    queries: QueryArguments,
    /// What one legitimate message taken for spam costs
    #[arg(long, value_name = "COST", default_value_t = 100.0)]
    cost: f64,
}

#[derive(Debug, Args)]
struct BagsArguments {
    #[command(flatten)]
    queries: QueryArguments,
}

#[derive(Debug, Args)]
struct ParagraphsArguments {
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

#[derive(Debug, Args)]
struct BoilerplateArguments {
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

#[derive(Debug, Args)]
struct PromiseArguments {
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

#[derive(Debug, Args)]
struct JudgmentsArguments {
    /// A clusters.jsonl written by `lookalike find`
    #[arg(value_name = "CLUSTERS")]
    clusters: PathBuf,
    /// Relevance judgments, TREC's `topic iteration document relevance`
    #[arg(long, value_name = "FILE")]
    qrels: PathBuf,
}

/// Runs an experiment, prints its tables and writes its files.
pub fn run(arguments: &LabArguments) -> Result<()> {
    crate::NOTHING_TO_TIDY.store(true, Ordering::Relaxed);
    let outcome = match &arguments.experiment {
        Experiment::Retention(collection) => {
            let config = DetectorConfig::named("imatch").context("imatch is not compiled in")?;
            retention::run(&collection.load("label")?, config.analyzer(), collection.statistics()?)?
        }
        Experiment::Syntactic(collection) => syntactic::run(&collection.load("label")?)?,
        Experiment::Contrived(contrived) => contrived.run()?,
        Experiment::Stability(stability) => stability.run()?,
        Experiment::Mail(mail) => mail.run()?,
        Experiment::Bags(bags) => bags.run()?,
        Experiment::Andd(andd) => andd.run()?,
        Experiment::Paragraphs(paragraphs) => paragraphs.run()?,
        Experiment::Boilerplate(boilerplate) => boilerplate.run()?,
        Experiment::Shortdocs(collection) => shortdocs::run(&collection.load("label")?)?,
        Experiment::Timing(collection) => timing::run(&collection.load("label")?)?,
        Experiment::Promise(promise) => promise.run()?,
        Experiment::Judgments(judgments) => judgments.run()?,
    };
    if let Some(folder) = &arguments.out {
        outcome.write(folder)?;
    }
    print(&outcome, arguments.format)
}

/// Longer further tables have a row for each document: for files, a screen has no room for them.
const MOST_ROWS: usize = 40;

/// Prints an experiment's tables.
pub(super) fn print(outcome: &Outcome, format: Format) -> Result<()> {
    if format == Format::Json {
        return display::line(format_args!("{:#}", outcome.table.to_json()));
    }
    let short = outcome.further.iter().map(|(_, table)| table);
    for table in [&outcome.table].into_iter().chain(short.filter(|t| t.rows().len() <= MOST_ROWS)) {
        display::line(format_args!("{}\n\n{}", table.title, table.to_markdown()))?;
    }
    Ok(())
}

impl CollectionArguments {
    pub(super) fn load(&self, label_field: &str) -> Result<Collection> {
        let options = InputOptions {
            text_key: self.text_key.clone(),
            id_key: IdKey::Field(self.id_key.clone()),
            fields: vec![label_field.to_owned()],
            ..InputOptions::default()
        };
        let corpus = Corpus::open(&self.inputs, options, &std::env::temp_dir())?;
        let collection = Collection::load(&corpus, label_field);
        anyhow::ensure!(!collection.is_empty(), "the input holds no document");
        Ok(collection)
    }

    fn statistics(&self) -> Result<Option<Arc<Statistics>>> {
        let read = |path: &Path| -> Result<Arc<Statistics>> {
            let bytes = std::fs::read(path)
                .with_context(|| format!("cannot read the statistics {}", path.display()))?;
            let statistics = Statistics::from_bytes(&bytes)
                .with_context(|| format!("cannot use the statistics {}", path.display()))?;
            Ok(Arc::new(statistics))
        };
        self.stats.as_deref().map(read).transpose()
    }
}

impl ContrivedArguments {
    fn run(&self) -> Result<Outcome> {
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
            let config = DetectorConfig::named(name)
                .ok_or_else(|| Usage(format!("there is no method `{name}`")))?;
            methods.push((name.clone(), config));
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

impl ParagraphsArguments {
    fn run(&self) -> Result<Outcome> {
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
    fn run(&self) -> Result<Outcome> {
        let method = DetectorConfig::named("minhash").context("minhash is not compiled in")?;
        let options = BoilerplateOptions {
            min_documents: self.min_documents,
            ..BoilerplateOptions::default()
        };
        let collection = self.collection.load(&self.label)?;
        Ok(boilerplate::run(&collection, &method, &self.thresholds, options)?)
    }
}

impl StabilityArguments {
    fn run(&self) -> Result<Outcome> {
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

impl QueryArguments {
    fn options(&self) -> QueryOptions {
        QueryOptions {
            share: self.share,
            cosine: self.cosine,
            seed: self.seed,
            ..QueryOptions::default()
        }
    }

    /// I-Match's parameters: those of the experiment, then --nidf, then --set.
    fn parameters(&self, defaults: toml::Table) -> Result<toml::Table> {
        let mut table = defaults;
        if let Some(nidf) = &self.nidf {
            table.insert("nidf".into(), nidf.clone().into());
        }
        for assignment in &self.set {
            let wrong = || Usage(format!("--set {assignment}: expected KEY=VALUE"));
            let (key, value) = assignment.split_once('=').ok_or_else(wrong)?;
            let parsed = format!("value = {value}").parse::<toml::Table>().ok();
            let parsed = parsed.and_then(|mut table| table.remove("value"));
            table.insert(key.trim().to_owned(), parsed.unwrap_or_else(|| value.into()));
        }
        Ok(table)
    }

    fn bags(&self, defaults: Vec<usize>) -> Vec<usize> {
        if self.bags.is_empty() { defaults } else { self.bags.clone() }
    }
}

impl MailArguments {
    fn run(&self) -> Result<Outcome> {
        let defaults = mail::MailOptions::default();
        let options = mail::MailOptions {
            bags: self.queries.bags(defaults.bags),
            parameters: self.queries.parameters(defaults.parameters)?,
            queries: self.queries.options(),
            cost: self.cost,
        };
        let collection = self.queries.collection.load("label")?.with_titles_in_text();
        Ok(mail::run(collection, self.queries.collection.statistics()?, &options)?)
    }
}

impl BagsArguments {
    fn run(&self) -> Result<Outcome> {
        let defaults = bags::BagsOptions::default();
        let options = bags::BagsOptions {
            bags: self.queries.bags(defaults.bags),
            parameters: self.queries.parameters(defaults.parameters)?,
            queries: self.queries.options(),
        };
        let collection = self.queries.collection.load("label")?;
        Ok(bags::run(collection, self.queries.collection.statistics()?, &options)?)
    }
}

impl AnddArguments {
    fn run(&self) -> Result<Outcome> {
        let options = andd::AnddExperiment {
            halvings: self.halvings,
            seed: self.seed,
            k: self.k.clone(),
            curves: !self.no_curves,
        };
        Ok(andd::run(&self.collection.load(&self.label_key)?, &options)?)
    }
}

impl PromiseArguments {
    fn run(&self) -> Result<Outcome> {
        let options = promise::PromiseOptions {
            halvings: self.halvings,
            seed: self.seed,
            goal: self.precision.map_or(Goal::F1, Goal::Precision),
            candidates: super::tune::chosen_candidates(&self.methods)?,
            cosine: self.cosine,
        };
        Ok(promise::run(&self.collection.load(&self.label_key)?, &options)?)
    }
}

impl JudgmentsArguments {
    fn run(&self) -> Result<Outcome> {
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
