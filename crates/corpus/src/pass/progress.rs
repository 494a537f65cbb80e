//! How a run tells its caller where it is.

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
