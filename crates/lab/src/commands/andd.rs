//! Learned weights against fixed ones.

use anyhow::Result;
use clap::Args;
use lookalike_lab::experiments::andd;
use lookalike_learn::Outcome;

use lookalike_lab::perturb::Campaigns;

use super::CollectionArguments;

/// A labelled collection that is halved by clusters.
#[derive(Debug, Args)]
struct HalvedArguments {
    #[command(flatten)]
    collection: CollectionArguments,
    /// The field that names a document's cluster
    #[arg(long, value_name = "FIELD", default_value = "cluster")]
    label_key: String,
    /// Random halvings of the clusters
    #[arg(long, value_name = "N", default_value_t = 5)]
    halvings: usize,
    /// Seed of halvings and training
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// What the experiment takes.
#[derive(Debug, Args)]
pub struct AnddArguments {
    #[command(flatten)]
    halved: HalvedArguments,
    /// Terms in a k-gram
    #[arg(long, value_name = "K", value_delimiter = ',', default_values_t = [1, 3])]
    k: Vec<usize>,
    /// Only the main table
    #[arg(long)]
    no_curves: bool,
}

impl AnddArguments {
    /// Runs the experiment.
    pub fn run(&self) -> Result<Outcome> {
        let HalvedArguments { collection, label_key, halvings, seed } = &self.halved;
        let options = andd::AnddExperiment {
            halvings: *halvings,
            seed: *seed,
            k: self.k.clone(),
            curves: !self.no_curves,
        };
        Ok(andd::run(&collection.load(label_key)?, &options)?)
    }
}

/// What the experiment takes.
#[derive(Debug, Args)]
pub struct SvmArguments {
    #[command(flatten)]
    halved: HalvedArguments,
}

impl SvmArguments {
    /// Runs the experiment.
    pub fn run(&self) -> Result<Outcome> {
        let HalvedArguments { collection, label_key, halvings, seed } = &self.halved;
        let options = andd::AnddExperiment {
            halvings: *halvings,
            seed: *seed,
            ..andd::AnddExperiment::default()
        };
        Ok(andd::svm_choices(&collection.load(label_key)?, &options)?)
    }
}

/// What the experiment takes.
#[derive(Debug, Args)]
pub struct CampaignsArguments {
    #[command(flatten)]
    collection: CollectionArguments,
    /// Only messages with this label become campaigns; all where no message has a label
    #[arg(long, value_name = "LABEL", default_value = "spam")]
    of: String,
    /// Campaigns
    #[arg(long, value_name = "N", default_value_t = Campaigns::default().campaigns)]
    campaigns: usize,
    /// The most edited copies of a campaign
    #[arg(long, value_name = "N", default_value_t = Campaigns::default().most_copies)]
    copies: usize,
    /// Random halvings of the campaigns
    #[arg(long, value_name = "N", default_value_t = 5)]
    halvings: usize,
    /// Only the main table
    #[arg(long)]
    no_curves: bool,
    /// Seed of campaigns, halvings and training
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

impl CampaignsArguments {
    /// Runs the experiment.
    pub fn run(&self) -> Result<Outcome> {
        let mail = self.collection.load("label")?;
        let has_labels = mail.documents.iter().any(|message| message.label.is_some());
        let campaigns = Campaigns {
            campaigns: self.campaigns,
            most_copies: self.copies,
            seed: self.seed,
            ..Campaigns::default()
        };
        let made = campaigns.make(&mail, |message| {
            !has_labels || message.label.as_deref() == Some(self.of.as_str())
        })?;
        let options = andd::AnddExperiment {
            halvings: self.halvings,
            seed: self.seed,
            k: vec![1],
            curves: !self.no_curves,
        };
        Ok(andd::run(&made, &options)?)
    }
}
