//! What `find` and `dedup` say about signed documents that an interrupted run has left.

use std::path::Path;

use lookalike::{Resume, RunError};

use crate::arguments::SharedArguments;
use crate::display;

/// Signed documents beside the output folder.
pub struct KeptSigned {
    resume: Option<Resume>,
    quiet: bool,
}

impl KeptSigned {
    /// Those beside `out`, if the run is to use them; says what is there.
    pub fn new(out: Option<&Path>, asked: bool, shared: &SharedArguments) -> Self {
        let beside = out.map(Resume::beside);
        if let Some(left) = beside.as_ref().filter(|left| left.is_there() && !shared.report.quiet) {
            let folder = left.folder().display();
            display::note(if asked {
                format!("going on from the signed documents in {folder}")
            } else {
                format!(
                    "an interrupted run has left signed documents in {folder}; --resume goes on \
                     from them, and if nobody needs them the folder can be removed"
                )
            });
        }
        Self { resume: beside.filter(|_| asked), quiet: shared.report.quiet }
    }

    /// For the library.
    pub fn resume(&self) -> Option<&Resume> {
        self.resume.as_ref()
    }

    /// After a run that ended without a result.
    pub fn say_what_is_kept(&self) {
        if let Some(kept) = self.resume.as_ref().filter(|kept| kept.is_there() && !self.quiet) {
            let folder = kept.folder().display();
            display::note(format_args!(
                "what was signed is kept in {folder}; the same command goes on from there, or \
                 remove the folder"
            ));
        }
    }

    /// After a run whose results are in their place.
    pub fn remove(&self) -> Result<(), RunError> {
        self.resume.as_ref().map_or(Ok(()), Resume::remove)
    }
}
