//! The batch driver: from a corpus to clusters, in passes over the input.
//!
//! Statistics (where the method needs them; in the same reading as signing where it can observe
//! documents before they are counted), signing, the join of bucket keys, a second reading of the candidates' exact features
//! (where the method confirms on them), judging and clustering.

mod against;
mod artifact_files;
mod boilerplate;
mod crowd;
mod details;
mod driver;
mod early;
mod features;
mod findings;
mod glances;
mod hidden;
mod journal;
mod judge;
mod judged;
mod observe_first;
mod outlines;
mod prepare;
mod prepared;
mod promising;
mod removal;
mod result_bytes;
mod resume;
mod row;
mod shared_text;
mod sign;
mod statistics;
mod threads;
mod unlike;

use std::ops::Range;
use std::sync::Arc;

use lookalike_corpus::Corpus;
use lookalike_detect::{Artifacts, Detector, Model};
use lookalike_index::DocumentId;

pub use against::{find_against, find_against_resuming};
pub use artifact_files::{read_boilerplate, write_artifacts};
pub use boilerplate::count_boilerplate;
pub use details::PairDetails;
pub use findings::{Cluster, ClusterSummary, Findings, FoundPair, Member, Side, write_findings};
pub use prepare::{
    artifacts, build_detector, counts_input, input_options, open_corpus, open_input,
    worth_asking_with,
};
pub use prepared::{PreparedDocument, find_prepared};
pub(crate) use result_bytes::ResultBytes;
pub use resume::Resume;
pub use statistics::{KeptTerms, count_statistics, read_statistics};

use self::driver::{Driver, Question};
use self::observe_first::{ObserveFirst, observer};
use self::prepare::{artifacts_with, model};
use self::sign::Signing;
pub(crate) use self::threads::on_threads;
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
    find_resuming(corpus, config, context, None)
}

/// As [`find`], from the signed documents that are in `resume`, or else leaving them there: a run
/// that ends without a result after signing goes on from them when it is started again.
///
/// # Errors
/// As [`find`], and what is in `resume` is of other input or another configuration, or damaged.
pub fn find_resuming(
    corpus: &Corpus,
    config: &Config,
    context: &Context<'_>,
    resume: Option<&Resume>,
) -> Result<Findings, RunError> {
    on_threads(config.run.threads, || {
        let mut seconds = Seconds::default();
        let signed = |signing: &mut Signing<'_>, seconds: &mut Seconds| {
            sign(corpus, config, context, signing, seconds)
        };
        let (detector, model, signing) =
            sign_or_resume(&[corpus], config, context, resume, &mut seconds, signed)?;
        let mut signed = signing.finish(&detector)?;
        refuse_nothing(signed.catalog.len(), &signed.unreadable)?;
        refuse_duplicate_ids(corpus, &signed.catalog, 0..signed.catalog.len())?;
        let driver = Driver { config, context, corpora: &[corpus], question: Question::Clusters };
        let profile = signed.profile.take();
        let mut findings = driver.finish(detector, signed, seconds)?;
        findings.summary.notes.extend(unlike::notes(corpus, config, model.as_deref(), profile)?);
        Ok(findings)
    })
}

/// Signs by `sign`, or takes what an earlier run has signed; tells the model that was read for it.
fn sign_or_resume<'a>(
    corpora: &[&Corpus],
    config: &'a Config,
    context: &'a Context<'a>,
    resume: Option<&Resume>,
    seconds: &mut Seconds,
    sign: impl FnOnce(&mut Signing<'a>, &mut Seconds) -> Result<(Detector, Artifacts), RunError>,
) -> Result<(Detector, Option<Arc<Model>>, Signing<'a>), RunError> {
    let mut signing = Signing::new(config, context);
    let Some(resume) = resume else {
        let (detector, artifacts) = sign(&mut signing, seconds)?;
        return Ok((detector, artifacts.model, signing));
    };
    if let Some((journal, artifacts)) = resume.open(config, corpora)? {
        write_artifacts(config, &artifacts)?;
        let detector = build_detector(config, &artifacts)?;
        seconds.time("sign", || signing.replay(journal, &detector))?;
        return Ok((detector, artifacts.model, signing));
    }
    signing.keep_journal(resume.begin(config, corpora)?);
    let done = sign(&mut signing, seconds).and_then(|(detector, artifacts)| {
        if let Some(journal) = signing.take_journal()? {
            seconds.time("sign", || resume.commit(journal, config, &artifacts))?;
        }
        Ok((detector, artifacts.model))
    });
    match done {
        Ok((detector, model)) => Ok((detector, model, signing)),
        Err(error) => {
            // There is nothing to go on from; that it could not be removed matters less.
            let _ = resume.remove();
            Err(error)
        }
    }
}

/// The detector, with the artefacts it needs; the documents it has signed are in `signing`.
fn sign(
    corpus: &Corpus,
    config: &Config,
    context: &Context<'_>,
    signing: &mut Signing<'_>,
    seconds: &mut Seconds,
) -> Result<(Detector, Artifacts), RunError> {
    let model = seconds.time("statistics", || model(config))?;
    if let Some(observer) = observer(config, model.as_deref())? {
        let observer = observer.as_ref();
        return ObserveFirst { corpus, config, context, observer, model }.sign(signing, seconds);
    }
    let found = || artifacts_with(model, corpus, config, context);
    let (artifacts, hidden) = seconds.time("statistics", found)?;
    write_artifacts(config, &artifacts)?;
    let detector = build_detector(config, &artifacts)?;
    seconds.time("sign", || signing.add(corpus, &detector, hidden.as_ref()))?;
    Ok((detector, artifacts))
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
