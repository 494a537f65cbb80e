//! The program as people run it: arguments in, files, text and exit status out.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

// Running the binary and reading its result files.
mod program;

// What each command does with good input.
mod against;
mod artifacts; // what a run counted, handed to another run
mod compare;
mod decide;
mod dedup;
mod documents; // Word, OpenDocument and PDF
mod explain;
mod find;
mod index;
mod label;
mod papers; // every command on the page of the papers
mod paragraph;
mod reading;
mod report; // the page of a run
mod resume; // killed after signing
mod stats;
mod train;
mod tune;

#[cfg(feature = "service")]
mod serve; // over HTTP, killed and ended

// What happens with bad input, full output folders, closed pipes.
mod bad_input;

// What is printed cannot steer the terminal.
mod terminal;

// Which copy stays.
mod keep;

// What can be typed, and the program about itself.
mod flags;
mod help; // held to committed files

// Texts written to deceive.
mod collision;

// Threads, memory and input order change nothing.
mod same_answers;

// The program under attack; `scripts/attack` is the long form.
mod attack;
