//! `lookalike train`: a model from labelled documents.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use anyhow::{Context as _, Result};
use clap::{Args, Subcommand, ValueEnum};
use lookalike::{Config, LabelledCorpus};
use lookalike_detect::Model;
use lookalike_detect::measure::Similarity;
use lookalike_detect::represent::Level;
use lookalike_detect::represent::learned::kgram_hash;
use lookalike_detect::train::{self, AnddOptions, KernelChoice, SvmOptions, TrainingPairs};
use lookalike_statistics::Statistics;
use lookalike_text::Analyzer;
use serde_json::json;

use crate::arguments::{CommonArguments, Format, ReportArguments};
use crate::configuration::{Typed, Usage};
use crate::{display, output_file};

/// What `lookalike train` takes.
#[derive(Debug, Args)]
pub struct TrainArguments {
    #[command(subcommand)]
    kind: Kind,
}

#[derive(Debug, Subcommand)]
enum Kind {
    /// Weights of terms, for --method andd, andd-cosine and andd-jaccard
    Andd(AnddArguments),
    /// A discriminant over similarities, for --method svm
    Svm(SvmArguments),
}

#[derive(Debug, Args)]
struct LabelArguments {
    /// Labelled documents: files, folders or globs
    #[arg(required = true, value_name = "LABELLED")]
    inputs: Vec<String>,
    /// The model file to write
    #[arg(long, short, value_name = "MODEL")]
    out: PathBuf,
    /// The field that names a document's cluster of near-duplicates
    #[arg(long, visible_alias = "cluster-key", value_name = "FIELD", default_value = "cluster")]
    label_key: String,
    /// Judged pairs instead of clusters: JSON Lines of a, b (ids) and duplicate (true or false)
    #[arg(long, visible_alias = "judgments", value_name = "FILE")]
    judged: Option<PathBuf>,
    /// Collection statistics to learn with, instead of counting the input
    #[arg(long, value_name = "FILE")]
    stats: Option<PathBuf>,
    /// What a word is, as in `--set analyzer.lowercase=false`
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Replace a file that exists
    #[arg(long, help_heading = "Run")]
    force: bool,
    #[command(flatten)]
    common: CommonArguments,
}

impl TrainArguments {
    /// What every command takes.
    pub fn common(&self) -> &CommonArguments {
        &self.labels().common
    }

    fn labels(&self) -> &LabelArguments {
        match &self.kind {
            Kind::Andd(arguments) => &arguments.labels,
            Kind::Svm(arguments) => &arguments.labels,
        }
    }
}

