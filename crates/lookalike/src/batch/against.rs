//! New documents against a known collection: each arriving message against known spam, a new crawl
//! against the corpus that is already there.

use lookalike_corpus::Corpus;

use super::artifact_files::write_artifacts;
use super::driver::{Driver, Question};
use super::findings::Findings;
use super::prepare::artifacts_and_hidden;
use super::sign::Signing;
use super::threads::on_threads;
use super::unlike::notes;
use super::{Resume, build_detector, refuse_duplicate_ids, refuse_nothing, sign_or_resume};
use crate::report::Seconds;
use crate::{Config, Context, RunError};

/// Matches every new document with the known ones; known documents are not compared with each
/// other, and new ones only if `among_new`.
///
/// Statistics come from the known collection, so that a signature does not depend on what arrives.
/// The clusters are the known documents with the new ones that match them best, and if `among_new`
/// the stars of the new documents that match nothing known; the counts are those of the new
/// documents.
///
/// # Errors
/// As [`super::find`].
pub fn find_against(
    new: &Corpus,
    known: &Corpus,
    among_new: bool,
    config: &Config,
    context: &Context<'_>,
) -> Result<Findings, RunError> {
    find_against_resuming(new, known, among_new, config, context, None)
}

/// As [`find_against`], from the signed documents that are in `resume`, or else leaving them there.
///
/// # Errors
/// As [`super::find_resuming`].
pub fn find_against_resuming(
    new: &Corpus,
    known: &Corpus,
    among_new: bool,
    config: &Config,
    context: &Context<'_>,
    resume: Option<&Resume>,
) -> Result<Findings, RunError> {
    on_threads(config.run.threads, || {
        let mut seconds = Seconds::default();
        let sign = |signing: &mut Signing<'_>, seconds: &mut Seconds| {
            let found = || artifacts_and_hidden(known, config, context);
            let (artifacts, hidden) = seconds.time("statistics", found)?;
            write_artifacts(config, &artifacts)?;
            let detector = build_detector(config, &artifacts)?;
            seconds.time("sign", || signing.add(new, &detector, None))?;
            let n_new = signing.n_rows();
            refuse_nothing(n_new, signing.unreadable())?;
            signing.begin_known()?;
            seconds.time("sign", || signing.add(known, &detector, hidden.as_ref()))?;
            refuse_nothing(signing.n_rows() - n_new, signing.unreadable())?;
            Ok((detector, artifacts))
        };
        let (detector, model, signing) =
            sign_or_resume(&[new, known], config, context, resume, &mut seconds, sign)?;
        let n_new = signing.n_new().unwrap_or_default();
        let signed = signing.finish(&detector)?;
        refuse_duplicate_ids(new, &signed.catalog, 0..n_new)?;
        refuse_duplicate_ids(known, &signed.catalog, n_new..signed.catalog.len())?;
        let question = Question::Against { n_new, among_new };
        let driver = Driver { config, context, corpora: &[new, known], question };
        let mut findings = driver.finish(detector, signed, seconds)?;
        findings.summary.notes.extend(notes(new, config, model.as_deref(), None)?);
        Ok(findings)
    })
}
