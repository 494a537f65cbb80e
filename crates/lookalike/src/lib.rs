//! The library people depend on: from a pile of documents to verified clusters.

pub mod cluster;
