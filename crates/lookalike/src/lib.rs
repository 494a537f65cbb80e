//! The library people depend on: from a pile of documents to verified clusters.
//!
//! [`open_corpus`] the input, [`find`] its clusters under a [`Config`], and write them with
//! [`write_findings`]; [`dedup`](dedup()) writes the corpus without its copies, [`explain`](explain())
//! says why two documents match. Documents in memory are a corpus as files are:
//!
//! ```
//! use lookalike::{Config, Context, Corpus, Interrupt, Silent, find};
//!
//! let ferry = "The old ferry will leave the northern pier for the last time in March, after forty \
//!     years of daily crossings, and its captain plans to write down what she saw.";
//! let edited = ferry.replace("what she saw", "what she has seen");
//! let corpus = Corpus::from_documents([ferry, &edited, "Nothing like it: apricots and wet straw."]);
//!
//! let (config, interrupt) = (Config::from_table(toml::toml! { threshold = 0.6 })?, Interrupt::new());
//! let temp_dir = std::env::temp_dir();
//! let context = Context { progress: &Silent, interrupt: &interrupt, temp_dir: &temp_dir };
//! let findings = find(&corpus, &config, &context)?;
//! for cluster in findings.clusters() {
//!     for copy in &cluster.members {
//!         let (method, score) = (&findings.summary.method, copy.score.unwrap_or_default());
//!         println!("{} is a copy of {}: {score:.2} by {method}", copy.id, cluster.keeper.id);
//!     }
//! }
//! # assert_eq!(findings.summary.removed, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod batch;
mod byte_size;
mod catalog;
pub mod cluster;
mod config;
pub mod decide;
mod dedup;
mod difference;
mod documents;
mod durable;
mod error;
mod explain;
mod interrupt;
mod judgments;
mod keep;
pub mod label;
mod labelled;
mod memory_budget;
mod method;
mod page;
mod plan;
mod presets;
mod profile;
mod report;
mod shown;
mod text_form;
pub mod tune;
mod unreadable;
pub mod visible;

use std::path::Path;

use lookalike_corpus::pass::Watch;

pub use batch::{
    Cluster, ClusterSummary, Findings, FoundPair, KeptTerms, Member, PairDetails, PreparedDocument,
    Resume, Side, artifacts, build_detector, count_boilerplate, count_statistics, counts_input,
    find, find_against, find_against_resuming, find_prepared, find_resuming, input_options,
    open_corpus, open_input, read_boilerplate, read_statistics, worth_asking_with, write_artifacts,
    write_findings,
};
pub use byte_size::ByteSize;
pub use catalog::{Catalog, Status};
pub use config::{Config, DEFAULT_METHOD, PairsWritten, RunConfig, Verify, assign};
pub use dedup::dedup;
pub use difference::{changed_words, word_difference_within};
pub use documents::{OwnedDocument, documents_by_id, first_document, refuse_nothing_readable};
pub use durable::{
    ADDED, AddStatus, AddedDocument, Addition, AdditionAnswer, BATCH_DOCUMENTS, CheckStatus,
    CheckedDocument, Index, IndexError, IndexOptions, IndexReader, IndexSnapshot, IndexStat,
    IndexVerification, JudgedDocuments, Judgment, LISTED_MATCHES, LexiconFit, Match, OnDuplicate,
    OnMatch, Said, StoreError, StoredDocument, StoredParts, Word, described, indexed_document,
};
pub use error::{ConfigError, RunError};
pub use explain::{Explanation, SharedFeature, beginning, evidence, evidence_within, explain};
pub use interrupt::Interrupt;
pub use judgments::{
    Draw, JudgedPair, JudgmentsFile, read_answers, read_every_judgment, read_judgments,
};
pub use keep::{
    Candidate as KeepCandidate, Criterion, KeepFieldError, KeepNote, KeepRule, KeepValue, Tie,
    Usable,
};
pub use labelled::{
    Grouping, Groups, LabelFields, LabelledCorpus, document_statistics, judged_pairs,
    labelled_corpus, read_labelled, read_model,
};
pub use lookalike_corpus::Corpus;
pub use lookalike_corpus::pass::{Progress, Silent};
pub use lookalike_detect::{
    Artifacts, BucketKey, Evidence, Prepared, PreparedError, Rejection, Scratch, Verdict,
};
pub use lookalike_text::Document;
pub use memory_budget::MemoryBudget;
pub use method::{Method, PreparedCollection};
pub use page::{PAGE_STYLE, explanation_page, report_page};
pub use plan::{Plan, plan};
pub use presets::{PRESETS, Preset};
pub use profile::Profile;
pub use report::{
    CrowdReport, OutputFolder, RunRecord, Seconds, SharedText, SortedPairs, Spent, Summary,
    Threads, Warning, peak_memory_bytes, resident_memory_bytes,
};
pub use shown::{shown_percent, shown_score};
pub use unreadable::{IncompleteFile, UnreadableRow, UnreadableRows};

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

impl<'a> Context<'a> {
    /// What a pass over the input needs of it.
    pub(crate) fn watch(&self) -> Watch<'a> {
        Watch { progress: self.progress, stop: self.interrupt.flag() }
    }
}
