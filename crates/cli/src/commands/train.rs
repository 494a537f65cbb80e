//! `lookalike train`: a model from labelled documents.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result};
use clap::{Args, Subcommand, ValueEnum};
use lookalike::tune::{Labels, LearnedKind, teach};
use lookalike::{Config, LabelFields, LabelledCorpus};
use lookalike_detect::measure::{Similarity, VectorMeasure};
use lookalike_detect::represent::learned::{KgramFrequencies, kgram_hash};
use lookalike_detect::represent::{Level, PairViews};
use lookalike_detect::train::{AnddOptions, KernelChoice, PairSampling, Start, SvmOptions};
use lookalike_detect::{Frequencies, Model};
use lookalike_statistics::Statistics;
use lookalike_text::Analyzer;
use serde_json::json;

use crate::arguments::{CommonArguments, Format, ReportArguments};
use crate::commands::incomplete::Incomplete;
use crate::configuration::{RunResources, Typed, Usage};
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
    inputs: Vec<OsString>,
    /// The model file to write
    #[arg(long, short, value_name = "MODEL")]
    out: PathBuf,
    /// The field that names a document's cluster of near-duplicates
    #[arg(long, visible_alias = "cluster-key", value_name = "FIELD", default_value = "cluster")]
    label_key: String,
    /// Judged pairs instead of clusters: JSON Lines of a, b (ids) and duplicate (true or false)
    #[arg(long, visible_alias = "judgments", value_name = "FILE")]
    judged: Option<PathBuf>,
    /// The field that names where a document comes from: site, template, sender [default: guessed]
    #[arg(long, value_name = "FIELD")]
    group_key: Option<String>,
    /// Further documents of the collection, without labels, whose words are counted too
    #[arg(long, value_name = "INPUT", num_args = 1..)]
    collection: Vec<OsString>,
    /// Leave out paragraphs that at least N otherwise different documents repeat
    #[arg(long, value_name = "N")]
    ignore_boilerplate: Option<usize>,
    /// Divisions of the documents to see what the model reaches on what it did not see; 0 for none
    #[arg(long, value_name = "N", default_value_t = 5)]
    halvings: usize,
    /// Collection statistics to learn with, instead of counting the input
    #[arg(long, value_name = "FILE")]
    stats: Option<PathBuf>,
    /// What a word is, as in `--set analyzer.lowercase=false`
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Replace a file that exists
    #[arg(long, help_heading = "Output")]
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
    /// Document frequencies of whole k-grams, counted over LABELLED, as the 2010 paper has them
    /// [default: of the rarest term of each]
    #[arg(long, hide_short_help = true)]
    kgram_frequencies: bool,
    /// How steeply the loss falls with the difference of two similarities; the 2010 paper's is 1
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = AnddOptions::default().sharpness)]
    sharpness: f64,
    /// The share of negative pairs that look most alike among many; the 2010 paper has none
    #[arg(long, hide_short_help = true, value_name = "SHARE", default_value_t = PairSampling::default().hard_share)]
    hard_negatives: f64,
    /// Where training begins, and what its penalty is around: random weights and 0 are the 2010 paper's
    #[arg(long, hide_short_help = true, value_enum, default_value_t = StartName::Binary)]
    start: StartName,
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
    /// How many top terms are kept of each [default: 60, with --no-shingles 30]
    #[arg(long, value_name = "N")]
    terms: Option<usize>,
    /// A top term counts as shared only at the same place in the order of weights
    #[arg(long, hide_short_help = true)]
    ordered: bool,
    /// The similarity functions of top terms; their number is the paper's r
    #[arg(long, hide_short_help = true, value_enum, value_name = "NAME,...", value_delimiter = ',', default_values_t = MeasureName::ALL)]
    measures: Vec<MeasureName>,
    /// γ of the rbf kernel [default: one over the number of similarities]
    #[arg(long, hide_short_help = true, value_name = "G")]
    gamma: Option<f64>,
    /// Lengths in words of the shingles whose resemblance is compared too
    #[arg(long, value_name = "WORDS,...", value_delimiter = ',', default_values_t = [1, 2, 3, 5, 8])]
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
enum StartName {
    Binary,
    Random,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum MeasureName {
    Jaccard,
    Cosine,
    Euclidean,
    ExtendedJaccard,
    Dice,
}

impl MeasureName {
    const ALL: [Self; 5] =
        [Self::Jaccard, Self::Cosine, Self::Euclidean, Self::ExtendedJaccard, Self::Dice];

