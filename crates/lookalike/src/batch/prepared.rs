//! Runs on documents that were prepared before: from an index that keeps no texts, or from other
//! machines.

use lookalike_detect::{Prepared, Rejection};

use super::driver::{Driver, Question};
use super::findings::Findings;
use super::sign::Signing;
use super::threads::on_threads;
use crate::report::Seconds;
use crate::{Config, Context, KeepValue, Method, RunError};

/// A document without its text.
#[derive(Clone, Debug)]
pub struct PreparedDocument {
    /// The document's id.
    pub id: String,
    /// What decides which copy is kept: the value of [`Config::effective_keep`].
    pub keep: KeepValue,
    /// What copies have in common, for a document of which the method makes nothing: the digest of
    /// [`lookalike_detect::identity`], and 0 where it has no text.
    pub identity: u128,
    /// What the method made of the document, or why nothing.
    pub content: Result<Prepared, Rejection>,
}

/// Finds the clusters of prepared documents: the same as [`super::find`] finds on their texts.
///
/// They are read once, in order. What pairs share is not shown, because it is found in the texts.
///
/// # Errors
/// Two documents of one id, a document that another method prepared, or an error of the documents'
/// own.
pub fn find_prepared(
    documents: impl IntoIterator<Item = Result<PreparedDocument, RunError>> + Send,
    method: &Method,
    config: &Config,
    context: &Context<'_>,
) -> Result<Findings, RunError> {
    on_threads(config.run.threads, || {
        let detector = method.detector();
        let mut seconds = Seconds::default();
        let mut signing = Signing::new(config, context);
        let features = seconds.time("sign", || signing.add_prepared(documents, detector))?;
        let mut signed = signing.finish(detector)?;
        signed.early = Some(features);
        let catalog = &signed.catalog;
        if let Some((first, second)) = catalog.duplicate_id(0..catalog.len()) {
            let place = |number: u32| format!("document {}", u64::from(number) + 1);
            return Err(RunError::DuplicateId {
                id: catalog.id(first).to_owned(),
                first: place(first.0),
                second: place(second.0),
            });
        }
        let driver = Driver { config, context, corpora: &[], question: Question::Clusters };
        let found = driver.judge(detector, signed, &mut seconds)?;
        Ok(driver.conclude(found, None, seconds))
    })
}
