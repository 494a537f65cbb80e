//! Letters that are written in several ways, as one.
//!
//! Lower case is not enough where a script leaves signs out or has capitals that are others':
//! * Arabic: vowel signs and other marks, and the line that stretches words, are dropped; alef, waw
//!   and yeh lose their hamza or madda.
//! * Turkish: the dotted and the dotless i are one letter, because the capital of one is the small
//!   letter of the other in most languages.
//! * German `ß` is `ss` and the Greek final sigma a sigma, as in their capitals.

use std::borrow::Cow;

use super::character::{is_caseless, is_mark};

/// How much of a word is folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Folding {
    /// Whether letters become small.
    pub(crate) lowercase: bool,
    /// Whether ways to write the same letter become one.
    pub(crate) spelling: bool,
}

impl Folding {
    /// The folded word; `buffer` is memory to reuse.
    #[inline]
    pub(crate) fn fold<'a>(self, word: &'a str, buffer: &'a mut String) -> &'a str {
        if word.chars().all(|c| is_caseless(c) && !(self.spelling && is_arabic(c))) {
            return word;
        }
        buffer.clear();
        match self {
            Self { lowercase: false, spelling: false } => return word,
            Self { lowercase: false, spelling: true } => {
                buffer.extend(word.chars().filter_map(arabic));
            }
            // Only the Greek capital sigma needs its neighbors: it becomes another letter at the end.
            Self { lowercase: true, spelling: false } if word.contains('Σ') => {
                buffer.push_str(&word.to_lowercase());
            }
            Self { lowercase: true, spelling: false } => {
                buffer.extend(word.chars().flat_map(char::to_lowercase));
            }
            Self { lowercase: true, spelling: true } => {
                for character in word.chars().filter_map(arabic) {
                    push_small(character, buffer);
                }
            }
        }
        buffer
    }
}

/// A word as analyzers with the default configuration fold it.
pub fn folded(word: &str) -> Cow<'_, str> {
    let mut buffer = String::new();
    let folding = Folding { lowercase: true, spelling: true };
    if folding.fold(word, &mut buffer) == word { Cow::Borrowed(word) } else { Cow::Owned(buffer) }
}

#[inline]
fn push_small(character: char, buffer: &mut String) {
    match character {
        'a'..='z' | '0'..='9' => buffer.push(character),
        'ı' | 'İ' => buffer.push('i'),
        // The dot of a capital that was taken apart.
        '\u{307}' if buffer.ends_with('i') => {}
        'ß' | 'ẞ' => buffer.push_str("ss"),
        'ς' => buffer.push('σ'),
        _ => buffer.extend(character.to_lowercase()),
    }
}

/// Whether a character may be one that [`arabic`] changes.
#[inline]
fn is_arabic(character: char) -> bool {
    matches!(character, '\u{610}'..='\u{6FF}' | '\u{8D3}'..='\u{8FF}')
}

/// An Arabic letter without what may be left out; other characters stay.
#[inline]
fn arabic(character: char) -> Option<char> {
    if !is_arabic(character) {
        return Some(character);
    }
    match character {
        'آ' | 'أ' | 'إ' | 'ٱ' | 'ٲ' | 'ٳ' | 'ٵ' => Some('ا'),
        'ؤ' => Some('و'),
        'ئ' => Some('ي'),
        '\u{640}' => None,
        _ if is_mark(character) => None,
        _ => Some(character),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_to_write_a_word_are_one() {
        for (written, expected) in [
            ("كَتَبَ", "كتب"),
            ("العــربية", "العربية"),
            ("أكل", "اكل"),
            ("إلى", "الى"),
            ("مسؤول", "مسوول"),
            ("ISPARTA", "isparta"),
            ("Isparta", "isparta"),
            ("ısparta", "isparta"),
            ("İZMİR", "izmir"),
            ("I\u{307}zmir", "izmir"),
            ("Straße", "strasse"),
            ("ΟΔΟΣ", "οδοσ"),
            ("οδος", "οδοσ"),
            ("हिन्दी", "हिन्दी"),
            ("東京", "東京"),
            ("ÉCOLE", "école"),
        ] {
            assert_eq!(folded(written), expected);
            assert_eq!(folded(expected), expected);
        }
    }
}
