//! What can be typed.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use lookalike::DEFAULT_METHOD;
use lookalike_detect::DetectorConfig;
use lookalike_statistics::boilerplate::BoilerplateOptions;
use serde::Serialize;

use crate::commands::train::TrainArguments;
use crate::commands::tune::TuneArguments;
use crate::configuration::Usage;
use crate::defaults::{all, with_defaults, with_threshold};

/// Finds near-duplicate documents, says why, and decides which copy to keep.
#[derive(Debug, Parser)]
#[command(name = "lookalike", version, propagate_version = true, max_term_width = 100)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Find clusters and pairs of near-duplicates; nothing is changed
    Find(FindArguments),
    /// Write the corpus without its copies, and what was removed and why
    Dedup(DedupArguments),
    /// Keep documents prepared on disk, and check new ones against them as they come
    Index(crate::commands::index::IndexArguments),
    /// Serve an index over HTTP: check, add, review, with a page to look at
    #[cfg(feature = "service")]
    Serve(Box<crate::commands::serve::ServeArguments>),
    /// Count a collection's terms into a statistics file, merge such files, or look into one
    Stats(StatsArguments),
    /// Say why two documents match, or do not
    Explain(ExplainArguments),
    /// Name the paragraphs that templates repeat, which --ignore-boilerplate leaves out
    Boilerplate(BoilerplateArguments),
    /// Forecast memory, disk and time of a run, and which pairs its search will see
    Plan(PlanArguments),
    /// Choose the method and the threshold from the collection itself, without labels
    Decide(crate::commands::decide::DecideArguments),
    /// Compare methods on labelled documents: quality, size, speed
    Compare(crate::commands::compare::CompareArguments),
    /// Learn a model from labelled documents, for --method andd or svm
    Train(TrainArguments),
    /// Ask about pairs of documents, and write the answers down for train and tune
    Label(crate::commands::label::LabelArguments),
    /// Find the best method, parameters and threshold for labelled documents
    Tune(TuneArguments),
    /// Write the sample documents, find their copies and explain a pair
    Demo(DemoArguments),
    /// Print a script that completes commands and flags in a shell
    Completions(CompletionsArguments),
    /// Write the manual pages
    Man(ManArguments),
}

impl Command {
    /// Refuses a page where there is none, before any work is done.
    ///
    /// # Errors
    /// `--format html` of a command other than `explain`.
    pub fn check_format(&self) -> Result<(), Usage> {
        let format = match self {
            Self::Find(arguments) => arguments.shared.format,
            Self::Dedup(arguments) => arguments.shared.format,
            Self::Stats(arguments) => arguments.common.report.format,
            Self::Plan(arguments) => arguments.common.report.format,
            Self::Boilerplate(arguments) => arguments.common.report.format,
            Self::Compare(arguments) => arguments.report.format,
            Self::Index(arguments) => arguments.format(),
            Self::Decide(arguments) => arguments.common.report.format,
            Self::Label(arguments) => arguments.common.report.format,
            Self::Train(arguments) => arguments.common().report.format,
            Self::Tune(arguments) => arguments.common.report.format,
            Self::Demo(arguments) => arguments.report.format,
            Self::Explain(_) | Self::Completions(_) | Self::Man(_) => return Ok(()),
            #[cfg(feature = "service")]
            Self::Serve(_) => return Ok(()),
        };
        if format == Format::Html {
            return Err(Usage("--format html: only `lookalike explain` writes a page".into()));
        }
        Ok(())
    }
}

#[derive(Debug, Args)]
pub struct FindArguments {
    /// Files, folders, globs, or - for JSON Lines on standard input
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<OsString>,
    /// Folder for clusters.jsonl, pairs.jsonl, summary.json and config.toml
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// A known collection: each document of INPUT is matched with it, not with the rest of INPUT
    #[arg(long, value_name = "KNOWN", num_args = 1..)]
    pub against: Vec<OsString>,
    /// With --against: match the documents of INPUT with each other as well
    #[arg(long, requires = "against")]
    pub among_new: bool,
    /// Write report.html into the folder of --out: numbers, pictures, pairs near the threshold
    #[arg(long, requires = "out")]
    pub report: bool,
    /// Keep what is signed beside the folder of --out until the run is over, and go on from it if a
    /// run that was interrupted has left it there
    #[arg(long, requires = "out")]
    pub resume: bool,
    #[command(flatten)]
    pub shared: SharedArguments,
}

