//! Statistics and signatures from one reading, for methods that sign by how common a term is.
//!
//! Such a method must count the whole collection before it can sign the first document. What it needs of
//! a document does not depend on that: it is observed while the terms are counted, and kept, within the memory
//! limit or on disk past it, so that the text is read and cut into words once instead of twice or, where
//! features follow from it too, three times.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use lookalike_corpus::Block;
use lookalike_corpus::Corpus;
use lookalike_corpus::pass::{Room, in_order, over_blocks};
use lookalike_detect::{
    Artifacts, Detector, Model, ObserveTerms, Rejection, Scratch, SignedDocument, TermCount,
};
use lookalike_index::{DocumentId, WordStore, WordStoreBuilder};
use lookalike_statistics::{Statistics, StatisticsBuilder};

use super::artifact_files::write_artifacts;
use super::build_detector;
use super::prepare::{counts_input, hides_paragraphs, worth_asking_with};
use super::row::{ReadRow, RowReader};
use super::sign::Signing;
use super::statistics::merged;
use super::threads::let_go;
use crate::profile::{Figures, Seen, TextCounts};
use crate::report::Seconds;
use crate::{Config, Context, MemoryBudget, RunError};

/// Documents that are signed between two looks at the interrupt.
const DOCUMENTS_AT_ONCE: usize = 1024;
/// Sizes are counted in documents here; what comes of one is small.
const ROOM: Room = Room::new(DOCUMENTS_AT_ONCE as u64, u64::MAX);
/// Numbers of documents that are signed together: as much as a block has.
const WORDS_AT_ONCE: usize = (2 << 20) / 8;
/// Bytes of a block for each number that is observed in it; texts of many repeated words have more.
const BYTES_PER_WORD: usize = 6;

/// What observes documents before they are counted, where a run counts its input and its method can go
/// by that.
pub fn observer(
    config: &Config,
    model: Option<&Model>,
) -> Result<Option<Box<dyn ObserveTerms>>, RunError> {
    let counts = config.run.stats.is_none() && counts_input(config, model);
    if !counts || hides_paragraphs(config) {
        return Ok(None);
    }
    Ok(config.detector.observer(model)?)
}

/// One reading of a corpus that has to be counted.
pub struct ObserveFirst<'a> {
    pub corpus: &'a Corpus,
    pub config: &'a Config,
    pub context: &'a Context<'a>,
    pub observer: &'a dyn ObserveTerms,
    pub model: Option<Arc<Model>>,
}

