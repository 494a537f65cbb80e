//! Words of scripts written without spaces, by dictionary.
//!
//! Chinese is cut by jieba's dictionary, everything else by those of ICU. Words come from the
//! dictionary alone: the statistical guess at unknown words that jieba offers depends on more of
//! the sentence, so that one edit would change more terms.

use std::ops::Range;

use super::character::{Role, Spaceless, role, spaceless};

/// How a stretch of text without spaces is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writing {
    /// Chinese characters, perhaps with a few kana among them.
    Chinese,
    /// Chinese characters and kana mixed.
    Japanese,
    /// Thai, Lao, Khmer or Burmese.
    SoutheastAsian,
}

/// Tells Japanese from Chinese by the line a character stands in.
///
/// A line is Japanese when at least one in [`KANA_SHARE`] of its Chinese characters and kana is
/// kana. Japanese prose is about half kana; Chinese has none, or one in a brand name.
#[derive(Debug, Default)]
pub(crate) struct LineLanguage {
    line: Range<usize>,
    japanese: bool,
}

const KANA_SHARE: usize = 10;

impl LineLanguage {
    /// How Chinese characters at a position of a text are to be read.
    pub(crate) fn writing_at(&mut self, text: &str, position: usize) -> Writing {
        if !self.line.contains(&position) {
            let start = text[..position].rfind('\n').map_or(0, |newline| newline + 1);
            let end = text[position..].find('\n').map_or(text.len(), |offset| position + offset);
            self.line = start..end;
            self.japanese = is_japanese(&text[start..end]);
        }
        if self.japanese { Writing::Japanese } else { Writing::Chinese }
    }
}

fn is_japanese(line: &str) -> bool {
    let (mut han, mut kana) = (0usize, 0usize);
    for character in line.chars() {
        match spaceless(character) {
            Some(Spaceless::Han) => han += 1,
            Some(Spaceless::Kana) => kana += 1,
            Some(Spaceless::SoutheastAsian) | None => {}
        }
    }
    kana > 0 && kana * KANA_SHARE >= han + kana
}

/// Calls `visitor` with the place of each word in a stretch of one way of writing.
pub(crate) fn cut(stretch: &str, writing: Writing, visitor: &mut dyn FnMut(Range<usize>)) {
    let mut start = 0;
    segmenters::boundaries(stretch, writing, &mut |boundary| {
        // A dictionary that does not know a mark would cut it off its letter.
        let marked = stretch[boundary..].chars().next().is_some_and(|c| role(c) == Role::Mark);
        if boundary > start && !marked {
            visitor(start..boundary);
            start = boundary;
        }
    });
    if start < stretch.len() {
        visitor(start..stretch.len());
    }
}

#[cfg(feature = "dictionaries")]
mod segmenters {
    use std::sync::LazyLock;

    use icu_segmenter::options::WordBreakInvariantOptions;
    use icu_segmenter::{WordSegmenter, WordSegmenterBorrowed};

    use super::super::chinese;
    use super::{Spaceless, Writing, spaceless};

    // `new_auto` would choose a neural model for Thai that is two orders of magnitude slower.
    static OTHERS: LazyLock<WordSegmenterBorrowed<'static>> =
        LazyLock::new(|| WordSegmenter::new_dictionary(WordBreakInvariantOptions::default()));

    /// Calls `visitor` with the ends of words, ascending.
    pub(super) fn boundaries(stretch: &str, writing: Writing, visitor: &mut dyn FnMut(usize)) {
        match writing {
            Writing::Chinese => chinese(stretch, visitor),
            Writing::Japanese => OTHERS.segment_str(stretch).for_each(visitor),
            Writing::SoutheastAsian => southeast_asian(stretch, visitor),
        }
    }

