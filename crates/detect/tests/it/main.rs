//! Integration tests of the detectors, one module a concern.
#![expect(clippy::unwrap_used, reason = "test code: a failure is a panic with a message")]

mod conformance; // what every method promises, over the list of all methods
mod golden; // signatures of fixed documents, which must not change silently
mod languages; // copies in eight languages, by every method at its defaults
mod learned; // models: trained, stored, refused
mod learned_words; // weights in one pass are those of the plain composition
mod own; // a method and a way of keeping documents that are not ours
mod visible; // what a reader does not see makes no difference
