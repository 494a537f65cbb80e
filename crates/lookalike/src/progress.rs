//! How a run tells its caller where it is, and how the caller stops it.

use std::sync::atomic::{AtomicBool, Ordering};

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
pub struct Interrupt(AtomicBool);

impl Interrupt {
    /// A flag that is not set.
    pub const fn new() -> Self {
        Self(AtomicBool::new(false))
    }

    /// Asks the run to stop at its next safe point.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the run was asked to stop.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// The error of a run that was asked to stop.
    pub(crate) fn check(&self) -> Result<(), RunError> {
        if self.is_set() { Err(RunError::Interrupted) } else { Ok(()) }
    }
}
