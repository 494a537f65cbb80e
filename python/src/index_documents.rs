//! Documents for an index in batches, and an answer for every row.

use std::sync::atomic::{AtomicUsize, Ordering};

use arrow_array::{Array, ArrayRef};
use lookalike::{
    AddStatus, AddedDocument, BATCH_DOCUMENTS, CheckStatus, CheckedDocument, Context, Corpus,
    OwnedDocument, RunError, indexed_document,
};
use lookalike_corpus::{InputOptions, Row};
use pyo3::prelude::*;

use crate::errors::{InputError, LookalikeError};
use crate::source::Ids;

/// Text of a batch beyond which it is closed, unless the caller says how large it is.
const BATCH_BYTES: usize = 16 << 20;

/// Begins the names of documents that have none, so that they are nobody's in the index.
const UNNAMED: char = '\0';

/// Of one row: id, status, matches, further ones, skipped comparisons, what became of it, why it could
/// not be read, and whether its id is in the index.
pub type Answer = (
    String,
    &'static str,
    Vec<(String, f64)>,
    u64,
    u64,
    Option<&'static str>,
    Option<String>,
    bool,
);

/// How rows are named.
pub enum Naming {
    /// As the corpus says; those that say nothing by their number.
    Own,
    /// As the corpus says; those that say nothing have no name, and are refused.
    Stored,
    /// By their number.
    Rows,
    /// By a column; those without a value there by their number.
    Column(Vec<ArrayRef>),
}

impl Naming {
    /// For documents that are looked for.
    pub fn of_asked(ids: &Ids) -> Self {
        match ids {
            Ids::Corpus => Self::Own,
            Ids::Rows => Self::Rows,
            Ids::Column(chunks) if chunks.iter().all(|chunk| chunk.null_count() == 0) => Self::Own,
            Ids::Column(chunks) => Self::Column(chunks.clone()),
        }
    }

    /// For documents that stay: each must have a name of its own.
    pub fn of_stored(ids: &Ids) -> PyResult<Self> {
        match Self::of_asked(ids) {
            Self::Own | Self::Stored => Ok(Self::Stored),
            Self::Rows => Err(InputError::new_err(
                "documents that stay in an index need ids: give dictionaries or a table with a column \
                 `id`, or name the column with id=…",
            )),
            Self::Column(chunks) => {
                let missing: usize = chunks.iter().map(Array::null_count).sum();
                Err(InputError::new_err(format!(
                    "{missing} rows have no id; documents that stay in an index need one each"
                )))
            }
        }
    }

    fn is_unnamed(&self, row: u64) -> bool {
        match self {
            Self::Own | Self::Stored => false,
            Self::Rows => true,
            Self::Column(chunks) => {
                let mut at = row as usize;
                for chunk in chunks {
                    if at < chunk.len() {
                        return chunk.is_null(at);
                    }
                    at -= chunk.len();
                }
                true
            }
        }
    }

    fn document(
        &self,
        row: &Row<'_>,
        options: &InputOptions,
    ) -> Result<OwnedDocument, Box<Answer>> {
        match &row.content {
            Ok(document) => {
                let mut owned = indexed_document(document, row.place, options);
                let is_unnamed = owned.id.is_empty() && !matches!(self, Self::Stored);
                if is_unnamed || self.is_unnamed(row.ordinal) {
                    owned.id = format!("{UNNAMED}{}", row.ordinal);
                }
                Ok(owned)
            }
            Err(error) => {
                let (place, reason) = (error.place.clone(), error.reason.clone());
                Err(Box::new((place, "unreadable", Vec::new(), 0, 0, None, Some(reason), false)))
            }
        }
    }
}

/// How many documents have been added by the batches that are on disk.
#[derive(Default)]
pub struct Counted(AtomicUsize);

impl Counted {
    /// Counts a batch.
    pub fn add(&self, documents: usize) {
        self.0.fetch_add(documents, Ordering::Relaxed);
    }

