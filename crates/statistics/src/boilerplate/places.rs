//! First pass: where every paragraph stands, and in how many documents.
//!
//! Each document leaves two rows for each of its paragraphs: hash and place from the start, hash
//! and place from the end. Once all rows are sorted, the documents of a paragraph stand side by
//! side and its most frequent place is counted, not estimated: so the order in which documents
//! come cannot matter, and whoever sorts decides how much of it happens in memory.

use super::BoilerplateExaminer;

/// What counts as boilerplate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoilerplateOptions {
    /// The least number of otherwise different documents.
    pub min_documents: usize,
    /// The least share of a paragraph's documents that have it at one place.
    pub fixed_share: f64,
}

impl Default for BoilerplateOptions {
    fn default() -> Self {
        Self { min_documents: 10, fixed_share: 0.6 }
    }
}

/// That one document has a paragraph at a place; orders by paragraph, then place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlaceRow {
    /// [`super::paragraph_hash`] of the paragraph.
    pub hash: u64,
    /// Twice the place, and one more where it is counted from the end.
    pub place: u32,
}

/// Appends the rows of one document, given as the hashes of its paragraphs in their order, for those
/// that `may_repeat`.
///
/// A paragraph counts once a document: by its first place from the start and its last from the
/// end.
pub fn place_rows(hashes: &[u64], may_repeat: impl Fn(u64) -> bool, rows: &mut Vec<PlaceRow>) {
    let backwards = (0..hashes.len() as u32).rev();
    let mut places: Vec<(u64, u32, u32)> = (0..)
        .zip(backwards)
        .zip(hashes)
        .filter(|(_, hash)| may_repeat(**hash))
        .map(|((from_start, from_end), hash)| (*hash, from_start, from_end))
        .collect();
    places.sort_unstable();
    places.dedup_by(|later, first| {
        let same = later.0 == first.0;
        if same {
            first.2 = first.2.min(later.2);
        }
        same
    });
    let twice = |place: u32| place.min(u32::MAX >> 1) << 1;
    for (hash, from_start, from_end) in places {
        rows.push(PlaceRow { hash, place: twice(from_start) });
        rows.push(PlaceRow { hash, place: twice(from_end) | 1 });
    }
}

/// A paragraph that enough documents have at one place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Repeated {
    pub hash: u64,
    pub n_documents: u32,
    /// As in [`PlaceRow`].
    pub place: u32,
    /// How many documents have it there.
    pub n_at_place: u32,
}

/// Counts the rows of all documents, which must come in ascending order.
#[derive(Debug)]
pub struct PlaceCounter {
    options: BoilerplateOptions,
    group: Group,
    repeated: Vec<Repeated>,
}

/// The rows of one paragraph so far.
#[derive(Debug, Default)]
struct Group {
    hash: u64,
    n_documents: u32,
    place: u32,
    n_at_place: u32,
    /// The most frequent place from the start and from the end, with its documents.
    most: [(u32, u32); 2],
}

impl Group {
    /// Ends the run of rows with one place; of equally frequent places the first counts.
    fn close_place(&mut self) {
        let most = &mut self.most[(self.place & 1) as usize];
        if self.n_at_place > most.1 {
            *most = (self.place, self.n_at_place);
        }
        self.n_at_place = 0;
    }
}

impl PlaceCounter {
    /// A counter that has seen no row.
    pub fn new(options: BoilerplateOptions) -> Self {
        Self { options, group: Group::default(), repeated: Vec::new() }
    }

    /// Counts the next row.
    pub fn push(&mut self, row: PlaceRow) {
        if row.hash != self.group.hash {
            self.close_paragraph();
            self.group.hash = row.hash;
        }
        if row.place != self.group.place {
            self.group.close_place();
            self.group.place = row.place;
        }
        self.group.n_at_place += 1;
        self.group.n_documents += u32::from(row.place & 1 == 0);
    }

    fn close_paragraph(&mut self) {
        self.group.close_place();
        let Group { hash, n_documents, most: [start, end], .. } = std::mem::take(&mut self.group);
        let (place, n_at_place) = if start.1 >= end.1 { start } else { end };
        let share = f64::from(n_at_place) / f64::from(n_documents.max(1));
        if n_documents as usize >= self.options.min_documents && share >= self.options.fixed_share {
            self.repeated.push(Repeated { hash, n_documents, place, n_at_place });
        }
    }

    /// Ends the first pass, which read so many documents.
    pub fn examine(mut self, n_documents: u64) -> BoilerplateExaminer {
        self.close_paragraph();
        BoilerplateExaminer::new(self.options, n_documents, &self.repeated)
    }
}
