//! A run on as many threads as its configuration says, and what they do beside it.

use crate::RunError;

/// Runs `work` on a pool of so many threads, one for each core where the number is 0: the present
/// pool where there is one of that size.
///
/// The pool is the run's own. One for the whole process would be dead in a process that is forked
/// from it, and the child would wait for it forever.
pub fn on_threads<T: Send>(
    threads: usize,
    work: impl FnOnce() -> Result<T, RunError> + Send,
) -> Result<T, RunError> {
    let is_inside = rayon::current_thread_index().is_some();
    if is_inside && (threads == 0 || threads == rayon::current_num_threads()) {
        return work();
    }
    let threads = match threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        some => some,
    };
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| RunError::Threads { threads, reason: error.to_string() })?
        .install(work)
}

/// Gives back memory and working files on a thread that has nothing else to do, if there is one:
/// hundreds of megabytes take the system as long as some thousand documents.
pub fn let_go(what: impl Send + 'static) {
    if rayon::current_thread_index().is_some() && rayon::current_num_threads() > 1 {
        rayon::spawn(move || drop(what));
    }
}
