//! From sorted rows to buckets: who has a key in common.

use std::path::Path;

use crate::array::ArrayBuilder;
use crate::sorter::{Merge, RecordSorter, SortedRecords};
use crate::{Buckets, DocumentId, IndexError, KeepOrder, Place, SortedRows, Span, UnionFind};

/// Gives the documents of each key to every grouping.
pub(crate) fn group_rows(
    rows: SortedRows,
    groupings: &mut [Grouping<'_>],
) -> Result<(), IndexError> {
    match rows.0 {
        SortedRecords::Merge(merge) => group_merged(merge, groupings),
        parts => group_parts(parts, groupings),
    }
}

/// The same for rows whose parts have no key in common: all threads look for buckets.
fn group_parts(parts: SortedRecords<3>, groupings: &mut [Grouping<'_>]) -> Result<(), IndexError> {
    let orders: Vec<&KeepOrder> = groupings.iter().map(|grouping| grouping.order).collect();
    let shared = |part: Vec<[u32; 3]>| -> Vec<SharedBuckets> {
        orders.iter().map(|order| SharedBuckets::of(&part, order)).collect()
    };
    parts.visit_parts(shared, |shared| {
        let mut each = groupings.iter_mut().zip(shared);
        each.try_for_each(|(grouping, shared)| grouping.add_all(&shared))
    })
}

/// The same for rows that are merged from disk, where a bucket may go on in the next batch.
fn group_merged(mut rows: Merge<3>, groupings: &mut [Grouping<'_>]) -> Result<(), IndexError> {
    let mut group_key = [0; 2];
    loop {
        let batch = rows.next_batch()?;
        for run in batch.chunk_by(|left, right| left[..2] == right[..2]) {
            let key = [run[0][0], run[0][1]];
            for grouping in &mut *groupings {
                if key != group_key {
                    grouping.close()?;
                }
                let order = grouping.order;
                let places = run.iter().filter_map(|row| order.place(DocumentId(row[2])));
                grouping.group.extend(places);
            }
            group_key = key;
        }
        if batch.is_empty() {
            return groupings.iter_mut().try_for_each(Grouping::close);
        }
    }
}

/// Buckets of two or more documents, one after the other.
#[derive(Default)]
struct SharedBuckets {
    places: Vec<Place>,
    /// Where each bucket ends.
    ends: Vec<usize>,
}

impl SharedBuckets {
    /// Those of some sorted rows, each in keep order.
    fn of(rows: &[[u32; 3]], order: &KeepOrder) -> Self {
        let mut shared = Self::default();
        for run in rows.chunk_by(|left, right| left[..2] == right[..2]) {
            if run.len() == 1 {
                continue;
            }
            let start = shared.places.len();
            shared.places.extend(run.iter().filter_map(|row| order.place(DocumentId(row[2]))));
            let bucket = &mut shared.places[start..];
            bucket.sort_unstable();
            // A document may have a key twice.
            let distinct = bucket.chunk_by(Place::eq).count();
            if distinct < bucket.len() {
                let once: Vec<Place> = bucket.chunk_by(Place::eq).map(|same| same[0]).collect();
                bucket[..distinct].copy_from_slice(&once);
            }
            shared.places.truncate(if distinct > 1 { start + distinct } else { start });
            if distinct > 1 {
                shared.ends.push(start + distinct);
            }
        }
        shared
    }
}

/// Buckets as they come out of the sorted rows, by key.
pub(crate) struct Grouping<'a> {
    order: &'a KeepOrder,
    /// The members of the bucket at hand.
    group: Vec<Place>,
    members: ArrayBuilder<Place>,
    /// Spans as records (place, start, length), so that sorting brings them to their document.
    spans: RecordSorter<3>,
    sharing: Vec<u64>,
    connected: UnionFind,
    bucket_count: usize,
    largest: usize,
}

impl<'a> Grouping<'a> {
    pub(crate) fn new(order: &'a KeepOrder, memory_bytes: usize, temporary_folder: &Path) -> Self {
        Self {
            order,
            group: Vec::new(),
            members: ArrayBuilder::new(memory_bytes / 8, temporary_folder),
            spans: RecordSorter::new(order.len() as u32, memory_bytes / 8 * 5, temporary_folder),
            sharing: vec![0; order.n_documents().div_ceil(64)],
            connected: UnionFind::new(order.len()),
            bucket_count: 0,
            largest: 0,
        }
    }

    /// Ends the bucket at hand.
    fn close(&mut self) -> Result<(), IndexError> {
        let mut group = std::mem::take(&mut self.group);
        if group.len() > 1 {
            group.sort_unstable();
            group.dedup();
            self.add(&group)?;
        }
        group.clear();
        self.group = group;
        Ok(())
    }

    fn add_all(&mut self, shared: &SharedBuckets) -> Result<(), IndexError> {
        let mut start = 0;
        shared.ends.iter().try_for_each(|&end| {
            let bucket = &shared.places[start..end];
            start = end;
            self.add(bucket)
        })
    }

    /// Takes a bucket: its distinct members in keep order.
    fn add(&mut self, bucket: &[Place]) -> Result<(), IndexError> {
        match self.order.n_new() {
            None => self.add_one_sided(bucket),
            Some(n_new) => self.add_two_sided(bucket, n_new),
        }
    }

    /// Everybody looks at those after it.
    fn add_one_sided(&mut self, bucket: &[Place]) -> Result<(), IndexError> {
        let [_, later @ ..] = bucket else { return Ok(()) };
        if later.is_empty() {
            return Ok(());
        }
        let (start, end) = self.append(later)?;
        for (place, start) in bucket.iter().zip(start..end) {
            self.spans.push([place.0, start, end - start])?;
        }
        self.connect(bucket);
        Ok(())
    }

    /// Each new document looks at all known ones, which look at nobody.
    fn add_two_sided(&mut self, bucket: &[Place], n_new: usize) -> Result<(), IndexError> {
        let boundary = bucket.partition_point(|place| (place.0 as usize) < n_new);
        let (new, known) = bucket.split_at(boundary);
        if new.is_empty() || known.is_empty() {
            return Ok(());
        }
        let (start, end) = self.append(known)?;
        for place in new {
            self.spans.push([place.0, start, end - start])?;
        }
        self.connect(bucket);
        Ok(())
    }

    /// Stores members; returns where they begin and end.
    fn append(&mut self, later: &[Place]) -> Result<(u32, u32), IndexError> {
        let start = u32::try_from(self.members.length()).map_err(|_| IndexError::TooManyRows)?;
        let end = u32::try_from(later.len())
            .ok()
            .and_then(|length| start.checked_add(length))
            .ok_or(IndexError::TooManyRows)?;
        self.members.append(later)?;
        Ok((start, end))
    }

    /// Notes that the members of a bucket belong together.
    fn connect(&mut self, bucket: &[Place]) {
        for place in bucket {
            let document = self.order.document(*place).0;
            self.sharing[document as usize / 64] |= 1 << (document % 64);
            self.connected.union(bucket[0].0, place.0);
        }
        self.bucket_count += 1;
        self.largest = self.largest.max(bucket.len());
    }

    /// The buckets, arranged by document.
    pub(crate) fn arrange(self, span_bytes: usize, folder: &Path) -> Result<Buckets, IndexError> {
        let n_places = self.order.len();
        let n_members = self.members.length() as usize;
        let members = self.members.finish()?;
        let mut spans = ArrayBuilder::new(span_bytes, folder);
        let mut span_starts = Vec::with_capacity(n_places + 1);
        span_starts.push(0);
        let mut group = Vec::new();
        self.spans.finish()?.visit(|batch| {
            for &[place, start, length] in batch {
                if span_starts.len() <= place as usize {
                    spans.append(&group)?;
                    group.clear();
                    // As many spans as members, whose number was checked to fit.
                    span_starts.resize(place as usize + 1, spans.length() as u32);
                }
                group.push(Span { start, length });
            }
            Ok(())
        })?;
        spans.append(&group)?;
        span_starts.resize(n_places + 1, spans.length() as u32);
        let (groups, group_ends) = groups(self.connected, n_places);
        Ok(Buckets {
            members,
            spans: spans.finish()?,
            span_starts,
            groups,
            group_ends,
            sharing: self.sharing,
            n_members,
            bucket_count: self.bucket_count,
            largest: self.largest,
        })
    }
}

/// The sets of two or more places, one after the other, and where each of them ends.
fn groups(sets: UnionFind, n_places: usize) -> (Vec<Place>, Vec<u32>) {
    let roots: Vec<u32> = (0..n_places as u32).map(|place| sets.find(place)).collect();
    drop(sets);
    // By root: how many there are, then where the next of them goes.
    let mut next = vec![0_u32; n_places];
    for root in &roots {
        next[*root as usize] += 1;
    }
    let (mut length, mut ends) = (0, Vec::new());
    for count in &mut next {
        if *count > 1 {
            let start = length;
            length += *count;
            ends.push(length);
            *count = start;
        } else {
            *count = ALONE;
        }
    }
    let mut groups = vec![Place(0); length as usize];
    for (place, root) in (0..).map(Place).zip(roots) {
        let next = &mut next[root as usize];
        if *next != ALONE {
            groups[*next as usize] = place;
            *next += 1;
        }
    }
    (groups, ends)
}

/// Instead of a position: the place shares nothing.
const ALONE: u32 = u32::MAX;
