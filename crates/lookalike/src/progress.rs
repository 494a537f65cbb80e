//! How a run tells its caller where it is, and how the caller stops it.

use lookalike_corpus::Stop;

use crate::RunError;

/// Receives the progress of a run; the command line draws bars, tests listen to nothing.
pub trait Progress: Sync {
    /// A stage begins that will work through `total` units (bytes of input, or documents).
    fn begin(&self, stage: &'static str, total: u64);
    /// As [`Progress::begin`], of a stage whose units are neither: `total` steps of any kind.
    fn begin_steps(&self, stage: &'static str, total: u64) {
        self.begin(stage, total);
    }
    /// `amount` more units are done.
    fn advance(&self, amount: u64);
    /// The stage is over.
    fn end(&self);
}

/// Says nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _: &'static str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn end(&self) {}
}

/// A flag that a signal handler or another thread sets to stop a run.
#[derive(Debug, Default)]
pub struct Interrupt(Stop);

impl Interrupt {
    /// A flag that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the run to stop at its next safe point.
    pub fn stop(&self) {
        self.0.set();
    }

    /// Whether the run was asked to stop.
    pub fn is_set(&self) -> bool {
        self.0.is_set()
    }

    /// The flag itself, for whoever reads the input.
    pub fn flag(&self) -> &Stop {
        &self.0
    }

    /// The error of a run that was asked to stop.
    pub(crate) fn check(&self) -> Result<(), RunError> {
        if self.is_set() { Err(RunError::Interrupted) } else { Ok(()) }
    }
}