    fn measure(self) -> VectorMeasure {
        match self {
            Self::Jaccard => VectorMeasure::Jaccard,
            Self::Cosine => VectorMeasure::Cosine,
            Self::Euclidean => VectorMeasure::Euclidean,
            Self::ExtendedJaccard => VectorMeasure::ExtendedJaccard,
            Self::Dice => VectorMeasure::Dice,
        }
    }
}

/// Runs the command.
pub fn run(arguments: &TrainArguments) -> Result<()> {
    let labels = arguments.labels();
    output_file::check(&labels.out, labels.force)?;
    let typed = Typed::default().with_common(&labels.common)?.with_set(&labels.set);
    let mut config = typed.resolve()?;
    config.run.stats = labels.stats.clone().or(config.run.stats);
    config.run.ignore_boilerplate = labels.ignore_boilerplate.or(config.run.ignore_boilerplate);
    let resources = RunResources::of(&labels.common, &config)?;
    let fields = LabelFields { label: &labels.label_key, group: labels.group_key.as_deref() };
    let read = |context: &lookalike::Context<'_>| {
        let corpus =
            lookalike::labelled_corpus(&labels.inputs, &config.run, fields, context.temp_dir)?;
        let counted = Counted::new(&corpus, &labels.collection, &config, context)?;
        anyhow::Ok((corpus, counted))
    };
    let (mut corpus, counted) = crate::end_at_once(|| resources.run(read))?;
    if labels.judged.is_none() {
        corpus.require_labels(&labels.label_key)?;
    }
    if let Some(min_documents) = config.run.ignore_boilerplate {
        corpus.leave_out_boilerplate(min_documents);
    }
    let known = match labels.judged.as_deref() {
        None => Labels::Clusters(corpus.clusters.clone()),
        Some(path) => Labels::Pairs(lookalike::judged_pairs(path, &corpus.documents)?),
    };
    let kind = match &arguments.kind {
        Kind::Andd(arguments) => andd(arguments, &corpus, &config, counted.frequencies)?,
        Kind::Svm(arguments) => svm(arguments, counted.frequencies),
    };
    let words = (config.detector.analyzer(), &counted.statistics);
    let teach = |context: &lookalike::Context<'_>| {
        teach(&kind, &corpus, &known, words, labels.halvings, context)
    };
    let model = crate::end_at_once(|| resources.run(teach))?;
    output_file::write(&labels.out, &model.to_bytes())?;
    match labels.common.report {
        ReportArguments { quiet: true, .. } => {}
        ReportArguments { format: Format::Json, .. } => {
            display::json(&as_json(&model, &corpus, &labels.out))?;
        }
        _ => report(&model, &corpus, labels.halvings, &labels.out)?,
    }
    Incomplete::of_labelled(&corpus).refuse()
}

fn andd(
    arguments: &AnddArguments,
    corpus: &LabelledCorpus,
    config: &Config,
    frequencies: Frequencies,
) -> Result<LearnedKind> {
    let mut options = AnddOptions {
        similarity: match arguments.similarity {
            SimilarityName::Cosine => Similarity::Cosine,
            SimilarityName::ExtendedJaccard => Similarity::ExtendedJaccard,
        },
        frequencies,
        sharpness: arguments.sharpness,
        start: match arguments.start {
            StartName::Binary => Start::Binary,
            StartName::Random => Start::Random,
        },
        ..AnddOptions::default()
    };
    options.pairs.hard_share = arguments.hard_negatives;
    options.features.k = arguments.kgram;
    options.features.blocks = !arguments.no_blocks;
    if arguments.kgram_frequencies && arguments.kgram > 1 {
        let analyzer = Analyzer::new(config.detector.analyzer())?;
        let tokens: Vec<_> =
            corpus.documents.iter().map(|document| analyzer.tokenize(&document.text)).collect();
        options.kgram_frequency = KgramFrequencies::count(arguments.kgram, tokens.iter());
    }
    if let Some(path) = &arguments.queries {
        options.features.queries = true;
        let analyzer = Analyzer::new(config.detector.analyzer())?;
        options.query_frequency = query_frequencies(path, &analyzer, arguments.kgram)?;
    }
    Ok(LearnedKind::Andd(Box::new(options)))
}

