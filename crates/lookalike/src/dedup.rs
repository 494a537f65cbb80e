//! The corpus without its copies, in its own format.

use lookalike_corpus::{Corpus, Fate, Written, split};
use lookalike_index::DocumentId;

use crate::catalog::Status;
use crate::cluster::Membership;
use crate::{Findings, OutputFolder, RunError};

/// Writes every row to `kept.*` or `removed.*`, as it came in; removed rows say of what they are
/// a copy. Rows too short to judge are kept; unreadable ones are in neither.
///
/// # Errors
/// The input cannot be read again or the output not be written.
pub fn dedup(
    corpus: &Corpus,
    findings: &Findings,
    folder: &OutputFolder,
) -> Result<Written, RunError> {
    let fate = |ordinal: u64| {
        let document = DocumentId(ordinal as u32);
        if findings.catalog.status(document) == Status::Unreadable {
            return Fate::Unreadable;
        }
        match findings.clustering.membership(document) {
            Some(Membership { keeper, score, .. }) if keeper != document => {
                // Not a number is written as no score.
                let score = score.unwrap_or(f64::NAN);
                Fate::Removed { duplicate_of: findings.catalog.id(keeper).to_owned(), score }
            }
            _ => Fate::Kept,
        }
    };
    Ok(split(corpus, folder.partial(), fate)?)
}
