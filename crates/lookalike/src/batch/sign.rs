//! The pass that reads every document once and leaves its bucket keys.

use std::sync::Arc;

use lookalike_corpus::{Block, Corpus};
use lookalike_detect::{
    Detector, Prepared, Rejection, Scratch, SignedDocument, confirmed_identity,
    identity_without_keys,
};
use lookalike_index::{DocumentId, RowSorter, WordStore, WordStoreBuilder};
use lookalike_text::Document;

use super::early::{EarlyFeatures, KeysSeen};
use super::hidden::HiddenParagraphs;
use super::journal::{Event, read_row, signed};
use super::prepared::PreparedDocument;
use super::resume::{JournalReader, JournalWriter};
use super::row::{NamedId, ReadRow, RowReader};
use crate::catalog::{Catalog, NOBODY, Status};
use crate::error::file_error;
use crate::{Config, Context, KeepRule, MemoryBudget, Profile, RunError, UnreadableRows};
use lookalike_corpus::pass::over_blocks;

/// Of so many unreadable rows the beginning is kept; a file of nothing else must not fill memory.
const SHOWN_ROWS: u64 = 1000;

/// What the signing pass leaves behind.
pub struct SignedCorpus {
    /// What is known of each row.
    pub catalog: Catalog,
    /// The rows that could not be read.
    pub unreadable: UnreadableRows,
    /// Rows of a known collection that could not be read.
    pub known_unreadable: UnreadableRows,
    /// Bucket keys, ready to be sorted.
    pub rows: RowSorter,
    /// Signatures, for methods that compare them.
    pub signatures: Option<WordStore>,
    /// Encoded features of some documents that will most likely be compared.
    pub early: Option<WordStore>,
    /// What was observed of all documents, where it was kept and features follow from it.
    pub observed: Option<WordStore>,
    /// What the first documents look like, where signing has seen it.
    pub profile: Option<Profile>,
}

/// A signing pass over one corpus after the other; documents are numbered through.
pub struct Signing<'a> {
    keep: &'a KeepRule,
    budget: MemoryBudget,
    context: &'a Context<'a>,
    catalog: Catalog,
    unreadable: UnreadableRows,
    known_unreadable: UnreadableRows,
    /// Rows before the known collection, once it has begun.
    n_new: Option<usize>,
    rows: RowSorter,
    signatures: WordStoreBuilder,
    early: Option<EarlyFeatures>,
    observed: Option<WordStore>,
    profile: Option<Profile>,
    named_id: NamedId,
    /// Where each step is written, for a later run to go on from.
    journal: Option<JournalWriter>,
    /// The document whose identity was confirmed after it was entered.
    confirmed: Option<DocumentId>,
}

/// The signed rows of a block, and their features as far as these are kept.
#[derive(Default)]
struct BlockSigned {
    /// Each row with the number of words of its encoded features.
    rows: Vec<(ReadRow<Result<SignedDocument, Rejection>>, usize)>,
    words: Vec<u64>,
}

impl<'a> Signing<'a> {
    /// A pass that has seen nothing yet.
    pub fn new(config: &'a Config, context: &'a Context<'a>) -> Self {
        let budget = MemoryBudget::new(config.run.memory);
        Self {
            keep: config.effective_keep(),
            budget,
            context,
            catalog: Catalog::default(),
            unreadable: UnreadableRows::new(context.temp_dir),
            known_unreadable: UnreadableRows::new(context.temp_dir),
            n_new: None,
            rows: RowSorter::new(budget.rows(), context.temp_dir),
            signatures: WordStoreBuilder::new(budget.signatures(), context.temp_dir),
            early: None,
            observed: None,
            profile: None,
            named_id: NamedId::new(&config.run),
            journal: None,
            confirmed: None,
        }
    }

