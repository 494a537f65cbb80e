//! Who shares a key with a document, within bounds.

use lookalike_store::{Snapshot, sort_postings};

use super::cache::Fresh;
use super::create::IndexError;
use super::stored::identity_key;
use crate::catalog::NOBODY;

/// Documents of one key that are looked at, those added first; the rest is counted as skipped.
pub(super) const MOST_POSTINGS: usize = 2048;
/// Candidates of one document that are judged, those that share most keys first.
pub(super) const MOST_CANDIDATES: usize = 4096;

/// The documents behind each key of some new documents: those of the index, and the new ones themselves.
///
/// Held by key, not by new document, so that many new documents of the same keys cost no more than
/// one. A key is known by its place among all of them, ascending.
pub(super) struct Postings {
    /// By place, ascending.
    keys: Vec<u64>,
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
    /// Room for all who share a key, once for each key that they share.
    sharing: Vec<u32>,
    /// Room for each of them once, in the order of `others`.
    counted: Vec<u64>,
}

impl Postings {
    /// Looks up all keys at once.
    pub fn read(store: &Snapshot, prepared: &[Fresh]) -> Result<Self, IndexError> {
        // Key, and where its place is to be written.
        let n_keys = prepared.iter().map(|fresh| fresh.keys.len() + 1).sum();
        let mut all: Vec<(u64, u32)> = Vec::with_capacity(n_keys);
        // For each of these the new document.
        let mut owners: Vec<u32> = Vec::with_capacity(n_keys);
        let mut begins = Vec::with_capacity(prepared.len() + 1);
        for (at, prepared) in (0..).zip(prepared) {
            begins.push(all.len());
            if prepared.known.identity == NOBODY {
                continue;
            }
            let keys = prepared.keys.iter().map(|key| key.0);
            for key in keys.chain([identity_key(prepared.known.identity)]) {
                all.push((key, all.len() as u32));
                owners.push(at);
            }
        }
        begins.push(all.len());
        // Slots ascend with the documents, so that those of one key stay in their order.
        let all = sort_postings(all);
        let mut postings = Self {
            keys: Vec::with_capacity(all.len()),
            places: vec![0; all.len()],
            begins,
            stored: Vec::new(),
            stored_begins: Vec::new(),
            unread: Vec::new(),
            new: all.iter().map(|(_, slot)| owners[*slot as usize]).collect(),
            new_begins: Vec::new(),
        };
        let keys = &mut postings.keys;
        for (n_before, (key, slot)) in (0..).zip(&all) {
            if keys.last() != Some(key) {
                keys.push(*key);
                postings.new_begins.push(n_before);
            }
            postings.places[*slot as usize] = keys.len() as u32 - 1;
        }
        postings.new_begins.push(all.len() as u32);
        postings.look_up(store)?;
        Ok(postings)
    }

    fn look_up(&mut self, store: &Snapshot) -> Result<(), IndexError> {
        let keys = &self.keys;
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

    /// All keys of some of the new documents, in order; `place_of` says where among these a new
    /// document stands.
    pub fn keys_of(&self, place_of: impl Fn(u32) -> Option<u32>) -> Vec<(u64, u32)> {
        let mut keys = Vec::with_capacity(self.new.len());
        for (key, range) in self.keys.iter().zip(self.new_begins.windows(2)) {
            let new = &self.new[range[0] as usize..range[1] as usize];
            keys.extend(new.iter().filter_map(|at| Some((*key, place_of(*at)?))));
        }
        keys
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

    /// The new documents in an order in which those with the same candidates come together: what the
    /// candidates are judged by is still in the processor's cache then.
    pub fn by_company(&self) -> Vec<usize> {
        let first = |at: usize| {
            let stored = self.places[self.begins[at]..self.begins[at + 1]]
                .iter()
                .filter_map(|place| self.stored(*place as usize).first());
            stored.min().copied()
        };
        let mut order: Vec<(Option<u32>, usize)> =
            (0..self.begins.len() - 1).map(|at| (first(at), at)).collect();
        order.sort_unstable();
        order.into_iter().map(|(_, at)| at).collect()
    }

    /// Finds the candidates of a new document in the index.
    pub fn candidates(&self, at: usize, found: &mut Candidates) {
        let Candidates { copies, others, unread, sharing, counted } = found;
        for numbers in [&mut *copies, &mut *others, &mut *sharing] {
            numbers.clear();
        }
        counted.clear();
        *unread = 0;
        let Some((places, identity)) = self.places(at) else { return };
        copies.extend_from_slice(self.stored(identity));
        *unread += u64::from(self.unread[identity]);
        for place in places {
            let documents = self.stored(*place as usize);
            // Of a text that is there a thousand times, most keys lead to its copies alone.
            if documents != copies.as_slice() {
                sharing.extend_from_slice(documents);
            }
            *unread += u64::from(self.unread[*place as usize]);
        }
        sharing.sort_unstable();
        let each = sharing.chunk_by(|a, b| a == b);
        let each = each.filter(|same| copies.binary_search(&same[0]).is_err());
        // One word for both, that with the larger share the smaller.
        counted.extend(
            each.map(|same| {
                u64::from(u32::MAX - same.len() as u32) << u32::BITS | u64::from(same[0])
            }),
        );
        counted.sort_unstable();
        *unread += counted.len().saturating_sub(MOST_CANDIDATES) as u64;
        counted.truncate(MOST_CANDIDATES);
        others.extend(counted.iter().map(|word| *word as u32));
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Postings of new documents with these places, the last of each its identity's, over stored ones.
    fn postings(places: &[&[u32]], stored: &[&[u32]]) -> Postings {
        let ends = |lists: &[&[u32]]| {
            let mut end = 0;
            let ends = lists.iter().map(|list| {
                end += list.len();
                end
            });
            [0].into_iter().chain(ends).collect::<Vec<usize>>()
        };
        Postings {
            keys: (0..stored.len() as u64).collect(),
            places: places.concat(),
            begins: ends(places),
            stored: stored.concat(),
            stored_begins: ends(stored).into_iter().map(|end| end as u32).collect(),
            unread: vec![0; stored.len()],
            new: Vec::new(),
            new_begins: Vec::new(),
        }
    }

    #[test]
    fn candidates_come_by_what_they_share_whatever_was_looked_for_before() {
        let stored: &[&[u32]] = &[&[3, 5, 9], &[5, 7], &[5, 9], &[], &[9]];
        let postings = postings(&[&[0, 1, 2, 3], &[0, 4], &[], &[3, 3]], stored);
        let mut found = Candidates::default();
        let mut seen = Vec::new();
        for at in [0, 1, 2, 3, 1, 0] {
            postings.candidates(at, &mut found);
            seen.push((found.copies.clone(), found.others.clone()));
        }
        assert_eq!(seen[0], (vec![], vec![5, 9, 3, 7]));
        assert_eq!(seen[1], (vec![9], vec![3, 5]));
        assert!(seen[2..4].iter().all(|(copies, others)| copies.is_empty() && others.is_empty()));
        assert_eq!((&seen[4], &seen[5]), (&seen[1], &seen[0]));
    }

    #[test]
    fn documents_with_the_same_company_come_together_and_each_comes_once() {
        let stored: &[&[u32]] = &[&[8, 9], &[2, 8], &[], &[4]];
        let postings = postings(&[&[0, 1], &[2, 2], &[3, 2], &[1, 2], &[0, 3], &[]], stored);
        assert_eq!(postings.by_company(), [1, 5, 0, 3, 2, 4]);
    }
}
