//! `lookalike lab`: the papers' experiments on any corpus.

mod andd;
mod collection;
mod contrived;
mod growth;
mod judgments;
mod paragraphs;
mod queries;
mod stability;
mod unseen;

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use anyhow::{Context as _, Result};
use clap::{Args, Subcommand};
use lookalike_detect::DetectorConfig;
use lookalike_lab::Outcome;
use lookalike_lab::experiments::{retention, shortdocs, syntactic, timing};

use self::andd::{AnddArguments, CampaignsArguments, SvmArguments};
pub use self::collection::CollectionArguments;
use self::collection::ForeignStatistics;
use self::contrived::ContrivedArguments;
use self::growth::GrowthArguments;
use self::judgments::JudgmentsArguments;
use self::paragraphs::{BoilerplateArguments, ParagraphsArguments};
use self::queries::{BagsArguments, MailArguments};
use self::stability::StabilityArguments;
use self::unseen::{LabellingArguments, PairsArguments, PromiseArguments, UnseenArguments};
use crate::arguments::Format;
use crate::display;

/// What `lookalike lab` takes.
#[derive(Debug, Args)]
pub struct LabArguments {
    #[command(subcommand)]
    experiment: Experiment,
    /// Folder for table.json and plot.svg
    #[arg(long, short, value_name = "DIR", global = true)]
    out: Option<PathBuf>,
    /// No report, only errors
    #[arg(long, short, global = true)]
    quiet: bool,
    /// How the tables are printed
    #[arg(long, value_enum, default_value_t = Format::Table, global = true)]
    pub format: Format,
}

#[derive(Debug, Subcommand)]
enum Experiment {
    /// The 52 I-Match retention rules and the syntactic baseline (Table IX, 2002)
    Retention(RetentionArguments),
    /// The 32 combinations of syntactic filters (Table II, 2002)
    Syntactic(CollectionArguments),
    /// Edited copies hidden in a collection, looked for by every method (Tables III, IV, 2002)
    Contrived(ContrivedArguments),
    /// Predicted and simulated survival of signatures under edits; Table 4 (2008)
    Stability(StabilityArguments),
    /// Known spam searched for among spam and ham, by number of lexicons (Tables 2, 3, 2008)
    Mail(MailArguments),
    /// A sample searched for in its collection, native and foreign lexicon (Figures 3, 4, 2008)
    Bags(BagsArguments),
    /// Learned weights against fixed ones, by halvings of the clusters (Tables 2, 3, 2010)
    Andd(AnddArguments),
    /// The same on mail campaigns, made from any mail by editing copies (Tables 4, 5, 2010)
    Campaigns(CampaignsArguments),
    /// Level, number and order of top terms, similarity functions and gamma of the svm (2014)
    Svm(SvmArguments),
    /// Edited and partial copies, paragraph fingerprints beside other methods, and sweeps (2013)
    Paragraphs(ParagraphsArguments),
    /// What minhash gains on labelled clusters by leaving out boilerplate; names the templates
    Boilerplate(BoilerplateArguments),
    /// Documents that super shingles of 2 to 100 ignore, beside I-Match (Tables V, VI, XI, 2002)
    Shortdocs(CollectionArguments),
    /// I-Match, DSC, DSC-SS and syntactic on one corpus, as ratios (Tables VII, VIII, 2002)
    Timing(CollectionArguments),
    /// Whether `tune` keeps on one half of the clusters what it promised on the other
    Promise(PromiseArguments),
    /// What methods and presets reach on clusters and groups that nothing was learned from
    Unseen(UnseenArguments),
    /// What answers to `label` are worth on clusters and groups that none came from
    Labelling(LabellingArguments),
    /// Found pairs against those of an exact cosine, and how many join different labels (2008)
    Pairs(PairsArguments),
    /// A durable index at several sizes: speed of adding, opening and checking, memory, bytes
    Growth(GrowthArguments),
    /// Topics on which TREC judged documents of one cluster differently (2002)
    Judgments(JudgmentsArguments),
}

/// What the retention rules take.
#[derive(Debug, Args)]
struct RetentionArguments {
    #[command(flatten)]
    collection: CollectionArguments,
    #[command(flatten)]
    statistics: ForeignStatistics,
}

/// Runs an experiment, prints its tables and writes its files.
pub fn run(arguments: &LabArguments) -> Result<()> {
    crate::NOTHING_TO_TIDY.store(true, Ordering::Relaxed);
    let outcome = match &arguments.experiment {
        Experiment::Retention(RetentionArguments { collection, statistics }) => {
            let config = DetectorConfig::named("imatch").context("imatch is not compiled in")?;
            retention::run(&collection.load("label")?, config.analyzer(), statistics.read()?)?
        }
        Experiment::Syntactic(collection) => syntactic::run(&collection.load("label")?)?,
        Experiment::Contrived(contrived) => contrived.run()?,
        Experiment::Stability(stability) => stability.run()?,
        Experiment::Mail(mail) => mail.run()?,
        Experiment::Bags(bags) => bags.run()?,
        Experiment::Andd(andd) => andd.run()?,
        Experiment::Campaigns(campaigns) => campaigns.run()?,
        Experiment::Svm(svm) => svm.run()?,
        Experiment::Paragraphs(paragraphs) => paragraphs.run()?,
        Experiment::Boilerplate(boilerplate) => boilerplate.run()?,
        Experiment::Shortdocs(collection) => shortdocs::run(&collection.load("label")?)?,
        Experiment::Timing(collection) => timing::run(&collection.load("label")?)?,
        Experiment::Promise(promise) => promise.run()?,
        Experiment::Unseen(unseen) => unseen.run()?,
        Experiment::Labelling(labelling) => labelling.run()?,
        Experiment::Pairs(pairs) => pairs.run()?,
        Experiment::Growth(growth) => growth.run()?,
        Experiment::Judgments(judgments) => judgments.run()?,
    };
    if let Some(folder) = &arguments.out {
        outcome.write(folder)?;
    }
    print(&outcome, arguments.quiet, arguments.format)
}

/// Longer further tables have a row for each document: for files, a screen has no room for them.
const MOST_ROWS: usize = 40;

/// Prints an experiment's tables.
pub(super) fn print(outcome: &Outcome, quiet: bool, format: Format) -> Result<()> {
    if quiet {
        return Ok(());
    }
    if format == Format::Json {
        return display::json(&outcome.table.to_json());
    }
    let short = outcome.further.iter().map(|(_, table)| table);
    for table in [&outcome.table].into_iter().chain(short.filter(|t| t.rows().len() <= MOST_ROWS)) {
        display::block(format_args!("{}\n\n{}", table.title, table.to_markdown()))?;
    }
    Ok(())
}
