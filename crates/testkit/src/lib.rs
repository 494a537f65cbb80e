//! For tests only: tiny corpora and the conformance suite of detectors.
#![expect(clippy::unwrap_used, reason = "test code: a failure is a panic with a message")]

pub mod conformance;
pub mod corpus;
pub mod families;
pub mod languages;
pub mod papers;

mod artifacts;

pub use artifacts::{artifacts_for, artifacts_from, build, labelled_stories};
