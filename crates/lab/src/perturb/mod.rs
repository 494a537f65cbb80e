//! Edited copies of documents, with a seed: what a method should still recognize.

mod campaigns;
mod contrived;
mod partial;

pub use campaigns::Campaigns;
pub use contrived::{ContrivedEdits, EditCounts};
pub use partial::{Edit, LabelledCopies, PartialCopies};
