//! Edited copies of documents, with a seed: what a method should still recognize.

mod contrived;

pub use contrived::{ContrivedEdits, EditCounts};
