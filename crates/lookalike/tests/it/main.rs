//! The library as a program uses it: documents in, findings out.
#![expect(clippy::unwrap_used, reason = "test code: a failure is a panic with a message")]

/// New documents against known ones, and crowds of them.
mod against;
/// Numbers that nobody can mean.
mod bounds;
/// Documents made up for the tests, and runs over them.
mod collection;
/// Crowds of one template, among which pairs must be found.
mod crowd;
/// The durable index says what a batch over its documents would.
mod durable;
/// A file that somebody writes to while it is read.
mod growing;
/// What may be removed, and which score it is given.
mod removal;
/// Every method, every way of running it: the same pairs and the same scores.
mod same_answers;
/// Single documents and pairs get the answers of a batch, also after their bytes were stored.
mod seam;
/// Additions of several callers at once.
mod together;