    /// Reads, analyzes and signs a whole corpus; `hidden` saves looking for boilerplate again.
    pub fn add(
        &mut self,
        corpus: &Corpus,
        detector: &Detector,
        hidden: Option<&HiddenParagraphs>,
    ) -> Result<(), RunError> {
        let reads_metadata = detector.reads_metadata();
        let reader = RowReader::new(self.keep, reads_metadata, &self.named_id);
        let keeping = self.keeping(detector);
        let work = |block: &Block| {
            let (mut scratch, mut observed) = (Scratch::default(), Vec::new());
            let mut signed = BlockSigned::default();
            block.visit(|row| {
                let mut read = reader.read(&row, |document| {
                    let document = document.document();
                    observed.clear();
                    match hidden.and_then(|hidden| hidden.blanked(row.ordinal, document.text)) {
                        Some(text) => {
                            let whole_text = Some(document.text);
                            let seen = Document { text: &text, whole_text, ..document };
                            detector.observe_as_seen(&seen, &mut scratch, &mut observed);
                        }
                        None => detector.observe(&document, &mut scratch, &mut observed),
                    }
                    detector.weigh(&observed, &mut scratch)
                });
                let before = signed.words.len();
                if let (Ok(Err(_)), Ok(document)) = (&read.content, &row.content)
                    && read.identity != NOBODY
                {
                    read.identity = identity_without_keys(read.identity, &document.text);
                }
                if let Ok(Ok(document)) = &read.content {
                    read.identity = confirmed_identity(read.identity, &document.keys);
                    if let Some(keys_seen) = &keeping
                        && keys_seen.note(read.identity, &document.keys)
                        && let Some(features) = detector.features_of(&observed)
                    {
                        features.encode(&mut signed.words);
                    }
                }
                signed.rows.push((read, signed.words.len() - before));
            });
            signed
        };
        over_blocks::<_, RunError>(
            corpus,
            corpus.blocks(),
            "reading",
            self.context.watch(),
            |block| work(&block),
            |block| {
                let mut words = block.words.as_slice();
                block.rows.into_iter().try_for_each(|(row, n_words)| {
                    let (document, outcome) = self.enter(row)?;
                    let (own, rest) = words.split_at(n_words);
                    words = rest;
                    self.put_early(document, own)?;
                    outcome.map_or(Ok(()), |outcome| self.leave(document, outcome, detector))
                })
            },
        )
    }

    /// What tells whether to keep the features of a document, where they follow from what was observed.
    fn keeping(&mut self, detector: &Detector) -> Option<Arc<KeysSeen>> {
        let (memory, for_all) = (self.budget.early_features(), detector.shows_matches());
        let early = || EarlyFeatures::new(memory, self.context.temp_dir, for_all);
        let keeps = detector.compares_what_it_signs();
        keeps.then(|| self.early.get_or_insert_with(early).keys_seen())
    }

    /// Keeps what was observed of all documents.
    pub fn keep_observed(&mut self, observed: WordStore) {
        self.observed = Some(observed);
    }

    /// Takes note of what the first documents look like.
    pub fn note_profile(&mut self, profile: Profile) {
        self.profile = Some(profile);
    }

    /// Keeps features of a document; documents come in their order.
    fn put_early(&mut self, document: DocumentId, words: &[u64]) -> Result<(), RunError> {
        if let Some(journal) = self.journal.as_mut().filter(|_| !words.is_empty()) {
            journal.put(&Event::Early { document: document.0, words: words.to_vec() })?;
        }
        match &mut self.early {
            Some(early) => Ok(early.put(document, words)?),
            None => Ok(()),
        }
    }

    /// Writes every step from now on to a journal.
    pub fn keep_journal(&mut self, journal: JournalWriter) {
        self.journal = Some(journal);
    }

    /// The journal, which ends here.
    pub fn take_journal(&mut self) -> Result<Option<JournalWriter>, RunError> {
        let mut journal = self.journal.take();
        if let Some(journal) = journal.as_mut().filter(|_| self.named_id.is_seen()) {
            journal.put(&Event::NamedId)?;
        }
        Ok(journal)
    }

    /// Takes the steps of an earlier run once more.
    pub fn replay(&mut self, journal: JournalReader, detector: &Detector) -> Result<(), RunError> {
        let (damaged, interrupt) = (journal.damaged(), self.context.interrupt);
        journal.replay(|event| {
            interrupt.check()?;
            self.take_step(event, detector)?.ok_or_else(&damaged)
        })
    }

    /// Takes one step; `None` if it cannot be one.
    fn take_step(&mut self, event: Event<'_>, detector: &Detector) -> Result<Option<()>, RunError> {
        match event {
            Event::Known => self.begin_known()?,
            Event::NamedId => self.named_id.set_seen(),
            Event::Enter { .. } => {
                let Some(row) = read_row(&event) else { return Ok(None) };
                self.enter(row)?;
            }
            Event::Early { document, words } => {
                let memory = self.budget.early_features();
                let early = || EarlyFeatures::new(memory, self.context.temp_dir, false);
                self.early.get_or_insert_with(early).put(DocumentId(document), &words)?;
            }
            Event::Leave { document, confirm, outcome } => {
                let document = DocumentId(document);
                let is_known = (document.0 as usize) < self.catalog.len();
                let Some(outcome) = signed(outcome).filter(|_| is_known) else { return Ok(None) };
                if let (true, Ok(signed)) = (confirm, &outcome) {
                    self.confirm(document, signed);
                }
                self.leave(document, outcome, detector)?;
            }
        }
        Ok(Some(()))
    }

