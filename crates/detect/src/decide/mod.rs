//! Comparison → verdict, one file a rule.

mod agreement;
mod estimate;
mod threshold;

pub use agreement::AgreeingCoordinates;
pub use estimate::promising_agreement;
pub use threshold::Threshold;
