//! What is left of a document without its candidates, small enough to keep.

use lookalike_text::{
    AsciiWord, LetterKind, letter_kind, room_for_ascii_words, visit_word_hashes, write_ascii_words,
};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// One word pair in so many is kept: those that are multiples of it.
const SAMPLED: u64 = 4;

/// Most word pairs kept of a document.
const MOST_PAIRS: usize = 256;

/// A sample of the word pairs of a document and of its rest, ascending.
#[derive(Debug, Default)]
pub(super) struct DocumentSketch {
    whole: Vec<u64>,
    rest: Vec<u64>,
}

impl DocumentSketch {
    /// The sketch of paragraphs, of which some are candidates and the others rest.
    pub fn new<'t>(paragraphs: impl Iterator<Item = (&'t str, bool)>) -> Self {
        let (mut pairs, mut room) = (Vec::with_capacity(2 * MOST_PAIRS), Vec::new());
        for (paragraph, is_candidate) in paragraphs {
            let from = pairs.len();
            word_pairs(paragraph, &mut room, &mut pairs);
            // A kept pair ends in zeros, in which there is room for where it stands: to sort once is
            // enough, and of equal pairs those of the rest come first.
            for pair in &mut pairs[from..] {
                *pair |= u64::from(is_candidate);
            }
        }
        pairs.sort_unstable();
        let whole = lowest(pairs.iter().map(|pair| pair & !1));
        let rest = lowest(pairs.iter().copied().filter(|pair| pair & 1 == 0));
        Self { whole, rest }
    }

    /// Whether this document has something of its own that `other` lacks for the most part.
    pub fn differs_from(&self, other: &Self) -> bool {
        // A truncated sample knows nothing of the pairs beyond its last.
        let known = match other.whole.last() {
            Some(last) if other.whole.len() == MOST_PAIRS => *last,
            _ => u64::MAX,
        };
        let n_pairs = self.rest.partition_point(|pair| *pair <= known);
        2 * n_shared(&self.rest[..n_pairs], &other.whole) < n_pairs
    }

    /// Whether nothing is left of the document.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }
}

/// The lowest of pairs that ascend, each once, as many as are kept.
fn lowest(pairs: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut lowest = Vec::with_capacity(MOST_PAIRS);
    for pair in pairs {
        if lowest.last() != Some(&pair) {
            if lowest.len() == MOST_PAIRS {
                break;
            }
            lowest.push(pair);
        }
    }
    lowest
}

/// How many pairs stand in both lists, which are ascending.
fn n_shared(left: &[u64], right: &[u64]) -> usize {
    let (mut i, mut j, mut n_shared) = (0, 0, 0);
    while let (Some(l), Some(r)) = (left.get(i), right.get(j)) {
        n_shared += usize::from(l == r);
        i += usize::from(l <= r);
        j += usize::from(r <= l);
    }
    n_shared
}

/// Appends the sampled pairs of neighboring words; Han, kana and Thai characters are words. `room` is
/// memory to reuse.
fn word_pairs(paragraph: &str, room: &mut Vec<u8>, pairs: &mut Vec<u64>) {
    let mut previous = 0;
    let mut add = |hash: u64| {
        let pair = xxh3_64_with_seed(&hash.to_le_bytes(), previous);
        // Which ones are kept cannot be predicted: each is written, and the next one over it.
        pairs.push(pair);
        pairs.truncate(pairs.len() - usize::from(!pair.is_multiple_of(SAMPLED)));
        previous = hash;
    };
    let needed = room_for_ascii_words(paragraph.len());
    if room.len() < needed {
        room.resize(needed, 0);
    }
    let kind = AsciiWord::LettersAndDigits;
    if let Some(length) = write_ascii_words(paragraph.as_bytes(), kind, b' ', room) {
        return visit_word_hashes(room, length, b' ', add);
    }
    let mut lowered = Vec::new();
    let (mut start, mut is_spaceless) = (0, false);
    let mut end_word = |word: &str, lowered: &mut Vec<u8>, is_spaceless: bool| {
        if is_spaceless {
            for character in word.chars() {
                lowered.clear();
                push_lower(character, lowered);
                add(xxh3_64(lowered));
            }
        } else if !lowered.is_empty() {
            add(xxh3_64(lowered));
        }
        lowered.clear();
    };
    for (place, character) in paragraph.char_indices() {
        if character.is_ascii_alphanumeric() {
            lowered.push(character.to_ascii_lowercase() as u8);
        } else if !character.is_ascii() && letter_kind(character) != LetterKind::None {
            is_spaceless |= is_written_without_spaces(character);
            push_lower(character, &mut lowered);
        } else {
            end_word(&paragraph[start..place], &mut lowered, is_spaceless);
            (start, is_spaceless) = (place + character.len_utf8(), false);
        }
    }
    end_word(&paragraph[start..], &mut lowered, is_spaceless);
}

