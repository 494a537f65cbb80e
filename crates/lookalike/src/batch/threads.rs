//! A run on as many threads as its configuration says.

use crate::RunError;

/// Runs `work` on a pool of so many threads: the present one where it has as many, or where the
/// number is 0.
pub fn on_threads<T: Send>(
    threads: usize,
    work: impl FnOnce() -> Result<T, RunError> + Send,
) -> Result<T, RunError> {
    if threads == 0 || threads == rayon::current_num_threads() {
        return work();
    }
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| RunError::Threads { threads, reason: error.to_string() })?
        .install(work)
}
