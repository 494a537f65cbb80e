//! Who shares a bucket. The index knows keys and words, never methods.

/// A document's place in the run: dense, in reading order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentId(pub u32);
