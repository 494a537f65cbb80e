//! How reading is told to end early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that any thread may set; clones are the same flag.
///
/// Standard input may never end and a row may be endless, so that whoever reads looks at the flag
/// between two pieces, not only between two blocks.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// A flag that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks whoever reads to end.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether reading is to end.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
