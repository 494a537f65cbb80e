//! The open documents of crowds whose values are compared place by place.
//!
//! Of signatures of minima the telling values tell little: a page with less of its own than may
//! differ shares one with most of the crowd. These documents are looked through when their turn
//! comes, by outlines of two bits a value that stand one after the other. That grows with the keepers
//! times what is not yet taken: a look costs less than a comparison, and nothing is skipped.

use std::sync::atomic::{AtomicU64, Ordering};

use lookalike_detect::measure::{
    aligned_outline_words, near_rows, push_aligned_bytes, push_aligned_outline,
};
use lookalike_detect::sign::unlike_bytes;
use lookalike_index::{
    DocumentId, IndexError, Place, Span, UnionFind, WordStore, WordStoreBuilder,
};

use super::places::Places;
use super::{Join, Judge};

/// Rows that stand together.
const ROWS_AT_ONCE: usize = if cfg!(test) { 3 } else { 512 };
/// Words with a bit for each of them.
const ROW_WORDS: usize = ROWS_AT_ONCE.div_ceil(64);

/// Outlines of open documents, connected ones together.
#[derive(Debug)]
pub(super) struct AlignedDocuments {
    /// Open documents and the number of the chunk they are in, by place.
    chunk_of: Vec<(u32, u32)>,
    /// By chunk: the number of its group. Documents of one group may share a crowd.
    groups: Vec<u32>,
    /// By chunk: the outlines of its documents, their bytes, and their places, each by place.
    rows: WordStore,
    /// By chunk: a bit for each row that somebody may still want. Which thread clears one first
    /// changes how much is looked at, never what is found.
    wanted: Vec<[AtomicU64; ROW_WORDS]>,
    /// Words of an outline and of the bytes of a document.
    widths: [usize; 2],
    most_differing: usize,
}

impl AlignedDocuments {
    /// Outlines of the open documents: lists of `n_values`, of which duplicates share `n_shared`.
    /// `crowds` has the longest span of each crowd.
    pub(super) fn find<J: Judge>(
        join: &Join<'_, J>,
        is_open: &Places,
        crowds: &[Span],
        is_common: impl Fn(u64) -> bool,
        [n_values, n_shared]: [usize; 2],
    ) -> Result<Self, J::Error> {
        let grouped = grouped(join, is_open, crowds)?;
        let room = join.room;
        let mut rows = WordStoreBuilder::new(room.memory_bytes / 4, &room.temporary_folder);
        let (mut chunk_of, mut groups) = (Vec::with_capacity(grouped.len()), Vec::new());
        let mut wanted = Vec::new();
        let (mut values, mut words, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
        for group in grouped.chunk_by(|left, right| left.0 == right.0) {
            for chunk in group.chunks(ROWS_AT_ONCE) {
                words.clear();
                bytes.clear();
                for &(_, place) in chunk {
                    values.clear();
                    join.judge.compared_set(join.order.document(place), &mut values)?;
                    push_aligned_outline(&values, &is_common, &mut words);
                    push_aligned_bytes(&values, &mut bytes);
                    chunk_of.push((place.0, groups.len() as u32));
                }
                words.extend_from_slice(&bytes);
                words.extend(chunk.iter().map(|(_, place)| u64::from(place.0)));
                rows.put(DocumentId(groups.len() as u32), &words)?;
                groups.push(chunk[0].0);
                wanted.push(std::array::from_fn(|word| first_bits(chunk.len(), word).into()));
            }
        }
        chunk_of.sort_unstable();
        Ok(Self {
            chunk_of,
            groups,
            rows: rows.finish()?,
            wanted,
            widths: [aligned_outline_words(n_values), n_values.div_ceil(8)],
            most_differing: n_values - n_shared.min(n_values),
        })
    }

    /// Appends the wanted open documents after a place that may be duplicates of it; none where it is
    /// not open. With `for_ever`, whom it does not want nobody after it will.
    pub(super) fn push_near(
        &self,
        place: Place,
        wants: impl Fn(Place) -> bool,
        for_ever: bool,
        near: &mut Vec<Place>,
    ) -> Result<(), IndexError> {
        let Ok(number) = self.chunk_of.binary_search_by_key(&place.0, |entry| entry.0) else {
            return Ok(());
        };
        let first = self.chunk_of[number].1 as usize;
        let is_same = |number: &usize| self.groups.get(*number) == Some(&self.groups[first]);
        let (mut buffer, mut numbers) = (Vec::new(), Vec::new());
        let (mut outline, mut bytes) = (Vec::new(), Vec::new());
        for number in (first..).take_while(is_same) {
            let words = self.rows.read(DocumentId(number as u32), &mut buffer)?.unwrap_or_default();
            let rows = self.split(words);
            let wanted = &self.wanted[number];
            let mut asked = wanted.each_ref().map(|word| word.load(Ordering::Relaxed));
            if number == first {
                let own = rows.places.partition_point(|at| *at < u64::from(place.0));
                outline.extend_from_slice(rows.outline(own));
                bytes.extend_from_slice(rows.bytes(own));
                (0..).zip(&mut asked).for_each(|(at, word)| *word &= !first_bits(own + 1, at));
            }
            numbers.clear();
            near_rows(&outline, rows.outlines, &asked, self.most_differing, &mut numbers);
            for &row in &numbers {
                let candidate = Place(rows.places[row] as u32);
                if !wants(candidate) {
                    if for_ever {
                        wanted[row / 64].fetch_and(!(1 << (row % 64)), Ordering::Relaxed);
                    }
                } else if unlike_bytes(rows.bytes(row), &bytes) as usize <= self.most_differing {
                    near.push(candidate);
                }
            }
        }
        Ok(())
    }

    fn split<'a>(&self, words: &'a [u64]) -> Rows<'a> {
        let n_rows = words.len() / (self.widths[0] + self.widths[1] + 1);
        let (outlines, rest) = words.split_at(n_rows * self.widths[0]);
        let (bytes, places) = rest.split_at(n_rows * self.widths[1]);
        Rows { outlines, bytes, places, widths: self.widths }
    }
}

