//! The binary `lookalike`: what was typed becomes a call of the library.

mod arguments;
mod commands;
mod configuration;
mod demo;
mod display;
mod output_file;
mod progress;
mod side_by_side;

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Parser;
use lookalike::Interrupt;

use crate::arguments::{Arguments, Command};

/// Set by Ctrl-C; every long loop of the library looks at it.
static INTERRUPT: Interrupt = Interrupt::new();

/// Set while the program has nothing to tidy, since it waits or computes in memory alone: Ctrl-C
/// then ends it at once.
static NOTHING_TO_TIDY: AtomicBool = AtomicBool::new(false);

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    stop_cleanly_on_interrupt();
    let result = arguments.command.check_format().map_err(Into::into);
    let result = result.and_then(|()| match &arguments.command {
        Command::Find(arguments) => commands::find::run(arguments),
        Command::Dedup(arguments) => commands::dedup::run(arguments),
        Command::Stats(arguments) => commands::stats::run(arguments),
        Command::Explain(arguments) => commands::explain::run(arguments),
        Command::Boilerplate(arguments) => commands::boilerplate::run(arguments),
        Command::Plan(arguments) => commands::plan::run(arguments),
        Command::Compare(arguments) => commands::compare::run(arguments),
        Command::Lab(arguments) => commands::lab::run(arguments),
        Command::Train(arguments) => commands::train::run(arguments),
        Command::Label(arguments) => commands::label::run(arguments),
        Command::Tune(arguments) => commands::tune::run(arguments),
        Command::Demo(arguments) => commands::demo::run(arguments),
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if display::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            display::print_error(&error);
            if error.is::<configuration::Usage>() { ExitCode::from(2) } else { ExitCode::FAILURE }
        }
    }
}

/// The first Ctrl-C lets the run remove its working files; the second ends the process at once.
fn stop_cleanly_on_interrupt() {
    // Without a handler Ctrl-C still ends the process; only the tidying is lost.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPT.is_set() || NOTHING_TO_TIDY.load(Ordering::Relaxed) {
            std::process::exit(130);
        }
        INTERRUPT.stop();
    });
}
