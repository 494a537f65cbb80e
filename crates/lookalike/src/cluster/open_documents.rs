//! The documents of crowds that are compared with everybody there, crowd by crowd.
//!
//! A document meets the open ones of its own crowds. Were they one list for all crowds, everybody in
//! a crowd would look through the open documents of all others, which grows with the square of the
//! corpus.

use lookalike_index::{Buckets, DocumentId, IndexError, Place, Span, WordStore, WordStoreBuilder};

use super::Room;
use super::places::Places;

/// Open documents by crowd.
#[derive(Debug)]
pub(super) struct OpenDocuments {
    is_open: Places,
    /// The buckets that are crowds and have open documents, by their number, ascending.
    buckets: Vec<u32>,
    /// By the place of the bucket in that list: its open documents, ascending.
    members: WordStore,
}

impl OpenDocuments {
    /// Looks for the open documents in crowds, of each of which `crowds` has the longest span.
    pub(super) fn find(
        is_open: Places,
        mut crowds: Vec<Span>,
        buckets: &Buckets,
        room: &Room,
    ) -> Result<Self, IndexError> {
        crowds.sort_unstable_by_key(|span| span.bucket());
        let mut with_open = Vec::new();
        let mut members = WordStoreBuilder::new(room.memory_bytes / 4, &room.temporary_folder);
        let (mut member_buffer, mut open) = (Vec::new(), Vec::new());
        for span in crowds {
            let all = buckets.members(span, &mut member_buffer)?.iter();
            open.clear();
            open.extend(all.filter(|at| is_open.contains(**at)).map(|at| u64::from(at.0)));
            if !open.is_empty() {
                members.put(DocumentId(with_open.len() as u32), &open)?;
                with_open.push(span.bucket() as u32);
            }
        }
        Ok(Self { is_open, buckets: with_open, members: members.finish()? })
    }

    /// Whether a document is compared with everybody.
    pub(super) fn contains(&self, place: Place) -> bool {
        self.is_open.contains(place)
    }

    /// The open documents after a place in a crowd where it has this span, as numbers of places.
    pub(super) fn after<'b>(
        &'b self,
        place: Place,
        span: Span,
        buffer: &'b mut Vec<u64>,
    ) -> Result<&'b [u64], IndexError> {
        let Ok(number) = self.buckets.binary_search(&(span.bucket() as u32)) else {
            return Ok(&[]);
        };
        let all = self.members.read(DocumentId(number as u32), buffer)?.unwrap_or_default();
        let after = all.partition_point(|at| *at <= u64::from(place.0));
        Ok(&all[after..])
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use lookalike_index::KeepOrder;
    use proptest::prelude::*;

    use super::super::tests::{Corpus, LARGE, room};
    use super::*;

    /// The open members of a span, by looking at all of them.
    fn plainly_open(buckets: &Buckets, span: Span, is_open: &Places) -> Vec<Place> {
        let mut buffer = Vec::new();
        let members = buckets.members(span, &mut buffer).unwrap().iter().copied();
        members.filter(|member| is_open.contains(*member)).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]
        #[test]
        fn a_document_meets_the_open_ones_of_its_own_crowds_and_no_others(
            rows in prop::collection::vec((0..4_u64, 0..40_u32), 0..150),
            open in prop::collection::btree_set(0..40_u32, 0..20),
            on_disk in any::<bool>(),
        ) {
            let mut corpus = Corpus::one_bucket(vec![0; 40]);
            corpus.rows = rows;
            let order = KeepOrder::distinct(corpus.order.clone(), 40);
            let buckets = corpus.buckets(&order, LARGE);
            let places = |open: &BTreeSet<u32>| {
                let mut places = Places::new(40);
                for place in open {
                    places.insert(Place(*place));
                }
                places
            };
            let spans_of = |place: u32| {
                let mut buffer = Vec::new();
                buckets.spans(Place(place), &mut buffer).unwrap().to_vec()
            };
            // The first span of a bucket, in keep order, is its longest.
            let mut crowds: Vec<Span> = Vec::new();
            for span in (0..40).flat_map(spans_of) {
                if crowds.iter().all(|crowd| crowd.bucket() != span.bucket()) {
                    crowds.push(span);
                }
            }
            let mut room = room();
            room.memory_bytes = if on_disk { 0 } else { LARGE };
            let found = OpenDocuments::find(places(&open), crowds, &buckets, &room).unwrap();
            for place in 0..40 {
                for span in spans_of(place) {
                    let mut buffer = Vec::new();
                    let met = found.after(Place(place), span, &mut buffer).unwrap();
                    let met: Vec<Place> = met.iter().map(|at| Place(*at as u32)).collect();
                    prop_assert_eq!(met, plainly_open(&buckets, span, &places(&open)));
                }
                prop_assert_eq!(found.contains(Place(place)), open.contains(&place));
            }
        }
    }
}
