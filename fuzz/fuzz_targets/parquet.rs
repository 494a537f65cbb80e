//! Any bytes as `a.parquet`: rows or reasons, the same whatever the size of blocks.
#![no_main]

use std::panic::{PanicHookInfo, set_hook, take_hook};
use std::sync::Arc;

/// The fuzzer's hook ends the process. Panics of the library that the reader catches are no
/// failures; those of the reader itself are, caught or not.
fn end_for_our_own_panics() {
    let end: Arc<dyn Fn(&PanicHookInfo<'_>) + Send + Sync> = Arc::from(take_hook());
    let usual = Arc::clone(&end);
    set_hook(Box::new(move |panic| usual(panic)));
    lookalike_corpus::keep_quiet_about_caught_panics();
    let quiet = take_hook();
    set_hook(Box::new(move |panic| {
        let is_ours = panic.location().is_some_and(|at| at.file().contains("crates/corpus/src"));
        if is_ours { end(panic) } else { quiet(panic) }
    }));
}

libfuzzer_sys::fuzz_target!(init: end_for_our_own_panics(), |bytes: &[u8]| {
    lookalike_fuzz::read_from_disk("a.parquet", bytes);
});
