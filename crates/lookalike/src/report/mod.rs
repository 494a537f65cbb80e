//! The result files: names and fields are a contract that other tools read.

mod folder;
mod manifest;
mod pairs;
mod record;
mod rows;
mod summary;
mod swap;

pub use folder::OutputFolder;
pub(crate) use pairs::PairsById;
pub use pairs::SortedPairs;
pub use record::RunRecord;
pub(crate) use rows::{ClusterRow, PairRow, rounded, write_rows};
pub use summary::{CrowdReport, Seconds, Summary, peak_memory_bytes, resident_memory_bytes};
