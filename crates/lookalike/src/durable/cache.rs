//! Stored documents that were added or wanted lately, ready to be judged, within a limit.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use hashbrown::HashMap;
use lookalike_detect::{Evidence, Features, Prepared, Signature};

/// What an entry costs besides what hangs on it.
const ENTRY_BYTES: usize = 160;

/// What a stored document is judged by. It never changes: numbers are not used twice.
#[derive(Debug)]
pub(super) struct Known {
    pub id: Box<str>,
    /// When it ceases to be there.
    pub expires: u64,
    pub identity: u128,
    pub signature: Signature,
    /// The exact features, once somebody has wanted them.
    pub features: OnceLock<Features>,
}

impl Known {
    /// A document that was just added: nothing has to be read back.
    pub fn added(id: &str, expires: u64, prepared: Prepared) -> Self {
        let identity = prepared.identity();
        let (signature, features) = match prepared.into_evidence() {
            Evidence::Keys => (Signature::default(), None),
            Evidence::Signature(signature) => (signature, None),
            Evidence::Features(features) => (Signature::default(), Some(features)),
            Evidence::Both(signature, features) => (signature, Some(features)),
        };
        let features = features.map_or_else(OnceLock::new, OnceLock::from);
        Self { id: id.into(), expires, identity, signature, features }
    }

    fn bytes(&self) -> usize {
        let features = self.features.get().map_or(0, Features::size_bytes);
        ENTRY_BYTES + self.id.len() + self.signature.0.len() * 8 + features
    }
}

/// The documents wanted last; the oldest half is forgotten where there are too many.
#[derive(Debug)]
pub(super) struct Cache {
    most_bytes: usize,
    generations: Mutex<Generations>,
}

#[derive(Debug, Default)]
struct Generations {
    present: HashMap<u32, Arc<Known>>,
    before: HashMap<u32, Arc<Known>>,
    /// Of the present generation.
    bytes: usize,
}

impl Cache {
    /// A cache of at most so many bytes.
    pub fn new(most_bytes: usize) -> Self {
        Self { most_bytes, generations: Mutex::default() }
    }

    /// Those of some documents that are there.
    pub fn get(&self, numbers: &[u32]) -> Vec<Option<Arc<Known>>> {
        if numbers.is_empty() {
            return Vec::new();
        }
        let mut generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        numbers.iter().map(|number| generations.get(*number, self.most_bytes / 2)).collect()
    }

    /// Keeps documents for a while.
    pub fn put(&self, entries: impl Iterator<Item = (u32, Arc<Known>)>) {
        let mut generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        entries.for_each(|(number, known)| generations.put(number, known, self.most_bytes / 2));
    }
}

impl Generations {
    /// What was wanted again is not among the oldest.
    fn get(&mut self, number: u32, most_bytes: usize) -> Option<Arc<Known>> {
        if let Some(known) = self.present.get(&number) {
            return Some(Arc::clone(known));
        }
        let known = self.before.remove(&number)?;
        self.put(number, Arc::clone(&known), most_bytes);
        Some(known)
    }

    fn put(&mut self, number: u32, known: Arc<Known>, most_bytes: usize) {
        let bytes = known.bytes();
        if self.bytes + bytes > most_bytes {
            self.before = std::mem::take(&mut self.present);
            self.bytes = 0;
        }
        self.bytes += bytes;
        self.present.insert(number, known);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(id: &str) -> Arc<Known> {
        let (signature, features) = (Signature::default(), OnceLock::new());
        Arc::new(Known { id: id.into(), expires: 0, identity: 0, signature, features })
    }

    #[test]
    fn what_was_not_wanted_for_long_is_forgotten_and_the_limit_kept() {
        let cache = Cache::new(20 * (ENTRY_BYTES + 1));
        for number in 0..1000 {
            cache.put([(number, known("a"))].into_iter());
            // Document 0 is wanted all the time.
            assert!(cache.get(&[0])[0].is_some());
            let generations = cache.generations.lock().unwrap();
            assert!(generations.present.len() + generations.before.len() <= 20);
        }
        let there = cache.get(&(0..1000).collect::<Vec<_>>());
        assert!(there[999].is_some() && there[500].is_none());
    }

    #[test]
    fn features_count() {
        let small = known("a");
        let bytes = small.bytes();
        small.features.set(Features::Set(vec![1; 100])).unwrap();
        assert!(small.bytes() >= bytes + 800);
    }
}
