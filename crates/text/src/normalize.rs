//! Unicode normalization that remembers where every piece came from.

use std::borrow::Cow;
use std::ops::Range;

use icu_normalizer::{
    ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed,
    properties::{CanonicalCombiningClassMapBorrowed, CanonicalCompositionBorrowed},
};
use serde::{Deserialize, Serialize};

use crate::tokenize::character::is_mark;

/// The Unicode normalization form of terms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Normalization {
    /// Text as it came.
    None,
    /// Canonical composition.
    Nfc,
    /// Compatibility composition: full-width letters and ligatures become plain ones.
    #[default]
    Nfkc,
}

impl Normalization {
    /// The whole text in this form.
    pub fn of(self, text: &str) -> Cow<'_, str> {
        // Every form leaves ASCII as it is.
        match self.normalizer().filter(|_| !text.is_ascii()) {
            Some(normalizer) => normalizer.normalize(text),
            None => Cow::Borrowed(text),
        }
    }

    pub(crate) fn normalizer(self) -> Option<ComposingNormalizerBorrowed<'static>> {
        match self {
            Self::None => None,
            Self::Nfc => Some(ComposingNormalizerBorrowed::new_nfc()),
            Self::Nfkc => Some(ComposingNormalizerBorrowed::new_nfkc()),
        }
    }
}

/// A piece of normalized text and, for each of its bytes, the place in the original.
///
/// Normalization works on short clusters (a character and what combines with it); every byte of a
/// cluster that changes is mapped to the whole original cluster. Reusable.
#[derive(Debug, Default)]
pub(crate) struct NormalizedPiece {
    text: String,
    /// First byte of each changed cluster and of each other character, in `text` and in the
    /// original, in ascending order.
    clusters: Vec<(usize, usize)>,
    original_end: usize,
}

impl NormalizedPiece {
    /// Normalizes `piece`, which starts at byte `offset` of the original text.
    pub(crate) fn fill(
        &mut self,
        normalizer: &ComposingNormalizerBorrowed<'static>,
        piece: &str,
        offset: usize,
    ) {
        self.text.clear();
        self.clusters.clear();
        self.original_end = offset + piece.len();
        for cluster in clusters(piece) {
            let original = &piece[cluster.clone()];
            let normalized = normalizer.normalize(original);
            let (here, there) = (self.text.len(), offset + cluster.start);
            if normalized == original {
                let characters = original.char_indices();
                self.clusters.extend(characters.map(|(at, _)| (here + at, there + at)));
            } else {
                self.clusters.push((here, there));
            }
            self.text.push_str(&normalized);
        }
    }

    /// The normalized text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The original characters that a range of the normalized text came from.
    pub(crate) fn original(&self, range: Range<usize>) -> Range<usize> {
        let first = self.clusters.partition_point(|&(start, _)| start <= range.start);
        let behind = self.clusters.partition_point(|&(start, _)| start < range.end);
        let start = self.clusters[first.saturating_sub(1)].1;
        let end = self.clusters.get(behind).map_or(self.original_end, |&(_, original)| original);
        start..end
    }
}

/// Cuts a text where normalization cannot reach across.
pub(crate) fn clusters(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut characters = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (start, first) = characters.next()?;
        let mut end = start + first.len_utf8();
        if may_compose_with_next(first) {
            while let Some((position, next)) =
                characters.next_if(|&(end, next)| joins(&text[start..end], next))
            {
                end = position + next.len_utf8();
            }
        }
        Some(start..end)
    })
}

/// Of ASCII, only letters and three signs are the first part of a composed character.
fn may_compose_with_next(character: char) -> bool {
    !character.is_ascii() || character.is_ascii_alphabetic() || matches!(character, '<' | '=' | '>')
}

/// Whether a character is reordered into, or composed with, the cluster before it.
fn joins(cluster: &str, character: char) -> bool {
    if character.is_ascii() {
        return false;
    }
    let mut buffer = [0; 4];
    let decomposer = DecomposingNormalizerBorrowed::new_nfkd();
    let decomposed = decomposer.normalize(character.encode_utf8(&mut buffer));
    let Some(first) = decomposed.chars().next() else { return false };
    if CanonicalCombiningClassMapBorrowed::new().get_u8(first) != 0 {
        return true;
    }
    // What does not reorder composes with its direct neighbor only.
    may_compose_with_previous(first) && {
        let before = ComposingNormalizerBorrowed::new_nfkc().normalize(cluster);
        let composition = CanonicalCompositionBorrowed::new();
        before.chars().next_back().is_some_and(|last| composition.compose(last, first).is_some())
    }
}

/// A quick look at a character that does not reorder: marks may compose, and so may the vowels
/// and finals of Hangul and the vowel signs of Kirat Rai, which are letters.
fn may_compose_with_previous(character: char) -> bool {
    is_mark(character)
        || matches!(
            character,
            '\u{1161}'..='\u{1175}' | '\u{11A8}'..='\u{11C2}' | '\u{16D63}'..='\u{16D67}'
        )
}

#[cfg(test)]
mod tests {
    use icu_normalizer::properties::{CanonicalDecompositionBorrowed, Decomposed};
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn normalizing_by_clusters_is_normalizing_the_whole(
            text in "(\\PC|[a-zé\u{0300}-\u{0345}]|[ㄱ-ㅣ가-힣ｦ-ﾟᄀ-ᇿ]|[\u{0900}-\u{0e7f}]){0,40}"
        ) {
            for normalization in [Normalization::Nfc, Normalization::Nfkc] {
                let normalizer = normalization.normalizer().unwrap();
                let mut piece = NormalizedPiece::default();
                piece.fill(&normalizer, &text, 0);
                prop_assert_eq!(piece.text(), normalizer.normalize(&text));
            }
        }
    }

    #[test]
    fn everything_that_composes_is_taken_into_account() {
        let decomposition = CanonicalDecompositionBorrowed::new();
        let classes = CanonicalCombiningClassMapBorrowed::new();
        for character in '\0'..=char::MAX {
            if let Decomposed::Expansion(first, second) = decomposition.decompose(character) {
                let reorders = classes.get_u8(second) != 0;
                assert!(reorders || may_compose_with_previous(second), "{character:?}");
                assert!(may_compose_with_next(first), "{character:?}");
            }
        }
    }

    #[test]
    fn a_range_of_normalized_text_maps_to_whole_original_characters() {
        let mut piece = NormalizedPiece::default();
        let text = "ﬁn ½ e\u{301}";
        piece.fill(&Normalization::Nfkc.normalizer().unwrap(), text, 10);
        assert_eq!(piece.text(), "fin 1⁄2 é");
        assert_eq!(piece.original(0..3), 10..14);
        assert_eq!(piece.original(1..2), 10..13);
        assert_eq!(piece.original(4..5), 15..17);
        let accented = piece.text().len() - 2..piece.text().len();
        assert_eq!(piece.original(accented), 18..21);
    }
}
