//! Telling values that too many documents have, together with others: paths.
//!
//! In a crowd of short documents even the rarest value of one may be in hundreds of others. So a value
//! that tells nothing by itself is extended to a *path*: the value and the next ones, rarest first,
//! until together they are in few documents.
//!
//! No pair is lost. What two duplicates share, in that order, is a path through each of them, which
//! leaves out no more of its values than may be missing from a duplicate. Whether a path goes on is
//! decided by the values on it alone, so that both documents have it. The same idea makes keys of short
//! documents (`detect/src/sign/prefix_paths.rs`); here it is known how many documents a path has.

use std::hash::BuildHasherDefault;

use hashbrown::HashSet;
use lookalike_detect::random::mix64;
use lookalike_detect::{ComparedSet, FewestShared};
use lookalike_index::{DocumentId, Place, RowSorter};
use xxhash_rust::xxh3::Xxh3Default;

use super::crowds::{Common, DOCUMENTS_AT_ONCE, Meeting, ROOM, Sharing};
use super::{Join, Judge};
use lookalike_corpus::pass::in_order;

/// Values on a path, at most: documents with a longest one that too many have stay open.
pub(super) const LONGEST_PATH: usize = 3;
/// How many values of a document may be missing from its duplicates: at most 969 paths.
const MOST_MISSING: usize = if cfg!(test) { 4 } else { 16 };

/// Names of paths: without the last bit, which tells who has them for certain.
type Names = HashSet<u64, BuildHasherDefault<Xxh3Default>>;

/// Paths, and single values among them, that many documents have.
#[derive(Debug, Default)]
pub(super) struct Frequent {
    /// So many that documents with paths are found by longer ones.
    extended: Names,
    /// So many that documents without paths stay open.
    crowded: Names,
}

impl Frequent {
    /// Notes a path that many documents have, or too many to bring all of them together.
    pub(super) fn insert(&mut self, name: u64, is_crowded: bool) {
        self.extended.insert(name);
        if is_crowded {
            self.crowded.insert(name);
        }
    }

    /// Whether no path needs to be longer.
    pub(super) fn is_empty(&self) -> bool {
        self.extended.is_empty()
    }

    /// Adds longer paths.
    pub(super) fn extend(&mut self, longer: Self) {
        self.extended.extend(longer.extended);
    }
}

/// How many values of a document its duplicates may miss.
#[derive(Clone, Copy, Debug)]
pub(super) struct Missing {
    size: usize,
    fewest: FewestShared,
}

impl Missing {
    pub(super) fn new(size: usize, fewest: FewestShared) -> Self {
        Self { size, fewest }
    }

    /// In any duplicate.
    fn in_any(self) -> usize {
        self.size.saturating_sub(self.fewest.with_any)
    }

    /// In one that is at least as large.
    fn in_larger(self) -> usize {
        self.size.saturating_sub(self.fewest.with_larger)
    }

    /// The smallest size of a duplicate, for a document that has too many paths.
    pub(super) fn reach(self) -> usize {
        if self.in_any() > MOST_MISSING { self.fewest.with_any } else { usize::MAX }
    }

    /// Whether all its duplicates can be found by paths: there are few, and none ends too early.
    pub(super) fn has_paths(self) -> bool {
        self.in_any() <= MOST_MISSING && self.fewest.with_any >= LONGEST_PATH
    }
}

/// The paths of one length through the documents of crowds.
pub(super) struct Paths<'a> {
    /// How often values occur: the rarest come first.
    pub(super) common: &'a Common,
    /// What too many documents have.
    pub(super) frequent: &'a Frequent,
    /// Values on each path.
    pub(super) length: usize,
    /// Documents of this size and more may be duplicates of one that has too many paths.
    pub(super) reach: usize,
}

/// What one document has.
#[derive(Default)]
struct OfDocument {
    /// Its paths, each with its last bit set where only a smaller duplicate may share it.
    paths: Vec<u64>,
    /// Whether it is to be compared with everybody in its crowds.
    is_open: bool,
}

