//! Whole groups of documents, which one thread walks by itself.
//!
//! No pair crosses groups, so that what is noted of documents while a stretch of groups is walked is
//! noted for these alone, under numbers of their own: it stays small whatever the corpus and the
//! number of threads.

use lookalike_index::{Buckets, Place};

/// Documents of a stretch, unless one group has more; few in tests, so that small corpora make
/// several.
const DOCUMENTS: usize = if cfg!(test) { 6 } else { 512 };
/// A group of so many documents may be worth all threads.
const LARGE_GROUP: usize = if cfg!(test) { 12 } else { 4096 };
/// Pairs that a stretch may confirm before they are taken.
const MOST_PAIRS: usize = if cfg!(test) { 20 } else { 1 << 16 };

/// By place: where a document stands in the list of all groups, or [`NOWHERE`].
#[derive(Debug)]
pub(super) struct Positions(Vec<u32>);

const NOWHERE: u32 = u32::MAX;

impl Positions {
    pub(super) fn new(buckets: &Buckets, n_places: usize) -> Self {
        let mut positions = vec![NOWHERE; n_places];
        for (position, place) in (0..).zip(buckets.groups()) {
            positions[place.0 as usize] = position;
        }
        Self(positions)
    }
}

/// Some whole groups, one after the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch<'a> {
    pub(super) places: &'a [Place],
    positions: &'a [u32],
    first: u32,
}

impl<'a> Stretch<'a> {
    pub(super) fn new(places: &'a [Place], positions: &'a Positions) -> Self {
        let positions = positions.0.as_slice();
        let first = places.first().map_or(0, |place| positions[place.0 as usize]);
        Self { places, positions, first }
    }

    /// How many documents there are.
    pub(super) fn len(self) -> usize {
        self.places.len()
    }

    /// Whether a document stands in the stretch.
    pub(super) fn contains(self, place: Place) -> bool {
        let number = self.positions[place.0 as usize].wrapping_sub(self.first);
        (number as usize) < self.len()
    }

    /// The number of a document of the stretch; smaller for a better one of the same group.
    pub(super) fn number(self, place: Place) -> usize {
        (self.positions[place.0 as usize] - self.first) as usize
    }
}

/// How the groups are walked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Portion<'a> {
    /// Whole groups.
    pub(super) places: &'a [Place],
    /// The pairs that they may confirm.
    pub(super) most_pairs: usize,
    /// Whether this is one group that is too large for one thread.
    pub(super) is_large: bool,
}

/// What the division of groups depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Division {
    pub(super) threads: usize,
    /// Whether a group may confirm each of its pairs, and not only some for each document.
    pub(super) all_pairs: bool,
    /// Whether all threads together are faster in a group than one.
    pub(super) helps: bool,
}

/// Divides the groups, in their order.
pub(super) fn portions(buckets: &Buckets, division: Division) -> Vec<Portion<'_>> {
    let Division { threads, all_pairs, helps } = division;
    let all = buckets.groups();
    let pairs = |documents: usize| if all_pairs { documents * documents / 2 } else { documents };
    let is_large = |documents: usize| {
        let keeps_waiting = helps && documents > LARGE_GROUP && documents * threads > all.len();
        threads > 1 && (keeps_waiting || pairs(documents) > MOST_PAIRS)
    };
    let mut portions: Vec<Portion<'_>> = Vec::new();
    let mut start = 0;
    for length in buckets.group_lengths() {
        let end = start + length;
        let (most_pairs, is_large) = (pairs(length), is_large(length));
        let fits = |last: &&mut Portion<'_>| {
            let has_room = last.places.len() + length <= DOCUMENTS
                && last.most_pairs + most_pairs <= MOST_PAIRS;
            has_room && !last.is_large && !is_large
        };
        match portions.last_mut().filter(fits) {
            Some(last) => {
                last.places = &all[start - last.places.len()..end];
                last.most_pairs += most_pairs;
            }
            None => portions.push(Portion { places: &all[start..end], most_pairs, is_large }),
        }
        start = end;
    }
    portions
}
