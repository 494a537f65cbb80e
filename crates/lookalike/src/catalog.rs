//! What a run knows of each document once it has been read: the part that stays in memory.
//!
//! A row of the input is a document of the same number, readable or not, so that every pass over
//! the input and every result file speak of the same thing.

use std::ops::Range;

use lookalike_detect::{BucketKey, Rejection, confirmed_identity};
use lookalike_index::DocumentId;
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use crate::keep::KeepNotes;
use crate::{KeepFieldError, KeepNote, KeepRule, KeepValue, Tie};

/// Where a document stands before clustering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It has a signature and takes part in the join.
    Signed,
    /// It is too short or too plain to be judged.
    TooShort(Rejection),
    /// It could not be read.
    Unreadable,
}

/// All rows of the input, in reading order.
#[derive(Debug, Default)]
pub struct Catalog {
    ids: String,
    id_ends: Vec<u64>,
    status: Vec<Status>,
    identity: Vec<u128>,
    digests: Vec<u64>,
    /// A bit by document: whether its id is the spelling of a number or truth value; none where
    /// all ids are texts.
    literal: Vec<u64>,
    /// What the keep rule compares, the same number of bytes for every document.
    keep: Vec<u8>,
    keep_bytes: usize,
}

/// The identity of a row that is nobody's copy: an unreadable one, and one without any text.
pub const NOBODY: u128 = 0;

impl Catalog {
    /// Appends a row; an unreadable one has an empty id.
    pub fn push(&mut self, id: &str, status: Status, identity: u128, keep: &KeepValue) {
        self.ids.push_str(id);
        self.id_ends.push(self.ids.len() as u64);
        self.status.push(status);
        self.identity.push(identity);
        let keep = keep.as_bytes();
        if self.status.len() == 1 {
            self.keep_bytes = keep.len();
        }
        // Values of one rule are equally long; another rule's count as far as they go.
        let missing = self.keep_bytes.saturating_sub(keep.len());
        self.keep.extend_from_slice(&keep[..self.keep_bytes.min(keep.len())]);
        self.keep.extend(std::iter::repeat_n(u8::MAX, missing));
    }

    /// Notes a digest of the row that was pushed last, by which a later pass can tell it again.
    pub fn push_digest(&mut self, digest: u64) {
        self.digests.push(digest);
    }

    /// Notes that the row that was pushed last has its id as a number or truth value.
    pub fn push_literal_id(&mut self) {
        let row = self.len().saturating_sub(1);
        self.literal.resize(row / 64 + 1, 0);
        self.literal[row / 64] |= 1 << (row % 64);
    }

    /// Whether a document's id is the spelling of a number or truth value, and no text.
    pub fn id_is_literal(&self, document: DocumentId) -> bool {
        let row = document.0 as usize;
        self.literal.get(row / 64).is_some_and(|bits| bits >> (row % 64) & 1 == 1)
    }

    /// The digest of a row; see [`lookalike_corpus::Row::digest`].
    pub fn digest(&self, document: DocumentId) -> u64 {
        self.digests.get(document.0 as usize).copied().unwrap_or_default()
    }

    /// Notes that a row of which a signature was expected has none.
    pub fn set_too_short(&mut self, document: DocumentId, reason: Rejection) {
        self.status[document.0 as usize] = Status::TooShort(reason);
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.status.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.status.is_empty()
    }

    /// The id of a document.
    pub fn id(&self, document: DocumentId) -> &str {
        let row = document.0 as usize;
        let start = if row == 0 { 0 } else { self.id_ends[row - 1] };
        &self.ids[start as usize..self.id_ends[row] as usize]
    }

    /// Where a document stands.
    pub fn status(&self, document: DocumentId) -> Status {
        self.status[document.0 as usize]
    }

    /// All documents, in reading order.
    pub fn documents(&self) -> impl Iterator<Item = DocumentId> + use<> {
        (0..self.status.len() as u32).map(DocumentId)
    }

