//! The second reading: exact features of the documents that share a bucket with another, as far as
//! the first reading has not kept them.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use hashbrown::{HashMap, HashSet};
use lookalike_corpus::{Block, Corpus};
use lookalike_detect::{Detector, Features, Scratch};
use lookalike_index::{DocumentId, WordStore, WordStoreBuilder};

use super::pass::over_blocks;
use crate::{Context, RunError};

/// What is kept in memory however large the limit is: the walk goes from group to group of
/// connected documents, so that more would only be filled and never be looked at again.
const MOST_STORED_BYTES: usize = 64 << 20;
/// The same for features that are ready to be measured, unless some that had to go come back.
const FIRST_READY_BYTES: usize = 32 << 20;
/// Documents that are remembered after they had to go.
const MOST_GONE: usize = 1 << 20;

/// Features by document: encoded, in memory or on disk, and the ones used last ready to measure.
#[derive(Debug)]
pub struct FeatureStore {
    early: Option<WordStore>,
    words: WordStore,
    ready: RwLock<Ready>,
}

/// Features that are ready, and the order in which they go when there is no room for more: the
/// oldest, unless it was asked for since it was last passed over (the clock of paging).
///
/// The room grows, up to a limit, by what had gone and was wanted again: a method that compares many
/// pairs goes through the same documents over and over, and no order of going helps it.
#[derive(Debug)]
struct Ready {
    features: HashMap<u32, ReadyFeatures>,
    /// The documents, the oldest first.
    clock: VecDeque<u32>,
    gone: HashSet<u32>,
    words: usize,
    room: usize,
    most_room: usize,
}

#[derive(Debug)]
struct ReadyFeatures {
    features: Arc<Features>,
    words: usize,
    was_asked_for: AtomicBool,
}

impl Ready {
    /// Nothing yet, with room for so many words and at most for so many.
    fn new(room: usize, most_room: usize) -> Self {
        Self {
            features: HashMap::new(),
            clock: VecDeque::new(),
            gone: HashSet::new(),
            words: 0,
            room: room.min(most_room),
            most_room,
        }
    }

    fn find(&self, document: DocumentId) -> Option<Arc<Features>> {
        let found = self.features.get(&document.0)?;
        // Most are asked for again and again: to write each time would take the line from other cores.
        if !found.was_asked_for.load(Ordering::Relaxed) {
            found.was_asked_for.store(true, Ordering::Relaxed);
        }
        Some(Arc::clone(&found.features))
    }

    /// Keeps features; returns what had to go, to be dropped when nobody waits.
    #[must_use]
    fn put(
        &mut self,
        document: DocumentId,
        features: &Arc<Features>,
        words: usize,
    ) -> Vec<ReadyFeatures> {
        let mut dropped = Vec::new();
        if self.gone.remove(&document.0) {
            self.room = (self.room + words).min(self.most_room);
        }
        while self.words + words > self.room
            && let Some(oldest) = self.clock.pop_front()
        {
            let stays = self
                .features
                .get_mut(&oldest)
                .is_some_and(|found| std::mem::take(found.was_asked_for.get_mut()));
            if stays {
                self.clock.push_back(oldest);
            } else if let Some(gone) = self.features.remove(&oldest) {
                self.words -= gone.words;
                self.gone.insert(oldest);
                dropped.push(gone);
            }
        }
        // What went long ago tells nothing, and the list must stay small.
        if self.gone.len() > MOST_GONE {
            self.gone.clear();
        }
        let features = Arc::clone(features);
        let new = ReadyFeatures { features, words, was_asked_for: AtomicBool::new(false) };
        // Another thread may have read it as well.
        match self.features.insert(document.0, new) {
            Some(old) => self.words -= old.words,
            None => self.clock.push_back(document.0),
        }
        self.words += words;
        dropped
    }
}

impl FeatureStore {
    /// The features of a document that was collected.
    pub fn read(&self, document: DocumentId) -> Result<Arc<Features>, RunError> {
        let ready = self.ready.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(features) = ready.find(document) {
            return Ok(features);
        }
        drop(ready);
        let (mut buffer, mut early_buffer) = (Vec::new(), Vec::new());
        let early = self.early.as_ref().map(|early| early.read(document, &mut early_buffer));
        let words = match early.transpose()?.flatten() {
            None => self.words.read(document, &mut buffer)?,
            found => found,
        };
        let mut words = words.ok_or(RunError::MissingPart("features", document))?;
        let size = words.len();
        let features = Features::decode(&mut words).filter(|_| words.is_empty());
        let features = Arc::new(features.ok_or(RunError::MissingPart("features", document))?);
        let mut ready = self.ready.write().unwrap_or_else(PoisonError::into_inner);
        // A group that fits is read once; of one that does not some is read again, which is not wrong.
        let dropped = ready.put(document, &features, size);
        drop(ready);
        drop(dropped);
        Ok(features)
    }
}

