//! A file that outgrows the limit of `ulimit -f` is an error to tell, not the end of the process.

/// Lets writes beyond the limit fail with a reason, as they do on a full disk.
pub fn report_instead_of_dying() {
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    {
        use std::ffi::c_int;
        /// The numbers in `signal.h`, on all processors that the program is built for.
        const SIGXFSZ: c_int = 25;
        const SIG_IGN: usize = 1;
        #[expect(unsafe_code, reason = "the standard library cannot ignore a signal")]
        // SAFETY: the signature is that of `signal.h` with the handler as a number, and ignoring a
        // signal runs no code of ours.
        unsafe extern "C" {
            safe fn signal(number: c_int, handler: usize) -> usize;
        }
        // Where it fails, the signal ends the process, as it would have without it.
        let _ = signal(SIGXFSZ, SIG_IGN);
    }
}