impl Paths<'_> {
    /// Brings documents together that share one of these paths; returns those that too many have.
    pub(super) fn meet<J: Judge>(
        &self,
        join: &Join<'_, J>,
        members: &[Place],
        meeting: &mut Meeting<'_>,
    ) -> Result<Frequent, J::Error> {
        let room = join.room;
        let mut rows = RowSorter::new(room.memory_bytes / 2, &room.temporary_folder);
        let mut documents = members.chunks(DOCUMENTS_AT_ONCE);
        let fetch = || Ok(documents.next().map(|some| (some, some.len() as u64)));
        let work = |some: &[Place]| -> Result<Vec<(Place, OfDocument)>, J::Error> {
            some.iter().map(|&place| Ok((place, self.of(join, place)?))).collect()
        };
        let take = |found: Result<Vec<(Place, OfDocument)>, J::Error>| {
            for (place, OfDocument { paths, is_open }) in found? {
                if is_open {
                    meeting.open(place);
                }
                rows.extend(paths, DocumentId(place.0))?;
            }
            Ok::<(), J::Error>(())
        };
        in_order(ROOM, fetch, work, take)?;
        let mut found = Frequent::default();
        let opens = self.length == LONGEST_PATH;
        rows.finish()?.visit_parts(
            |rows| Sharing::of(&rows),
            |sharing| {
                let frequent = if opens { None } else { Some(&mut found) };
                meeting.take(&sharing, frequent)
            },
        )?;
        Ok(found)
    }

    fn of<J: Judge>(&self, join: &Join<'_, J>, place: Place) -> Result<OfDocument, J::Error> {
        let mut values = Vec::new();
        let compared = join.judge.compared_set(join.order.document(place), &mut values)?;
        let Some(ComparedSet { fewest, .. }) = compared else { return Ok(OfDocument::default()) };
        let missing = Missing::new(values.len(), fewest);
        let has_paths = missing.has_paths();
        // Whoever has none was left open when the first paths were looked for.
        if values.is_empty() || (!has_paths && self.length > 2) {
            return Ok(OfDocument::default());
        }
        let rank = |value: &u64| (self.common.get(value).copied().unwrap_or(0), *value);
        let n_certain = (missing.in_larger() + 1).min(values.len());
        if has_paths {
            values.sort_unstable_by_key(rank);
        } else {
            values.select_nth_unstable_by_key(n_certain - 1, rank);
        }
        let mut found = OfDocument::default();
        if !has_paths || values.len() >= self.reach {
            let mut certain = values[..n_certain].iter();
            found.is_open = certain.any(|value| self.frequent.crowded.contains(&(value >> 1)));
        }
        if has_paths && !found.is_open {
            self.walk(Path::default(), &values, missing, &mut found.paths);
        }
        Ok(found)
    }

    /// Adds the paths of this length that go on from one that too many have.
    fn walk(&self, path: Path, rest: &[u64], missing: Missing, paths: &mut Vec<u64>) {
        let may_miss = missing.in_any() - path.left_out;
        for (skipped, value) in rest.iter().enumerate().take(may_miss + 1) {
            let longer = path.extended(*value, skipped);
            if longer.length == self.length {
                let is_other = longer.left_out > missing.in_larger();
                paths.push(longer.key & !1 | u64::from(is_other));
            } else if self.frequent.extended.contains(&(longer.key >> 1)) {
                self.walk(longer, &rest[skipped + 1..], missing, paths);
            }
        }
    }
}

/// Values of a document, one after the other.
#[derive(Clone, Copy, Debug, Default)]
struct Path {
    key: u64,
    length: usize,
    /// Values of the document before the last one that are not on the path.
    left_out: usize,
}

impl Path {
    fn extended(self, value: u64, skipped: usize) -> Self {
        let key = if self.length == 0 { value } else { mix64(self.key ^ value) };
        Self { key, length: self.length + 1, left_out: self.left_out + skipped }
    }
}
