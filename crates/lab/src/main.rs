//! The binary `lookalike-lab`: an experiment by its name, its tables on standard output.

mod commands;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use lookalike::ConfigError;
use lookalike::visible::{Breaks, visible};
use lookalike_detect::DetectError;

use crate::commands::{Arguments, Usage};

fn main() -> ExitCode {
    if let Some(status) = lookalike_corpus::document_process() {
        return status;
    }
    lookalike_corpus::keep_quiet_about_caught_panics();
    let (text, status) = match Arguments::parse().run() {
        Ok(text) => (std::io::stdout().write_all(text.as_bytes()), ExitCode::SUCCESS),
        Err(error) => {
            let told = format!("{error:#}");
            let told = format!("error: {}\n", visible(&told, Breaks::Shown));
            (std::io::stderr().write_all(told.as_bytes()), ExitCode::from(status(&error)))
        }
    };
    // Whoever reads may stop before the end, as `head` does.
    let _ = text;
    status
}

/// 2 for what was typed wrongly, 1 for all else.
fn status(error: &anyhow::Error) -> u8 {
    let is_usage = error.is::<Usage>() || error.is::<ConfigError>() || error.is::<DetectError>();
    if is_usage { 2 } else { 1 }
}
