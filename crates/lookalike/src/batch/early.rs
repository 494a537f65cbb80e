//! Exact features kept from the first reading.
//!
//! A document that shares several bucket keys with documents before it will most likely have to
//! be compared. Its features are kept while they are at hand, as far as there is room: to read its
//! text again and cut it into words takes several times as long. Where features are small and those
//! of every pair are shown, half of the room is for whoever comes. What is kept never decides a
//! result: a document that was not foreseen is read again, and one that was foreseen in vain is
//! not looked at.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use lookalike_detect::BucketKey;
use lookalike_index::{DocumentId, IndexError, WordStore, WordStoreBuilder};

/// Features kept however large the limit is: most of what is kept of features at all.
const MOST_BYTES: usize = 48 << 20;
/// Keys are known by so many bits, one in memory for each value: some megabytes.
const KEY_BITS: u32 = if cfg!(test) { 16 } else { 25 };
/// Unlike documents share a key here and there: of a document's keys one in so many must be known.
const ONE_IN: usize = 10;

/// The bucket keys of the documents so far: whoever shares several will most likely have to be
/// compared.
#[derive(Debug)]
pub struct KeysSeen {
    known: Vec<AtomicU64>,
    /// Whether all documents are kept for now.
    keeps_all: AtomicBool,
    is_over: AtomicBool,
}

impl KeysSeen {
    fn new(keeps_all: bool) -> Self {
        let known = (0..1 << (KEY_BITS - 6)).map(|_| AtomicU64::new(0)).collect();
        Self { known, keeps_all: AtomicBool::new(keeps_all), is_over: AtomicBool::new(false) }
    }

    /// Notes a document; whether it will most likely be looked at. Of two copies only one is compared.
    pub fn note(&self, identity: u128, keys: &[BucketKey]) -> bool {
        if self.is_over.load(Ordering::Relaxed) {
            return false;
        }
        let is_copy = self.note_value(identity as u64);
        let known = keys.iter().filter(|key| self.note_value(key.0)).count();
        let is_compared = !is_copy && known > 0 && known * ONE_IN >= keys.len();
        is_compared || self.keeps_all.load(Ordering::Relaxed)
    }

    /// Notes a hash; whether it, or one with the same upper bits, was known.
    fn note_value(&self, value: u64) -> bool {
        let place = value >> (64 - KEY_BITS);
        let (word, bit) = (&self.known[(place / 64) as usize], 1 << (place % 64));
        let known = word.load(Ordering::Relaxed);
        // Two threads at once may forget one hash, which is cheaper than to make them wait.
        word.store(known | bit, Ordering::Relaxed);
        known & bit != 0
    }
}

/// Encoded features of documents, within a limit.
#[derive(Debug)]
pub struct EarlyFeatures {
    keys_seen: Arc<KeysSeen>,
    store: WordStoreBuilder,
    words_left: usize,
    /// What is left for documents that were foreseen.
    words_foreseen: usize,
}

impl EarlyFeatures {
    /// Nothing yet, and room within `memory_bytes`; half of it for all documents if `for_all`.
    pub fn new(memory_bytes: usize, temporary_folder: &Path, for_all: bool) -> Self {
        let bytes = memory_bytes.min(MOST_BYTES);
        Self {
            keys_seen: Arc::new(KeysSeen::new(for_all)),
            store: WordStoreBuilder::new(bytes, temporary_folder),
            words_left: bytes / 8,
            words_foreseen: bytes / 16,
        }
    }

    /// What tells which documents to keep, for all threads.
    pub fn keys_seen(&self) -> Arc<KeysSeen> {
        Arc::clone(&self.keys_seen)
    }

    /// Keeps the features of a document if there is room for them; documents come in order.
    pub fn put(&mut self, document: DocumentId, words: &[u64]) -> Result<(), IndexError> {
        if words.is_empty() {
            return Ok(());
        }
        if words.len() > self.words_left {
            // Full, but for documents shorter than this one.
            self.keys_seen.is_over.store(true, Ordering::Relaxed);
            self.words_left = 0;
            return Ok(());
        }
        self.words_left -= words.len();
        if self.words_left <= self.words_foreseen {
            self.keys_seen.keeps_all.store(false, Ordering::Relaxed);
        }
        self.store.put(document, words)
    }

    /// What was kept.
    pub fn finish(self) -> Result<WordStore, IndexError> {
        self.store.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(values: impl IntoIterator<Item = u64>) -> Vec<BucketKey> {
        let spread = |value: u64| BucketKey(value.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        values.into_iter().map(spread).collect()
    }

    #[test]
    fn a_document_that_shares_keys_is_foreseen_and_a_copy_is_not() {
        let keys_seen = KeysSeen::new(false);
        assert!(!keys_seen.note(1 << 60, &keys(0..20)));
        assert!(!keys_seen.note(2 << 60, &keys(19..39)), "one key in twenty is too few");
        assert!(keys_seen.note(3 << 60, &keys(18..20)));
        assert!(!keys_seen.note(1 << 60, &keys(0..20)), "a copy of the first");
    }

    #[test]
    fn half_of_the_room_is_for_all_where_it_is_asked_for() {
        let mut early = EarlyFeatures::new(10 * 8, Path::new("unused"), true);
        let keys_seen = early.keys_seen();
        assert!(keys_seen.note(1 << 60, &keys(0..20)));
        early.put(DocumentId(0), &[1; 4]).unwrap();
        assert!(keys_seen.note(1 << 60, &keys(0..20)), "a copy is kept as well");
        early.put(DocumentId(1), &[1; 4]).unwrap();
        assert!(!keys_seen.note(2 << 60, &keys(20..40)));
        assert!(keys_seen.note(3 << 60, &keys(18..20)), "what is foreseen has room");
    }

    #[test]
    fn what_does_not_fit_is_left_out_and_ends_it() {
        let mut early = EarlyFeatures::new(10 * 8, Path::new("unused"), false);
        let keys_seen = early.keys_seen();
        early.put(DocumentId(0), &[1; 6]).unwrap();
        early.put(DocumentId(3), &[2; 6]).unwrap();
        early.put(DocumentId(4), &[3; 2]).unwrap();
        assert!(!keys_seen.note(0, &keys([1])) && !keys_seen.note(1 << 60, &keys([1])));
        let store = early.finish().unwrap();
        let mut buffer = Vec::new();
        assert_eq!(store.read(DocumentId(0), &mut buffer).unwrap(), Some([1; 6].as_slice()));
        for left_out in [3, 4] {
            assert_eq!(store.read(DocumentId(left_out), &mut buffer).unwrap(), None);
        }
    }
}
