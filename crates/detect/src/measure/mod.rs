//! Exact comparison of features, one file a measure.

mod intersection;
mod overlap;

pub use intersection::{intersection_plain, intersection_reaching, intersection_size};
pub use overlap::SetMeasure;
