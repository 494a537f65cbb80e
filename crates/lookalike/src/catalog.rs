//! What a run knows of each document once it has been read: the part that stays in memory.
//!
//! A row of the input is a document of the same number, readable or not, so that every pass over
//! the input and every result file speak of the same thing.

use std::ops::Range;

use lookalike_detect::Rejection;
use lookalike_index::DocumentId;
use xxhash_rust::xxh3::xxh3_64;

use crate::KeepValue;

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
    keep: Vec<KeepValue>,
    digests: Vec<u64>,
}

impl Catalog {
    /// Appends a row; an unreadable one has an empty id.
    pub fn push(&mut self, id: &str, status: Status, identity: u128, keep: KeepValue) {
        self.ids.push_str(id);
        self.id_ends.push(self.ids.len() as u64);
        self.status.push(status);
        self.identity.push(identity);
        // The reading order needs no value of its own.
        if !keep.is_order() {
            self.keep.push(keep);
        }
    }

    /// Notes a digest of the row that was pushed last, by which a later pass can tell it again.
    pub fn push_digest(&mut self, digest: u64) {
        self.digests.push(digest);
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

    /// The documents that take part in the join, the most worth keeping first.
    pub fn keep_order(&self) -> Vec<DocumentId> {
        let mut order: Vec<DocumentId> =
            self.documents().filter(|d| self.status(*d) == Status::Signed).collect();
        if !self.keep.is_empty() {
            order.sort_by(|a, b| {
                let (left, right) = (&self.keep[a.0 as usize], &self.keep[b.0 as usize]);
                left.compare(right).then_with(|| self.id(*a).cmp(self.id(*b)))
            });
        }
        order
    }

    /// A digest of each row's text.
    pub fn identities(&self) -> &[u128] {
        &self.identity
    }

    /// Two of these rows with the same id, if there are any: the first such pair in reading order.
    pub fn duplicate_id(&self, rows: Range<usize>) -> Option<(DocumentId, DocumentId)> {
        let mut hashed: Vec<(u64, DocumentId)> = rows
            .map(|row| DocumentId(row as u32))
            .filter(|d| self.status(*d) != Status::Unreadable)
            .map(|d| (xxh3_64(self.id(d).as_bytes()), d))
            .collect();
        hashed.sort_unstable();
        hashed
            .windows(2)
            .filter(|pair| pair[0].0 == pair[1].0)
            .map(|pair| (pair[0].1, pair[1].1))
            .filter(|(a, b)| self.id(*a) == self.id(*b))
            .min_by_key(|(_, b)| *b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KeepRule;

    fn catalog(rule: &str, rows: &[(&str, usize)]) -> Catalog {
        let rule: KeepRule = rule.parse().unwrap();
        let mut catalog = Catalog::default();
        for (id, length) in rows {
            catalog.push(id, Status::Signed, *length as u128, rule.value(*length, None));
        }
        catalog
    }

    #[test]
    fn ties_of_a_keep_rule_are_broken_by_id() {
        let catalog = catalog("longest", &[("c", 5), ("b", 9), ("a", 5)]);
        let ids: Vec<&str> = catalog.keep_order().iter().map(|d| catalog.id(*d)).collect();
        assert_eq!(ids, ["b", "a", "c"]);
    }

    #[test]
    fn a_repeated_id_is_found_with_both_rows() {
        assert_eq!(catalog("first", &[("a", 1), ("b", 1)]).duplicate_id(0..2), None);
        let repeated = catalog("first", &[("a", 1), ("b", 1), ("b", 1), ("a", 2)]);
        assert_eq!(repeated.duplicate_id(0..4), Some((DocumentId(1), DocumentId(2))));
    }
}
