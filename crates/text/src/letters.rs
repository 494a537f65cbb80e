//! Which characters are letters or digits, and which of them are others in lower case, by one look.
//!
//! The standard library searches lists for both, which is much for characters that every page has:
//! quotation marks, dashes, letters with accents, all of Greek, Cyrillic and Arabic.

use std::sync::LazyLock;

/// Characters that have a place in the table: all before the ideographs, and the wide forms that stand
/// between those.
const BEFORE_IDEOGRAPHS: u32 = 0x3400;
const WIDE_FORMS: std::ops::RangeInclusive<u32> = 0xff00..=0xffef;

/// What a character is to words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LetterKind {
    /// Neither letter nor digit.
    None,
    /// A letter or digit that stays as it is in lower case.
    Lower,
    /// A letter that is written otherwise in lower case.
    Cased,
}

static KINDS: LazyLock<Vec<LetterKind>> = LazyLock::new(|| {
    // There are no surrogates among them: every number is a character.
    (0..BEFORE_IDEOGRAPHS).chain(WIDE_FORMS).filter_map(char::from_u32).map(looked_up).collect()
});

/// What a character is: [`char::is_alphanumeric`], and whether [`char::to_lowercase`] changes it.
#[inline]
pub fn letter_kind(character: char) -> LetterKind {
    let place = match u32::from(character) {
        number @ 0..BEFORE_IDEOGRAPHS => number,
        0x4e00..=0x9fff => return LetterKind::Lower,
        number if WIDE_FORMS.contains(&number) => number - WIDE_FORMS.start() + BEFORE_IDEOGRAPHS,
        _ => return looked_up(character),
    };
    KINDS[place as usize]
}

/// The plain version.
fn looked_up(character: char) -> LetterKind {
    if !character.is_alphanumeric() {
        LetterKind::None
    } else if character.to_lowercase().eq([character]) {
        LetterKind::Lower
    } else {
        LetterKind::Cased
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_is_what_the_standard_library_says() {
        for character in '\0'..=char::MAX {
            assert_eq!(letter_kind(character), looked_up(character), "{character:?}");
        }
        assert_eq!(letter_kind('»'), LetterKind::None);
        assert_eq!(letter_kind('é'), LetterKind::Lower);
        assert_eq!(letter_kind('É'), LetterKind::Cased);
        assert_eq!(letter_kind('中'), LetterKind::Lower);
        assert_eq!(letter_kind('，'), LetterKind::None);
    }
}
