//! Calls of libraries that panic on some damaged files.

use std::cell::Cell;

thread_local! {
    /// Whether a panic of this thread is caught and becomes a row that cannot be read.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Lets the panic hook of a program keep quiet about panics that are caught here and told as damage.
pub fn keep_quiet_about_caught_panics() {
    let tell = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !GUARDED.get() {
            tell(panic);
        }
    }));
}

/// What a call returns, or `None` where it panics; what it worked on must not be used after that.
#[cfg(feature = "parquet")]
pub(crate) fn guarded<T>(call: impl FnOnce() -> T) -> Option<T> {
    let before = GUARDED.replace(true);
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(call));
    GUARDED.set(before);
    result.ok()
}
