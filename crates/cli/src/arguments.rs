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
#[command(after_help = "Start here:
  lookalike find  pages.jsonl --report --out found   look at clusters and pairs; nothing is changed
  lookalike dedup pages.jsonl --out clean            write the corpus without its copies
  lookalike explain ID-1 ID-2 --in pages.jsonl       see why two documents match")]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Find clusters and pairs of near-duplicates; nothing is changed
    #[command(after_help = "Examples:
  lookalike find pages.jsonl.zst --out found
  lookalike find new/ --against known.jsonl --threshold 0.8 --out matches")]
    Find(FindArguments),
    /// Write the corpus without its copies, and what was removed and why
    #[command(after_help = "Examples:
  lookalike dedup pages.jsonl.zst --keep longest --report --out clean
  zcat in.jsonl.gz | lookalike dedup - --stdout | head")]
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
            Self::Find(arguments) => arguments.shared.report.format,
            Self::Dedup(arguments) => arguments.shared.report.format,
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
    /// A known collection: match each document of INPUT with it, not with the rest of INPUT
    #[arg(long, value_name = "KNOWN", num_args = 1.., help_heading = "Input")]
    pub against: Vec<OsString>,
    /// With --against: match the documents of INPUT with each other as well
    #[arg(long, hide_short_help = true, requires = "against", help_heading = "Input")]
    pub among_new: bool,
    #[command(flatten)]
    pub shared: SharedArguments,
    /// Folder for clusters.jsonl, pairs.jsonl, summary.json and config.toml
    #[arg(long, short, value_name = "DIR", help_heading = "Output", display_order = 0)]
    pub out: Option<PathBuf>,
    /// Write report.html into the folder of --out: numbers, pictures, pairs near the threshold
    #[arg(long, requires = "out", help_heading = "Output", display_order = 0)]
    pub report: bool,
    /// Keep the signatures beside the folder of --out until the run is over, and continue from them
    /// if an interrupted run has left them there
    #[arg(long, hide_short_help = true, requires = "out", help_heading = "Resources")]
    pub resume: bool,
}

#[derive(Debug, Args)]
pub struct DedupArguments {
    /// Files, folders, globs, or - for JSON Lines on standard input
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<OsString>,
    /// A known collection: remove documents of INPUT that are in it, instead of copies within INPUT
    #[arg(long, value_name = "KNOWN", num_args = 1.., help_heading = "Input")]
    pub against: Vec<OsString>,
    /// With --against: remove copies within INPUT as well
    #[arg(long, hide_short_help = true, requires = "against", help_heading = "Input")]
    pub among_new: bool,
    #[command(flatten)]
    pub shared: SharedArguments,
    /// Folder for kept.*, removed.* and the files that `find` writes; - for standard output, which
    /// then receives the kept rows and nothing else
    #[arg(long, short, value_name = "DIR", required_unless_present_any = ["stdout", "dry_run"], help_heading = "Output", display_order = 0)]
    pub out: Option<PathBuf>,
    /// Write the kept rows to standard output; with --out the rest goes to its folder
    #[arg(long, help_heading = "Output", display_order = 0)]
    pub stdout: bool,
    /// Report what would be removed, and write nothing
    #[arg(long, conflicts_with_all = ["stdout", "force"], help_heading = "Output", display_order = 0)]
    pub dry_run: bool,
    /// Write report.html into the folder of --out: numbers, pictures, pairs near the threshold
    #[arg(long, requires = "out", help_heading = "Output", display_order = 0)]
    pub report: bool,
    /// Keep the signatures beside the folder of --out until the run is over, and continue from them
    /// if an interrupted run has left them there
    #[arg(
        long,
        hide_short_help = true,
        requires = "out",
        conflicts_with = "dry_run",
        help_heading = "Resources"
    )]
    pub resume: bool,
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
    #[arg(long, help_heading = "Output")]
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
    #[arg(long = "set", value_name = "KEY=VALUE", help_heading = "Matching")]
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
    #[arg(long, help_heading = "Output")]
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
    #[arg(long = "set", value_name = "KEY=VALUE", help_heading = "Matching")]
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
    /// A configuration file; flags override it
    #[arg(long, value_name = "FILE.toml", help_heading = "Input")]
    pub config: Option<PathBuf>,
    #[command(flatten)]
    pub method: MethodArguments,
    /// Any further parameter of the method, as in `--set analyzer.lowercase=false`
    #[arg(long = "set", value_name = "KEY=VALUE", help_heading = "Matching")]
    pub set: Vec<String>,
    /// Human verdicts on pairs, which override the method: rows of a, b and duplicate
    #[arg(long, value_name = "FILE", help_heading = "Matching")]
    pub judgments: Option<PathBuf>,
    #[command(flatten)]
    pub clusters: ClusterArguments,
    /// Write the statistics, boilerplate and model that the run uses into DIR, for --stats,
    /// --boilerplate and --model of another run
    #[arg(long, hide_short_help = true, value_name = "DIR", help_heading = "Output")]
    pub write_artifacts: Option<PathBuf>,
    /// Replace the results in an output folder that is not empty
    #[arg(long, help_heading = "Output")]
    pub force: bool,
    #[command(flatten)]
    pub report: ReportArguments,
    #[command(flatten)]
    pub resources: ResourceArguments,
    /// Folder for working files [default: the system's temporary folder]
    #[arg(long, hide_short_help = true, value_name = "DIR", help_heading = "Resources")]
    pub temp_dir: Option<PathBuf>,
}