    /// Takes documents that were prepared before, with everything that they are judged on.
    pub fn add_prepared(
        &mut self,
        documents: impl IntoIterator<Item = Result<PreparedDocument, RunError>>,
        detector: &Detector,
    ) -> Result<WordStore, RunError> {
        let mut features =
            WordStoreBuilder::new(self.budget.early_features(), self.context.temp_dir);
        let mut words = Vec::new();
        for document in documents {
            self.context.interrupt.check()?;
            let PreparedDocument { id, keep, identity, content } = document?;
            if content.as_ref().is_ok_and(|prepared| !detector.has_prepared(prepared)) {
                return Err(RunError::PreparedByAnotherMethod(id));
            }
            let identity = content.as_ref().map_or(identity, Prepared::identity);
            let (number, content) = self.enter(ReadRow {
                id,
                id_is_literal: false,
                identity,
                digest: 0,
                keep,
                content: Ok(content),
            })?;
            let Some(content) = content else { continue };
            if let Some(found) = content.as_ref().ok().and_then(|own| own.evidence().features()) {
                words.clear();
                found.encode(&mut words);
                features.put(number, &words)?;
            }
            self.leave(number, content.map(SignedDocument::from), detector)?;
        }
        Ok(features.finish()?)
    }

    /// Enters the next row in the catalog; returns its number, and its content if it has any.
    pub fn enter<T>(&mut self, row: ReadRow<T>) -> Result<(DocumentId, Option<T>), RunError> {
        let number = u32::try_from(self.catalog.len()).map_err(|_| RunError::TooManyRows)?;
        if let Some(journal) = &mut self.journal {
            journal.put(&Event::enter(&row))?;
        }
        let (status, content) = match row.content {
            Ok(content) => (Status::Signed, Some(content)),
            Err(mut unreadable) => {
                let rows = if self.n_new.is_some() {
                    &mut self.known_unreadable
                } else {
                    &mut self.unreadable
                };
                if rows.len() >= SHOWN_ROWS {
                    unreadable.content = None;
                }
                rows.push(unreadable).map_err(file_error("write", self.context.temp_dir))?;
                (Status::Unreadable, None)
            }
        };
        self.catalog.push(&row.id, status, row.identity, &row.keep);
        self.catalog.push_digest(row.digest);
        if row.id_is_literal {
            self.catalog.push_literal_id();
        }
        Ok((DocumentId(number), content))
    }

    /// Makes a document that was entered before it was signed a copy only of documents with the
    /// same bucket keys.
    pub fn confirm(&mut self, document: DocumentId, signed: &SignedDocument) {
        self.catalog.confirm_identity(document, &signed.keys);
        self.confirmed = Some(document);
    }

    /// Takes what came of signing a document; documents come in their order.
    pub fn leave(
        &mut self,
        document: DocumentId,
        outcome: Result<SignedDocument, Rejection>,
        detector: &Detector,
    ) -> Result<(), RunError> {
        let confirmed = self.confirmed.take() == Some(document);
        if let Some(journal) = &mut self.journal {
            journal.put(&Event::leave(document.0, confirmed, &outcome))?;
        }
        match outcome {
            Ok(signed) => {
                self.rows.extend(signed.keys.iter().map(|key| key.0), document)?;
                if detector.needs_signatures() {
                    self.signatures.put(document, &signed.signature.0)?;
                }
            }
            Err(reason) => self.catalog.set_too_short(document, reason),
        }
        Ok(())
    }

    /// The documents entered so far that could be read.
    pub fn readable(&self) -> impl Iterator<Item = DocumentId> {
        let catalog = &self.catalog;
        catalog.documents().filter(|document| catalog.status(*document) != Status::Unreadable)
    }

    /// Whether the field for ids was seen.
    pub fn named_id(&self) -> &NamedId {
        &self.named_id
    }

    /// Rows read so far.
    pub fn n_rows(&self) -> usize {
        self.catalog.len()
    }

    /// The rows from here on belong to the known collection.
    pub fn begin_known(&mut self) -> Result<(), RunError> {
        self.n_new = Some(self.catalog.len());
        match &mut self.journal {
            Some(journal) => journal.put(&Event::Known),
            None => Ok(()),
        }
    }

    /// How many rows came before the known collection, if there is one.
    pub fn n_new(&self) -> Option<usize> {
        self.n_new
    }

    /// Rows so far that could not be read, of the collection at hand.
    pub fn unreadable(&self) -> &UnreadableRows {
        if self.n_new.is_some() { &self.known_unreadable } else { &self.unreadable }
    }

    /// What the pass leaves behind.
    ///
    /// # Errors
    /// A working file cannot be written, or a field that the run is to go by is in no row.
    pub fn finish(self, detector: &Detector) -> Result<SignedCorpus, RunError> {
        let needs_signatures = detector.needs_signatures();
        let has_documents = self.readable().next().is_some();
        if let Some(field) = self.named_id.missing().filter(|_| has_documents) {
            return Err(RunError::NoIdField(field.to_owned()));
        }
        self.catalog.keep_notes(self.keep)?;
        Ok(SignedCorpus {
            catalog: self.catalog,
            unreadable: self.unreadable,
            known_unreadable: self.known_unreadable,
            rows: self.rows,
            signatures: needs_signatures.then(|| self.signatures.finish()).transpose()?,
            early: self.early.map(EarlyFeatures::finish).transpose()?,
            observed: self.observed,
            profile: self.profile,
        })
    }
}
