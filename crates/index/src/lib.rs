//! Who shares a bucket. The index knows keys and words, never methods.
//!
//! A run pushes one row per (bucket key, document) into a [`RowSorter`]; the sorted rows become
//! [`Buckets`], arranged in the [`KeepOrder`] of the documents. A [`WordStore`] keeps what a pair
//! is judged on. Each of them stays in memory up to a limit and works from unnamed temporary files
//! past it, with the same results.

mod array;
mod buckets;
mod error;
mod grouping;
mod order;
mod pairs;
mod radix;
mod rows;
mod sorter;
mod spill;
mod spilled_parts;
mod union_find;
mod words;

pub use buckets::{Buckets, Span};
pub use error::IndexError;
pub use order::{KeepOrder, Place};
pub use pairs::{PairSorter, PairTable, ScoredPair};
pub use rows::{RowPart, RowSorter, SortedRows};
pub use union_find::UnionFind;
pub use words::{WordStore, WordStoreBuilder};

/// A document's place in the run: dense, in reading order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentId(pub u32);