/// What every other command over documents takes.
#[derive(Debug, Args)]
pub struct CommonArguments {
    #[command(flatten)]
    pub documents: DocumentArguments,
    /// A configuration file; flags override it
    #[arg(long, value_name = "FILE.toml", help_heading = "Input")]
    pub config: Option<PathBuf>,
    #[command(flatten)]
    pub report: ReportArguments,
    #[command(flatten)]
    pub resources: ResourceArguments,
    /// Folder for working files [default: the system's temporary folder]
    #[arg(long, hide_short_help = true, value_name = "DIR", help_heading = "Resources")]
    pub temp_dir: Option<PathBuf>,
}

/// What is printed, and how.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct ReportArguments {
    /// Print nothing but errors
    #[arg(long, short, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print how long every stage took
    #[arg(long, short)]
    pub verbose: bool,
    /// How the report is printed
    #[arg(long, value_enum, default_value_t = Format::Table)]
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

/// How documents are read.
#[derive(Debug, Args, Serialize)]
#[serde(rename_all = "kebab-case")]
#[command(next_help_heading = "Input")]
pub struct DocumentArguments {
    /// The field that holds the text [default: text]
    ///
    /// Also several fields (`title,body`), the items of a list (`tags[]`), and a field of each item or of
    /// some (`messages[].content`, `messages[role=user].content`): their texts become one.
    #[arg(long, value_name = "FIELD")]
    text_key: Option<String>,
    /// The field that holds the id; `row` numbers the rows [default: id]
    #[arg(long, value_name = "FIELD")]
    id_key: Option<String>,
    /// The text of rows is HTML: compare what a reader sees of it
    #[arg(long, num_args = 0..=1, default_missing_value = "true", require_equals = true, value_name = "YES")]
    html: Option<bool>,
    /// Read all files in this format, whatever their names: text, html, mail, mbox, jsonl, json,
    /// csv, tsv, parquet, warc, docx, odt or pdf
    #[arg(long = "as", value_name = "FORMAT")]
    #[serde(rename = "as")]
    read_as: Option<String>,
    /// Read files and folders whose names begin with a dot
    #[arg(long, hide_short_help = true, num_args = 0..=1, default_missing_value = "true", require_equals = true, value_name = "YES")]
    hidden: Option<bool>,
}

