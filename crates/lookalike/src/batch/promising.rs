//! Which documents are worth a second reading.
//!
//! Most pairs that share a bucket are told apart by their signatures. Exact features are made only
//! for documents that have a partner which the signatures leave open.

use std::sync::atomic::{AtomicU64, Ordering};

use lookalike_detect::{Detector, Signature};
use lookalike_index::{Buckets, DocumentId, IndexError, KeepOrder, Place, Span, WordStore};
use rayon::prelude::*;

use crate::cluster::SMALLEST_CROWD;
use crate::{Interrupt, RunError};

/// In a bucket of more members everybody is taken to have such a partner: asking about all of its
/// pairs would cost more than the reading.
const LARGE_BUCKET: usize = if cfg!(test) { 4 } else { 64 };
// Crowds are looked into by the features of everybody in them.
const _: () = assert!(LARGE_BUCKET <= SMALLEST_CROWD);
/// Documents looked at between two looks at the interrupt.
const DOCUMENTS_AT_ONCE: usize = 1024;

/// A set of numbers, such as documents, that many threads add to.
pub struct DocumentSet(Vec<AtomicU64>);

impl DocumentSet {
    fn new(n_documents: usize) -> Self {
        Self((0..n_documents.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }

    /// Whether a document is in the set; one that a growing file has added is not.
    pub fn contains(&self, document: DocumentId) -> bool {
        let word = self.0.get(document.0 as usize / 64);
        word.is_some_and(|word| word.load(Ordering::Relaxed) >> (document.0 % 64) & 1 == 1)
    }

    fn insert(&self, document: DocumentId) {
        let bit = 1 << (document.0 % 64);
        self.0[document.0 as usize / 64].fetch_or(bit, Ordering::Relaxed);
    }
}

/// The documents with a candidate whose signature leaves the verdict open.
pub fn promising_documents(
    detector: &Detector,
    signatures: &WordStore,
    buckets: &Buckets,
    order: &KeepOrder,
    interrupt: &Interrupt,
) -> Result<DocumentSet, RunError> {
    let found = DocumentSet::new(order.n_documents());
    let crowds = DocumentSet::new(buckets.n_members() + 1);
    let search = Search { detector, signatures, buckets, order, found: &found, crowds: &crowds };
    buckets.groups().par_chunks(DOCUMENTS_AT_ONCE).try_for_each(|places| {
        interrupt.check()?;
        let mut buffers = Buffers::default();
        Ok::<(), RunError>(places.iter().try_for_each(|place| search.look(*place, &mut buffers))?)
    })?;
    Ok(found)
}

struct Search<'a> {
    detector: &'a Detector,
    signatures: &'a WordStore,
    buckets: &'a Buckets,
    order: &'a KeepOrder,
    found: &'a DocumentSet,
    /// The large buckets whose members are in the set already.
    crowds: &'a DocumentSet,
}

/// Buffers that are used again from document to document.
#[derive(Default)]
struct Buffers {
    left: Signature,
    right: Signature,
    words: Vec<u64>,
    spans: Vec<Span>,
    members: Vec<Place>,
}

impl Search<'_> {
    /// Looks at the documents after `place` in its buckets.
    fn look(&self, place: Place, buffers: &mut Buffers) -> Result<(), IndexError> {
        let document = self.order.document(place);
        self.read(document, &mut buffers.left, &mut buffers.words)?;
        for &span in self.buckets.spans(place, &mut buffers.spans)? {
            let is_crowd = span.len() >= LARGE_BUCKET;
            if is_crowd {
                self.found.insert(document);
                // The first to come speaks for all.
                let bucket = DocumentId(span.bucket() as u32);
                if self.crowds.contains(bucket) {
                    continue;
                }
                self.crowds.insert(bucket);
            }
            for &member in self.buckets.members(span, &mut buffers.members)? {
                let other = self.order.document(member);
                if self.found.contains(document) && self.found.contains(other) {
                    continue;
                }
                if is_crowd {
                    self.found.insert(other);
                    continue;
                }
                self.read(other, &mut buffers.right, &mut buffers.words)?;
                if self.detector.is_promising(&buffers.left, &buffers.right) {
                    self.found.insert(document);
                    self.found.insert(other);
                }
            }
        }
        Ok(())
    }

