//! The buckets that two or more documents share, ready to be walked in keep order.

use std::path::Path;

use crate::array::{Fixed, SpillArray};
use crate::grouping::{Grouping, group_rows};
use crate::{DocumentId, IndexError, KeepOrder, Place, SortedRows};

/// The members of one bucket that a document there looks at: those after it in keep order, or
/// where the order has two sides the known ones.
///
/// The walk goes from better to worse documents, so that nobody ever looks back in a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub(crate) start: u32,
    pub(crate) length: u32,
}

impl Span {
    /// How many documents there are; never zero.
    #[expect(clippy::len_without_is_empty, reason = "a span is never empty")]
    pub fn len(self) -> usize {
        self.length as usize
    }

    /// A number that all spans of one bucket have in common.
    ///
    /// It lies below [`Buckets::n_members`] + 1.
    pub fn bucket(self) -> usize {
        self.start as usize + self.length as usize
    }

    /// The part of the span from its `offset`-th document on, at most `length` documents.
    pub fn part(self, offset: usize, length: usize) -> Self {
        let offset = offset.min(self.len()) as u32;
        let length = length.min((self.length - offset) as usize) as u32;
        Self { start: self.start + offset, length }
    }
}

impl Fixed for Span {
    const WIDTH: usize = 8;

    fn write(self, bytes: &mut Vec<u8>) {
        (u64::from(self.start) << 32 | u64::from(self.length)).write(bytes);
    }

    fn read(bytes: &[u8]) -> Self {
        let word = u64::read(bytes);
        Self { start: (word >> 32) as u32, length: word as u32 }
    }
}

/// Who shares a bucket with whom; buckets of a single document are left out.
#[derive(Debug)]
pub struct Buckets {
    /// The members of all buckets, each bucket in keep order and without its best member.
    pub(crate) members: SpillArray<Place>,
    pub(crate) spans: SpillArray<Span>,
    /// By place: where its spans begin. One more entry ends the last.
    pub(crate) span_starts: Vec<u32>,
    /// A bit for each document that shares a bucket.
    pub(crate) sharing: Vec<u64>,
    pub(crate) groups: Vec<Place>,
    /// Where each group ends.
    pub(crate) group_ends: Vec<u32>,
    pub(crate) n_members: usize,
    pub(crate) bucket_count: usize,
    pub(crate) largest: usize,
}

impl Buckets {
    /// Groups sorted rows; rows of documents without a place in `order` are left out.
    ///
    /// Holds at most about `memory_bytes` while building, less than half of it afterwards, and a
    /// few bytes a document; the rest goes to files in `temporary_folder`.
    pub fn build(
        rows: SortedRows,
        order: &KeepOrder,
        memory_bytes: usize,
        temporary_folder: &Path,
    ) -> Result<Self, IndexError> {
        let mut groupings = [Grouping::new(order, memory_bytes, temporary_folder)];
        group_rows(rows, &mut groupings)?;
        let [grouping] = groupings;
        grouping.arrange(memory_bytes / 4, temporary_folder)
    }

    /// The buckets of the same rows in two orders, from one reading and within one limit.
    pub fn build_two(
        rows: SortedRows,
        orders: [&KeepOrder; 2],
        memory_bytes: usize,
        temporary_folder: &Path,
    ) -> Result<(Self, Self), IndexError> {
        let memory_bytes = memory_bytes / 2;
        let mut groupings =
            orders.map(|order| Grouping::new(order, memory_bytes, temporary_folder));
        group_rows(rows, &mut groupings)?;
        let [first, second] = groupings;
        let arrange = |grouping: Grouping<'_>| grouping.arrange(memory_bytes / 4, temporary_folder);
        Ok((arrange(first)?, arrange(second)?))
    }

    /// Whether a document shares a bucket with another, so that it may be compared.
    ///
    /// False for copies: their original stands for them.
    pub fn shares_bucket(&self, document: DocumentId) -> bool {
        let word = self.sharing.get(document.0 as usize / 64).copied().unwrap_or(0);
        word >> (document.0 % 64) & 1 == 1
    }

    /// The places that share a bucket: whatever buckets connect stands together, in keep order.
    pub fn groups(&self) -> &[Place] {
        &self.groups
    }

