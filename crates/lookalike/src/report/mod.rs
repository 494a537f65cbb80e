//! The result files: names and fields are a contract that other tools read.

mod folder;
mod manifest;
mod pairs;
mod record;
mod rows;
mod seconds;
mod summary;
mod swap;
mod warning;

pub use folder::OutputFolder;
pub(crate) use pairs::PairsById;
pub use pairs::SortedPairs;
pub use record::RunRecord;
pub(crate) use rows::{ClusterRow, IdAsRead, PairRow, rounded};
pub use seconds::{Seconds, Spent, Threads};
pub use summary::{CrowdReport, Summary, peak_memory_bytes, resident_memory_bytes};
pub use warning::{SharedText, Warning};
