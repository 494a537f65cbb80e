//! Exact comparison of features, one file a measure.

mod overlap;

pub use overlap::{SetMeasure, intersection_size};
