//! Sets of places.

use lookalike_index::Place;

/// A set of places.
#[derive(Debug)]
pub(super) struct Places(Vec<u64>);

impl Places {
    pub(super) fn new(n_places: usize) -> Self {
        Self(vec![0; n_places.div_ceil(64)])
    }

    pub(super) fn insert(&mut self, place: Place) {
        self.0[place.0 as usize / 64] |= 1 << (place.0 % 64);
    }

    pub(super) fn contains(&self, place: Place) -> bool {
        self.0[place.0 as usize / 64] >> (place.0 % 64) & 1 == 1
    }
}
