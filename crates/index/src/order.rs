//! The order in which documents are preferred, with identical documents folded together.

use crate::DocumentId;
use crate::array::Fixed;
use crate::radix::Parts;

/// A document's position in the keep order among the distinct documents; 0 is the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place(pub u32);

impl Fixed for Place {
    const WIDTH: usize = 4;

    fn write(self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.0.to_le_bytes());
    }

    fn read(bytes: &[u8]) -> Self {
        Self(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte)))
    }
}

const NOWHERE: u32 = u32::MAX;

/// Which of two documents is kept, for all documents of a run.
///
/// Of identical documents only the best has a place; the others are its *copies* and are never
/// compared with anything.
#[derive(Debug)]
pub struct KeepOrder {
    documents: Vec<DocumentId>,
    /// By document; [`NOWHERE`] for copies and for documents outside the order.
    places: Vec<u32>,
    /// By place of the original, copies of one original in keep order.
    copies: Vec<(Place, DocumentId)>,
    /// Places below this are those of new documents that look for known ones at the places from
    /// it on; `None` where everybody looks for everybody.
    n_new: Option<u32>,
    /// New documents that are identical with a known one, by the place of the new one.
    twins: Vec<(Place, Place)>,
}

impl KeepOrder {
    /// All documents of `order` (best first) are taken to be distinct.
    ///
    /// `n_documents` counts all documents of the run. Those not in `order`, such as the ones too
    /// short to judge, take no part in the join.
    pub fn distinct(order: Vec<DocumentId>, n_documents: usize) -> Self {
        let mut places = vec![NOWHERE; n_documents];
        for (place, document) in order.iter().enumerate() {
            places[document.0 as usize] = place as u32;
        }
        Self { documents: order, places, copies: Vec::new(), n_new: None, twins: Vec::new() }
    }

    /// Documents of `order` (best first) with equal identities are copies of the best of them.
    ///
    /// `identities` holds a digest of each document of the run, by document id.
    pub fn with_copies(order: Vec<DocumentId>, identities: &[u128]) -> Self {
        let originals = originals(&order, identities);
        let mut kept = Self {
            documents: Vec::new(),
            places: vec![NOWHERE; identities.len()],
            copies: Vec::new(),
            n_new: None,
            twins: Vec::new(),
        };
        for (position, document) in order.into_iter().enumerate() {
            let original = originals[position];
            if original == position as u32 {
                kept.places[document.0 as usize] = kept.documents.len() as u32;
                kept.documents.push(document);
            } else {
                kept.copies.push((Place(original), document));
            }
        }
        kept.documents.shrink_to_fit();
        // Originals come before their copies, so that positions become places in one more pass.
        let mut place_of = originals;
        let mut next = 0;
        for (position, original) in place_of.iter_mut().enumerate() {
            if *original == position as u32 {
                *original = next;
                next += 1;
            }
        }
        for (original, _) in &mut kept.copies {
            *original = Place(place_of[original.0 as usize]);
        }
        kept.copies.sort_by_key(|(original, _)| *original);
        kept
    }

    /// New documents and the known ones they are matched with, each best first.
    ///
    /// Copies are folded together on each side. All new documents come before all known ones.
    pub fn two_sided(new: Vec<DocumentId>, known: Vec<DocumentId>, identities: &[u128]) -> Self {
        let mut both = Self::with_copies(new, identities);
        let known = Self::with_copies(known, identities);
        let n_new = both.len() as u32;
        both.documents.extend(known.documents);
        for (place, own) in both.places.iter_mut().zip(known.places) {
            if own != NOWHERE {
                *place = own + n_new;
            }
        }
        let shifted = |(original, copy): (Place, DocumentId)| (Place(original.0 + n_new), copy);
        both.copies.extend(known.copies.into_iter().map(shifted));
        let firsts = (0..).zip(originals(&both.documents, identities));
        both.twins = firsts
            .filter(|&(place, first)| place >= n_new && first < n_new)
            .map(|(place, first)| (Place(first), Place(place)))
            .collect();
        both.twins.sort_unstable();
        both.n_new = Some(n_new);
        both
    }

    /// How many of the places are those of new documents; `None` where there are no sides.
    pub fn n_new(&self) -> Option<usize> {
        self.n_new.map(|places| places as usize)
    }

    /// The known document that is identical with the new one at a place.
    pub fn twin(&self, new: Place) -> Option<Place> {
        let found = self.twins.binary_search_by_key(&new, |(new, _)| *new).ok()?;
        Some(self.twins[found].1)
    }

