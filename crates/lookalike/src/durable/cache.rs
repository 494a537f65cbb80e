//! Stored documents that were added or wanted lately, ready to be judged, within a limit.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use hashbrown::HashMap;
use lookalike_detect::{
    BucketKey, Detector, FeatureRule, LateFeatures, Rejection, Signature, SignedDocument,
};
use xxhash_rust::xxh3::xxh3_64;

use crate::catalog::NOBODY;

/// What an entry costs besides what hangs on it.
const ENTRY_BYTES: usize = 160;

/// What a document is judged by, a stored one or one that is to be. It never changes: numbers are
/// not used twice.
#[derive(Debug)]
pub(super) struct Known {
    pub id: Box<str>,
    /// Of the id: tells most ids apart without going to where they stand.
    id_hash: u64,
    /// When it ceases to be there.
    pub expires: u64,
    /// Equal for copies; 0 for a document that is nobody's copy.
    pub identity: u128,
    /// Why the method cannot compare it, if it cannot: only copies are its duplicates then.
    pub rejection: Option<Rejection>,
    pub signature: Signature,
    /// The exact features, as far as they are at hand.
    pub features: LateFeatures,
    /// Made of the features where many documents are compared.
    outline: OnceLock<Box<[u64]>>,
}

/// A document that was just prepared.
#[derive(Debug)]
pub(super) struct Fresh {
    pub keys: Vec<BucketKey>,
    pub known: Arc<Known>,
}

impl Fresh {
    /// The document as it is stored where the index keeps no texts.
    pub fn to_bytes(&self, detector: &Detector) -> Vec<u8> {
        let Known { identity, signature, features, .. } = &*self.known;
        let signed = SignedDocument { signature: signature.clone(), keys: self.keys.clone() };
        detector.complete(signed, *identity, features).to_bytes()
    }
}

impl Known {
    /// A document with what its features are made of, if anything.
    pub fn new(
        id: impl Into<Box<str>>,
        expires: u64,
        identity: u128,
        signature: Signature,
        features: LateFeatures,
    ) -> Self {
        let id = id.into();
        let id_hash = xxh3_64(id.as_bytes());
        let outline = OnceLock::new();
        Self { id, id_hash, expires, identity, rejection: None, signature, features, outline }
    }

    /// A document that the method cannot compare.
    pub fn rejected(
        id: impl Into<Box<str>>,
        expires: u64,
        identity: u128,
        rejection: Rejection,
    ) -> Self {
        let (signature, features) = (Signature::default(), LateFeatures::default());
        let rejection = Some(rejection);
        Self { rejection, ..Self::new(id, expires, identity, signature, features) }
    }

    /// Whether two documents have one id.
    pub fn has_id_of(&self, other: &Self) -> bool {
        self.id_hash == other.id_hash && self.id == other.id
    }

    /// Whether both have the same text, as the method sees it.
    pub fn is_copy_of(&self, other: &Self) -> bool {
        self.identity == other.identity && self.identity != NOBODY
    }

    /// A bound on what the document shares with others, where its features are at hand.
    pub fn outline(&self, rule: FeatureRule<'_>) -> Option<&[u64]> {
        let features = self.features.made()?;
        Some(self.outline.get_or_init(|| {
            let mut words = Vec::new();
            rule.push_outline(features, &mut words);
            words.into()
        }))
    }

    fn bytes(&self) -> usize {
        // An outline that may still be made is an eighth of the features.
        let features = self.features.size_bytes() * 9 / 8;
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
    use lookalike_detect::Features;

    use super::*;

    fn known(id: &str) -> Arc<Known> {
        Arc::new(Known::new(id, 0, 0, Signature::default(), LateFeatures::default()))
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
    fn documents_have_one_id_or_two() {
        assert!(known("a").has_id_of(&known("a")));
        assert!(!known("a").has_id_of(&known("b")));
        assert!(!known("a").has_id_of(&known("")));
    }

    #[test]
    fn features_count() {
        let small = known("a");
        let bytes = small.bytes();
        small.features.get_or_put(Features::Set(vec![1; 100]));
        assert!(small.bytes() >= bytes + 800);
    }
}
