//! Progress bars on a terminal, plain lines otherwise.

use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use lookalike::Progress;

use crate::arguments::ReportArguments;
use crate::display;

/// Stages shorter than this leave no line in a log.
const SILENT_SECONDS: f64 = 1.0;

/// Draws the stages of a run on standard error.
pub struct Bars {
    kind: Kind,
    verbose: bool,
    current: Mutex<Option<Stage>>,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Quiet,
    Lines,
    Bars,
}

/// What a stage counts.
#[derive(Clone, Copy, PartialEq)]
enum Unit {
    Bytes,
    Steps,
}

struct Stage {
    name: &'static str,
    unit: Unit,
    total: u64,
    start: Instant,
    bar: Option<ProgressBar>,
}

impl Bars {
    /// Bars where standard error is a terminal, lines where it is not, nothing if quiet; a line
    /// for every stage if verbose.
    pub fn new(report: ReportArguments) -> Self {
        let kind = match (report.quiet, std::io::stderr().is_terminal()) {
            (true, _) => Kind::Quiet,
            (false, true) => Kind::Bars,
            (false, false) => Kind::Lines,
        };
        Self { kind, verbose: report.verbose, current: Mutex::new(None) }
    }

    fn current(&self) -> std::sync::MutexGuard<'_, Option<Stage>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin_counting(&self, name: &'static str, unit: Unit, total: u64) {
        let bar = (self.kind == Kind::Bars).then(|| {
            let bar = ProgressBar::new(total).with_message(name);
            let template = match unit {
                Unit::Bytes => "{msg:22} {bar:30} {bytes:>10} of {total_bytes} {eta}",
                Unit::Steps => "{msg:22} {bar:30} {pos:>5} of {len} {elapsed}, left {eta}",
            };
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar
        });
        *self.current() = Some(Stage { name, unit, total, start: Instant::now(), bar });
    }
}

impl Progress for Bars {
    fn begin(&self, name: &'static str, total: u64) {
        self.begin_counting(name, Unit::Bytes, total);
    }

    fn begin_steps(&self, name: &'static str, total: u64) {
        self.begin_counting(name, Unit::Steps, total);
    }

    fn advance(&self, amount: u64) {
        if self.kind == Kind::Bars
            && let Some(Stage { bar: Some(bar), .. }) = &*self.current()
        {
            bar.inc(amount);
        }
    }

    fn end(&self) {
        let Some(stage) = self.current().take() else { return };
        if let Some(bar) = stage.bar {
            bar.finish_and_clear();
        }
        let seconds = stage.start.elapsed().as_secs_f64();
        if self.verbose || self.kind == Kind::Lines && seconds >= SILENT_SECONDS {
            let amount = match stage.unit {
                Unit::Bytes => format!("{:.1} MB", stage.total as f64 / 1e6),
                Unit::Steps => format!("{} steps", stage.total),
            };
            display::message(format_args!("{}: {amount} in {seconds:.1} s", stage.name));
        }
    }
}
