//! A text as its reader sees it: without what cannot be seen, and with words in one piece.
//!
//! Four things are changed, and nothing else:
//! * Characters that are not displayed (soft hyphens, zero-width characters, joiners, variation
//!   selectors, directional marks, byte order marks) are dropped.
//! * Character references (`&amp;`, `&nbsp;`, `&#8217;`) become the characters they stand for.
//! * A word divided by a hyphen at the end of a line is joined ([`hyphens`] has the rule).
//! * A line break between two characters of Chinese or Japanese, or of Thai, Lao, Khmer or Burmese,
//!   is dropped: these scripts break lines anywhere.
//!
//! Most texts need no change. The search for places that may need one looks at 64 bytes at a time.

mod hyphens;
mod places;

use std::borrow::Cow;
use std::ops::Range;

use icu_properties::CodePointSetData;
use icu_properties::props::DefaultIgnorableCodePoint;

use self::hyphens::{Hyphens, divided_word};
use self::places::Places;
use crate::extract::entities;
use crate::tokenize::character::{Spaceless, spaceless};

/// A text that differs from what its reader sees, as it is seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VisibleText {
    text: String,
    /// In ascending order and without gaps in `text`.
    stretches: Vec<Stretch>,
}

/// A stretch of the visible text and the original it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stretch {
    start: usize,
    original: Range<usize>,
    /// Whether the original stands there as it is.
    is_copy: bool,
}

/// What replaces a part of the original.
#[derive(Debug, PartialEq, Eq)]
struct Change {
    original: Range<usize>,
    replacement: String,
}

impl VisibleText {
    /// What a reader sees of a text; `None` where that is the text.
    pub fn of(text: &str) -> Option<Self> {
        Self::with_changes_at(text, Places::new(text.as_bytes()))
    }

    /// The plain version: looks everywhere.
    #[cfg(any(test, feature = "reference"))]
    pub(crate) fn of_every_place(text: &str) -> Option<Self> {
        Self::with_changes_at(text, 0..text.len())
    }

    fn with_changes_at(text: &str, places: impl Iterator<Item = usize>) -> Option<Self> {
        let mut hyphens = Hyphens::new(text);
        let mut visible = Self::default();
        let mut done = 0;
        for place in places {
            if place < done || !text.is_char_boundary(place) {
                continue;
            }
            let before = Before { visible: &visible.text, copied: &text[done..place] };
            let Some(change) = change_at(text, place, &before, &mut hyphens) else { continue };
            visible.copy(text, done..change.original.start.max(done));
            done = change.original.end;
            visible.replace(change);
        }
        if done == 0 {
            return None;
        }
        visible.copy(text, done..text.len());
        Some(visible)
    }

    fn copy(&mut self, text: &str, original: Range<usize>) {
        let start = self.text.len();
        self.text.push_str(&text[original.clone()]);
        self.push(Stretch { start, original, is_copy: true });
    }

    fn replace(&mut self, Change { original, replacement }: Change) {
        let start = self.text.len();
        self.text.push_str(&replacement);
        self.push(Stretch { start, original, is_copy: false });
    }

    fn push(&mut self, stretch: Stretch) {
        if stretch.start < self.text.len() {
            self.stretches.push(stretch);
        }
    }

    /// The text as it is seen.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The part of the original that a range of the visible text came from.
    pub fn original(&self, range: Range<usize>) -> Range<usize> {
        let start = self.original_of(range.start).map_or(0, |(place, is_copy, stretch)| {
            if is_copy { stretch.original.start + place } else { stretch.original.start }
        });
        let Some(last) = range.end.checked_sub(1).filter(|last| *last >= range.start) else {
            return start..start;
        };
        let end = self.original_of(last).map_or(start, |(place, is_copy, stretch)| {
            if is_copy { stretch.original.start + place + 1 } else { stretch.original.end }
        });
        start..end
    }

    /// The stretch that a byte of the visible text stands in, and how far from its beginning.
    fn original_of(&self, place: usize) -> Option<(usize, bool, &Stretch)> {
        let behind = self.stretches.partition_point(|stretch| stretch.start <= place);
        let stretch = self.stretches.get(behind.checked_sub(1)?)?;
        Some((place - stretch.start, stretch.is_copy, stretch))
    }
}

/// A text as its reader sees it; borrowed where that is the text.
pub fn visible(text: &str) -> Cow<'_, str> {
    VisibleText::of(text).map_or(Cow::Borrowed(text), |visible| Cow::Owned(visible.text))
}

/// What stands before a place.
struct Before<'a> {
    /// The visible text so far.
    visible: &'a str,
    /// The original behind it.
    copied: &'a str,
}

impl Before<'_> {
    fn last(&self, copied: &str) -> Option<char> {
        copied.chars().next_back().or_else(|| self.visible.chars().next_back())
    }
}

