//! Sets of places.

use lookalike_index::Place;

/// A set of places.
#[derive(Debug)]
pub(crate) struct Places(Vec<u64>);

impl Places {
    pub(crate) fn new(n_places: usize) -> Self {
        Self(vec![0; n_places.div_ceil(64)])
    }

    pub(crate) fn insert(&mut self, place: Place) {
        self.0[place.0 as usize / 64] |= 1 << (place.0 % 64);
    }

    pub(crate) fn contains(&self, place: Place) -> bool {
        self.0[place.0 as usize / 64] >> (place.0 % 64) & 1 == 1
    }

    /// How many places are in the set.
    pub(crate) fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }
}