    /// Every new document that is identical with a known one, with that one, by place.
    pub fn twins(&self) -> &[(Place, Place)] {
        &self.twins
    }

    /// Distinct documents.
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Whether the order holds no document.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// All documents of the run, in the order or not.
    pub fn n_documents(&self) -> usize {
        self.places.len()
    }

    /// The document at a place.
    pub fn document(&self, place: Place) -> DocumentId {
        self.documents[place.0 as usize]
    }

    /// Where a document stands; `None` for copies and for documents outside the order.
    pub fn place(&self, document: DocumentId) -> Option<Place> {
        self.places.get(document.0 as usize).filter(|&&place| place != NOWHERE).map(|&p| Place(p))
    }

    /// Every copy with the place of its original, by place.
    pub fn copies(&self) -> &[(Place, DocumentId)] {
        &self.copies
    }

    /// The copies of one document.
    pub fn copies_of(&self, original: Place) -> &[(Place, DocumentId)] {
        let start = self.copies.partition_point(|(place, _)| *place < original);
        let count = self.copies[start..].partition_point(|(place, _)| *place == original);
        &self.copies[start..start + count]
    }
}

/// For each position in `order`, the first position with the same identity.
fn originals(order: &[DocumentId], identities: &[u128]) -> Vec<u32> {
    let identity = |position: u32| identities[order[position as usize].0 as usize];
    let mut records = Parts::new(u32::MAX);
    for position in 0..order.len() as u32 {
        let identity = identity(position);
        records.push([(identity >> 32) as u32, identity as u32, position]);
    }
    let mut originals: Vec<u32> = (0..order.len() as u32).collect();
    // Sorted by the lower half of the identity, then position; the upper half decides.
    let copies = |mut part: Vec<[u32; 3]>| {
        let mut copies: Vec<[u32; 2]> = Vec::new();
        for group in part.chunk_by_mut(|left, right| left[..2] == right[..2]) {
            if group.len() == 1 {
                continue;
            }
            group.sort_by_key(|record| identity(record[2]));
            for same in group.chunk_by(|left, right| identity(left[2]) == identity(right[2])) {
                copies.extend(same[1..].iter().map(|copy| [copy[2], same[0][2]]));
            }
        }
        copies
    };
    let note = |copies: Vec<[u32; 2]>| {
        for [copy, original] in copies {
            originals[copy as usize] = original;
        }
        Ok::<(), std::convert::Infallible>(())
    };
    let Ok(()) = records.into_sorted().visit(copies, note);
    originals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_folded_on_each_side_and_twins_across() {
        let new = [2, 0, 1].map(DocumentId).to_vec();
        let known = [5, 4, 3, 6].map(DocumentId).to_vec();
        let order = KeepOrder::two_sided(new, known, &[7, 7, 8, 7, 9, 7, 9]);
        assert_eq!((order.len(), order.n_new()), (4, Some(2)));
        let documents: Vec<u32> = (0..4).map(|place| order.document(Place(place)).0).collect();
        assert_eq!(documents, [2, 0, 5, 4]);
        let copies = [(1, 1), (2, 3), (3, 6)].map(|(p, d)| (Place(p), DocumentId(d)));
        assert_eq!(order.copies(), &copies);
        assert_eq!(order.place(DocumentId(4)), Some(Place(3)));
        assert_eq!(order.place(DocumentId(3)), None);
        assert_eq!(order.twins(), &[(Place(1), Place(2))]);
        assert_eq!((order.twin(Place(0)), order.twin(Place(1))), (None, Some(Place(2))));
    }

    #[test]
    fn the_best_of_identical_documents_is_the_original() {
        let order = [3, 0, 4, 1].map(DocumentId).to_vec();
        let low_half_only = 7 | 1 << 100;
        let kept = KeepOrder::with_copies(order, &[7, 7, 9, low_half_only, 7]);
        assert_eq!(kept.len(), 2);
        assert_eq!(kept.document(Place(0)), DocumentId(3));
        assert_eq!(kept.document(Place(1)), DocumentId(0));
        assert_eq!(kept.place(DocumentId(4)), None);
        assert_eq!(kept.place(DocumentId(2)), None);
        assert_eq!(kept.copies_of(Place(0)), &[]);
        let copies = [(Place(1), DocumentId(4)), (Place(1), DocumentId(1))];
        assert_eq!(kept.copies_of(Place(1)), &copies);
        assert_eq!(kept.copies(), &copies);
    }
}
