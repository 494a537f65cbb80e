//! What a collection knows of its terms: an artefact of its own, with a file of its own.
//!
//! [`Statistics`] answers document frequencies; a [`StatisticsBuilder`] counts them.

mod statistics;

pub use statistics::{Statistics, StatisticsBuilder};