#[derive(Debug, Args)]
pub struct DedupArguments {
    /// Files, folders, globs, or - for JSON Lines on standard input
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<OsString>,
    /// Folder for kept.*, removed.* and the files that `find` writes; - for standard output, which
    /// then receives the kept rows and nothing else
    #[arg(long, short, value_name = "DIR", required_unless_present_any = ["stdout", "dry_run"])]
    pub out: Option<PathBuf>,
    /// Write the kept rows to standard output; with --out the rest goes to its folder
    #[arg(long)]
    pub stdout: bool,
    /// Say what would be removed, and write nothing
    #[arg(long, conflicts_with_all = ["stdout", "force"])]
    pub dry_run: bool,
    /// A known collection: documents of INPUT that are in it are removed, instead of copies within INPUT
    #[arg(long, value_name = "KNOWN", num_args = 1..)]
    pub against: Vec<OsString>,
    /// With --against: remove copies within INPUT as well
    #[arg(long, requires = "against")]
    pub among_new: bool,
    /// Write report.html into the folder of --out: numbers, pictures, pairs near the threshold
    #[arg(long, requires = "out")]
    pub report: bool,
    /// Keep what is signed beside the folder of --out until the run is over, and go on from it if a
    /// run that was interrupted has left it there
    #[arg(long, requires = "out", conflicts_with = "dry_run")]
    pub resume: bool,
    #[command(flatten)]
    pub shared: SharedArguments,
}

#[derive(Debug, Args)]
pub struct StatsArguments {
    /// The collection to count; with --merge, statistics files
    #[arg(value_name = "INPUT", required_unless_present = "show")]
    pub inputs: Vec<OsString>,
    /// The statistics file to write
    #[arg(long, short, value_name = "FILE", required_unless_present = "show")]
    pub out: Option<PathBuf>,
    /// Add up the statistics files given as input
    #[arg(long)]
    pub merge: bool,
    /// Print what a statistics file holds
    #[arg(long, value_name = "FILE", conflicts_with_all = ["merge", "out", "inputs"])]
    pub show: Option<PathBuf>,
    /// With --show: the nidf range whose lexicon is measured
    #[arg(long, value_name = "MIN-MAX", default_value = "0.2-0.8")]
    pub nidf: String,
    /// Leave out terms of fewer documents than this
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub min_documents: u32,
    /// Replace a file that exists
    #[arg(long, help_heading = "Run")]
    pub force: bool,
    #[command(flatten)]
    pub analyzer: AnalyzerArguments,
    #[command(flatten)]
    pub common: CommonArguments,
}

#[derive(Debug, Args)]
pub struct ExplainArguments {
    /// The first document: a file, or with --in an id
    #[arg(value_name = "A")]
    pub left: OsString,
    /// The second document
    #[arg(value_name = "B")]
    pub right: OsString,
    /// The collection that holds documents A and B
    #[arg(long = "in", value_name = "INPUT", num_args = 1..)]
    pub inputs: Vec<OsString>,
    /// The known collection that holds B, and whose words count: the pair as `find --against` sees it
    #[arg(long, value_name = "KNOWN", num_args = 1.., requires = "inputs")]
    pub against: Vec<OsString>,
    #[command(flatten)]
    pub method: MethodArguments,
    /// Any further parameter of the method, as in `--set analyzer.lowercase=false`
    #[arg(long = "set", value_name = "KEY=VALUE", help_heading = "Method")]
    pub set: Vec<String>,
    #[command(flatten)]
    pub common: CommonArguments,
}

