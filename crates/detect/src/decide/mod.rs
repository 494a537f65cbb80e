//! Comparison → verdict, one file a rule.

mod agreement;
mod threshold;

pub use agreement::AgreeingCoordinates;
pub use threshold::Threshold;
