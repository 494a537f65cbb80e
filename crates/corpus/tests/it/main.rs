//! Reading and writing as the rest of the engine uses them.
#![expect(clippy::unwrap_used, reason = "test code: a failure is a panic with a message")]

/// Damaged, missing and hostile input.
mod bad_input;
/// Texts that stand in several places of a row.
mod composed;
/// Word, `OpenDocument` and PDF.
#[cfg(feature = "documents")]
mod documents;
/// Files without rows come out as files without rows.
mod empty_files;
/// Files made by other programs (`testdata/make_fixtures.py`).
mod fixtures;
/// What is read below a folder, and what is left alone.
mod folders;
/// Formats beyond rows of a table.
mod formats;
/// Input made to exhaust memory, stack or patience.
mod hostile;
/// What inputs lead to which files, and which ids documents get.
mod inputs;
/// Corpora that no file holds.
mod memory;
/// The fast reader against a naive one, on arbitrary rows.
mod properties;
/// Files that are read before their turn.
mod read_ahead;
/// The rows of a corpus in a form that tests can compare.
mod reading;
/// Writing what stays and what goes.
mod split;