#[derive(Debug, Args)]
pub struct BoilerplateArguments {
    /// Files, folders, globs, or - for JSON Lines on standard input
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<OsString>,
    /// Otherwise different documents that make a paragraph boilerplate
    #[arg(long, value_name = "N", default_value_t = BoilerplateOptions::default().min_documents)]
    pub min_documents: usize,
    /// The file for one row a paragraph
    #[arg(long, short, value_name = "FILE.jsonl")]
    pub out: Option<PathBuf>,
    /// Replace a file that exists
    #[arg(long, help_heading = "Run")]
    pub force: bool,
    #[command(flatten)]
    pub common: CommonArguments,
}

#[derive(Debug, Args)]
pub struct PlanArguments {
    /// Files, folders, globs, or - for JSON Lines on standard input
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<OsString>,
    #[command(flatten)]
    pub clusters: ClusterArguments,
    #[command(flatten)]
    pub method: MethodArguments,
    /// Any further parameter of the method, as in `--set analyzer.lowercase=false`
    #[arg(long = "set", value_name = "KEY=VALUE", help_heading = "Method")]
    pub set: Vec<String>,
    #[command(flatten)]
    pub common: CommonArguments,
}

#[derive(Debug, Args)]
pub struct DemoArguments {
    /// Folder for the sample documents and the results; a temporary one by default
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub report: ReportArguments,
}

