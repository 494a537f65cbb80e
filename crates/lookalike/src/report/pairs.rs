//! Pairs in the order of their ids, however many there are.

use std::path::Path;

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
        let mut by_rank: Vec<DocumentId> = catalog.documents().collect();
        by_rank.par_sort_by(|a, b| catalog.id(*a).cmp(catalog.id(*b)));
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
        if is_directed {
            self.sorter.push(left, right, pair.score)
        } else {
            self.sorter.push(left.min(right), left.max(right), pair.score)
        }
    }

    /// Sorts what was added.
    pub fn finish(self) -> Result<SortedPairs, IndexError> {
        Ok(SortedPairs { by_rank: self.by_rank, table: self.sorter.finish()? })
    }
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
            let ScoredPair { left, right, score } = pair?;
            Ok(Pair { left: document(left), right: document(right), score })
        })
    }
}
