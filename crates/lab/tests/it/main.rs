//! The program as people run it: arguments in, tables, files and exit status out.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

// Running the binary and reading its result files.
mod program;

mod experiments;
mod papers; // every experiment on the page of the papers