    /// How many places each of the groups has, in their order.
    pub fn group_lengths(&self) -> impl Iterator<Item = usize> + '_ {
        let starts = std::iter::once(&0).chain(&self.group_ends);
        starts.zip(&self.group_ends).map(|(start, end)| (end - start) as usize)
    }

    /// Buckets of two or more documents.
    pub fn n_buckets(&self) -> usize {
        self.bucket_count
    }

    /// The members of the largest bucket.
    pub fn largest(&self) -> usize {
        self.largest
    }

    /// Members of all buckets, without the best member of each.
    pub fn n_members(&self) -> usize {
        self.n_members
    }

    /// Bytes held in memory.
    pub fn memory_bytes(&self) -> usize {
        self.members.memory_bytes()
            + self.spans.memory_bytes()
            + self.span_starts.len() * 4
            + self.sharing.len() * 8
            + (self.groups.len() + self.group_ends.len()) * 4
    }

    /// For each bucket of the document at `place` where others come after it, those others.
    pub fn spans<'a>(
        &'a self,
        place: Place,
        buffer: &'a mut Vec<Span>,
    ) -> Result<&'a [Span], IndexError> {
        let start = self.span_starts[place.0 as usize];
        let length = self.span_starts[place.0 as usize + 1] - start;
        if length == 0 {
            return Ok(&[]);
        }
        self.spans.read(u64::from(start), length as usize, buffer)
    }

    /// The documents of a span, best first; `buffer` is used where they are on disk.
    pub fn members<'a>(
        &'a self,
        span: Span,
        buffer: &'a mut Vec<Place>,
    ) -> Result<&'a [Place], IndexError> {
        self.members.read(u64::from(span.start), span.len(), buffer)
    }

    /// Whether a document is in a span.
    pub fn contains(
        &self,
        span: Span,
        place: Place,
        buffer: &mut Vec<Place>,
    ) -> Result<bool, IndexError> {
        let (mut offset, mut length) = (0, span.len());
        while length > 0 {
            let middle = offset + length / 2;
            let &[member] = self.members(span.part(middle, 1), buffer)? else { return Ok(false) };
            match member.cmp(&place) {
                std::cmp::Ordering::Equal => return Ok(true),
                std::cmp::Ordering::Less => {
                    length -= length / 2 + 1;
                    offset = middle + 1;
                }
                std::cmp::Ordering::Greater => length /= 2,
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::LazyLock;

    use proptest::prelude::*;
    use rayon::{ThreadPool, ThreadPoolBuilder};

    use super::*;
    use crate::RowSorter;

    static POOL: LazyLock<ThreadPool> =
        LazyLock::new(|| ThreadPoolBuilder::new().num_threads(3).build().unwrap());

    fn build(rows: &[(u64, u32)], order: &KeepOrder, memory_bytes: usize) -> Buckets {
        let folder = tempfile::tempdir().unwrap();
        let mut sorter = RowSorter::new(memory_bytes, folder.path());
        for &(key, document) in rows {
            // Spread, so that the rows come to stand in several parts.
            sorter.push(key.rotate_right(6), DocumentId(document)).unwrap();
        }
        Buckets::build(sorter.finish().unwrap(), order, memory_bytes, folder.path()).unwrap()
    }

    /// For each place, the later members of its buckets, in any order of the buckets.
    fn later_members(buckets: &Buckets, order: &KeepOrder) -> Vec<Vec<Vec<Place>>> {
        (0..order.len() as u32)
            .map(|place| {
                let mut buffer = Vec::new();
                let spans = buckets.spans(Place(place), &mut buffer).unwrap().to_vec();
                let members = |span| buckets.members(span, &mut Vec::new()).unwrap().to_vec();
                let mut later: Vec<Vec<Place>> = spans.into_iter().map(members).collect();
                later.sort();
                later
            })
            .collect()
    }

    fn naive_later_members(rows: &[(u64, u32)], order: &KeepOrder) -> Vec<Vec<Vec<Place>>> {
        let mut by_key: BTreeMap<u64, Vec<Place>> = BTreeMap::new();
        for &(key, document) in rows {
            by_key.entry(key).or_default().extend(order.place(DocumentId(document)));
        }
        let mut later = vec![Vec::new(); order.len()];
        for bucket in by_key.values_mut() {
            bucket.sort();
            bucket.dedup();
            for (position, place) in bucket.iter().enumerate() {
                if position + 1 < bucket.len() {
                    later[place.0 as usize].push(bucket[position + 1..].to_vec());
                }
            }
        }
        for spans in &mut later {
            spans.sort();
        }
        later
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn spilled_buckets_are_the_naive_buckets(
            rows in prop::collection::vec((0..40_u64, 0..50_u32), 0..400),
            order in Just((0..50).map(DocumentId).collect::<Vec<_>>()).prop_shuffle(),
            missing in 0..10_usize,
        ) {
            let order = KeepOrder::distinct(order[missing..].to_vec(), 50);
            let expected = naive_later_members(&rows, &order);
            let alone = [0, 500, 1 << 20].map(|memory_bytes| build(&rows, &order, memory_bytes));
            let together = POOL.install(|| build(&rows, &order, 1 << 20));
            for buckets in alone.iter().chain([&together]) {
                prop_assert_eq!(later_members(buckets, &order), expected.clone());
                let mut sharing = [false; 50];
                for (place, spans) in expected.iter().enumerate() {
                    for later in spans.iter().flatten().chain([&Place(place as u32)]) {
                        sharing[order.document(*later).0 as usize] |= !spans.is_empty();
                    }
                }
                for (document, sharing) in sharing.iter().enumerate() {
                    prop_assert_eq!(buckets.shares_bucket(DocumentId(document as u32)), *sharing);
                }
                check_groups(buckets, &expected)?;
            }
        }
    }

    #[test]
    fn new_documents_look_at_the_known_ones_of_their_buckets_and_at_nobody_else() {
        // Documents 0 to 2 are new, 3 to 5 known; 2 is a copy of 0, and 5 of 3.
        let order = KeepOrder::two_sided(
            [0, 1, 2].map(DocumentId).to_vec(),
            [4, 3, 5].map(DocumentId).to_vec(),
            &[10, 11, 10, 13, 14, 13],
        );
        let rows = [(1, 0), (1, 1), (1, 3), (1, 4), (2, 0), (2, 2), (3, 3), (3, 4), (4, 1), (4, 4)];
        let among =
            KeepOrder::with_copies([0, 1, 2].map(DocumentId).to_vec(), &[10, 11, 10, 13, 14, 13]);
        let folder = tempfile::tempdir().unwrap();
        for memory_bytes in [0, 1 << 20] {
            let mut sorter = RowSorter::new(memory_bytes, folder.path());
            for (key, document) in rows {
                sorter.push(key, DocumentId(document)).unwrap();
            }
            let rows = sorter.finish().unwrap();
            let (across, among_new) =
                Buckets::build_two(rows, [&order, &among], memory_bytes, folder.path()).unwrap();
            let known = vec![Place(2), Place(3)];
            let expected = [vec![known.clone()], vec![vec![Place(2)], known], vec![], vec![]];
            assert_eq!(later_members(&across, &order), expected);
            assert_eq!(across.n_buckets(), 2);
            assert_eq!(later_members(&among_new, &among), [vec![vec![Place(1)]], vec![]]);
        }
    }

    /// Whoever is in a group is connected with its best member, in keep order, and nobody else is.
    fn check_groups(buckets: &Buckets, later: &[Vec<Vec<Place>>]) -> Result<(), TestCaseError> {
        let mut expected: Vec<usize> = (0..later.len()).collect();
        for _ in 0..later.len() {
            for (place, spans) in later.iter().enumerate() {
                for member in spans.iter().flatten() {
                    let best = expected[place].min(expected[member.0 as usize]);
                    expected[place] = best;
                    expected[member.0 as usize] = best;
                }
            }
        }
        let shares = |place: usize| expected.iter().filter(|&&b| b == expected[place]).count() > 1;
        let mut places: Vec<usize> = (0..later.len()).filter(|place| shares(*place)).collect();
        places.sort_by_key(|&place| (expected[place], place));
        let groups: Vec<usize> = buckets.groups().iter().map(|place| place.0 as usize).collect();
        let lengths: Vec<usize> =
            places.chunk_by(|l, r| expected[*l] == expected[*r]).map(<[usize]>::len).collect();
        prop_assert_eq!(groups, places);
        prop_assert_eq!(buckets.group_lengths().collect::<Vec<_>>(), lengths);
        Ok(())
    }

    #[test]
    fn a_large_bucket_on_disk_is_read_in_parts() {
        let rows: Vec<(u64, u32)> = (0..20_000).map(|document| (1, document)).collect();
        let order = KeepOrder::distinct((0..20_000).map(DocumentId).collect(), 20_000);
        let buckets = build(&rows, &order, 1000);
        let mut buffer = Vec::new();
        let span = buckets.spans(Place(2), &mut buffer).unwrap()[0];
        assert_eq!(span.len(), 19_997);
        let mut buffer = Vec::new();
        assert_eq!(buckets.members(span, &mut buffer).unwrap()[..2], [Place(3), Place(4)]);
        assert_eq!(buckets.members(span.part(19_996, 9), &mut buffer).unwrap(), [Place(19_999)]);
    }

    #[test]
    fn spilling_into_a_missing_folder_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let mut sorter = RowSorter::new(1 << 20, folder.path());
        for document in 0..100 {
            sorter.push(3, DocumentId(document)).unwrap();
        }
        let order = KeepOrder::distinct((0..100).map(DocumentId).collect(), 100);
        let nowhere = Path::new("no/such/folder");
        let built = Buckets::build(sorter.finish().unwrap(), &order, 0, nowhere);
        assert!(matches!(built, Err(IndexError::Create { .. })));
    }
}
