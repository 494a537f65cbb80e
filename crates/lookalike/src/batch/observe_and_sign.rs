//! Statistics and signatures from one reading, for methods that weigh words by what a model has learned.
//!
//! Such a method must know how common a word is in the collection before it can sign the first
//! document. What a document shows of its words does not depend on that: it is kept, within the memory limit
//! or on disk past it, so that the text is read and cut into words once instead of three times, to
//! count, to sign and to compare.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use lookalike_corpus::{Block, Corpus};
use lookalike_detect::represent::learned::{WordObserver, WordScratch};
use lookalike_detect::{
    Artifacts, BucketKey, DetectError, Detector, LeftBehind, Model, Rejection, Scratch,
    SignedDocument,
};
use lookalike_index::{DocumentId, WordStore, WordStoreBuilder};
use lookalike_statistics::{Statistics, StatisticsBuilder};

use super::artifact_files::write_artifacts;
use super::build_detector;
use super::count_and_sign::{DOCUMENTS_AT_ONCE, ROOM};
use super::early::KeysSeen;
use super::prepare::{counts_input, hides_paragraphs, worth_asking_with};
use super::row::{ReadRow, RowReader};
use super::sign::Signing;
use super::statistics::merged;
use crate::profile::{Figures, Seen, TextCounts};
use crate::report::Seconds;
use crate::{Config, Context, MemoryBudget, RunError};
use lookalike_corpus::pass::in_order;
use lookalike_corpus::pass::over_blocks;

/// What observes the words of documents, where [`observe_and_sign`] does what a configuration asks for.
pub fn observer(config: &Config, model: Option<&Model>) -> Result<Option<WordObserver>, RunError> {
    let counts = config.run.stats.is_none() && counts_input(config, model);
    let fits = counts && config.detector.signs_observed_words() && !hides_paragraphs(config);
    match model.filter(|_| fits) {
        Some(model) => Ok(WordObserver::of_model(model).map_err(DetectError::from)?),
        None => Ok(None),
    }
}

/// Observes and counts a corpus, builds the detector on the counts, and signs every document.
pub fn observe_and_sign(
    corpus: &Corpus,
    config: &Config,
    context: &Context<'_>,
    (observer, model): (&WordObserver, Arc<Model>),
    signing: &mut Signing<'_>,
    seconds: &mut Seconds,
) -> Result<(Detector, Artifacts), RunError> {
    let counting = Counting { config, context, observer, model: &model };
    let (statistics, observed) = seconds.time("statistics", || counting.count(corpus, signing))?;
    let statistics = worth_asking_with(statistics, Some(&model));
    let artifacts = Artifacts { statistics, model: Some(model), ..Artifacts::default() };
    write_artifacts(config, &artifacts)?;
    let detector = build_detector(config, &artifacts)?;
    seconds.time("sign", || sign(&detector, &observed, context, signing))?;
    if detector.features_left_behind().is_some() {
        signing.keep_observed(observed);
    }
    Ok((detector, artifacts))
}

/// Numbers of documents that are signed together: as much as a block has.
const WORDS_AT_ONCE: usize = (2 << 20) / 8;

/// Bytes of a block for each number that is observed in it; texts of many repeated words have more.
const BYTES_PER_WORD: usize = 6;

/// What a block's documents show of their words, one after the other.
#[derive(Default)]
struct BlockObserved {
    words: Vec<u64>,
    /// Each row with the number of its words.
    rows: Vec<ReadRow<usize>>,
    figures: Vec<Figures>,
}

/// Buffers of one thread.
struct Counter {
    builder: StatisticsBuilder,
    scratch: WordScratch,
}

struct Counting<'a> {
    config: &'a Config,
    context: &'a Context<'a>,
    observer: &'a WordObserver,
    model: &'a Model,
}

