//! How the caller of a run stops it.

use lookalike_corpus::Stop;

use crate::RunError;

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