/// The change that a reader's view makes at a place, if it makes one.
fn change_at(
    text: &str,
    place: usize,
    before: &Before<'_>,
    hyphens: &mut Hyphens<'_>,
) -> Option<Change> {
    let character = text[place..].chars().next()?;
    let behind = place + character.len_utf8();
    match character {
        '&' => reference(text, place),
        '-' | '\u{2010}' => {
            let rest = divided_word(text, place)?.rest;
            let change = Change { original: place..rest.start, replacement: String::new() };
            hyphens.join(place).then_some(change)
        }
        '\n' => {
            let copied = before.copied.strip_suffix('\r').unwrap_or(before.copied);
            let right = text[behind..].chars().find(|c| !is_ignorable(*c));
            let left = before.last(copied);
            if writing(left?)? != writing(right?)? {
                return None;
            }
            let start = place - (before.copied.len() - copied.len());
            Some(Change { original: start..behind, replacement: String::new() })
        }
        // Where a line ends, a soft hyphen is displayed, and only where it divides a word.
        '\u{AD}' => {
            let end = divided_word(text, place).map_or(behind, |word| word.rest.start);
            Some(Change { original: place..end, replacement: String::new() })
        }
        // Quotation marks and dashes begin with the same bytes as much that is not displayed.
        '\u{2011}'..='\u{2029}' | '\u{2030}'..='\u{205F}' => None,
        _ if is_ignorable(character) => {
            Some(Change { original: place..behind, replacement: String::new() })
        }
        _ => None,
    }
}

/// Whether a character is not displayed.
fn is_ignorable(character: char) -> bool {
    !character.is_ascii()
        && CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(character)
}

/// Which scripts a line break may stand between without being seen.
fn writing(character: char) -> Option<bool> {
    spaceless(character).map(|kind| kind == Spaceless::SoutheastAsian)
}

/// The character reference at an ampersand, as what is displayed for it.
fn reference(text: &str, place: usize) -> Option<Change> {
    let (mut replacement, length) = entities::reference(&text[place + 1..])?;
    let mut end = place + 1 + length;
    // What was encoded twice shows as a reference as well.
    while replacement == "&" {
        let Some((again, length)) = entities::reference(&text[end..]) else { break };
        replacement = again;
        end += length;
    }
    replacement.retain(|character| !is_ignorable(character));
    Some(Change { original: place..end, replacement })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn most_texts_are_borrowed() {
        for text in
            ["", "plain - text\nin lines", "R&D & more; – “ça”", "第一行。\n第二行，", "a\u{301}"]
        {
            assert_eq!(VisibleText::of(text), None, "{text:?}");
        }
    }

    #[test]
    fn characters_that_are_not_displayed_are_dropped() {
        let text = "\u{FEFF}Donau\u{AD}dampf\u{AD}schiff, zero\u{200B}width\u{2060}, می\u{200C}خواهم\u{200F}, \
                    क्\u{200D}ष, 葛\u{E0100}城, ❤\u{FE0F}, a\u{34F}b";
        assert_eq!(visible(text), "Donaudampfschiff, zerowidth, میخواهم, क्ष, 葛城, ❤, ab");
    }

    #[test]
    fn references_are_resolved_where_they_are_clear() {
        let text =
            "R&amp;D&nbsp;caf&eacute; don&#8217;t &lt;b&gt; exam&shy;ple &amp;ndash; &amp;amp;";
        assert_eq!(visible(text), "R&D\u{A0}café don’t <b> example – &");
        for text in ["AT&T; &copy 2002", "a &b; c", "p = &num; &sum;", "&#;&#x;&#0;", "&amp", "&&;"]
        {
            assert_eq!(visible(text), text);
        }
    }

    #[test]
    fn words_of_scripts_without_spaces_go_on_in_the_next_line() {
        assert_eq!(visible("科学\n家在图\r\n书馆。\n第二"), "科学家在图书馆。\n第二");
        assert_eq!(visible("東京タ\nワー"), "東京タワー");
        assert_eq!(visible("ประเทศ\nไทย มี"), "ประเทศไทย มี");
        for text in ["科学\n\n家", "科学\n\u{3000}家", "科学\nBird\n家", "한국\n어", "科学\nไทย"]
        {
            assert_eq!(visible(text), text);
        }
    }

    #[test]
    fn places_lead_back_to_the_original() {
        let text = "An exam\u{AD}ple of caf&eacute;s, 科学\n家.";
        let seen = VisibleText::of(text).unwrap();
        assert_eq!(seen.text(), "An example of cafés, 科学家.");
        for (word, original) in [
            ("An", "An"),
            ("example", "exam\u{AD}ple"),
            ("of", "of"),
            ("cafés", "caf&eacute;s"),
            ("é", "&eacute;"),
            ("科学家", "科学\n家"),
        ] {
            let start = seen.text().find(word).unwrap();
            assert_eq!(&text[seen.original(start..start + word.len())], original);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

        #[test]
        fn changes_are_found_wherever_they_stand(
            text in "([a-zA-Z ]{0,70}|-\n|&amp;|[中ไあé\u{200b}\u{200d}\u{ad}\u{2010}\u{feff}\u{34f}\u{61c}\u{3164}\u{fe0f}\u{e0100}\u{1d173}\u{180e}\u{ffa0}\r\n>&;-]){0,12}",
        ) {
            let found = VisibleText::of(&text);
            prop_assert_eq!(&found, &VisibleText::of_every_place(&text));
            if let Some(seen) = found {
                prop_assert!(!seen.text().contains(is_ignorable));
                for (place, character) in seen.text().char_indices() {
                    let original = seen.original(place..place + character.len_utf8());
                    let original = &text[original];
                    prop_assert!(original.starts_with(character) || original.starts_with('&'));
                }
            }
        }
    }

    #[test]
    fn every_character_that_is_not_displayed_is_found() {
        for character in ('\0'..=char::MAX).filter(|character| is_ignorable(*character)) {
            assert_eq!(visible(&format!("a{character}b")), "ab", "{character:?}");
        }
    }
}
