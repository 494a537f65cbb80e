//! What a detector finds in a collection held in memory.

use lookalike::PreparedCollection;
use lookalike_detect::Detector;

use crate::LabelledText;

/// Prepares all documents; nobody shares a bucket yet.
pub fn prepare<'a>(detector: &'a Detector, documents: &[LabelledText]) -> PreparedCollection<'a> {
    PreparedCollection::prepare(detector, documents, LabelledText::document)
}

/// Prepares all documents and brings those that share a key together.
pub fn join<'a>(detector: &'a Detector, documents: &[LabelledText]) -> PreparedCollection<'a> {
    prepare(detector, documents).bucketed()
}