impl ObserveFirst<'_> {
    /// Observes and counts the corpus, builds the detector on the counts, and signs every document.
    pub fn sign(
        &self,
        signing: &mut Signing<'_>,
        seconds: &mut Seconds,
    ) -> Result<(Detector, Artifacts), RunError> {
        let (statistics, observed) = seconds.time("statistics", || self.count(signing))?;
        let statistics = worth_asking_with(statistics, self.model.as_deref());
        let model = self.model.clone();
        let artifacts = Artifacts { statistics, model, ..Artifacts::default() };
        write_artifacts(self.config, &artifacts)?;
        let detector = build_detector(self.config, &artifacts)?;
        seconds.time("sign", || self.weigh(&detector, &observed, signing))?;
        if detector.compares_what_it_signs() {
            signing.keep_observed(observed);
        } else {
            let_go(observed);
        }
        Ok((detector, artifacts))
    }

    /// Enters every row in the catalog, counts its terms and keeps what was observed of it.
    fn count(&self, signing: &mut Signing<'_>) -> Result<(Statistics, WordStore), RunError> {
        let reads_metadata = self.observer.reads_metadata();
        let keep = self.config.effective_keep();
        let reader = RowReader::new(keep, reads_metadata, signing.named_id());
        let fresh = || StatisticsBuilder::new(self.observer.analyzer().config().clone());
        let counter = || (fresh(), Scratch::default());
        let idle: Mutex<Vec<(StatisticsBuilder, Scratch)>> = Mutex::new(Vec::new());
        let lock = || idle.lock().unwrap_or_else(PoisonError::into_inner);
        // Who has no model has no use for a profile.
        let has_seen_enough = AtomicBool::new(self.model.is_none());
        let mut seen = Seen::default();
        let work = |block: &Block| {
            let taken = lock().pop();
            let (mut builder, mut scratch) = taken.unwrap_or_else(counter);
            let words = Vec::with_capacity(block.bytes() as usize / BYTES_PER_WORD);
            let mut observed = BlockObserved { words, ..BlockObserved::default() };
            block.visit(|row| {
                let read = reader.read(&row, |document| {
                    let BlockObserved { words, figures, .. } = &mut observed;
                    let start = words.len();
                    let count = self.observer.observe(&document.document(), &mut scratch, words);
                    let own = &words[start..];
                    builder.add_distinct(self.observer.distinct(own), count.terms as u64);
                    if !has_seen_enough.load(Ordering::Relaxed) {
                        figures.extend(self.counts(count, own).figures(&document.text));
                    }
                    own.len()
                });
                observed.rows.push(read);
            });
            lock().push((builder, scratch));
            observed
        };
        let kept_bytes = MemoryBudget::new(self.config.run.memory).observed();
        let mut store = WordStoreBuilder::new(kept_bytes, self.context.temp_dir);
        over_blocks::<_, RunError>(
            self.corpus,
            self.corpus.blocks(),
            "reading",
            self.context.watch(),
            |block| work(&block),
            |block| {
                let mut words = block.words.as_slice();
                // Whole blocks, as [`crate::Profile::of_corpus`] looks at them.
                if !has_seen_enough.load(Ordering::Relaxed) {
                    block.figures.iter().for_each(|figures| seen.add(figures));
                    has_seen_enough.store(seen.is_enough(), Ordering::Relaxed);
                }
                block.rows.into_iter().try_for_each(|row| {
                    let (document, n_words) = signing.enter(row)?;
                    let (own, rest) = words.split_at(n_words.unwrap_or(0));
                    words = rest;
                    Ok(store.put(document, own)?)
                })
            },
        )?;
        if self.model.is_some() {
            signing.note_profile(seen.finish());
        }
        let counters = idle.into_inner().unwrap_or_else(PoisonError::into_inner);
        let builders = counters.into_iter().map(|(builder, _)| builder).collect();
        Ok((merged(builders, fresh)?, store.finish()?))
    }

    /// What a profile counts of a document.
    fn counts(&self, TermCount { terms, stop_words }: TermCount, observed: &[u64]) -> TextCounts {
        let distinct = || self.observer.distinct(observed);
        let unknown = self.model.as_deref().map(|Model { statistics, .. }| {
            distinct().filter(|hash| statistics.document_frequency(**hash) == 0).count()
        });
        TextCounts { words: terms, stop_words, distinct: distinct().count(), unknown }
    }

    /// Signs the documents that have been entered.
    fn weigh(
        &self,
        detector: &Detector,
        observed: &WordStore,
        signing: &mut Signing<'_>,
    ) -> Result<(), RunError> {
        let documents: Vec<DocumentId> = signing.readable().collect();
        let mut groups = in_groups(&documents, observed);
        let fetch = || {
            self.context.interrupt.check()?;
            Ok(groups.next().map(|group| (group, group.len() as u64)))
        };
        let work = |group: &[DocumentId]| -> Result<Vec<SignedOrNot>, RunError> {
            let (mut scratch, mut buffer) = (Scratch::default(), Vec::new());
            let weigh = |document: &DocumentId| {
                let words = observed.read(*document, &mut buffer)?.unwrap_or_default();
                Ok((*document, detector.weigh(words, &mut scratch)))
            };
            group.iter().map(weigh).collect()
        };
        let take = |group: Result<Vec<SignedOrNot>, RunError>| {
            group?.into_iter().try_for_each(|(document, outcome)| {
                if let Ok(signed) = &outcome {
                    signing.confirm(document, signed);
                }
                signing.leave(document, outcome, detector)
            })
        };
        in_order(ROOM, fetch, work, take)
    }
}

/// What was observed of a block's documents, one after the other.
#[derive(Default)]
struct BlockObserved {
    words: Vec<u64>,
    /// Each row with the number of its words.
    rows: Vec<ReadRow<usize>>,
    figures: Vec<Figures>,
}

/// A document and what came of signing it.
type SignedOrNot = (DocumentId, Result<SignedDocument, Rejection>);

/// Documents in their order, so many at a time as make little to hold.
fn in_groups<'d>(
    documents: &'d [DocumentId],
    observed: &WordStore,
) -> impl Iterator<Item = &'d [DocumentId]> {
    let mut rest = documents;
    std::iter::from_fn(move || {
        let mut n_words = 0;
        let mut fits = |document: &DocumentId| {
            n_words += observed.n_words(*document);
            n_words <= WORDS_AT_ONCE
        };
        let n_documents = rest.iter().take(DOCUMENTS_AT_ONCE).take_while(|d| fits(d)).count();
        // One that is longer stands alone.
        let (group, later) = rest.split_at(n_documents.max(1).min(rest.len()));
        rest = later;
        (!group.is_empty()).then_some(group)
    })
}
