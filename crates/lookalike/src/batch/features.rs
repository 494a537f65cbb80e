//! The second reading: exact features of the documents that share a bucket with another.

use std::borrow::Cow;
use std::path::Path;

use hashbrown::HashMap;
use lookalike_corpus::{Block, Corpus};
use lookalike_detect::{Detector, Features, Scratch};
use lookalike_index::{DocumentId, WordStore, WordStoreBuilder};

use super::pass::over_blocks;
use crate::{Context, RunError};

/// Features by document: ready in memory while they fit, encoded on disk past the limit.
pub enum FeatureStore {
    /// All of them, ready to be measured.
    Memory(HashMap<u32, Features>),
    /// Encoded words that are decoded when asked for.
    Disk(WordStore),
}

impl FeatureStore {
    /// The features of a document; `None` for one that was not collected.
    pub fn read(&self, document: DocumentId) -> Result<Option<Cow<'_, Features>>, RunError> {
        match self {
            Self::Memory(features) => Ok(features.get(&document.0).map(Cow::Borrowed)),
            Self::Disk(store) => {
                let mut buffer = Vec::new();
                let words = store.read(document, &mut buffer)?;
                Ok(words.and_then(|mut words| Features::decode(&mut words)).map(Cow::Owned))
            }
        }
    }
}

/// Re-reads the documents that `wanted` names and stores their features within `memory_bytes`.
///
/// The corpora are numbered through, as the signing pass has numbered them.
pub fn collect_features(
    corpora: &[&Corpus],
    detector: &Detector,
    wanted: impl Fn(DocumentId) -> bool + Sync,
    memory_bytes: usize,
    context: &Context<'_>,
) -> Result<FeatureStore, RunError> {
    let mut collector = Collector::Memory { features: HashMap::new(), free: memory_bytes };
    let mut first = 0;
    for corpus in corpora {
        let document = |ordinal: u64| DocumentId((first + ordinal) as u32);
        let work = |block: &Block| {
            let mut scratch = Scratch::default();
            let mut features = Vec::new();
            let select = |ordinal: u64| wanted(document(ordinal));
            block.visit_selected(select, |row| {
                if let Ok(content) = &row.content {
                    let found = detector.features(&content.document(), &mut scratch);
                    features.push((document(row.ordinal), found));
                }
            });
            (features, block.n_rows() as u64)
        };
        let mut rows = 0;
        over_blocks(corpus, "re-reading candidates", context, work, |(features, n_rows)| {
            rows += n_rows;
            features.into_iter().try_for_each(|(document, features)| {
                collector.put(document, features, memory_bytes, context.temp_dir)
            })
        })?;
        first += rows;
    }
    collector.finish()
}

/// A store that is being filled, and that moves to disk when it outgrows its memory.
enum Collector {
    Memory { features: HashMap<u32, Features>, free: usize },
    Disk(WordStoreBuilder),
}

impl Collector {
    fn put(
        &mut self,
        document: DocumentId,
        found: Features,
        memory_bytes: usize,
        temp_dir: &Path,
    ) -> Result<(), RunError> {
        if let Self::Memory { features, free } = self {
            // A feature is at most two words; the map's own share is small beside it.
            let size = 64 + 16 * found.len();
            if size <= *free {
                *free -= size;
                features.insert(document.0, found);
                return Ok(());
            }
            let mut moved: Vec<(u32, Features)> = features.drain().collect();
            moved.sort_unstable_by_key(|(document, _)| *document);
            *self = Self::Disk(WordStoreBuilder::new(memory_bytes / 4, temp_dir));
            for (document, features) in moved {
                self.put(DocumentId(document), features, memory_bytes, temp_dir)?;
            }
        }
        if let Self::Disk(store) = self {
            let mut words = Vec::with_capacity(found.len() + 1);
            found.encode(&mut words);
            store.put(document, &words)?;
        }
        Ok(())
    }

    fn finish(self) -> Result<FeatureStore, RunError> {
        Ok(match self {
            Self::Memory { features, .. } => FeatureStore::Memory(features),
            Self::Disk(store) => FeatureStore::Disk(store.finish()?),
        })
    }
}