fn svm(arguments: &SvmArguments, frequencies: Frequencies) -> LearnedKind {
    let mut options = SvmOptions {
        frequencies,
        kernel: match arguments.kernel {
            KernelName::Linear => KernelChoice::Linear,
            KernelName::Rbf => KernelChoice::Rbf,
        },
        cost: arguments.cost,
        gamma: arguments.gamma,
        ..SvmOptions::default()
    };
    if arguments.no_shingles {
        options.views = PairViews::of_the_paper();
    } else {
        options.views.shingles.clone_from(&arguments.shingles);
    }
    options.views.ordered = arguments.ordered;
    let chosen = MeasureName::ALL.into_iter().filter(|name| arguments.measures.contains(name));
    options.views.measures = chosen.map(MeasureName::measure).collect();
    options.views.terms = arguments.terms.unwrap_or(options.views.terms);
    options.views.level = match arguments.level {
        LevelName::Document => Level::Document,
        LevelName::Sentence => Level::Sentence,
    };
    LearnedKind::Svm(Box::new(options))
}

/// Document frequencies, and whose they are when the model is asked.
struct Counted {
    statistics: Arc<Statistics>,
    frequencies: Frequencies,
}

impl Counted {
    /// Those of the file that was named, which then belong to the model, or those of all documents
    /// given.
    fn new(
        corpus: &LabelledCorpus,
        collection: &[OsString],
        config: &Config,
        context: &lookalike::Context<'_>,
    ) -> Result<Self> {
        if let Some(path) = config.run.stats.as_deref() {
            if !collection.is_empty() {
                let message = "--stats, --collection: give the counts or what is to be counted";
                return Err(Usage(message.into()).into());
            }
            let statistics = lookalike::read_statistics(path)?;
            return Ok(Self { statistics, frequencies: Frequencies::Model });
        }
        let analyzer = config.detector.analyzer();
        let mut statistics = lookalike::document_statistics(&corpus.documents, analyzer)?;
        if !collection.is_empty() {
            let further = lookalike::open_corpus(collection, config, context.temp_dir)?;
            let kept = lookalike::KeptTerms::Hashes;
            let further = lookalike::count_statistics(&further, analyzer, kept, context)?;
            statistics = statistics.merge(&further)?;
        }
        Ok(Self { statistics: Arc::new(statistics), frequencies: Frequencies::Collection })
    }
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
        "unseen": report.unseen,
    })
}

fn report(model: &Model, corpus: &LabelledCorpus, halvings: usize, out: &Path) -> Result<()> {
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
    if let Some(unseen) = &report.unseen {
        let shown = |[mean, low, high]: [f64; 3]| format!("{mean:.3} ({low:.3}-{high:.3})");
        display::line(format_args!("divided by clusters and groups: {}", unseen.groups))?;
        display::line(format_args!(
            "on documents it had not seen, for {} of them: precision {}, recall {}, F1 {}",
            unseen.n_documents,
            shown(unseen.precision),
            shown(unseen.recall),
            shown(unseen.f1)
        ))?;
    }
    if report.unseen.is_none() {
        let reason = if halvings == 0 { "--halvings 0" } else { "too little data to divide" };
        display::line(format_args!("not measured on documents it had not seen: {reason}"))?;
    }
    let asked = match model.frequencies {
        Frequencies::Collection => "counts the documents it is asked on",
        Frequencies::Model => "brings its document frequencies",
    };
    display::line(format_args!(
        "use it with --method {} --model {}; it {asked}",
        model.kind(),
        out.display()
    ))
}
