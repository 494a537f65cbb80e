//! Documents at a glance: what excludes most candidates of a document with many.
//!
//! An outline takes some hundred bytes, somewhere in memory for each document. Sizes side by side and one
//! line of the cache for each document tell most of what outlines tell, and are there when wanted.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use lookalike_detect::FeatureRule;
use lookalike_detect::measure::{Glance, differing_bits};
use lookalike_index::DocumentId;

/// The sets of documents at a glance, noted when they are first looked at.
#[derive(Debug)]
pub struct Glances {
    /// One more than the size; 0 where it is not known.
    sizes: Vec<AtomicU32>,
    bits: Vec<[AtomicU64; 8]>,
}

impl Glances {
    /// What the glances of so many documents take.
    pub fn bytes(n_documents: usize) -> usize {
        n_documents * (size_of::<AtomicU32>() + size_of::<Glance>())
    }

    /// Nothing known yet.
    pub fn new(n_documents: usize) -> Self {
        Self {
            sizes: (0..n_documents).map(|_| AtomicU32::new(0)).collect(),
            bits: (0..n_documents).map(|_| [const { AtomicU64::new(0) }; 8]).collect(),
        }
    }

    /// Notes a document by its outline.
    pub fn note(&self, document: DocumentId, rule: FeatureRule<'_>, outline: &[u64]) {
        let place = document.0 as usize;
        let (Some(size), Some(bits)) = (self.sizes.get(place), self.bits.get(place)) else {
            return;
        };
        let Some((n_values, glance)) = rule.glance(outline) else { return };
        for (bits, word) in bits.iter().zip(glance) {
            bits.store(word, Ordering::Relaxed);
        }
        // Whoever sees the size sees the bits.
        size.store(u32::try_from(n_values + 1).unwrap_or(0), Ordering::Release);
    }

    /// Whether it is certain that two documents are no duplicates.
    pub fn exclude(&self, rule: FeatureRule<'_>, [left, right]: [DocumentId; 2]) -> bool {
        let (Some(n_left), Some(n_right)) = (self.size(left), self.size(right)) else {
            return false;
        };
        let Some(needed) = rule.needed_shared(n_left, n_right) else { return false };
        n_left.min(n_right) < needed
            || n_left + n_right
                < 2 * needed + differing_bits(&self.glance(left), &self.glance(right))
    }

    /// The same for many documents beside one, each in its place.
    pub fn exclude_all(
        &self,
        rule: FeatureRule<'_>,
        left: DocumentId,
        others: &[DocumentId],
        excluded: &mut [bool],
    ) {
        let Some(n_left) = self.size(left) else { return };
        let glance = self.glance(left);
        for (&right, excluded) in others.iter().zip(excluded) {
            let Some(n_right) = self.size(right) else { continue };
            let Some(needed) = rule.needed_shared(n_left, n_right) else { return };
            *excluded = n_left.min(n_right) < needed
                || n_left + n_right < 2 * needed + differing_bits(&glance, &self.glance(right));
        }
    }

    fn size(&self, document: DocumentId) -> Option<usize> {
        let size = self.sizes.get(document.0 as usize)?.load(Ordering::Acquire);
        size.checked_sub(1).map(|size| size as usize)
    }

    fn glance(&self, document: DocumentId) -> Glance {
        let bits = self.bits.get(document.0 as usize);
        bits.map_or([0; 8], |bits| bits.each_ref().map(|word| word.load(Ordering::Relaxed)))
    }
}
