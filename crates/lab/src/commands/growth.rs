//! `lookalike-lab growth`.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use lookalike::{ByteSize, Config};
use lookalike_lab::experiments::growth::{GrowthOptions, run};
use lookalike_learn::Outcome;

/// What `lookalike-lab growth` takes.
#[derive(Debug, Args)]
pub struct GrowthArguments {
    /// The index to grow: a folder that does not exist yet
    #[arg(value_name = "DIR")]
    index: PathBuf,
    /// Numbers of documents at which it is measured, ascending
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', default_value = "10000,100000")]
    documents: Vec<u64>,
    /// The method
    #[arg(long, short, value_name = "NAME", default_value = "minhash")]
    method: String,
    /// Memory for the log, directories and features of candidates; a writer and two readers beside
    /// each other have a third each
    #[arg(long, value_name = "SIZE", default_value = "512M")]
    memory: ByteSize,
}

impl GrowthArguments {
    /// Runs the experiment.
    pub fn run(&self) -> Result<Outcome> {
        let options = GrowthOptions {
            sizes: self.documents.clone(),
            memory: self.memory,
            config: Config::for_method(&self.method)?,
            checks: 10_000,
            batches: 50,
        };
        Ok(run(&self.index, &options)?)
    }
}
