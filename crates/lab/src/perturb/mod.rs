//! Edited copies of documents, with a seed: what a method should still recognize.

mod contrived;
mod partial;

pub use contrived::{ContrivedEdits, EditCounts};
pub use partial::{Edit, LabelledCopies, PartialCopies};
