//! Why statistics cannot be read or combined.

/// Statistics that cannot be used, in a sentence that says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StatisticsError {
    /// The bytes are of another kind.
    #[error("this is not a statistics file; `lookalike stats INPUT... --out FILE` makes one")]
    NotStatistics,
    /// The file was written by another release.
    #[error(
        "the statistics have format version {found}, this program reads version {expected}; \
         count them again with `lookalike stats` or use the release that wrote them"
    )]
    Version {
        /// The version in the file.
        found: u32,
        /// The version this program reads.
        expected: u32,
    },
    /// The file ends too early or goes on too long.
    #[error(
        "the statistics file is {found} bytes long where its header says {expected}; \
         copy it again, or count the statistics again with `lookalike stats`"
    )]
    Length {
        /// The bytes there are.
        found: u64,
        /// The bytes there should be.
        expected: u64,
    },
    /// The bytes are not those that were written.
    #[error(
        "the statistics file is damaged (its checksum does not fit); \
         copy it again, or count the statistics again with `lookalike stats`"
    )]
    Checksum,
    /// The content contradicts itself or cannot be understood.
    #[error(
        "the statistics file cannot be understood ({0}); count them again with `lookalike stats`"
    )]
    Content(String),
    /// Two collections were cut into terms in different ways.
    #[error(
        "the two statistics were made by different analyzers ({left} and {right}); \
         count one of them again with the analyzer of the other"
    )]
    DifferentAnalyzers {
        /// The analyzer of the first, as JSON.
        left: String,
        /// The analyzer of the second, as JSON.
        right: String,
    },
}
