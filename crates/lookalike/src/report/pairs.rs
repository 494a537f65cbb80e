//! Pairs in the order of their ids, however many there are.

use std::path::Path;

use lookalike_detect::Verdict;
use lookalike_index::{DocumentId, IndexError, PairSorter, PairTable, ScoredPair};
use rayon::slice::ParallelSliceMut;

use crate::catalog::Catalog;
use crate::cluster::Pair;

/// Takes pairs in any order and gives them back by id.
pub struct PairsById {
    /// By document: the position of its id among all ids.
    rank_of: Vec<u32>,
    by_rank: Vec<DocumentId>,
    sorter: PairSorter,
}

impl PairsById {
    /// A sorter that holds at most about `memory_bytes` of pairs and spills to `temp_dir`.
    pub fn new(catalog: &Catalog, memory_bytes: usize, temp_dir: &Path) -> Self {
        let by_rank = by_id(catalog);
        let mut rank_of = vec![0; by_rank.len()];
        for (rank, document) in by_rank.iter().enumerate() {
            rank_of[document.0 as usize] = rank as u32;
        }
        let sorter = PairSorter::new(by_rank.len() as u32, memory_bytes, temp_dir);
        Self { rank_of, by_rank, sorter }
    }

    /// Adds a pair; if it `is_directed` its left document stays on the left, whatever the ids.
    pub fn push(&mut self, pair: Pair, is_directed: bool) -> Result<(), IndexError> {
        let rank = |document: DocumentId| self.rank_of[document.0 as usize];
        let (left, right) = (rank(pair.left), rank(pair.right));
        let (left, right) =
            if is_directed { (left, right) } else { (left.min(right), left.max(right)) };
        let accounted = pair.verdict.accounted.map_or(f32::NAN, |share| share as f32);
        self.sorter.push(ScoredPair { left, right, score: pair.verdict.score, accounted })
    }

    /// Sorts what was added.
    pub fn finish(self) -> Result<SortedPairs, IndexError> {
        Ok(SortedPairs { by_rank: self.by_rank, table: self.sorter.finish()? })
    }
}

/// All documents by their ids, those of one id in reading order.
///
/// Most ids differ within eight bytes after the beginning that all of them share: these stand beside
/// the document, so that ids themselves, which lie all over memory, are hardly looked at.
fn by_id(catalog: &Catalog) -> Vec<DocumentId> {
    let id = |document: DocumentId| catalog.id(document).as_bytes();
    let first = catalog.documents().next().map_or(&[][..], id);
    let shared = catalog.documents().fold(first, |shared, document| {
        let same = shared.iter().zip(id(document)).take_while(|(left, right)| left == right);
        &shared[..same.count()]
    });
    let mut keyed: Vec<(u64, DocumentId)> = catalog
        .documents()
        .map(|document| {
            let mut key = [0; 8];
            let rest = &id(document)[shared.len()..];
            let length = rest.len().min(key.len());
            key[..length].copy_from_slice(&rest[..length]);
            (u64::from_be_bytes(key), document)
        })
        .collect();
    keyed.par_sort_unstable_by(|(left_key, left), (right_key, right)| {
        left_key.cmp(right_key).then_with(|| (id(*left), left).cmp(&(id(*right), right)))
    });
    keyed.into_iter().map(|(_, document)| document).collect()
}

/// Confirmed pairs by the left, then the right id; the left one is the smaller unless directed.
#[derive(Debug)]
pub struct SortedPairs {
    by_rank: Vec<DocumentId>,
    table: PairTable,
}

impl SortedPairs {
    /// The number of pairs.
    pub fn len(&self) -> u64 {
        self.table.len()
    }

    /// Whether there is no pair.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// All documents of the run by their ids, those of one id in reading order.
    pub fn documents_by_id(&self) -> &[DocumentId] {
        &self.by_rank
    }

    /// All pairs, any number of times; an item is an error where a working file cannot be read.
    pub fn iter(&self) -> impl Iterator<Item = Result<Pair, IndexError>> + '_ {
        let document = |rank: u32| self.by_rank[rank as usize];
        self.table.iter().map(move |pair| {
            let ScoredPair { left, right, score, accounted } = pair?;
            let accounted = (!accounted.is_nan()).then_some(f64::from(accounted));
            let verdict = Verdict { duplicate: true, score, accounted };
            Ok(Pair { left: document(left), right: document(right), verdict })
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::KeepValue;
    use crate::catalog::Status;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn documents_are_sorted_by_id_then_as_they_were_read(
            shared in "[ab]{0,3}",
            ids in prop::collection::vec("[a\u{0}é]{0,10}", 0..60),
        ) {
            let mut catalog = Catalog::default();
            for id in &ids {
                catalog.push(&format!("{shared}{id}"), Status::Signed, 0, &KeepValue::default());
            }
            let mut expected: Vec<DocumentId> = catalog.documents().collect();
            expected.sort_by_key(|document| catalog.id(*document));
            prop_assert_eq!(by_id(&catalog), expected);
        }
    }
}
