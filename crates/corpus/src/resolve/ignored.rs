//! What was come across and is not read, and why.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

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
    /// A Word, `OpenDocument` or PDF file, which this build does not read.
    NoDocuments,
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
            Self::NoDocuments => "read by builds with the feature `documents`",
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
            Reason::UnknownFormat => extension(path),
            Reason::NoDocuments => format!("{} ({reason})", extension(path)),
            other => other.to_string(),
        };
        *counts.entry(kind).or_default() += 1;
    }
    counts
}

fn extension(path: &Path) -> String {
    match path.extension() {
        Some(extension) => format!(".{}", extension.to_string_lossy().to_lowercase()),
        None => "without extension".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_another_build_reads_are_counted_with_the_feature() {
        let one = |path: &str, reason| Ignored { path: path.into(), reason };
        let counted = counts(&[
            one("a.PDF", Reason::NoDocuments),
            one("b.pdf", Reason::NoDocuments),
            one("c.rs", Reason::UnknownFormat),
        ]);
        let with_feature = ".pdf (read by builds with the feature `documents`)";
        assert_eq!(counted, [(with_feature.to_owned(), 2), (".rs".to_owned(), 1)].into());
    }
}
