//! Scores: how good is what a method found, against pairs, clusters or per query.

mod clusters;
mod halving;
mod increase;
mod paired_t;
mod pairs;
mod queries;

pub use clusters::{BCubed, adjusted_rand, b_cubed, pure_fraction};
pub use halving::{Halving, halve_clusters};
pub use increase::increase_interval;
pub use paired_t::paired_t_test;
pub use pairs::{MaxF1, PairCounts, max_f1};
pub use queries::{QueryAverages, QueryOutcome, utility};
