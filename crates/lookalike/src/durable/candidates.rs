//! Who shares a key with a document, within bounds.

use std::cmp::Reverse;

use lookalike_detect::{Prepared, Rejection};
use lookalike_store::Snapshot;

use super::create::IndexError;
use super::stored::identity_key;

/// Documents of one key that are looked at, those added first; the rest is counted as skipped.
pub(super) const MOST_POSTINGS: usize = 2048;
/// Candidates of one document that are judged, those that share most keys first.
pub(super) const MOST_CANDIDATES: usize = 4096;

/// The documents of the index behind each key of some new documents.
///
/// Held by key, not by new document, so that many new documents of the same keys cost no more than
/// one.
pub(super) struct Postings {
    keys: Vec<u64>,
    documents: Vec<Vec<u32>>,
    /// By key, how many were met after that: at least one where some were not read.
    unread: Vec<u32>,
}

/// Who may be a duplicate of a document.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    /// Documents of the same text, those added first at the front.
    pub copies: Vec<u32>,
    /// Others that share a key: those that share most first, of equals the one added first.
    pub others: Vec<u32>,
    /// How many were passed over because their keys are crowded, at least.
    pub unread: u64,
}

impl Postings {
    /// Looks up all keys at once.
    pub fn read(
        store: &Snapshot,
        prepared: &[Result<Prepared, Rejection>],
    ) -> Result<Self, IndexError> {
        let mut keys: Vec<u64> = Vec::new();
        for prepared in prepared.iter().flatten() {
            keys.extend(prepared.keys().iter().map(|key| key.0));
            keys.push(identity_key(prepared.identity()));
        }
        keys.sort_unstable();
        keys.dedup();
        let mut documents: Vec<Vec<u32>> = vec![Vec::new(); keys.len()];
        let mut unread = vec![0_u32; keys.len()];
        store.look_up_all(&keys, |place, number| {
            let room = documents[place].len() < MOST_POSTINGS;
            if room {
                documents[place].push(number);
            } else {
                unread[place] = unread[place].saturating_add(1);
            }
            room
        })?;
        Ok(Self { keys, documents, unread })
    }

    fn of(&self, key: u64) -> (&[u32], u32) {
        match self.keys.binary_search(&key) {
            Ok(place) => (&self.documents[place], self.unread[place]),
            Err(_) => (&[], 0),
        }
    }

    /// The candidates of one of the documents.
    pub fn candidates(&self, prepared: &Prepared) -> Candidates {
        let (copies, unread) = self.of(identity_key(prepared.identity()));
        let mut found =
            Candidates { copies: copies.to_vec(), unread: unread.into(), ..Candidates::default() };
        let mut numbers: Vec<u32> = Vec::new();
        for key in prepared.keys() {
            let (documents, unread) = self.of(key.0);
            // Of a text that is there a thousand times, most keys lead to its copies alone.
            if documents != copies {
                numbers.extend_from_slice(documents);
            }
            found.unread += u64::from(unread);
        }
        numbers.sort_unstable();
        let mut counted: Vec<(Reverse<usize>, u32)> = numbers
            .chunk_by(|a, b| a == b)
            .map(|same| (Reverse(same.len()), same[0]))
            .filter(|(_, number)| copies.binary_search(number).is_err())
            .collect();
        counted.sort_unstable();
        found.unread += counted.len().saturating_sub(MOST_CANDIDATES) as u64;
        counted.truncate(MOST_CANDIDATES);
        found.others = counted.into_iter().map(|(_, number)| number).collect();
        found
    }
}
