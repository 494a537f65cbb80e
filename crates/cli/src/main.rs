//! The binary `lookalike`: what was typed becomes a call of the library.

mod allocator;
mod arguments;
mod commands;
mod configuration;
mod defaults;
mod display;
mod file_size_limit;
mod output_file;
mod progress;
mod side_by_side;

use std::process::ExitCode;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Parser;
use lookalike::{ConfigError, Interrupt, RunError};
use lookalike_detect::DetectError;

use crate::arguments::{Arguments, Command};

/// Set by Ctrl-C; every long loop of the library looks at it.
static INTERRUPT: LazyLock<Interrupt> = LazyLock::new(Interrupt::new);

/// Set while the program has nothing to tidy, since it waits or computes in memory alone: Ctrl-C
/// then ends it at once.
static NOTHING_TO_TIDY: AtomicBool = AtomicBool::new(false);

fn main() -> ExitCode {
    allocator::give_back_large_blocks();
    file_size_limit::report_instead_of_dying();
    if let Some(status) = lookalike_corpus::document_process() {
        return status;
    }
    lookalike_corpus::keep_quiet_about_caught_panics();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return display::print_usage(&error),
    };
    stop_cleanly_on_interrupt();
    let result = arguments.command.check_format().map_err(Into::into);
    let result = result.and_then(|()| match &arguments.command {
        Command::Find(arguments) => commands::find::run(arguments),
        Command::Dedup(arguments) => commands::dedup::run(arguments),
        Command::Index(arguments) => commands::index::run(arguments),
        #[cfg(feature = "service")]
        Command::Serve(arguments) => commands::serve::run(arguments),
        Command::Stats(arguments) => commands::stats::run(arguments),
        Command::Explain(arguments) => commands::explain::run(arguments),
        Command::Boilerplate(arguments) => commands::boilerplate::run(arguments),
        Command::Plan(arguments) => commands::plan::run(arguments),
        Command::Decide(arguments) => commands::decide::run(arguments),
        Command::Compare(arguments) => commands::compare::run(arguments),
        Command::Train(arguments) => commands::train::run(arguments),
        Command::Label(arguments) => commands::label::run(arguments),
        Command::Tune(arguments) => commands::tune::run(arguments),
        Command::Demo(arguments) => commands::demo::run(arguments),
        Command::Completions(arguments) => commands::manual::completions(arguments),
        Command::Man(arguments) => commands::manual::man(arguments),
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if display::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            display::print_error(&error);
            ExitCode::from(status(&error))
        }
    }
}

/// 2 for what was typed wrongly, 130 for Ctrl-C, 1 for all else.
fn status(error: &anyhow::Error) -> u8 {
    let detect = |error: &DetectError| match error {
        DetectError::Mismatch(_) => 1,
        _ => 2,
    };
    match error.downcast_ref::<RunError>() {
        Some(RunError::Interrupted) => 130,
        Some(RunError::Config(_) | RunError::Keep(_) | RunError::NoIdField(_)) => 2,
        Some(RunError::Detect(error)) => detect(error),
        Some(_) => 1,
        None if error.is::<configuration::Usage>() || error.is::<ConfigError>() => 2,
        None if error.is::<configuration::Stopped>() => 130,
        None => error.downcast_ref::<DetectError>().map_or(1, detect),
    }
}

/// Does work that has nothing to tidy when it is ended by Ctrl-C.
fn end_at_once<T>(work: impl FnOnce() -> T) -> T {
    NOTHING_TO_TIDY.store(true, Ordering::Relaxed);
    let done = work();
    NOTHING_TO_TIDY.store(false, Ordering::Relaxed);
    done
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_tells_wrong_usage_and_interrupts_from_failures() {
        let usage = configuration::Usage("--nidf: expected MIN-MAX".into());
        assert_eq!(status(&usage.into()), 2);
        assert_eq!(status(&RunError::NoIdField("ke".into()).into()), 2);
        assert_eq!(status(&ConfigError::Invalid("overlaps".into()).into()), 2);
        assert_eq!(status(&RunError::Detect(DetectError::Config("x".into())).into()), 2);
        assert_eq!(status(&RunError::Interrupted.into()), 130);
        assert_eq!(status(&RunError::NothingReadable("x".into()).into()), 1);
        assert_eq!(status(&anyhow::anyhow!("full disk")), 1);
    }
}