    /// The documents that take part in the join, the most worth keeping first. Those too short to be
    /// compared do, as far as equal texts are copies.
    pub fn keep_order(&self, tie: Tie) -> Vec<DocumentId> {
        let takes_part = |document: &DocumentId| match self.status(*document) {
            Status::Signed => true,
            Status::TooShort(_) => self.identity[document.0 as usize] != NOBODY,
            Status::Unreadable => false,
        };
        let mut order: Vec<DocumentId> = self.documents().filter(takes_part).collect();
        // Both sorts are stable: what they find equal stays in reading order.
        match tie {
            Tie::First if self.keep.is_empty() => {}
            Tie::First => order.sort_by_key(|document| self.keep_value(*document)),
            Tie::Id => {
                order.sort_by_key(|document| (self.keep_value(*document), self.id(*document)));
            }
        }
        order
    }

    /// What a keep rule could not use of the documents.
    ///
    /// # Errors
    /// One of its criteria could use nothing of any document.
    pub fn keep_notes(&self, rule: &KeepRule) -> Result<Vec<KeepNote>, KeepFieldError> {
        let mut notes = KeepNotes::new(rule);
        // Most rules ask nothing of documents.
        let is_asked = notes.has_criteria();
        let is_read = |d: &DocumentId| is_asked && self.status(*d) != Status::Unreadable;
        for document in self.documents().filter(is_read) {
            notes.add(self.id(document), self.keep_value(document));
        }
        notes.finish()
    }

    /// What the keep rule compares of a document, see [`KeepValue::as_bytes`].
    pub fn keep_value(&self, document: DocumentId) -> &[u8] {
        let start = document.0 as usize * self.keep_bytes;
        &self.keep[start..start + self.keep_bytes]
    }

    /// Makes a document a copy only of documents with the same bucket keys.
    pub fn confirm_identity(&mut self, document: DocumentId, keys: &[BucketKey]) {
        let identity = &mut self.identity[document.0 as usize];
        *identity = confirmed_identity(*identity, keys);
    }

    /// The identity of each row: equal only for copies.
    pub fn identities(&self) -> &[u128] {
        &self.identity
    }

    /// Two of these rows with the same id, if there are any: the first such pair in reading order.
    ///
    /// Works on the current pool.
    pub fn duplicate_id(&self, rows: Range<usize>) -> Option<(DocumentId, DocumentId)> {
        let mut hashed: Vec<(u64, DocumentId)> = rows
            .into_par_iter()
            .map(|row| DocumentId(row as u32))
            .filter(|d| self.status(*d) != Status::Unreadable)
            .map(|d| (xxh3_64(self.id(d).as_bytes()), d))
            .collect();
        hashed.par_sort_unstable();
        hashed
            .par_windows(2)
            .filter(|pair| pair[0].0 == pair[1].0)
            .map(|pair| (pair[0].1, pair[1].1))
            .filter(|(a, b)| self.id(*a) == self.id(*b))
            .min_by_key(|(_, b)| *b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KeepCandidate as Candidate;

    fn catalog(rule: &str, rows: &[(&str, usize)]) -> Catalog {
        let rule: KeepRule = rule.parse().unwrap();
        let mut catalog = Catalog::default();
        for (id, length) in rows {
            let candidate = Candidate { text_bytes: *length, file: "-", field: &|_| None };
            catalog.push(id, Status::Signed, *length as u128, &rule.value(&candidate));
        }
        catalog
    }

    #[test]
    fn ties_of_a_keep_rule_stay_in_reading_order_unless_ids_are_asked_for() {
        let catalog = catalog("longest", &[("c", 5), ("b", 9), ("a", 5)]);
        let ids = |tie: Tie| -> Vec<&str> {
            catalog.keep_order(tie).iter().map(|d| catalog.id(*d)).collect()
        };
        assert_eq!(ids(Tie::First), ["b", "c", "a"]);
        assert_eq!(ids(Tie::Id), ["b", "a", "c"]);
    }

    #[test]
    fn a_repeated_id_is_found_with_both_rows() {
        assert_eq!(catalog("first", &[("a", 1), ("b", 1)]).duplicate_id(0..2), None);
        let repeated = catalog("first", &[("a", 1), ("b", 1), ("b", 1), ("a", 2)]);
        assert_eq!(repeated.duplicate_id(0..4), Some((DocumentId(1), DocumentId(2))));
    }
}
