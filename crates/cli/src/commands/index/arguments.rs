//! What can be typed after `lookalike index`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use lookalike::{OnDuplicate, StoredParts};
use serde::Serialize;

use super::time::{parse_duration, parse_time};
use crate::arguments::{
    ClusterArguments, Format, ReportArguments, ResourceArguments, SharedArguments,
};

/// Keep documents prepared on disk, and check new ones against them as they come
#[derive(Debug, Args)]
pub struct IndexArguments {
    #[command(subcommand)]
    pub action: Action,
}

impl IndexArguments {
    /// How the report is printed.
    pub fn format(&self) -> Format {
        match &self.action {
            Action::Create(arguments) => arguments.shared.report.format,
            Action::Add(arguments) => arguments.reading.output.report.format,
            Action::Check(arguments) => arguments.reading.output.report.format,
            Action::Remove(arguments) => arguments.output.report.format,
            Action::Judge(arguments) => arguments.output.report.format,
            Action::Find(arguments) => arguments.output.report.format,
            Action::Stat(arguments) | Action::Verify(arguments) | Action::Compact(arguments) => {
                arguments.output.report.format
            }
            Action::Export(_) => Format::Json,
        }
    }
}

#[derive(Debug, Subcommand)]
pub enum Action {
    /// Create an empty index; its method, parameters and artefacts stay as they are
    Create(Box<CreateArguments>),
    /// Add documents, and say of each what it duplicates; status 0 means that they are on disk
    Add(AddArguments),
    /// Say of each document what it duplicates, and add nothing
    Check(CheckArguments),
    /// Remove documents by id, by age, or those that have expired
    Remove(RemoveArguments),
    /// Say of two documents whether they are near-duplicates; stands above the method from then on
    Judge(JudgeArguments),
    /// Find clusters and pairs of what is in the index, as `lookalike find` writes them
    Find(FindArguments),
    /// Print sizes, counts, and how well collection statistics still fit
    Stat(StatArguments),
    /// Read every byte, and look up every document by its keys
    Verify(StatArguments),
    /// Make one segment of all, and reclaim the room of what was removed or has expired
    Compact(StatArguments),
    /// Write the documents as JSON Lines on standard output, in the order they were added
    Export(ExportArguments),
}

#[derive(Debug, Args)]
pub struct CreateArguments {
    /// The index: a folder of its own
    #[arg(value_name = "DIR")]
    pub index: PathBuf,
    /// Count collection statistics in these documents, for methods that need them
    #[arg(long, value_name = "INPUT", num_args = 1.., conflicts_with = "stats")]
    pub stats_from: Vec<OsString>,
    /// What of each document is kept: text (with its fields), features, or signatures
    #[arg(long, value_name = "WHAT", default_value = "text")]
    pub store: StoredParts,
    /// How long documents stay, such as 30d, 12h or 90m; for ever by default
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub ttl: Option<u64>,
    #[command(flatten)]
    pub shared: SharedArguments,
}

#[derive(Debug, Args)]
pub struct AddArguments {
    /// The index
    #[arg(value_name = "DIR")]
    pub index: PathBuf,
    /// Files, folders, globs, or - for JSON Lines on standard input, answered as they come
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<OsString>,
    /// What happens to a document whose id is already there
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = OnId::Error)]
    pub on_id: OnId,
    /// Documents that become durable together
    #[arg(long, value_name = "N", default_value_t = lookalike::BATCH_DOCUMENTS)]
    pub batch: usize,
    /// The field with the time of adding, in milliseconds since 1970: `_added` in rows of
    /// `index export`; now by default
    #[arg(long, value_name = "FIELD")]
    pub added_key: Option<String>,
    #[command(flatten)]
    pub reading: ReadingArguments,
}

#[derive(Debug, Args)]
pub struct CheckArguments {
    /// The index
    #[arg(value_name = "DIR")]
    pub index: PathBuf,
    /// Files, folders, globs, or - for JSON Lines on standard input, answered as they come
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<OsString>,
    #[command(flatten)]
    pub reading: ReadingArguments,
}

/// What happens to a document whose id is already there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OnId {
    /// It takes the place of the earlier one
    Replace,
    /// The earlier one stays
    Skip,
    /// Its whole batch is refused, and the command fails
    Error,
}