/// The encoded features of a block's documents, one after the other.
#[derive(Default)]
struct BlockFeatures {
    words: Vec<u64>,
    /// Each document with the number of its words.
    documents: Vec<(DocumentId, usize)>,
    n_rows: u64,
}

/// Re-reads the documents that `wanted` names and stores their features within `memory_bytes`,
/// those that `early` has among them.
///
/// The corpora are numbered through, as the signing pass has numbered them.
pub fn collect_features(
    corpora: &[&Corpus],
    detector: &Detector,
    early: Option<WordStore>,
    wanted: impl Fn(DocumentId) -> bool + Sync,
    memory_bytes: usize,
    context: &Context<'_>,
) -> Result<FeatureStore, RunError> {
    let early_bytes = early.as_ref().map_or(0, WordStore::memory_bytes);
    let stored_bytes = (memory_bytes / 2).min(MOST_STORED_BYTES).saturating_sub(early_bytes);
    let is_early = |document| early.as_ref().is_some_and(|early| early.contains(document));
    let mut store = WordStoreBuilder::new(stored_bytes, context.temp_dir);
    let mut first = 0;
    for corpus in corpora {
        let document = |ordinal: u64| DocumentId((first + ordinal) as u32);
        let work = |block: &Block| {
            let mut scratch = Scratch::default();
            let mut found =
                BlockFeatures { n_rows: block.n_rows() as u64, ..BlockFeatures::default() };
            let select = |ordinal: u64| {
                let document = document(ordinal);
                wanted(document) && !is_early(document)
            };
            block.visit_selected(select, |row| {
                if let Ok(content) = &row.content {
                    let start = found.words.len();
                    let features = detector.features(&content.document(), &mut scratch);
                    features.encode(&mut found.words);
                    found.documents.push((document(row.ordinal), found.words.len() - start));
                }
            });
            found
        };
        let mut rows = 0;
        over_blocks(corpus, "re-reading candidates", context, work, |block| {
            rows += block.n_rows;
            let mut words = block.words.as_slice();
            block.documents.into_iter().try_for_each(|(document, length)| {
                let (own, rest) = words.split_at(length);
                words = rest;
                Ok(store.put(document, own)?)
            })
        })?;
        first += rows;
    }
    Ok(FeatureStore {
        early,
        words: store.finish()?,
        ready: RwLock::new(Ready::new(FIRST_READY_BYTES / 8, memory_bytes / 4 / 8)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ready_of(documents: &[u32], ready: &mut Ready) {
        for document in documents {
            let document = DocumentId(*document);
            if ready.find(document).is_none() {
                drop(ready.put(document, &Arc::new(Features::Set(Vec::new())), 10));
            }
        }
    }

    #[test]
    fn what_is_asked_for_again_stays_and_the_room_is_kept() {
        let mut ready = Ready::new(40, 100);
        for other in 10..40 {
            ready_of(&[1, 2, other], &mut ready);
            assert!(ready.words <= 40);
            assert_eq!(ready.features.len(), ready.clock.len());
            assert!(ready.find(DocumentId(1)).is_some() && ready.find(DocumentId(2)).is_some());
        }
        assert!(ready.find(DocumentId(10)).is_none());
    }

    #[test]
    fn the_room_grows_up_to_its_limit_by_what_comes_back() {
        for (n_documents, room) in [(4, 40..=40), (9, 90..=100), (20, 100..=100)] {
            let mut ready = Ready::new(40, 100);
            let all: Vec<u32> = (0..n_documents).collect();
            for _ in 0..20 {
                ready_of(&all, &mut ready);
                assert!(ready.words <= ready.room);
            }
            assert!(room.contains(&ready.room), "{n_documents} documents over and over");
        }
    }

    #[test]
    fn one_that_is_larger_than_all_room_is_held_alone() {
        let mut ready = Ready::new(25, 25);
        ready_of(&[1, 2, 3], &mut ready);
        drop(ready.put(DocumentId(9), &Arc::new(Features::Set(Vec::new())), 100));
        assert_eq!((ready.features.len(), ready.words), (1, 100));
        ready_of(&[1], &mut ready);
        assert_eq!((ready.features.len(), ready.words), (1, 10));
    }
}