impl Counting<'_> {
    /// Enters every row in the catalog, counts its words and keeps what it shows of them.
    fn count(
        &self,
        corpus: &Corpus,
        signing: &mut Signing<'_>,
    ) -> Result<(Statistics, WordStore), RunError> {
        // Words of titles and addresses weigh more, so every such method reads them.
        let reader = RowReader::new(self.config.effective_keep(), true, signing.named_id());
        let fresh = || StatisticsBuilder::new(self.observer.analyzer().config().clone());
        let counter = || Counter { builder: fresh(), scratch: WordScratch::default() };
        let idle: Mutex<Vec<Counter>> = Mutex::new(Vec::new());
        let lock = || idle.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut seen, has_seen_enough) = (Seen::default(), AtomicBool::new(false));
        let work = |block: &Block| {
            let taken = lock().pop();
            let Counter { mut builder, mut scratch } = taken.unwrap_or_else(counter);
            let words = Vec::with_capacity(block.bytes() as usize / BYTES_PER_WORD);
            let mut observed = BlockObserved { words, ..BlockObserved::default() };
            block.visit(|row| {
                let read = reader.read(&row, |document| {
                    let BlockObserved { words, figures, .. } = &mut observed;
                    let start = words.len();
                    self.observer.observe(&document.document(), &mut scratch, words);
                    let own = &words[start..];
                    builder.add_distinct(hashes(own), scratch.n_words() as u64);
                    if !has_seen_enough.load(Ordering::Relaxed) {
                        figures.extend(self.counts(&scratch, own).figures(&document.text));
                    }
                    own.len()
                });
                observed.rows.push(read);
            });
            lock().push(Counter { builder, scratch });
            observed
        };
        let kept_bytes = MemoryBudget::new(self.config.run.memory).observed();
        let mut store = WordStoreBuilder::new(kept_bytes, self.context.temp_dir);
        over_blocks::<_, RunError>(
            corpus,
            corpus.blocks(),
            "reading",
            self.context.watch(),
            |block| work(&block),
            |block| {
                let mut words = block.words.as_slice();
                // Whole blocks, as [`Profile::of_corpus`] looks at them.
                if !seen.is_enough() {
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
        signing.note_profile(seen.finish());
        let counters = idle.into_inner().unwrap_or_else(PoisonError::into_inner);
        let builders = counters.into_iter().map(|counter| counter.builder).collect();
        Ok((merged(builders, fresh)?, store.finish()?))
    }

    /// What is counted of the document that was observed last.
    fn counts(&self, scratch: &WordScratch, observed: &[u64]) -> TextCounts {
        let statistics = &self.model.statistics;
        let is_unknown = |hash: &&u64| statistics.document_frequency(**hash) == 0;
        TextCounts {
            words: scratch.n_words(),
            stop_words: scratch.n_stop_words(),
            distinct: hashes(observed).count(),
            unknown: Some(hashes(observed).filter(is_unknown).count()),
        }
    }
}

/// The distinct words of a document, of what was observed of it.
fn hashes(observed: &[u64]) -> impl Iterator<Item = &u64> {
    observed.as_chunks::<2>().0.iter().map(|[hash, _]| hash)
}

/// Signs the documents that have been entered.
fn sign(
    detector: &Detector,
    observed: &WordStore,
    context: &Context<'_>,
    signing: &mut Signing<'_>,
) -> Result<(), RunError> {
    let documents: Vec<DocumentId> = signing.readable().collect();
    let keeping = signing.keeping(detector);
    let mut groups = in_groups(&documents, observed);
    let fetch = || {
        context.interrupt.check()?;
        Ok(groups.next().map(|group| (group, group.len() as u64)))
    };
    let work = |group: &[DocumentId]| sign_documents(detector, observed, keeping.as_ref(), group);
    let take = |group: Result<GroupSigned, RunError>| {
        let group = group?;
        let mut words = group.words.as_slice();
        group.documents.into_iter().try_for_each(|(document, outcome, n_words)| {
            let (own, rest) = words.split_at(n_words);
            words = rest;
            signing.put_early(document, own)?;
            if let Ok(signed) = &outcome {
                signing.confirm(document, signed);
            }
            signing.leave(document, outcome, detector)
        })
    };
    in_order(ROOM, fetch, work, take)
}

/// Documents in their order, so many at a time as make little to hold.
pub(super) fn in_groups<'d>(
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

/// What stands for all keys of a document: who has the same is most likely its copy.
fn copies_share(keys: &[BucketKey]) -> u128 {
    u128::from(keys.iter().fold(0, |all: u64, key| all.rotate_left(9) ^ key.0))
}

/// What came of signing some documents, and their features as far as these are kept.
#[derive(Default)]
struct GroupSigned {
    /// Each document with the number of words of its encoded features.
    documents: Vec<(DocumentId, Result<SignedDocument, Rejection>, usize)>,
    words: Vec<u64>,
}

fn sign_documents(
    detector: &Detector,
    observed: &WordStore,
    keeping: Option<&(LeftBehind, Arc<KeysSeen>)>,
    documents: &[DocumentId],
) -> Result<GroupSigned, RunError> {
    let (mut scratch, mut buffer) = (Scratch::default(), Vec::new());
    let mut group = GroupSigned::default();
    for &document in documents {
        let words = observed.read(document, &mut buffer)?.unwrap_or_default();
        // `observer` has asked the recipe; a property test holds it to its word.
        let refused = || DetectError::Mismatch("the method does not sign observed words".into());
        let outcome = detector.sign_observed(words, &mut scratch).ok_or_else(refused)?;
        let before = group.words.len();
        if let (Ok(signed), Some((left_behind, keys_seen))) = (&outcome, keeping)
            && keys_seen.note(copies_share(&signed.keys), &signed.keys)
        {
            left_behind.features(&mut scratch).encode(&mut group.words);
        }
        group.documents.push((document, outcome, group.words.len() - before));
    }
    Ok(group)
}