/// What the machine gives to a run.
#[derive(Debug, Args, Serialize)]
#[serde(rename_all = "kebab-case")]
#[command(next_help_heading = "Resources")]
pub struct ResourceArguments {
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
#[command(next_help_heading = "Keeping")]
pub struct ClusterArguments {
    /// Which copy stays: first, id, longest, shortest, newest:FIELD, … [default: first]
    ///
    /// first: the first that is read; id: the smallest id; longest, shortest: by the text;
    /// newest:FIELD, oldest:FIELD: by a date; max:FIELD, min:FIELD: by a number;
    /// prefer:FIELD=a,b,c: by a list of values, where * stands for any characters. FIELD may also
    /// be file.modified, file.size or file.path. Rules count in order with `then` between them, as
    /// in `prefer:source=a,b then longest`; what is equal under all stays in reading order, or in
    /// that of the ids after `then id`. [default: first]
    #[arg(long, value_name = "RULE")]
    keep: Option<String>,
    /// Shape of a cluster: star (every member matches the keeper) or components (chains of
    /// matches) [default: star]
    #[arg(long, value_name = "SHAPE")]
    cluster: Option<String>,
    /// Pairs that are written: clusters (those that clusters rest on) or all (every confirmed
    /// pair) [default: clusters]
    #[arg(long, value_name = "WHICH", help_heading = "Output")]
    pairs: Option<String>,
    /// Comparisons a document may cost before the rest of a crowded bucket is skipped and counted
    #[arg(long, hide_short_help = true, value_name = "N", help_heading = "Resources")]
    max_comparisons: Option<usize>,
}

/// The parameters of methods that people set most; `--set` reaches all of them.
#[derive(Debug, Args, Serialize)]
#[serde(rename_all = "kebab-case")]
#[command(next_help_heading = "Matching")]
pub struct MethodArguments {
    #[arg(long, short, value_name = "NAME", help = method_names(), long_help = method_list())]
    method: Option<String>,
    #[arg(long, value_name = "NAME", help = preset_names(), long_help = preset_list())]
    preset: Option<String>,
    /// exact: what must be the same: bytes, text (white space does not count) or words (nor do case
    /// and punctuation) [default: text]
    #[arg(long = "match", value_name = "WHAT")]
    #[serde(rename = "match")]
    matching: Option<String>,
    #[arg(long, alias = "jaccard-threshold", value_name = "T", allow_negative_numbers = true,
        help = with_defaults("The score from which a pair counts as duplicate", "threshold", &with_threshold()))]
    threshold: Option<f64>,
    #[arg(long, alias = "ngram-size", value_name = "N",
        help = with_defaults("Words in a shingle or n-gram", "ngram", &all()))]
    ngram: Option<usize>,
    /// minhash: the most minima a document may cost
    #[arg(long, alias = "num-perm", value_name = "N", hide_short_help = true)]
    pub permutations: Option<usize>,
    /// minhash, wordlsh: bucket keys of a document, instead of choosing them by the threshold
    #[arg(long, alias = "num-buckets", value_name = "N", hide_short_help = true)]
    pub bands: Option<usize>,
    /// minhash, wordlsh: minima a bucket key is made of
    #[arg(long, alias = "hashes-per-bucket", value_name = "N", hide_short_help = true)]
    pub rows: Option<usize>,
    #[arg(long, value_name = "P", allow_negative_numbers = true, hide_short_help = true,
        help = with_defaults("minhash: the least probability with which a pair at the threshold is compared", "recall", &["minhash"]))]
    recall: Option<f64>,
    #[arg(long, alias = "hash-bits", value_name = "N", hide_short_help = true,
        help = with_defaults("Bits of a signature", "bits", &all()))]
    bits: Option<usize>,
    #[arg(long, alias = "bit-diff", value_name = "N", hide_short_help = true,
        help = with_defaults("Bits in which duplicates may differ", "distance", &["simhash", "hybrid"]))]
    distance: Option<usize>,
    /// paragraph: what makes a pair: duplicate, contains or overlaps; implies --method paragraph
    #[arg(long, value_name = "WHICH")]
    relation: Option<String>,
    /// imatch: randomized lexicons beside the primary one [default: 10; 0 with --rule, nidf or --preset]
    #[arg(long, value_name = "K", hide_short_help = true)]
    bags: Option<usize>,
    /// imatch: the retention rule, such as IDF-L-10 or Doc-L-90
    #[arg(long, value_name = "RULE", hide_short_help = true)]
    rule: Option<String>,
    /// A further exact check on the sets of terms: none, jaccard:T, cosine:T, or method, which is
    /// cosine:0.9 for imatch, dsc-ss, supershingles and megashingles [default: method]
    #[arg(long, hide_short_help = true, value_name = "CHECK")]
    verify: Option<String>,
    /// Two documents are duplicates only if at least this share of the words of the one to be removed
    /// stands, in runs of eight, in the other; 0 is the method alone [default: none for find; for
    /// dedup 0.7, spotsigs 0.65, contains its threshold, none for exact and minhash]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    accounted: Option<f64>,
    #[arg(long, value_name = "N", hide_short_help = true,
        help = with_defaults("Seed of everything random", "seed", &all()))]
    seed: Option<u64>,
    /// Collection statistics to use instead of counting the input
    #[arg(long, hide_short_help = true, value_name = "FILE")]
    stats: Option<PathBuf>,
    /// andd, andd-cosine, andd-jaccard, svm: the model that `lookalike train` wrote
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// Ask the model with the document frequencies it was trained with, instead of counting the
    /// input
    #[arg(long, hide_short_help = true)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub model_stats: bool,
    /// Leave out paragraphs that at least N otherwise different documents repeat
    #[arg(long, value_name = "N")]
    ignore_boilerplate: Option<usize>,
    /// A boilerplate file: the paragraphs to leave out, instead of counting them
    #[arg(long, hide_short_help = true, value_name = "FILE")]
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