impl From<OnId> for OnDuplicate {
    fn from(on_id: OnId) -> Self {
        match on_id {
            OnId::Replace => Self::Replace,
            OnId::Skip => Self::Skip,
            OnId::Error => Self::Refuse,
        }
    }
}

#[derive(Debug, Args)]
pub struct RemoveArguments {
    /// The index
    #[arg(value_name = "DIR")]
    pub index: PathBuf,
    /// Ids of documents to remove
    #[arg(value_name = "ID", required_unless_present_any = ["ids_file", "expired", "before"])]
    pub ids: Vec<String>,
    /// A file with one id on each line; - for standard input
    #[arg(long = "ids", value_name = "FILE")]
    pub ids_file: Option<PathBuf>,
    /// Remove what has expired
    #[arg(long)]
    pub expired: bool,
    /// Remove what was added before a time: 2026-11-01, 2026-11-01T12:00:00Z, or 30d for 30 days ago
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub before: Option<super::time::Moment>,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Debug, Args)]
pub struct JudgeArguments {
    /// The index
    #[arg(value_name = "DIR")]
    pub index: PathBuf,
    /// One id
    #[arg(value_name = "A", required_unless_present = "from")]
    pub left: Option<String>,
    /// The other
    #[arg(value_name = "B", required_unless_present = "from")]
    pub right: Option<String>,
    /// Whether they are near-duplicates
    #[arg(value_enum, required_unless_present = "from")]
    pub word: Option<Word>,
    /// Take the words of a file that `index export --judgments` wrote, with their times
    #[arg(long, value_name = "FILE", conflicts_with_all = ["left", "right", "word"])]
    pub from: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputArguments,
}

/// What a person says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Word {
    /// They are
    Yes,
    /// They are not
    No,
    /// Take an earlier word back
    Withdraw,
}

#[derive(Debug, Args)]
pub struct FindArguments {
    /// The index
    #[arg(value_name = "DIR")]
    pub index: PathBuf,
    /// Folder for clusters.jsonl, pairs.jsonl, summary.json and config.toml
    #[arg(long, short, value_name = "OUT")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub run: FindRunArguments,
    /// Replace the results in an output folder that is not empty
    #[arg(long, help_heading = "Output")]
    pub force: bool,
    #[command(flatten)]
    pub output: OutputArguments,
}

/// Flags of `find` that mean something for an index, by their keys in the configuration.
#[derive(Debug, Args, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct FindRunArguments {
    #[command(flatten)]
    #[serde(flatten)]
    resources: ResourceArguments,
    #[command(flatten)]
    #[serde(flatten)]
    clusters: ClusterArguments,
}

#[derive(Debug, Args)]
pub struct StatArguments {
    /// The index
    #[arg(value_name = "DIR")]
    pub index: PathBuf,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Debug, Args)]
pub struct ExportArguments {
    /// The index
    #[arg(value_name = "DIR")]
    pub index: PathBuf,
    /// Write people's words on pairs instead, as `tune`, `train`, `find --judgments` and
    /// `index judge --from` read them
    #[arg(long)]
    pub judgments: bool,
}

/// How documents are read.
#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct ReadingArguments {
    /// The field that holds the text; as at creation by default
    #[arg(long, value_name = "FIELD")]
    pub text_key: Option<String>,
    /// The field that holds the id; `row` numbers the rows
    #[arg(long, value_name = "FIELD")]
    pub id_key: Option<String>,
    /// Threads to use; 0 for one on each core
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Resources")]
    pub threads: usize,
    /// Memory for the log, directories and features of candidates [default: as at creation]
    #[arg(long, value_name = "SIZE", help_heading = "Resources")]
    pub memory: Option<lookalike::ByteSize>,
    #[command(flatten)]
    pub output: OutputArguments,
}

/// How answers are printed; json is one row for each document.
#[derive(Debug, Args)]
pub struct OutputArguments {
    #[command(flatten)]
    pub report: ReportArguments,
    /// Folder for working files [default: the system's temporary folder]
    #[arg(long, value_name = "DIR", help_heading = "Resources")]
    pub temp_dir: Option<PathBuf>,
}