    fn read(
        &self,
        document: DocumentId,
        signature: &mut Signature,
        words: &mut Vec<u64>,
    ) -> Result<(), IndexError> {
        let found = self.signatures.read(document, words)?.unwrap_or_default();
        signature.0.clear();
        signature.0.extend_from_slice(found);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use lookalike_detect::{Artifacts, BucketKey, DetectorConfig, Scratch, SignedDocument};
    use lookalike_index::{RowSorter, WordStoreBuilder};
    use lookalike_text::Document;
    use proptest::prelude::*;

    use super::*;

    /// Texts of few words, so that buckets are shared, some of them by many.
    fn texts() -> impl Strategy<Value = Vec<Vec<u8>>> {
        prop::collection::vec(prop::collection::vec(b'a'..b'g', 1..9), 2..14)
    }

    fn signed(detector: &Detector, letters: &[u8]) -> SignedDocument {
        let word = |letter: &u8| char::from(*letter).to_string().repeat(3);
        let text = letters.iter().map(word).collect::<Vec<_>>().join(" ");
        let document = Document::from_text(&text);
        detector.sign(&document, &mut Scratch::default()).unwrap()
    }

    /// Documents with a promising partner, and documents of large buckets.
    fn naive(detector: &Detector, documents: &[SignedDocument]) -> (BTreeSet<u32>, BTreeSet<u32>) {
        let mut buckets: BTreeMap<BucketKey, Vec<u32>> = BTreeMap::new();
        for (number, document) in (0..).zip(documents) {
            for key in &document.keys {
                buckets.entry(*key).or_default().push(number);
            }
        }
        let signature = |number: u32| &documents[number as usize].signature;
        let (mut promising, mut crowded) = (BTreeSet::new(), BTreeSet::new());
        for bucket in buckets.values() {
            if bucket.len() > LARGE_BUCKET {
                crowded.extend(bucket);
            }
            for (position, &left) in bucket.iter().enumerate() {
                for &right in &bucket[position + 1..] {
                    if detector.is_promising(signature(left), signature(right)) {
                        promising.extend([left, right]);
                    }
                }
            }
        }
        (promising, crowded)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn nobody_with_a_promising_partner_is_left_out(texts in texts()) {
            let table = "method = \"minhash\"\nngram = 1\nthreshold = 0.6".parse().unwrap();
            let config = DetectorConfig::from_table(table).unwrap();
            let detector = config.build(&Artifacts::default()).unwrap();
            let documents: Vec<_> = texts.iter().map(|text| signed(&detector, text)).collect();

            let folder = tempfile::tempdir().unwrap();
            let mut rows = RowSorter::new(1 << 20, folder.path());
            let mut signatures = WordStoreBuilder::new(1 << 20, folder.path());
            for (number, document) in (0..).map(DocumentId).zip(&documents) {
                rows.extend(document.keys.iter().map(|key| key.0), number).unwrap();
                signatures.put(number, &document.signature.0).unwrap();
            }
            let order = (0..documents.len() as u32).map(DocumentId).collect();
            let order = KeepOrder::distinct(order, documents.len());
            let rows = rows.finish().unwrap();
            let buckets = Buckets::build(rows, &order, 1 << 20, folder.path()).unwrap();
            let signatures = signatures.finish().unwrap();
            let interrupt = Interrupt::new();
            let found =
                promising_documents(&detector, &signatures, &buckets, &order, &interrupt).unwrap();

            let (promising, crowded) = naive(&detector, &documents);
            let expected: BTreeSet<u32> = promising.union(&crowded).copied().collect();
            let found: BTreeSet<u32> = (0..documents.len() as u32)
                .filter(|number| found.contains(DocumentId(*number)))
                .collect();
            prop_assert_eq!(found, expected);
        }
    }
}
