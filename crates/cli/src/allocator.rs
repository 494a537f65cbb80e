//! Large blocks of memory go back to the system as soon as they are freed.
//!
//! The allocator of GNU systems learns from every large block that is freed to keep blocks of that
//! size, up to 32 MiB, and twice as much at the end of each heap. A row of many megabytes would so
//! stay in memory beside the next one, by chance once or twice.

/// Blocks of this size are mapped by themselves: larger than what usual documents need.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE_BLOCK_BYTES: i32 = 4 << 20;

/// What stays at the end of a heap for the next ones; given back at every turn, it costs more to get.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const SPARE_BYTES: i32 = 8 << 20;

/// Called before anything else is allocated.
pub fn give_back_large_blocks() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        /// The numbers of the options in `malloc.h`.
        const M_TRIM_THRESHOLD: i32 = -1;
        const M_MMAP_THRESHOLD: i32 = -3;
        #[expect(unsafe_code, reason = "the C library has no safe name for its options")]
        // SAFETY: the signature is that of `malloc.h`, and any values may be given.
        unsafe extern "C" {
            safe fn mallopt(option: i32, value: i32) -> i32;
        }
        // Without it the program takes more memory, and does the same.
        let _ = mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK_BYTES);
        let _ = mallopt(M_TRIM_THRESHOLD, SPARE_BYTES);
    }
}
