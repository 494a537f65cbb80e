//! One file a command: arguments in, a call of the library, a report out.

pub mod boilerplate;
pub mod compare;
pub mod decide;
pub mod dedup;
pub mod demo;
pub mod explain;
pub mod find;
pub mod incomplete;
pub mod index;
pub mod label;
pub mod manual;
pub mod plan;
pub mod resume;
#[cfg(feature = "service")]
pub mod serve;
pub mod stats;
pub mod train;
pub mod tune;
