//! Paragraphs as boilerplate sees them: what they say and where they stand.

use std::ops::Range;

use lookalike_text::segment::paragraphs;
use lookalike_text::{AsciiWord, LetterKind, letter_kind, room_for_ascii_words, write_ascii_words};
use xxhash_rust::xxh3::xxh3_64;

/// One paragraph of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedParagraph {
    /// [`paragraph_hash`] of the paragraph.
    pub hash: u64,
    /// Where it stands in the text.
    pub range: Range<usize>,
}

/// A hash of a paragraph's letters and digits, whatever their case and what stands between words;
/// `None` if there are none.
pub fn paragraph_hash(paragraph: &str) -> Option<u64> {
    ParagraphHasher::default().hash(paragraph)
}

/// [`paragraph_hash`] of one paragraph after the other, in memory that is used again.
#[derive(Debug, Default)]
pub struct ParagraphHasher {
    /// Room for the words, of which only the beginning is used.
    words: Vec<u8>,
}

impl ParagraphHasher {
    /// Calls `take` with what [`placed_paragraphs`] gives, one paragraph after the other.
    pub fn visit(&mut self, text: &str, mut take: impl FnMut(PlacedParagraph)) {
        for range in paragraphs(text) {
            if let Some(hash) = self.hash(&text[range.clone()]) {
                take(PlacedParagraph { hash, range });
            }
        }
    }

    /// [`paragraph_hash`].
    pub fn hash(&mut self, paragraph: &str) -> Option<u64> {
        let length = self.write_words(paragraph);
        (length > 0).then(|| xxh3_64(&self.words[..length]))
    }

    /// Writes the words in lower case, a blank behind each, and says how many bytes they are.
    ///
    /// Of ASCII every byte is written, and the next one written over it unless it counts: which
    /// ones do cannot be predicted.
    fn write_words(&mut self, paragraph: &str) -> usize {
        // No character is longer in lower case than twice its length.
        let room = room_for_ascii_words(2 * paragraph.len());
        if self.words.len() < room {
            self.words.resize(room, 0);
        }
        let words = &mut self.words[..room];
        let bytes = paragraph.as_bytes();
        let quickly = write_ascii_words(bytes, AsciiWord::LettersAndDigits, b' ', words);
        if let Some(written) = quickly {
            return written;
        }
        let (mut read, mut written, mut in_word) = (0, 0, false);
        while let Some(&byte) = bytes.get(read) {
            if byte.is_ascii() {
                let lower = LOWER_OR_BLANK[byte as usize];
                let is_letter = lower != b' ';
                words[written] = lower;
                written += usize::from(is_letter | in_word);
                in_word = is_letter;
                read += 1;
                continue;
            }
            let Some(character) = paragraph[read..].chars().next() else { break };
            let length = character.len_utf8();
            let kind = if is_common_ideograph(character) {
                LetterKind::Lower
            } else {
                letter_kind(character)
            };
            match kind {
                LetterKind::Lower => {
                    words[written..written + length].copy_from_slice(&bytes[read..read + length]);
                    (written, in_word) = (written + length, true);
                }
                LetterKind::Cased => {
                    for lower in character.to_lowercase() {
                        written += lower.encode_utf8(&mut words[written..]).len();
                    }
                    in_word = true;
                }
                LetterKind::None => {
                    words[written] = b' ';
                    (written, in_word) = (written + usize::from(in_word), false);
                }
            }
            read += length;
        }
        words[written] = b' ';
        written + usize::from(in_word)
    }
}

/// Letters and digits of ASCII in lower case, a blank for everything else.
const LOWER_OR_BLANK: [u8; 128] = {
    let mut table = [b' '; 128];
    let mut byte = 0;
    while byte < 128 {
        if (byte as u8).is_ascii_alphanumeric() {
            table[byte] = (byte as u8).to_ascii_lowercase();
        }
        byte += 1;
    }
    table
};

/// Letters without case, of three bytes each, that need no table.
fn is_common_ideograph(character: char) -> bool {
    matches!(character, '\u{4e00}'..='\u{9fff}')
}

/// The paragraphs of a text that have a letter or digit, in their order.
pub fn placed_paragraphs(text: &str) -> Vec<PlacedParagraph> {
    let mut placed = Vec::new();
    ParagraphHasher::default().visit(text, |paragraph| placed.push(paragraph));
    placed
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The plain version.
    fn plain_hash(paragraph: &str) -> Option<u64> {
        let mut normalized = String::new();
        let words = paragraph.split(|c: char| !c.is_alphanumeric());
        for word in words.filter(|word| !word.is_empty()) {
            normalized.extend(word.chars().flat_map(char::to_lowercase));
            normalized.push(' ');
        }
        (!normalized.is_empty()).then(|| xxh3_64(normalized.as_bytes()))
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]
        #[test]
        fn hashes_are_those_of_the_plain_version(
            paragraphs in proptest::collection::vec("(\\PC|[a-zA-Z0-9 .,]|[中文İȺΣß\u{301}]){0,40}|[a-zA-Z0-9_ .,\n]{0,200}", 1..4),
        ) {
            let mut hasher = ParagraphHasher::default();
            for paragraph in &paragraphs {
                prop_assert_eq!(hasher.hash(paragraph), plain_hash(paragraph));
            }
        }
    }

    #[test]
    fn every_character_fits_in_lower_case() {
        for character in '\0'..=char::MAX {
            let paragraph = character.to_string();
            assert_eq!(paragraph_hash(&paragraph), plain_hash(&paragraph), "{character:?}");
        }
    }
}
