//! Exact features of the documents that share a bucket with another: kept from the first reading, made of what
//! was observed in it, or from a second reading.

use std::sync::{Arc, PoisonError, RwLock};

use hashbrown::HashMap;
use lookalike_corpus::{Block, Corpus};
use lookalike_detect::{Detector, Features, Observe, Scratch};
use lookalike_index::{DocumentId, WordStore, WordStoreBuilder};

use crate::{Context, RunError};
use lookalike_corpus::pass::over_blocks;

/// What is kept in memory however large the limit is: the walk goes from group to group of
/// connected documents, so that more would only be filled and never be looked at again.
const MOST_STORED_BYTES: usize = 64 << 20;
/// The same for features that are ready to be measured.
const MOST_READY_BYTES: usize = 32 << 20;
/// The same for features that have to be made of what was observed, which takes longer than to decode them.
const MOST_MADE_BYTES: usize = 64 << 20;

/// Features by document: encoded, in memory or on disk, and the ones used last ready to measure.
pub struct FeatureStore {
    early: Option<WordStore>,
    words: Later,
    ready: RwLock<Ready>,
    most_ready_words: usize,
}

/// Where the features of documents are that the first reading has not kept.
enum Later {
    /// Encoded, of a second reading.
    Read(WordStore),
    /// In what was observed of the documents.
    Observed(WordStore, Arc<dyn Observe>),
}

#[derive(Debug, Default)]
struct Ready {
    features: HashMap<u32, Arc<Features>>,
    words: usize,
}

impl FeatureStore {
    /// Features that are made of what was observed of all documents when they are wanted.
    pub fn of_observed(
        observed: WordStore,
        observer: Arc<dyn Observe>,
        memory_bytes: usize,
    ) -> Self {
        Self::new(None, Later::Observed(observed, observer), memory_bytes)
    }

    fn new(early: Option<WordStore>, words: Later, memory_bytes: usize) -> Self {
        let most = match words {
            Later::Read(_) => MOST_READY_BYTES,
            Later::Observed(..) => MOST_MADE_BYTES,
        };
        let most_ready_words = (memory_bytes / 4).min(most) / 8;
        Self { early, words, ready: RwLock::default(), most_ready_words }
    }

    /// The features of a document that was collected.
    pub fn read(&self, document: DocumentId) -> Result<Arc<Features>, RunError> {
        self.find(document)?.ok_or(RunError::MissingPart("features", document))
    }

    /// The same, or nothing for a document that was not collected.
    pub fn find(&self, document: DocumentId) -> Result<Option<Arc<Features>>, RunError> {
        let ready = self.ready.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(features) = ready.features.get(&document.0) {
            return Ok(Some(Arc::clone(features)));
        }
        drop(ready);
        let (mut buffer, mut early_buffer) = (Vec::new(), Vec::new());
        let early = self.early.as_ref().map(|early| early.read(document, &mut early_buffer));
        let decoded = |mut words: &[u64]| Features::decode(&mut words).filter(|_| words.is_empty());
        let found = match (early.transpose()?.flatten(), &self.words) {
            (Some(words), _) => Some((words.len(), decoded(words))),
            (None, Later::Read(store)) => {
                store.read(document, &mut buffer)?.map(|words| (words.len(), decoded(words)))
            }
            (None, Later::Observed(store, observer)) => {
                let words = store.read(document, &mut buffer)?;
                words.map(|words| (words.len(), observer.features(words)))
            }
        };
        let Some((size, features)) = found else { return Ok(None) };
        let features = Arc::new(features.ok_or(RunError::MissingPart("features", document))?);
        let mut ready = self.ready.write().unwrap_or_else(PoisonError::into_inner);
        // A group that fits is read once; one that does not is read again, which is not wrong.
        if ready.words + size > self.most_ready_words {
            *ready = Ready::default();
        }
        ready.words += size;
        ready.features.insert(document.0, Arc::clone(&features));
        Ok(Some(features))
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

impl BlockFeatures {
    fn put(self, store: &mut WordStoreBuilder) -> Result<(), RunError> {
        let mut words = self.words.as_slice();
        self.documents.into_iter().try_for_each(|(document, length)| {
            let (own, rest) = words.split_at(length);
            words = rest;
            Ok(store.put(document, own)?)
        })
    }
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
    // Of what is stored, the share of features that are not among the early ones.
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
        over_blocks::<_, RunError>(
            corpus,
            corpus.blocks(),
            "re-reading candidates",
            context.watch(),
            |block| work(&block),
            |block| {
                rows += block.n_rows;
                block.put(&mut store)
            },
        )?;
        first += rows;
    }
    Ok(FeatureStore::new(early, Later::Read(store.finish()?), memory_bytes))
}
