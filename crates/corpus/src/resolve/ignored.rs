//! What was come across and is not read, and why.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

/// A file or folder that was found and is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignored {
    /// The file or folder.
    pub path: PathBuf,
    /// Why it is left alone.
    pub reason: Reason,
}

/// Why something is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Reason {
    /// Its name tells of no format.
    UnknownFormat,
    /// Its name begins with a dot.
    Hidden,
    /// A link to a folder, out of the tree, or to nowhere.
    Link,
    /// A folder with the results of an earlier run.
    Results,
    /// A pipe, a socket or a device.
    Special,
    /// An earlier input has named it already.
    GivenTwice,
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::UnknownFormat => "unknown format",
            Self::Hidden => "hidden",
            Self::Link => "a link to a folder or out of the tree",
            Self::Results => "results of an earlier run",
            Self::Special => "no regular file",
            Self::GivenTwice => "the file was already named by an earlier input",
        })
    }
}

/// How many were left alone of each kind: by extension, or else by the reason.
pub(crate) fn counts(ignored: &[Ignored]) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for Ignored { path, reason } in ignored {
        let kind = match reason {
            Reason::GivenTwice => continue,
            Reason::UnknownFormat => match path.extension() {
                Some(extension) => format!(".{}", extension.to_string_lossy().to_lowercase()),
                None => "without extension".to_owned(),
            },
            other => other.to_string(),
        };
        *counts.entry(kind).or_default() += 1;
    }
    counts
}