    fn chinese(stretch: &str, visitor: &mut dyn FnMut(usize)) {
        let is_kana = |c: char| spaceless(c) == Some(Spaceless::Kana);
        let mut start = 0;
        while start < stretch.len() {
            let rest = &stretch[start..];
            let kana_first = rest.chars().next().is_some_and(is_kana);
            let length = rest.find(|c| is_kana(c) != kana_first).unwrap_or(rest.len());
            let part = &rest[..length];
            if kana_first {
                OTHERS.segment_str(part).for_each(|boundary| visitor(start + boundary));
            } else {
                chinese::boundaries(part, &mut |boundary| visitor(start + boundary));
            }
            start += length;
        }
    }

    /// Compatibility normalization takes the Thai and Lao vowel *am* apart; the dictionaries know
    /// it in one piece.
    fn southeast_asian(stretch: &str, visitor: &mut dyn FnMut(usize)) {
        const APART: [&str; 2] = ["\u{0E4D}\u{0E32}", "\u{0ECD}\u{0EB2}"];
        const WHOLE: [&str; 2] = ["\u{0E33}", "\u{0EB3}"];
        if !APART.iter().any(|pair| stretch.contains(pair)) {
            OTHERS.segment_str(stretch).for_each(visitor);
            return;
        }
        let mut joined = stretch.to_owned();
        for (pair, whole) in APART.iter().zip(WHOLE) {
            joined = joined.replace(pair, whole);
        }
        let (mut seen, mut position) = (0, 0);
        for boundary in OTHERS.segment_str(&joined) {
            for character in joined[seen..boundary].chars() {
                // Taken apart, the vowel is two letters of three bytes each.
                let doubled = matches!(character, '\u{0E33}' | '\u{0EB3}')
                    && !stretch[position..].starts_with(character);
                position += if doubled { 6 } else { character.len_utf8() };
            }
            seen = boundary;
            visitor(position);
        }
    }
}

#[cfg(not(feature = "dictionaries"))]
mod segmenters {
    use super::Writing;

    /// Not reached: an analyzer that would need dictionaries cannot be built without them.
    pub(super) fn boundaries(stretch: &str, _: Writing, visitor: &mut dyn FnMut(usize)) {
        stretch.char_indices().for_each(|(position, _)| visitor(position));
    }
}

#[cfg(all(test, feature = "dictionaries"))]
mod tests {
    use super::*;

    fn words(stretch: &str, writing: Writing) -> Vec<&str> {
        let mut words = Vec::new();
        cut(stretch, writing, &mut |place| words.push(&stretch[place]));
        words
    }

    #[test]
    fn chinese_words_come_out_whole() {
        let found = words("科学家在图书馆研究长江大桥", Writing::Chinese);
        assert_eq!(found, ["科学家", "在", "图书馆", "研究", "长江大桥"]);
    }

    #[test]
    fn thai_words_are_found_whether_or_not_am_is_taken_apart() {
        let whole = words("เด็กดื่มน้ำ", Writing::SoutheastAsian);
        assert_eq!(whole, ["เด็ก", "ดื่ม", "น้ำ"]);
        let apart = words("เด็กดื่มน้\u{0E4D}\u{0E32}", Writing::SoutheastAsian);
        assert_eq!(apart, ["เด็ก", "ดื่ม", "น้\u{0E4D}\u{0E32}"]);
    }

    #[test]
    fn a_variation_selector_stays_with_its_character() {
        let found = words("葛\u{E0100}城", Writing::Chinese);
        assert_eq!(found.concat(), "葛\u{E0100}城");
        assert!(found[0].starts_with("葛\u{E0100}"));
    }

    #[test]
    fn kana_in_a_line_make_its_chinese_characters_japanese() {
        let text = "東京は日本の首都です。\n北京是中国的首都。";
        let mut lines = LineLanguage::default();
        assert_eq!(lines.writing_at(text, 0), Writing::Japanese);
        assert_eq!(lines.writing_at(text, text.find('北').unwrap()), Writing::Chinese);
        assert!(!is_japanese("优の良品是一家很多年以前在香港开设的零食店"));
    }
}
