//! Comparison → verdict, one file a rule.

mod agreement;
mod estimate;
mod relation;
mod support_vectors;
mod threshold;

pub use agreement::AgreeingCoordinates;
pub use estimate::promising_agreement;
pub use relation::{Relation, RelationRule};
pub use support_vectors::{Kernel, SupportVectors};
pub use threshold::Threshold;