#[derive(Debug, Args)]
pub struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub struct ManArguments {
    /// Folder for one page a command; without it, the page of the program is printed
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// What commands that search a whole collection take.
#[derive(Debug, Args)]
pub struct SharedArguments {
    #[command(flatten)]
    pub documents: DocumentArguments,
    #[command(flatten)]
    pub clusters: ClusterArguments,
    #[command(flatten)]
    pub method: MethodArguments,
    /// Any further parameter of the method, as in `--set analyzer.lowercase=false`
    #[arg(long = "set", value_name = "KEY=VALUE", help_heading = "Method")]
    pub set: Vec<String>,
    /// A configuration file; flags override it
    #[arg(long, value_name = "FILE.toml", help_heading = "Run")]
    pub config: Option<PathBuf>,
    /// People's words on pairs, which stand above the method's: rows of a, b and duplicate
    #[arg(long, value_name = "FILE", help_heading = "Clusters")]
    pub judgments: Option<PathBuf>,
    /// Write the statistics, boilerplate and model that the run uses into DIR, for --stats,
    /// --boilerplate and --model of another run
    #[arg(long, value_name = "DIR", help_heading = "Run")]
    pub write_artifacts: Option<PathBuf>,
    /// Replace the results in an output folder that is not empty
    #[arg(long, help_heading = "Run")]
    pub force: bool,
    /// No progress and no report, only errors
    #[arg(long, short, help_heading = "Run", conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say how long every stage took
    #[arg(long, short, help_heading = "Run")]
    pub verbose: bool,
    /// How the report is printed
    #[arg(long, value_enum, default_value_t = Format::Table, help_heading = "Run")]
    pub format: Format,
    /// Folder for working files; the system's temporary folder by default
    #[arg(long, value_name = "DIR", help_heading = "Run")]
    pub temp_dir: Option<PathBuf>,
}

/// What every other command over documents takes.
#[derive(Debug, Args)]
pub struct CommonArguments {
    #[command(flatten)]
    pub documents: DocumentArguments,
    /// A configuration file; flags override it
    #[arg(long, value_name = "FILE.toml", help_heading = "Run")]
    pub config: Option<PathBuf>,
    #[command(flatten)]
    pub report: ReportArguments,
    /// Folder for working files; the system's temporary folder by default
    #[arg(long, value_name = "DIR", help_heading = "Run")]
    pub temp_dir: Option<PathBuf>,
}

/// What is printed, and how.
#[derive(Clone, Copy, Debug, Args)]
pub struct ReportArguments {
    /// No progress and no report, only errors
    #[arg(long, short, help_heading = "Run", conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say how long every stage took
    #[arg(long, short, help_heading = "Run")]
    pub verbose: bool,
    /// How the report is printed
    #[arg(long, value_enum, default_value_t = Format::Table, help_heading = "Run")]
    pub format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Table,
    /// For programs
    Json,
    /// A page to open in a browser; of `explain` only
    Html,
}

// Flags in the groups below are keys of the configuration file, under the same names.

/// How documents are read, and what the machine may give.
#[derive(Debug, Args, Serialize)]
#[serde(rename_all = "kebab-case")]
#[command(next_help_heading = "Run")]
pub struct DocumentArguments {
    /// The field that holds the text [default: text]
    #[arg(long, value_name = "FIELD")]
    text_key: Option<String>,
    /// The field that holds the id; `row` numbers the rows [default: id]
    #[arg(long, value_name = "FIELD")]
    id_key: Option<String>,
    /// The text of rows is HTML: only what a reader sees of it counts
    #[arg(long, num_args = 0..=1, default_missing_value = "true", require_equals = true, value_name = "YES")]
    html: Option<bool>,
    /// Read all files as text, html, mail, mbox, jsonl, json, csv, tsv, parquet, warc, docx, odt or pdf, whatever
    /// their names
    #[arg(long = "as", value_name = "FORMAT")]
    #[serde(rename = "as")]
    read_as: Option<String>,
    /// Read files and folders below a folder whose names begin with a dot
    #[arg(long, num_args = 0..=1, default_missing_value = "true", require_equals = true, value_name = "YES")]
    hidden: Option<bool>,
    /// Threads to use; 0 for one on each core [default: 0]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Memory for the search before it goes to disk [default: 8G]
    #[arg(long, value_name = "SIZE")]
    memory: Option<String>,
}

/// What becomes of the pairs that match.
#[derive(Debug, Args, Serialize)]
#[serde(rename_all = "kebab-case")]
#[command(next_help_heading = "Clusters")]
pub struct ClusterArguments {
    /// Which copy stays [default: first]
    ///
    /// first: the first that is read; id: the smallest id; longest, shortest: by the text;
    /// newest:FIELD, oldest:FIELD: by a date; max:FIELD, min:FIELD: by a number;
    /// prefer:FIELD=a,b,c: by a list of values, where * stands for any characters. FIELD may also
    /// be file.modified, file.size or file.path. Rules count in order with `then` between them, as
    /// in `prefer:source=a,b then longest`; what is equal under all stays in reading order, or in
    /// that of the ids after `then id`.
    #[arg(long, value_name = "RULE")]
    keep: Option<String>,
    /// star: every member matches the keeper; components: chains of matches [default: star]
    #[arg(long, value_name = "SHAPE")]
    cluster: Option<String>,
    /// clusters: the pairs that clusters rest on; all: every confirmed pair [default: clusters]
    #[arg(long, value_name = "WHICH")]
    pairs: Option<String>,
    /// Comparisons a document may cost before the rest of a crowded bucket is skipped and counted
    #[arg(long, value_name = "N")]
    max_comparisons: Option<usize>,
}

/// The parameters of methods that people set most; `--set` reaches all of them.
#[derive(Debug, Args, Serialize)]
#[serde(rename_all = "kebab-case")]
#[command(next_help_heading = "Method")]
pub struct MethodArguments {
    #[arg(long, short, value_name = "NAME", help = method_names(), long_help = method_list())]
    method: Option<String>,
    /// exact: what must be the same: bytes, text (white space does not count) or words (nor do case
    /// and punctuation) [default: text]
    #[arg(long = "match", value_name = "WHAT")]
    #[serde(rename = "match")]
    matching: Option<String>,
    #[arg(long, visible_alias = "jaccard-threshold", value_name = "T", allow_negative_numbers = true,
        help = with_defaults("The score from which a pair counts as duplicate", "threshold", &with_threshold()))]
    threshold: Option<f64>,
    #[arg(long, visible_alias = "ngram-size", value_name = "N",
        help = with_defaults("Words in a shingle or n-gram", "ngram", &all()))]
    ngram: Option<usize>,
    /// minhash: the most minima a document may cost
    #[arg(long, visible_alias = "num-perm", value_name = "N")]
    pub permutations: Option<usize>,
    /// minhash, wordlsh: bucket keys of a document, instead of choosing them by the threshold
    #[arg(long, visible_alias = "num-buckets", value_name = "N")]
    pub bands: Option<usize>,
    /// minhash, wordlsh: minima a bucket key is made of
    #[arg(long, visible_alias = "hashes-per-bucket", value_name = "N")]
    pub rows: Option<usize>,
    #[arg(long, value_name = "P", allow_negative_numbers = true,
        help = with_defaults("minhash: the least probability with which a pair at the threshold is compared", "recall", &["minhash"]))]
    recall: Option<f64>,
    #[arg(long, visible_alias = "hash-bits", value_name = "N",
        help = with_defaults("Bits of a signature", "bits", &all()))]
    bits: Option<usize>,
    #[arg(long, visible_alias = "bit-diff", value_name = "N",
        help = with_defaults("Bits in which duplicates may differ", "distance", &["simhash", "hybrid"]))]
    distance: Option<usize>,
    /// paragraph: what makes a pair: duplicate, contains or overlaps; implies --method paragraph
    #[arg(long, value_name = "WHICH")]
    relation: Option<String>,
    #[arg(long, value_name = "NAME", help = preset_names())]
    preset: Option<String>,
    /// imatch: randomized lexicons beside the primary one [default: 10; 0 with --rule, nidf or --preset]
    #[arg(long, value_name = "K")]
    bags: Option<usize>,
    /// imatch: the retention rule, such as IDF-L-10 or Doc-L-90
    #[arg(long, value_name = "RULE")]
    rule: Option<String>,
    #[arg(long, value_name = "N", help = with_defaults("Seed of everything random", "seed", &all()))]
    seed: Option<u64>,
    /// A further exact check on the sets of terms: none, jaccard:T, cosine:T, or method, which is
    /// cosine:0.9 for imatch, dsc-ss, supershingles and megashingles [default: method]
    #[arg(long, value_name = "CHECK")]
    verify: Option<String>,
    /// Two documents are duplicates only if at least this share of the words of the one to be removed
    /// stands, in runs of five, in the other; `dedup` asks for 0.8 where the method looks at parts of
    /// a text only, 0 is the method alone
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    accounted: Option<f64>,
    /// Collection statistics to use instead of counting the input
    #[arg(long, value_name = "FILE")]
    stats: Option<PathBuf>,
    /// andd, andd-cosine, andd-jaccard, svm: the model that `lookalike train` wrote
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// Ask the model with the document frequencies it was trained with, instead of counting the
    /// input
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub model_stats: bool,
    /// Leave out paragraphs that at least N otherwise different documents repeat
    #[arg(long, value_name = "N")]
    ignore_boilerplate: Option<usize>,
    /// A boilerplate file: the paragraphs to leave out, instead of counting them
    #[arg(long, value_name = "FILE")]
    boilerplate: Option<PathBuf>,
}

