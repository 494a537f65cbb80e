//! The batch driver: from a corpus to clusters, in passes over the input.
//!
//! Statistics (where the method needs them; in the same reading as signing where it signs distinct
//! terms), signing, the join of bucket keys, a second reading of the candidates' exact features
//! (where the method confirms on them), judging and clustering.

mod against;
mod artifact_files;
mod boilerplate;
mod containment;
mod count_and_sign;
mod crowd;
mod details;
mod driver;
mod early;
mod features;
mod findings;
mod judge;
mod judged;
mod outlines;
mod pass;
mod prepare;
mod prepared;
mod promising;
mod row;
mod sign;
mod statistics;
mod threads;
mod unlike;

use std::ops::Range;

use lookalike_corpus::Corpus;
use lookalike_detect::Detector;
use lookalike_index::DocumentId;

pub use against::find_against;
pub use artifact_files::read_boilerplate;
pub use boilerplate::count_boilerplate;
pub use details::PairDetails;
pub use findings::{Cluster, ClusterSummary, Findings, FoundPair, Member, Side, write_findings};
pub use prepare::{
    artifacts, build_detector, counts_input, input_options, open_corpus, open_input,
    worth_asking_with,
};
pub use prepared::{PreparedDocument, find_prepared};
pub use statistics::{KeptTerms, count_statistics, read_statistics};

use self::artifact_files::write_artifacts;
use self::count_and_sign::{count_and_sign, counts_and_signs};
use self::driver::{Driver, Question};
use self::sign::Signing;
use self::threads::on_threads;
use crate::catalog::Catalog;
use crate::report::Seconds;
use crate::{Config, Context, RunError, UnreadableRows};

/// Finds the clusters of near-duplicates of a corpus; changes nothing.
///
/// Runs on as many threads as the configuration says.
///
/// # Errors
/// See [`RunError`]; a malformed document is none, it is counted as unreadable.
pub fn find(corpus: &Corpus, config: &Config, context: &Context<'_>) -> Result<Findings, RunError> {
    on_threads(config.run.threads, || {
        let mut seconds = Seconds::default();
        let (detector, signing) = sign(corpus, config, context, &mut seconds)?;
        let signed = signing.finish(&detector)?;
        refuse_nothing(signed.catalog.len(), &signed.unreadable)?;
        refuse_duplicate_ids(corpus, &signed.catalog, 0..signed.catalog.len())?;
        let driver = Driver { config, context, corpora: &[corpus], question: Question::Clusters };
        let mut findings = driver.finish(detector, signed, seconds)?;
        findings.summary.notes = unlike::notes(corpus, config)?;
        Ok(findings)
    })
}

/// The detector, with the artefacts it needs, and the documents it has signed.
fn sign<'a>(
    corpus: &Corpus,
    config: &'a Config,
    context: &'a Context<'a>,
    seconds: &mut Seconds,
) -> Result<(Detector, Signing<'a>), RunError> {
    if counts_and_signs(config) {
        return count_and_sign(corpus, config, context, seconds);
    }
    let artifacts = seconds.time("statistics", || artifacts(corpus, config, context))?;
    write_artifacts(config, &artifacts)?;
    let detector = build_detector(config, &artifacts)?;
    let mut signing = Signing::new(config, context);
    seconds.time("sign", || signing.add(corpus, &detector))?;
    Ok((detector, signing))
}

/// A run over rows of which none could be read has done nothing; its first reason is the error.
fn refuse_nothing(n_rows: usize, unreadable: &UnreadableRows) -> Result<(), RunError> {
    match unreadable.examples().first() {
        Some(first) if unreadable.len() == n_rows as u64 => {
            Err(RunError::NothingReadable(format!("{}: {}", first.place, first.reason)))
        }
        _ => Ok(()),
    }
}

/// Looks among the documents that a corpus has in the catalog.
fn refuse_duplicate_ids(
    corpus: &Corpus,
    catalog: &Catalog,
    documents: Range<usize>,
) -> Result<(), RunError> {
    let Some((first, second)) = catalog.duplicate_id(documents.clone()) else { return Ok(()) };
    let mut places = Vec::new();
    for block in corpus.blocks() {
        let number = |document: DocumentId| u64::from(document.0) - documents.start as u64;
        let wanted = |ordinal: u64| [first, second].iter().any(|d| number(*d) == ordinal);
        block.visit_selected(wanted, |row| places.push(row.place.to_string()));
    }
    let mut places = places.into_iter();
    Err(RunError::DuplicateId {
        id: catalog.id(first).to_owned(),
        first: places.next().unwrap_or_default(),
        second: places.next().unwrap_or_default(),
    })
}
