//! The papers' experiments, one file each: a library function that any corpus can be given to.

pub mod andd;
pub mod bags;
pub mod boilerplate;
pub mod contrived;
pub mod cosine_pairs;
pub mod growth;
pub mod imatch;
pub mod judgments;
pub mod labelling;
pub mod mail;
pub mod paragraphs;
pub mod promise;
pub mod retention;
pub mod shortdocs;
pub mod stability;
pub mod syntactic;
pub mod timing;
pub mod unseen;

mod grouping;
mod query_set;

pub use grouping::{Groups, group_by_digest};
pub use query_set::{QueryOptions, QuerySet};
