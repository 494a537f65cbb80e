//! Words of scripts written without spaces.

use std::ops::Range;

use super::unicode::single_characters;

/// The text around a stretch, which tells Japanese from Chinese.
pub(crate) struct Surroundings;

impl Surroundings {
    /// The surroundings of `text[run]`.
    pub(crate) fn new(_text: &str, _run: Range<usize>) -> Self {
        Self
    }
}

/// Calls `visitor` with the place of each word in a stretch of one spaceless way of writing.
pub(crate) fn cut(stretch: &str, _: Surroundings, visitor: &mut dyn FnMut(Range<usize>)) {
    single_characters(stretch, visitor);
}
