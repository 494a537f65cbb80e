//! What can be typed, one file a family of experiments.

mod andd;
mod collection;
mod contrived;
mod growth;
mod judgments;
mod paragraphs;
mod queries;
mod stability;
mod unseen;

use std::fmt;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::{Args, Parser, Subcommand, ValueEnum};
use lookalike::visible::{Breaks, visible, visible_json};
use lookalike_detect::DetectorConfig;
use lookalike_lab::experiments::{retention, shortdocs, syntactic, timing};
use lookalike_learn::Outcome;

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

/// Repeats the experiments of the papers, on any corpus, and measures what the product promises.
#[derive(Debug, Parser)]
#[command(name = "lookalike-lab", version, max_term_width = 100)]
pub struct Arguments {
    #[command(subcommand)]
    experiment: Experiment,
    /// Folder for table.json and plot.svg
    #[arg(long, short, value_name = "DIR", global = true)]
    out: Option<PathBuf>,
    /// Print nothing but errors
    #[arg(long, short, global = true)]
    quiet: bool,
    /// How the tables are printed
    #[arg(long, value_enum, default_value_t = Format::Table, global = true)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Table,
    /// For programs
    Json,
}

/// An error in what was typed: exit status 2.
#[derive(Debug)]
pub struct Usage(pub String);

impl fmt::Display for Usage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

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

impl Arguments {
    /// Runs the experiment and writes its files; returns what is to be printed.
    pub fn run(&self) -> Result<String> {
        let outcome = self.experiment.run()?;
        if let Some(folder) = &self.out {
            outcome.write(folder)?;
        }
        Ok(match self.format {
            _ if self.quiet => String::new(),
            Format::Json => visible_json(&format!("{:#}\n", outcome.table.to_json())).into_owned(),
            Format::Table => visible(&outcome.to_text(), Breaks::Kept).into_owned(),
        })
    }
}

impl Experiment {
    fn run(&self) -> Result<Outcome> {
        Ok(match self {
            Self::Retention(RetentionArguments { collection, statistics }) => {
                let config =
                    DetectorConfig::named("imatch").context("imatch is not compiled in")?;
                retention::run(&collection.load("label")?, config.analyzer(), statistics.read()?)?
            }
            Self::Syntactic(collection) => syntactic::run(&collection.load("label")?)?,
            Self::Contrived(contrived) => contrived.run()?,
            Self::Stability(stability) => stability.run()?,
            Self::Mail(mail) => mail.run()?,
            Self::Bags(bags) => bags.run()?,
            Self::Andd(andd) => andd.run()?,
            Self::Campaigns(campaigns) => campaigns.run()?,
            Self::Svm(svm) => svm.run()?,
            Self::Paragraphs(paragraphs) => paragraphs.run()?,
            Self::Boilerplate(boilerplate) => boilerplate.run()?,
            Self::Shortdocs(collection) => shortdocs::run(&collection.load("label")?)?,
            Self::Timing(collection) => timing::run(&collection.load("label")?)?,
            Self::Promise(promise) => promise.run()?,
            Self::Unseen(unseen) => unseen.run()?,
            Self::Labelling(labelling) => labelling.run()?,
            Self::Pairs(pairs) => pairs.run()?,
            Self::Growth(growth) => growth.run()?,
            Self::Judgments(judgments) => judgments.run()?,
        })
    }
}
