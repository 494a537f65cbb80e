//! Who shares a key with a document, within bounds.

use std::cmp::Reverse;

use lookalike_detect::Rejection;
use lookalike_store::Snapshot;

use super::cache::Fresh;
use super::create::IndexError;
use super::stored::identity_key;

/// Documents of one key that are looked at, those added first; the rest is counted as skipped.
pub(super) const MOST_POSTINGS: usize = 2048;
/// Candidates of one document that are judged, those that share most keys first.
pub(super) const MOST_CANDIDATES: usize = 4096;

/// The documents behind each key of some new documents: those of the index, and the new ones themselves.
///
/// Held by key, not by new document, so that many new documents of the same keys cost no more than
/// one. A key is known by its place among all of them, ascending.
pub(super) struct Postings {
    /// For each new document one after the other the places of its keys, its identity's last.
    places: Vec<u32>,
    /// Where the places of a new document begin; one more at the end.
    begins: Vec<usize>,
    /// By place one after the other, documents of the index in the order of adding.
    stored: Vec<u32>,
    /// Where the documents of a place begin; one more at the end.
    stored_begins: Vec<u32>,
    /// By place, how many were met after that: at least one where some were not read.
    unread: Vec<u32>,
    /// By place one after the other, the new documents in their order.
    new: Vec<u32>,
    /// Where the new documents of a place begin; one more at the end.
    new_begins: Vec<u32>,
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
        prepared: &[Result<Fresh, Rejection>],
    ) -> Result<Self, IndexError> {
        // Key, new document, and where its place is to be written.
        let mut all: Vec<(u64, u32, u32)> = Vec::new();
        let mut begins = Vec::with_capacity(prepared.len() + 1);
        for (at, prepared) in (0..).zip(prepared) {
            begins.push(all.len());
            let Ok(prepared) = prepared else { continue };
            let keys = prepared.keys.iter().map(|key| key.0);
            for key in keys.chain([identity_key(prepared.known.identity)]) {
                all.push((key, at, all.len() as u32));
            }
        }
        begins.push(all.len());
        all.sort_unstable();
        let mut postings = Self {
            places: vec![0; all.len()],
            begins,
            stored: Vec::new(),
            stored_begins: Vec::new(),
            unread: Vec::new(),
            new: all.iter().map(|(_, at, _)| *at).collect(),
            new_begins: Vec::new(),
        };
        let mut keys = Vec::with_capacity(all.len());
        for (n_before, (key, _, slot)) in (0..).zip(&all) {
            if keys.last() != Some(key) {
                keys.push(*key);
                postings.new_begins.push(n_before);
            }
            postings.places[*slot as usize] = keys.len() as u32 - 1;
        }
        postings.new_begins.push(all.len() as u32);
        postings.look_up(store, &keys)?;
        Ok(postings)
    }

    fn look_up(&mut self, store: &Snapshot, keys: &[u64]) -> Result<(), IndexError> {
        // Place and number as they are met: by segment first, then by place.
        let mut met: Vec<(u32, u32)> = Vec::new();
        let mut counts = vec![0_u32; keys.len()];
        let mut unread = vec![0_u32; keys.len()];
        store.look_up_all(keys, |place, number| {
            let room = (counts[place] as usize) < MOST_POSTINGS;
            if room {
                counts[place] += 1;
                met.push((place as u32, number));
            } else {
                unread[place] = unread[place].saturating_add(1);
            }
            room
        })?;
        let mut begins = Vec::with_capacity(keys.len() + 1);
        let mut end = 0;
        for count in &counts {
            begins.push(end);
            end += count;
        }
        begins.push(end);
        let mut next = begins.clone();
        let mut stored = vec![0; met.len()];
        for (place, number) in met {
            let slot = &mut next[place as usize];
            stored[*slot as usize] = number;
            *slot += 1;
        }
        (self.stored, self.stored_begins, self.unread) = (stored, begins, unread);
        Ok(())
    }

    /// The documents of the index behind a place.
    fn stored(&self, place: usize) -> &[u32] {
        &self.stored[self.stored_begins[place] as usize..self.stored_begins[place + 1] as usize]
    }

    /// The places of a new document's keys, and that of its identity; `None` where it has none.
    fn places(&self, at: usize) -> Option<(&[u32], usize)> {
        let (identity, keys) = self.places[self.begins[at]..self.begins[at + 1]].split_last()?;
        Some((keys, *identity as usize))
    }

    /// The candidates of a new document in the index.
    pub fn candidates(&self, at: usize) -> Candidates {
        let Some((places, identity)) = self.places(at) else { return Candidates::default() };
        let (copies, unread) = (self.stored(identity), self.unread[identity]);
        let mut found =
            Candidates { copies: copies.to_vec(), unread: unread.into(), ..Candidates::default() };
        let mut numbers: Vec<u32> = Vec::new();
        for place in places {
            let documents = self.stored(*place as usize);
            // Of a text that is there a thousand times, most keys lead to its copies alone.
            if documents != copies {
                numbers.extend_from_slice(documents);
            }
            found.unread += u64::from(self.unread[*place as usize]);
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

    /// The new documents before one that share a key with it, in no order and some of them often;
    /// `counts` says which of them count.
    pub fn candidates_among(&self, at: usize, counts: impl Fn(u32) -> bool) -> Vec<u32> {
        let Some((places, identity)) = self.places(at) else { return Vec::new() };
        let before = |place: usize| {
            let range = self.new_begins[place] as usize..self.new_begins[place + 1] as usize;
            let documents = &self.new[range];
            &documents[..documents.partition_point(|other| (*other as usize) < at)]
        };
        let copies = before(identity);
        let counting = |documents: &[u32], candidates: &mut Vec<u32>| {
            let documents = documents.iter().copied().filter(|other| counts(*other));
            candidates.extend(documents.take(MOST_POSTINGS));
        };
        let mut candidates = Vec::new();
        counting(copies, &mut candidates);
        for place in places {
            let documents = before(*place as usize);
            // Of a text that is there a thousand times, most keys lead to its copies alone.
            if documents != copies {
                counting(documents, &mut candidates);
            }
        }
        candidates
    }
}
