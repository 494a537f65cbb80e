//! The collection an experiment works on.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use clap::Args;
use lookalike_learn::Collection;
use lookalike_statistics::Statistics;

/// Where the documents come from.
#[derive(Debug, Args)]
pub struct CollectionArguments {
    /// Files, folders or globs
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<String>,
    /// The field that holds the text
    #[arg(long, value_name = "FIELD", default_value = "text")]
    text_key: String,
    /// The field that holds the id
    #[arg(long, value_name = "FIELD", default_value = "id")]
    id_key: String,
}

impl CollectionArguments {
    /// The documents, with the field that holds their label.
    pub fn load(&self, label_field: &str) -> Result<Collection> {
        Ok(Collection::open(&self.inputs, &self.text_key, &self.id_key, label_field)?)
    }
}

/// A lexicon from elsewhere, for the experiments that can have one.
#[derive(Debug, Args)]
pub struct ForeignStatistics {
    /// Statistics of a foreign collection (lookalike stats --method imatch)
    #[arg(long, value_name = "FILE")]
    stats: Option<PathBuf>,
}

impl ForeignStatistics {
    /// The statistics that were named.
    pub fn read(&self) -> Result<Option<Arc<Statistics>>> {
        Ok(self.stats.as_deref().map(lookalike::read_statistics).transpose()?)
    }
}