    /// An error that says so, too.
    pub fn told(&self, py: Python<'_>, error: PyErr) -> PyErr {
        let count = self.0.load(Ordering::Relaxed);
        if count == 0 || !error.is_instance_of::<LookalikeError>(py) {
            return error;
        }
        let told =
            format!("{}; the {count} documents of earlier batches were added", error.value(py));
        PyErr::from_type(error.get_type(py), (told,))
    }
}

/// What takes a batch, and says something of each of its documents.
type Take<'a> = dyn FnMut(&[OwnedDocument]) -> Result<Vec<Answer>, RunError> + Send + 'a;

/// The answer for every row, in their order. A batch has `most` documents, or as many as are usual.
pub fn answers(
    corpus: &Corpus,
    naming: &Naming,
    most: Option<usize>,
    context: &Context<'_>,
    take: &mut Take<'_>,
) -> Result<Vec<Answer>, RunError> {
    let most_bytes = if most.is_some() { usize::MAX } else { BATCH_BYTES };
    let most = most.unwrap_or(BATCH_DOCUMENTS).max(1);
    context.progress.begin("reading", corpus.size_bytes());
    let mut batch = Batch::default();
    for block in corpus.blocks_with_all_columns() {
        let mut taken = Ok(());
        block.visit(|row| {
            batch.push(naming.document(&row, corpus.options()));
            let is_full = batch.documents.len() >= most || batch.bytes >= most_bytes;
            if taken.is_ok() && is_full {
                taken = if context.interrupt.is_set() {
                    Err(RunError::Interrupted)
                } else {
                    batch.close(take)
                };
            }
        });
        taken?;
        context.progress.advance(block.consumed_bytes());
        if context.interrupt.is_set() {
            return Err(RunError::Interrupted);
        }
    }
    batch.close(take)?;
    context.progress.end();
    Ok(batch.answers.into_iter().flatten().collect())
}

#[derive(Default)]
struct Batch {
    documents: Vec<OwnedDocument>,
    bytes: usize,
    /// By row; empty where the document waits for its batch.
    answers: Vec<Option<Answer>>,
    /// The rows of the documents.
    rows: Vec<usize>,
}

impl Batch {
    fn push(&mut self, row: Result<OwnedDocument, Box<Answer>>) {
        match row {
            Ok(document) => {
                self.bytes += document.text.len();
                self.rows.push(self.answers.len());
                self.documents.push(document);
                self.answers.push(None);
            }
            Err(unreadable) => self.answers.push(Some(*unreadable)),
        }
    }

    fn close(&mut self, take: &mut Take<'_>) -> Result<(), RunError> {
        if !self.documents.is_empty() {
            for (row, answer) in self.rows.drain(..).zip(take(&self.documents)?) {
                self.answers[row] = Some(answer);
            }
        }
        self.documents.clear();
        self.bytes = 0;
        Ok(())
    }
}

/// What a check said of a document.
pub fn checked(row: CheckedDocument, added: Option<&'static str>) -> Answer {
    let CheckedDocument { id, status, id_exists, matches, more_matches, skipped, .. } = row;
    let id = id.strip_prefix(UNNAMED).map_or_else(|| id.clone(), str::to_owned);
    let status = match status {
        CheckStatus::New => "new",
        CheckStatus::Duplicate => "duplicate",
        CheckStatus::TooShort => "too-short",
    };
    let matches = matches.into_iter().map(|found| (found.id, found.score)).collect();
    (id, status, matches, more_matches, skipped, added, None, id_exists)
}

/// What an addition said of a document.
pub fn added(row: AddedDocument) -> Answer {
    let added = match row.added {
        AddStatus::Added => "added",
        AddStatus::Replaced => "replaced",
        AddStatus::Skipped => "skipped",
        AddStatus::LeftOut => "left-out",
    };
    checked(row.checked, Some(added))
}
