//! Scores of the papers: averages over queries, intervals of a gain, t-tests.

mod increase;
mod paired_t;
mod queries;

pub use increase::increase_interval;
pub use paired_t::paired_t_test;
pub use queries::{QueryAverages, QueryOutcome, utility};
