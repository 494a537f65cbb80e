//! Which characters are letters or digits, and which of them are others in lower case, by one look.
//!
//! The standard library searches lists for both, which is much for characters that every page has:
//! quotation marks, dashes, letters with accents, all of Greek, Cyrillic and Arabic.

use std::sync::LazyLock;

/// Characters that have a place in the table: all of them below ideographs and kana.
const N_CHARACTERS: u32 = 0x3000;

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
    // Below that there are no surrogates, so that every number is a character.
    (0..N_CHARACTERS).filter_map(char::from_u32).map(looked_up).collect()
});

/// What a character is: [`char::is_alphanumeric`], and whether [`char::to_lowercase`] changes it.
#[inline]
pub fn letter_kind(character: char) -> LetterKind {
    match KINDS.get(character as usize) {
        Some(kind) => *kind,
        None => looked_up(character),
    }
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
    }
}