/// Of a bit for each row, those of the first `n_rows` in a word.
fn first_bits(n_rows: usize, word: usize) -> u64 {
    match n_rows.saturating_sub(64 * word) {
        bits @ 0..64 => (1 << bits) - 1,
        _ => u64::MAX,
    }
}

/// The rows of a chunk.
struct Rows<'a> {
    outlines: &'a [u64],
    bytes: &'a [u64],
    places: &'a [u64],
    widths: [usize; 2],
}

impl<'a> Rows<'a> {
    fn outline(&self, row: usize) -> &'a [u64] {
        &self.outlines[row * self.widths[0]..][..self.widths[0]]
    }

    fn bytes(&self, row: usize) -> &'a [u64] {
        &self.bytes[row * self.widths[1]..][..self.widths[1]]
    }
}

/// The open documents with the number of their group, groups together, each by place.
fn grouped<J: Judge>(
    join: &Join<'_, J>,
    is_open: &Places,
    crowds: &[Span],
) -> Result<Vec<(u32, Place)>, IndexError> {
    let mut groups = UnionFind::new(join.order.len());
    let mut first_of = hashbrown::HashMap::new();
    let mut members = Vec::new();
    for &span in crowds {
        let open = join.buckets.members(span, &mut members)?.iter();
        for place in open.filter(|at| is_open.contains(**at)) {
            groups.union(*first_of.entry(span.bucket()).or_insert(place.0), place.0);
        }
    }
    // Who has the longest span of a crowd is not in it.
    let (mut open, mut spans) = (Vec::new(), Vec::new());
    for place in (0..join.order.len() as u32).map(Place).filter(|at| is_open.contains(*at)) {
        for span in join.buckets.spans(place, &mut spans)? {
            if let Some(first) = first_of.get(&span.bucket()) {
                groups.union(*first, place.0);
            }
        }
        open.push(place);
    }
    let mut grouped: Vec<_> = open.into_iter().map(|at| (groups.find(at.0), at)).collect();
    grouped.sort_unstable();
    Ok(grouped)
}
