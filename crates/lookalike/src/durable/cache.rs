//! Exact features of stored documents that were wanted lately, within a limit.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use lookalike_detect::Features;

/// What a cached set costs besides its features.
const ENTRY_BYTES: usize = 64;

/// The features wanted last; the oldest half is forgotten where there are too many.
#[derive(Debug)]
pub(super) struct FeatureCache {
    most_bytes: usize,
    generations: Mutex<Generations>,
}

#[derive(Debug, Default)]
struct Generations {
    present: HashMap<u32, Arc<Features>>,
    before: HashMap<u32, Arc<Features>>,
    /// Of the present generation.
    bytes: usize,
}

impl FeatureCache {
    /// A cache of at most so many bytes.
    pub fn new(most_bytes: usize) -> Self {
        Self { most_bytes, generations: Mutex::default() }
    }

    /// The features of a document, if they are there.
    pub fn get(&self, number: u32) -> Option<Arc<Features>> {
        let generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        let Generations { present, before, .. } = &*generations;
        present.get(&number).or_else(|| before.get(&number)).cloned()
    }

    /// Keeps the features of a document for a while.
    pub fn put(&self, number: u32, features: &Arc<Features>) {
        let mut words = Vec::new();
        features.encode(&mut words);
        let bytes = words.len() * 8 + ENTRY_BYTES;
        let mut generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        if generations.bytes + bytes > self.most_bytes / 2 {
            generations.before = std::mem::take(&mut generations.present);
            generations.bytes = 0;
        }
        generations.bytes += bytes;
        generations.present.insert(number, Arc::clone(features));
    }
}
