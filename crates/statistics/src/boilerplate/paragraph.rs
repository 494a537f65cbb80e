//! Paragraphs as boilerplate sees them: what they say and where they stand.

use std::ops::Range;

use lookalike_text::segment::paragraphs;
use xxhash_rust::xxh3::xxh3_64;

/// One paragraph of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedParagraph {
    /// [`paragraph_hash`] of the paragraph.
    pub hash: u64,
    /// Where it stands in the text.
    pub range: Range<usize>,
    /// How many paragraphs stand before it.
    pub from_start: u32,
    /// How many paragraphs stand after it.
    pub from_end: u32,
}

/// A hash of a paragraph's letters and digits, whatever their case and what stands between words;
/// `None` if there are none.
pub fn paragraph_hash(paragraph: &str) -> Option<u64> {
    let mut normalized = String::with_capacity(paragraph.len());
    for word in paragraph.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        normalized.extend(word.chars().flat_map(char::to_lowercase));
        normalized.push(' ');
    }
    (!normalized.is_empty()).then(|| xxh3_64(normalized.as_bytes()))
}

/// The paragraphs of a text that have a letter or digit, with their places.
pub fn placed_paragraphs(text: &str) -> Vec<PlacedParagraph> {
    let mut placed: Vec<PlacedParagraph> = paragraphs(text)
        .filter_map(|range| {
            let hash = paragraph_hash(&text[range.clone()])?;
            Some(PlacedParagraph { hash, range, from_start: 0, from_end: 0 })
        })
        .collect();
    let n_paragraphs = placed.len() as u32;
    for (position, paragraph) in (0..).zip(&mut placed) {
        paragraph.from_start = position;
        paragraph.from_end = n_paragraphs - 1 - position;
    }
    placed
}