/// Whose words are counted.
#[derive(Debug, Args, Serialize)]
#[serde(rename_all = "kebab-case")]
#[command(next_help_heading = "Words")]
pub struct AnalyzerArguments {
    /// Cut and normalize words as this method does [default: minhash]
    #[arg(long, short, value_name = "NAME")]
    method: Option<String>,
    /// What a word is, as in `--set analyzer.lowercase=false`
    #[arg(long = "set", value_name = "KEY=VALUE")]
    #[serde(skip)]
    pub set: Vec<String>,
}

/// All methods on one line.
fn method_names() -> String {
    let names: Vec<&str> = DetectorConfig::METHODS.iter().map(|(name, _)| *name).collect();
    format!("The method [default: {DEFAULT_METHOD}]: {}", names.join(", "))
}

/// All presets on one line.
fn preset_names() -> String {
    let presets = lookalike::PRESETS.iter();
    let names: Vec<String> =
        presets.map(|preset| format!("{} ({})", preset.name, preset.summary)).collect();
    format!(
        "A configuration for a kind of collection: {}; with --method imatch, the lexicons `web` and `mail` of the 2008 paper",
        names.join(", ")
    )
}

/// All methods with what each finds.
fn method_list() -> String {
    let line = |(name, summary): &(&str, &str)| format!("\n  {name:14} {summary}");
    let lines: String = DetectorConfig::METHODS.iter().map(line).collect();
    format!("The method [default: {DEFAULT_METHOD}]:{lines}")
}
