//! What a detector finds in a collection held in memory.

use lookalike::PreparedCollection;
use lookalike_detect::Detector;

use crate::collection::LabDocument;

/// Prepares all documents; nobody shares a bucket yet.
pub(crate) fn prepare<'a>(
    detector: &'a Detector,
    documents: &[LabDocument],
) -> PreparedCollection<'a> {
    PreparedCollection::prepare(detector, documents, LabDocument::document)
}

/// Prepares all documents and brings those that share a key together.
pub fn join<'a>(detector: &'a Detector, documents: &[LabDocument]) -> PreparedCollection<'a> {
    prepare(detector, documents).bucketed()
}

/// How many documents have no signature and why, in words.
pub(crate) fn describe_rejections(collection: &PreparedCollection<'_>) -> String {
    let reasons = collection.rejections();
    if reasons.is_empty() {
        return "none".to_owned();
    }
    let reason = |(name, count): (&&str, &usize)| format!("{count} {}", name.replace('_', " "));
    reasons.iter().map(reason).collect::<Vec<_>>().join(", ")
}
