//! Single documents out of a corpus, for commands that look at a pair.

pub use lookalike_corpus::OwnedDocument;

use lookalike_corpus::Corpus;

use crate::RunError;

/// The first document of a corpus.
///
/// # Errors
/// None can be read; the error says why for the first row.
pub fn first_document(corpus: &Corpus) -> Result<OwnedDocument, RunError> {
    let (found, reason) = first_row(corpus);
    found.ok_or_else(|| {
        RunError::NothingReadable(reason.unwrap_or_else(|| "the input is empty".into()))
    })
}

/// Refuses a corpus whose rows hold no document at all, as where their text has another name; one
/// without rows is fine. It reads as far as the first document: to be asked where nothing was found.
///
/// # Errors
/// There are rows and none can be read; the error says why for the first one.
pub fn refuse_nothing_readable(corpus: &Corpus) -> Result<(), RunError> {
    match first_row(corpus) {
        (None, Some(reason)) => Err(RunError::NothingReadable(reason)),
        _ => Ok(()),
    }
}

/// The first document, and why the first row that is none cannot be read.
fn first_row(corpus: &Corpus) -> (Option<OwnedDocument>, Option<String>) {
    let mut found = None;
    let mut reason = None;
    for block in corpus.blocks() {
        block.visit(|row| match &row.content {
            Ok(document) if found.is_none() => found = Some(OwnedDocument::from(document)),
            Err(unreadable) if reason.is_none() => reason = Some(unreadable.to_string()),
            _ => {}
        });
        if found.is_some() {
            break;
        }
    }
    (found, reason)
}

/// The documents with these ids.
///
/// # Errors
/// One of them is not in the corpus, or nothing there can be read; the error then says why.
pub fn documents_by_id<const N: usize>(
    corpus: &Corpus,
    ids: [&str; N],
) -> Result<[OwnedDocument; N], RunError> {
    let mut found = [const { None }; N];
    for block in corpus.blocks() {
        block.visit(|row| {
            let Ok(document) = &row.content else { return };
            for (place, id) in found.iter_mut().zip(ids) {
                if place.is_none() && document.id == id {
                    *place = Some(OwnedDocument::from(document));
                }
            }
        });
        if found.iter().all(Option::is_some) {
            break;
        }
    }
    for (place, id) in found.iter().zip(ids) {
        if place.is_none() {
            refuse_nothing_readable(corpus)?;
            return Err(RunError::UnknownId(id.to_owned()));
        }
    }
    Ok(found.map(Option::unwrap_or_default))
}