/// The methods to choose from first; the others are what the papers compare with.
const FIRST_METHODS: [&str; 10] = [
    "minhash",
    "exact",
    "spotsigs",
    "paragraph",
    "simhash",
    "rarity",
    "vectors",
    "imatch",
    "andd",
    "svm",
];

/// The methods of both groups, each with its summary.
fn methods() -> [Vec<(&'static str, &'static str)>; 2] {
    let summary = |name: &str| DetectorConfig::METHODS.iter().find(|(of, _)| *of == name).copied();
    let first: Vec<_> = FIRST_METHODS.into_iter().filter_map(summary).collect();
    let others = DetectorConfig::METHODS.iter().filter(|(name, _)| !FIRST_METHODS.contains(name));
    [first, others.copied().collect()]
}

/// All methods on two lines.
fn method_names() -> String {
    let names = |methods: &[(&str, &str)]| -> String {
        methods.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    };
    let [first, others] = methods();
    format!(
        "The method: {}; baselines of the papers: {} [default: {DEFAULT_METHOD}]",
        names(&first),
        names(&others)
    )
}

/// All methods with what each finds.
fn method_list() -> String {
    let lines = |methods: &[(&str, &str)]| -> String {
        let line = |(name, summary): &(&str, &str)| format!("\n  {name:14} {summary}");
        methods.iter().map(line).collect::<Vec<_>>().concat()
    };
    let [first, others] = methods();
    format!(
        "The method [default: {DEFAULT_METHOD}]\n\nChoose from these first:{}\n\nBaselines of the papers:{}",
        lines(&first),
        lines(&others)
    )
}

/// All presets on one line.
fn preset_names() -> String {
    let names: Vec<&str> = lookalike::PRESETS.iter().map(|preset| preset.name).collect();
    format!("A configuration for a kind of collection: {}", names.join(", "))
}

/// All presets with what each is for.
fn preset_list() -> String {
    let line = |preset: &lookalike::Preset| format!("\n  {:14} {}", preset.name, preset.summary);
    let lines = lookalike::PRESETS.iter().map(line).collect::<Vec<_>>().concat();
    format!(
        "A configuration for a kind of collection:{lines}\n\nWith --method imatch: the lexicons \
         `web` and `mail` of the 2008 paper"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_is_in_one_of_the_two_groups() {
        let [first, others] = methods();
        assert_eq!(first.len(), FIRST_METHODS.len());
        assert_eq!(first.len() + others.len(), DetectorConfig::METHODS.len());
    }
}
