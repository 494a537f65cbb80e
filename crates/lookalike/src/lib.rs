//! The library people depend on: from a pile of documents to verified clusters.
//!
//! [`open_corpus`] the input, [`find`] its clusters under a [`Config`], and write them with
//! [`write_findings`]; [`dedup`](dedup()) writes the corpus without its copies, [`explain`](explain())
//! says why two documents match.

mod batch;
mod byte_size;
mod catalog;
pub mod cluster;
mod config;
mod dedup;
mod documents;
mod error;
mod explain;
mod judgments;
mod keep;
pub mod label;
mod labelled;
mod page;
mod plan;
mod progress;
mod report;
mod text_form;
pub mod tune;

use std::path::Path;

pub use batch::{
    ClusterGlimpse, Findings, KeptTerms, PairDetails, artifacts, artifacts_of_sample,
    build_detector, count_boilerplate, count_statistics, find, find_against, open_corpus,
    read_statistics, write_findings,
};
pub use byte_size::ByteSize;
pub use catalog::{Catalog, Status};
pub use config::{Config, DEFAULT_METHOD, PairsWritten, RunConfig, Verify};
pub use dedup::dedup;
pub use documents::{OwnedDocument, documents_by_id, first_document};
pub use error::{ConfigError, RunError};
pub use explain::{Explanation, SharedFeature, explain};
pub use judgments::{JudgedPair, JudgmentsFile, read_judgments};
pub use keep::{KeepRule, KeepValue};
pub use labelled::{LabelledCorpus, judged_pairs, labelled_corpus, read_model};
pub use page::explanation_page;
pub use plan::{Plan, plan};
pub use progress::{Interrupt, Progress, Silent};
pub use report::{OutputFolder, Seconds, SortedPairs, Summary};

/// What a run needs from its surroundings.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// Hears how far the run is.
    pub progress: &'a dyn Progress,
    /// Stops the run when set.
    pub interrupt: &'a Interrupt,
    /// Where working files go.
    pub temp_dir: &'a Path,
}

/// A row of the input that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct UnreadableRow {
    /// File and row.
    pub place: String,
    /// What is wrong with it.
    pub reason: String,
}
