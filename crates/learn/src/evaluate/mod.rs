//! How good is what a method found, against pairs or clusters.

mod clusters;
mod halving;
mod pairs;

pub use clusters::{BCubed, adjusted_rand, b_cubed, pure_fraction};
pub use halving::{Halving, halve_clusters};
pub use pairs::{MaxF1, PairCounts, max_f1};
