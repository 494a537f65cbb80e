//! The store from outside.
#![expect(clippy::unwrap_used, reason = "test code: a failure is a panic with a message")]

// A disk that forgets what was not synchronized, fails on a countdown and tears writes.
mod disk;
// Documents as the tests make them, and the naive index that every history is held to.
mod model;

// Random histories with crashes and faults against the model.
mod histories;
// One bad day each: flipped bits, missing files, two writers, odd input.
mod bad_days;
// Readers beside a writer and its merger.
mod readers;