#[derive(Debug, Args)]
struct AnddArguments {
    #[command(flatten)]
    labels: LabelArguments,
    /// The similarity that weights are learned for
    #[arg(long, value_enum, default_value_t = SimilarityName::Cosine)]
    similarity: SimilarityName,
    /// Terms in a k-gram
    #[arg(long, value_name = "K", default_value_t = 1)]
    kgram: usize,
    /// Only the features of the 2010 paper, without those of the block a term stands in
    #[arg(long)]
    no_blocks: bool,
    /// Query-log frequencies: lines of COUNT<tab>QUERY
    #[arg(long, value_name = "FILE")]
    queries: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct SvmArguments {
    #[command(flatten)]
    labels: LabelArguments,
    /// The kernel
    #[arg(long, value_enum, default_value_t = KernelName::Rbf)]
    kernel: KernelName,
    /// What a pair on the wrong side costs
    #[arg(long, value_name = "C", default_value_t = 10.0)]
    cost: f64,
    /// Whose top terms are compared
    #[arg(long, value_enum, default_value_t = LevelName::Document)]
    level: LevelName,
    /// How many top terms are kept of each
    #[arg(long, value_name = "N", default_value_t = 30)]
    terms: usize,
    /// Lengths in words of the shingles whose resemblance is compared too
    #[arg(long, value_name = "WORDS,...", value_delimiter = ',', default_values_t = [1, 3, 5])]
    shingles: Vec<usize>,
    /// Only the top terms of the 2014 paper
    #[arg(long, conflicts_with = "shingles")]
    no_shingles: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SimilarityName {
    Cosine,
    ExtendedJaccard,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum KernelName {
    Linear,
    Rbf,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum LevelName {
    Document,
    Sentence,
}

/// Runs the command.
pub fn run(arguments: &TrainArguments) -> Result<()> {
    let labels = arguments.labels();
    output_file::check(&labels.out, labels.force)?;
    let typed = Typed::default().with_common(&labels.common)?.with_set(&labels.set);
    let config = typed.resolve()?;
    let temp_dir = labels.common.temp_dir.clone().unwrap_or_else(std::env::temp_dir);
    let corpus =
        lookalike::labelled_corpus(&labels.inputs, &config.run, &labels.label_key, &temp_dir)?;
    if labels.judged.is_none() {
        corpus.require_labels(&labels.label_key)?;
    }
    let judged = labels.judged.as_deref();
    let judged = judged.map(|path| lookalike::judged_pairs(path, &corpus.documents)).transpose()?;
    crate::NOTHING_TO_TIDY.store(true, Ordering::Relaxed);
    let model = match &arguments.kind {
        Kind::Andd(arguments) => andd(arguments, &config, &corpus, judged.as_ref())?,
        Kind::Svm(arguments) => svm(arguments, &config, &corpus, judged.as_ref())?,
    };
    crate::NOTHING_TO_TIDY.store(false, Ordering::Relaxed);
    output_file::write(&labels.out, &model.to_bytes())?;
    match labels.common.report {
        ReportArguments { quiet: true, .. } => Ok(()),
        ReportArguments { format: Format::Json, .. } => {
            display::json(&as_json(&model, &corpus, &labels.out))
        }
        _ => report(&model, &corpus, &labels.out),
    }
}

fn andd(
    arguments: &AnddArguments,
    config: &Config,
    corpus: &LabelledCorpus,
    judged: Option<&TrainingPairs>,
) -> Result<Model> {
    let mut options = AnddOptions {
        analyzer: config.detector.analyzer().clone(),
        similarity: match arguments.similarity {
            SimilarityName::Cosine => Similarity::Cosine,
            SimilarityName::ExtendedJaccard => Similarity::ExtendedJaccard,
        },
        statistics: statistics(&arguments.labels, config)?,
        ..AnddOptions::default()
    };
    options.features.k = arguments.kgram;
    options.features.blocks = !arguments.no_blocks;
    if let Some(path) = &arguments.queries {
        options.features.queries = true;
        let analyzer = Analyzer::new(&options.analyzer)?;
        options.query_frequency = query_frequencies(path, &analyzer, arguments.kgram)?;
    }
    Ok(match judged {
        None => train::andd(&corpus.labelled(), &options)?,
        Some(pairs) => train::andd_from_pairs(&documents(corpus), pairs, &options)?,
    })
}

fn svm(
    arguments: &SvmArguments,
    config: &Config,
    corpus: &LabelledCorpus,
    judged: Option<&TrainingPairs>,
) -> Result<Model> {
    let mut options = SvmOptions {
        analyzer: config.detector.analyzer().clone(),
        statistics: statistics(&arguments.labels, config)?,
        kernel: match arguments.kernel {
            KernelName::Linear => KernelChoice::Linear,
            KernelName::Rbf => KernelChoice::Rbf,
        },
        cost: arguments.cost,
        ..SvmOptions::default()
    };
    options.views.terms = arguments.terms;
    options.views.shingles =
        if arguments.no_shingles { Vec::new() } else { arguments.shingles.clone() };
    options.views.level = match arguments.level {
        LevelName::Document => Level::Document,
        LevelName::Sentence => Level::Sentence,
    };
    Ok(match judged {
        None => train::svm(&corpus.labelled(), &options)?,
        Some(pairs) => train::svm_from_pairs(&documents(corpus), pairs, &options)?,
    })
}

fn statistics(labels: &LabelArguments, config: &Config) -> Result<Option<Arc<Statistics>>> {
    let path = labels.stats.as_deref().or(config.run.stats.as_deref());
    Ok(path.map(lookalike::read_statistics).transpose()?)
}

fn documents(corpus: &LabelledCorpus) -> Vec<lookalike_text::Document<'_>> {
    corpus.documents.iter().map(lookalike::OwnedDocument::document).collect()
}

/// How often each k-gram was asked for.
fn query_frequencies(path: &Path, analyzer: &Analyzer, k: usize) -> Result<BTreeMap<u64, u32>> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read the queries {}", path.display()))?;
    let mut frequencies = BTreeMap::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty()) {
        let row =
            line.split_once('\t').and_then(|(n, query)| Some((n.parse::<u32>().ok()?, query)));
        let Some((count, query)) = row else {
            let place = format!("{}, line {}", path.display(), number + 1);
            return Err(Usage(format!("{place}: expected COUNT<tab>QUERY")).into());
        };
        for kgram in analyzer.tokenize(query).tokens().windows(k.max(1)) {
            let frequency: &mut u32 = frequencies.entry(kgram_hash(kgram)).or_default();
            *frequency = frequency.saturating_add(count);
        }
    }
    Ok(frequencies)
}

fn as_json(model: &Model, corpus: &LabelledCorpus, out: &Path) -> serde_json::Value {
    let report = &model.report;
    json!({
        "model": out,
        "method": model.kind(),
        "documents": report.n_documents,
        "unreadable": corpus.n_unreadable,
        "unlabelled": corpus.n_unlabelled,
        "near_duplicates": report.n_positive,
        "others": report.n_negative,
        "precision": report.precision,
        "recall": report.recall,
    })
}

fn report(model: &Model, corpus: &LabelledCorpus, out: &Path) -> Result<()> {
    let report = &model.report;
    if corpus.n_unreadable > 0 {
        display::line(format_args!("{} rows could not be read", corpus.n_unreadable))?;
    }
    if corpus.n_unlabelled > 0 && corpus.n_unlabelled < corpus.documents.len() {
        let n_unlabelled = corpus.n_unlabelled;
        display::line(format_args!(
            "{n_unlabelled} documents have no label and were taken to be like no other"
        ))?;
    }
    display::line(format_args!(
        "{}: {} learned from {} documents, {} pairs of near-duplicates and {} others",
        out.display(),
        model.kind(),
        report.n_documents,
        report.n_positive,
        report.n_negative
    ))?;
    display::line(format_args!(
        "on what it learned from: precision {:.3}, recall {:.3}; use it with --method {} --model {}",
        report.precision,
        report.recall,
        model.kind(),
        out.display()
    ))
}
