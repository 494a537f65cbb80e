//! Pairs in the order of their ids, however many there are.

use std::path::Path;

use lookalike_index::{DocumentId, IndexError, PairSorter};

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
        by_rank.sort_by(|a, b| catalog.id(*a).cmp(catalog.id(*b)));
        let mut rank_of = vec![0; by_rank.len()];
        for (rank, document) in by_rank.iter().enumerate() {
            rank_of[document.0 as usize] = rank as u32;
        }
        Self { rank_of, by_rank, sorter: PairSorter::new(memory_bytes, temp_dir) }
    }

    /// Adds a pair.
    pub fn push(&mut self, pair: Pair) -> Result<(), IndexError> {
        let (left, right) =
            (self.rank_of[pair.left.0 as usize], self.rank_of[pair.right.0 as usize]);
        self.sorter.push(left.min(right), left.max(right), pair.score)
    }

    /// Adds a pair whose left document stays on the left, whatever the ids.
    pub fn push_directed(&mut self, pair: Pair) -> Result<(), IndexError> {
        let rank = |document: DocumentId| self.rank_of[document.0 as usize];
        self.sorter.push(rank(pair.left), rank(pair.right), pair.score)
    }

    /// Sorts what was added.
    pub fn finish(self) -> Result<SortedPairs, IndexError> {
        Ok(SortedPairs { by_rank: self.by_rank, sorted: self.sorter.finish()? })
    }
}

/// Confirmed pairs by the left, then the right id; the left one is the smaller unless directed.
#[derive(Debug)]
pub struct SortedPairs {
    by_rank: Vec<DocumentId>,
    sorted: lookalike_index::SortedPairs,
}

impl SortedPairs {
    /// The next pair, or `None` after the last.
    ///
    /// # Errors
    /// A working file cannot be read.
    #[expect(clippy::should_implement_trait, reason = "`?` at each pair reads better than items")]
    pub fn next(&mut self) -> Result<Option<Pair>, IndexError> {
        let document = |rank: u32| self.by_rank[rank as usize];
        let next = self.sorted.next()?;
        Ok(next.map(|(left, right, score)| Pair {
            left: document(left),
            right: document(right),
            score,
        }))
    }
}
