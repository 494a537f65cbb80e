//! What stands between the rows of a file, and how they are compressed.

use crate::block::RecordKind;
use crate::source::Compression;

/// How the rows of a file are put together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// What stands around rows.
    pub format: Format,
    /// How all of it is compressed.
    pub compression: Compression,
}

/// What stands around rows.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Format {
    /// Line ends.
    Lines,
    /// Brackets and commas.
    Array,
    /// Blank lines; compressed records are compressed one by one, so that programs can go to any
    /// of them.
    Archive { by_record: bool },
}

impl Layout {
    /// What separates two elements of an array.
    pub(crate) const BETWEEN_ELEMENTS: &[u8] = b",\n";

    /// The layout of a file that comes out as it came in.
    pub(crate) fn of(kind: &RecordKind, compression: Compression) -> Self {
        let by_record = compression == Compression::Gzip;
        match kind {
            RecordKind::JsonArray(_) => Self { format: Format::Array, compression },
            RecordKind::Warc => Self {
                format: Format::Archive { by_record },
                compression: if by_record { Compression::None } else { compression },
            },
            _ => Self::lines(compression),
        }
    }

    /// Rows that are lines.
    pub(crate) fn lines(compression: Compression) -> Self {
        Self { format: Format::Lines, compression }
    }
}
