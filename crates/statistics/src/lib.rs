//! What a collection knows of its terms: an artefact of its own, with a file of its own.
//!
//! A [`StatisticsBuilder`] counts documents, [`Statistics`] answers document frequencies,
//! [`Statistics::to_bytes`] and [`Statistics::from_bytes`] are its file. Nothing here does I/O.

pub mod boilerplate;

mod builder;
mod distinct;
mod error;
#[cfg(test)]
mod flood;
mod format;
mod frequency;
mod statistics;
mod table;
mod term_text;

pub use builder::StatisticsBuilder;
pub use distinct::DistinctHashes;
pub use error::StatisticsError;
pub use format::FORMAT_VERSION;
pub use frequency::FrequencyBand;
pub use statistics::Statistics;
