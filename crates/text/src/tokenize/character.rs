//! What a character is to a tokenizer.

use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};

/// The role of a character in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A letter, digit or underscore: what Python's `\w` matches.
    Word,
    /// A combining mark or joiner: continues a word, never starts one.
    ///
    /// `\w` leaves these out and so cuts Hindi and pointed Arabic words at every vowel sign.
    Mark,
    /// Anything else.
    Other,
}

/// The role of a character.
#[inline]
pub(crate) fn role(character: char) -> Role {
    const ZERO_WIDTH_NON_JOINER: char = '\u{200C}';
    const ZERO_WIDTH_JOINER: char = '\u{200D}';
    if character.is_ascii() {
        let word = character.is_ascii_alphanumeric() || character == '_';
        return if word { Role::Word } else { Role::Other };
    }
    if is_common_letter(character) {
        return Role::Word;
    }
    let category = general_category(character);
    if GeneralCategoryGroup::Letter.contains(category)
        || GeneralCategoryGroup::Number.contains(category)
    {
        Role::Word
    } else if GeneralCategoryGroup::Mark.contains(category)
        || matches!(character, ZERO_WIDTH_NON_JOINER | ZERO_WIDTH_JOINER)
    {
        Role::Mark
    } else {
        Role::Other
    }
}

/// Letters that make up most text outside ASCII, known without a table.
#[inline]
fn is_common_letter(character: char) -> bool {
    matches!(
        character,
        '\u{4E00}'..='\u{9FFF}'
            | '\u{0400}'..='\u{0481}'
            | '\u{00C0}'..='\u{00D6}'
            | '\u{00D8}'..='\u{00F6}'
            | '\u{00F8}'..='\u{017F}'
            | '\u{0620}'..='\u{064A}'
            | '\u{3041}'..='\u{3096}'
            | '\u{30A1}'..='\u{30FA}'
            | '\u{AC00}'..='\u{D7A3}'
    )
}

/// Whether a character is its own lower case because its script has no case.
///
/// May say no where the answer is yes.
#[inline]
pub(crate) fn is_caseless(character: char) -> bool {
    matches!(
        character,
        '\u{0590}'..='\u{109F}' | '\u{2E80}'..='\u{A63F}' | '\u{AC00}'..='\u{D7A3}'
    )
}

/// Whether a character is a combining mark (general category M).
pub(crate) fn is_mark(character: char) -> bool {
    !character.is_ascii() && GeneralCategoryGroup::Mark.contains(general_category(character))
}

/// Whether a character is punctuation, of which the underscore is none here.
pub(crate) fn is_punctuation(character: char) -> bool {
    character != '_' && GeneralCategoryGroup::Punctuation.contains(general_category(character))
}

#[inline]
fn general_category(character: char) -> GeneralCategory {
    CodePointMapData::<GeneralCategory>::new().get(character)
}

/// A way of writing without spaces between words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spaceless {
    /// Chinese characters, as Chinese, Japanese and old Korean and Vietnamese use them.
    Han,
    /// The Japanese syllabaries.
    Kana,
    /// Thai, Lao, Khmer and Burmese.
    SoutheastAsian,
}

/// The spaceless way of writing a letter belongs to, if any; digits belong to none.
#[inline]
pub(crate) fn spaceless(letter: char) -> Option<Spaceless> {
    // Everything below Thai is written with spaces.
    if letter < '\u{0E01}' {
        return None;
    }
    match letter {
        '\u{0E01}'..='\u{0E4E}'
        | '\u{0E81}'..='\u{0ECF}'
        | '\u{0EDC}'..='\u{0EDF}'
        | '\u{1000}'..='\u{103F}'
        | '\u{1050}'..='\u{108F}'
        | '\u{109A}'..='\u{109D}'
        | '\u{1780}'..='\u{17D7}'
        | '\u{17DC}'
        | '\u{A9E0}'..='\u{A9EF}'
        | '\u{A9FA}'..='\u{A9FE}'
        | '\u{AA60}'..='\u{AA7F}' => Some(Spaceless::SoutheastAsian),
        '\u{3041}'..='\u{30FF}'
        | '\u{31F0}'..='\u{31FF}'
        | '\u{FF66}'..='\u{FF9F}'
        | '\u{1AFF0}'..='\u{1B16F}' => Some(Spaceless::Kana),
        '\u{3005}'..='\u{3007}'
        | '\u{3021}'..='\u{3029}'
        | '\u{3038}'..='\u{303C}'
        | '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{3FFFD}' => Some(Spaceless::Han),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortcuts_say_what_the_tables_say() {
        for character in '\0'..=char::MAX {
            if is_common_letter(character) {
                let category = general_category(character);
                assert!(GeneralCategoryGroup::Letter.contains(category), "{character:?}");
            }
            if is_caseless(character) {
                assert!(character.to_lowercase().eq([character]), "{character:?}");
            }
        }
    }

    #[test]
    fn roles_are_those_of_words_in_python() {
        // What `re.fullmatch(r"\w", c)` says, except for the marks.
        for word in
            ['a', 'Z', '7', '_', 'é', 'ß', 'я', 'ع', 'अ', '中', 'ー', '½', 'Ⅳ', '²', 'ª', '가']
        {
            assert_eq!(role(word), Role::Word, "{word:?}");
        }
        for other in [' ', '-', '\'', '.', '€', '🅐', 'Ⓐ', '…', '。', '\u{00AD}', '\u{FFFD}']
        {
            assert_eq!(role(other), Role::Other, "{other:?}");
        }
        for mark in ['\u{0301}', '\u{094D}', '\u{093E}', '\u{064E}', '\u{200D}', '\u{FE0F}'] {
            assert_eq!(role(mark), Role::Mark, "{mark:?}");
        }
    }
}
