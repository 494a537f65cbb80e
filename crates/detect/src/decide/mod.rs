//! Comparison → verdict, one file a rule.

mod threshold;

pub use threshold::Threshold;
