//! What each row hides: the ranges of its boilerplate, from the pass that has cut it into paragraphs.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use lookalike_index::{DocumentId, IndexError, WordStore, WordStoreBuilder};
use lookalike_statistics::boilerplate::blanked;

/// Stands for a range beyond what a word holds.
const TOO_FAR: u64 = u64::MAX;

/// A range of a text as a word.
pub fn range_word(range: &Range<usize>) -> u64 {
    // A text that long takes more memory than any reader gives it; if it comes, nothing is lost
    // but the work of looking for its paragraphs again.
    match (u32::try_from(range.start), u32::try_from(range.end)) {
        (Ok(start), Ok(end)) => u64::from(start) << 32 | u64::from(end),
        _ => TOO_FAR,
    }
}

/// The range that a word stands for, unless it was beyond what a word holds.
pub fn word_range(word: u64) -> Option<Range<usize>> {
    (word != TOO_FAR).then(|| (word >> 32) as usize..(word & u64::from(u32::MAX)) as usize)
}

/// The ranges that each row of a corpus hides.
pub struct HiddenParagraphs {
    ranges: WordStore,
}

impl HiddenParagraphs {
    /// The text of a row with blanks in place of what it hides; `None` if that is not known here.
    pub fn blanked<'t>(&self, row: u64, text: &'t str) -> Option<Cow<'t, str>> {
        let mut buffer = Vec::new();
        // Whoever asks can look for the paragraphs: so a failing disk is no reason to give up.
        let ranges = self.ranges.read(DocumentId(u32::try_from(row).ok()?), &mut buffer).ok()?;
        let ranges = ranges.unwrap_or_default().iter().map(|word| word_range(*word));
        Some(blanked(text, ranges.collect::<Option<Vec<_>>>()?))
    }
}

/// Takes the ranges of rows, in the order of the rows.
pub struct HidingBuilder {
    ranges: WordStoreBuilder,
    own: Vec<u64>,
}

impl HidingBuilder {
    /// Nothing hidden yet; ranges are held in `memory_bytes`, on disk past them.
    pub fn new(memory_bytes: usize, temporary_folder: &Path) -> Self {
        Self { ranges: WordStoreBuilder::new(memory_bytes, temporary_folder), own: Vec::new() }
    }

    /// Takes the ranges of one row, as [`range_word`] writes them.
    pub fn put(
        &mut self,
        row: DocumentId,
        ranges: impl Iterator<Item = u64>,
    ) -> Result<(), IndexError> {
        self.own.clear();
        self.own.extend(ranges);
        if self.own.is_empty() { Ok(()) } else { self.ranges.put(row, &self.own) }
    }

    /// What every row hides.
    pub fn finish(self) -> Result<HiddenParagraphs, IndexError> {
        Ok(HiddenParagraphs { ranges: self.ranges.finish()? })
    }
}