/// Appends a character in lower case.
fn push_lower(character: char, lowered: &mut Vec<u8>) {
    let mut buffer = [0; 4];
    if letter_kind(character) == LetterKind::Lower {
        lowered.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes());
        return;
    }
    for lower in character.to_lowercase() {
        lowered.extend_from_slice(lower.encode_utf8(&mut buffer).as_bytes());
    }
}

fn is_written_without_spaces(c: char) -> bool {
    matches!(
        c,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{323af}'
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The same in as few words as it can be said.
    fn plain_word_pairs(paragraph: &str) -> Vec<u64> {
        let lower = |word: &str| word.chars().flat_map(char::to_lowercase).collect::<String>();
        let mut words = Vec::new();
        for word in paragraph.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()) {
            if word.chars().any(is_written_without_spaces) {
                words.extend(word.chars().map(|c| lower(c.encode_utf8(&mut [0; 4]))));
            } else {
                words.push(lower(word));
            }
        }
        let hashes: Vec<u64> = words.iter().map(|word| xxh3_64(word.as_bytes())).collect();
        let before = std::iter::once(0).chain(hashes.iter().copied());
        let pair = |(hash, before): (&u64, u64)| xxh3_64_with_seed(&hash.to_le_bytes(), before);
        hashes.iter().zip(before).map(pair).filter(|pair| pair.is_multiple_of(SAMPLED)).collect()
    }

    proptest! {
        #[test]
        fn sketches_are_those_of_two_sorted_lists(
            paragraphs in prop::collection::vec(("[a-c ]{0,60}|[a-z ]{0,900}", any::<bool>()), 0..9),
        ) {
            let sorted = |wanted: &dyn Fn(bool) -> bool| {
                let of = paragraphs.iter().filter(|(_, is_candidate)| wanted(*is_candidate));
                let mut pairs: Vec<u64> = of.flat_map(|(text, _)| plain_word_pairs(text)).collect();
                pairs.sort_unstable();
                pairs.dedup();
                pairs.truncate(MOST_PAIRS);
                pairs
            };
            let texts = paragraphs.iter().map(|(text, is_candidate)| (text.as_str(), *is_candidate));
            let sketch = DocumentSketch::new(texts);
            prop_assert_eq!(sketch.whole, sorted(&|_| true));
            prop_assert_eq!(sketch.rest, sorted(&|is_candidate| !is_candidate));
        }

        #[test]
        fn word_pairs_are_those_of_the_plain_words(
            paragraph in "([a-cA-C0-9 ,.]|[äÖßİΣς]|[\u{4e00}-\u{4e05}ก-ง]|\\PC){0,60}|[a-cA-C0-9 _,.\n]{0,200}",
        ) {
            let mut found = Vec::new();
            word_pairs(&paragraph, &mut Vec::new(), &mut found);
            prop_assert_eq!(found, plain_word_pairs(&paragraph));
        }
    }
}
