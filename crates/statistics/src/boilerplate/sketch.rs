//! What is left of a document without its candidates, small enough to keep.

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::PlacedParagraph;

/// One word pair in so many is kept.
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
    /// The sketch of a text whose paragraphs are candidates or rest.
    pub fn new(
        text: &str,
        paragraphs: &[PlacedParagraph],
        is_candidate: impl Fn(u64) -> bool,
    ) -> Self {
        let mut sketch = Self::default();
        for paragraph in paragraphs {
            let from = sketch.whole.len();
            word_pairs(&text[paragraph.range.clone()], &mut sketch.whole);
            if !is_candidate(paragraph.hash) {
                sketch.rest.extend_from_slice(&sketch.whole[from..]);
            }
        }
        for pairs in [&mut sketch.whole, &mut sketch.rest] {
            pairs.sort_unstable();
            pairs.dedup();
            pairs.truncate(MOST_PAIRS);
        }
        sketch
    }

    /// Whether this document has something of its own that `other` lacks for the most part.
    pub fn differs_from(&self, other: &Self) -> bool {
        // A truncated sample knows nothing of the pairs beyond its last.
        let known = match other.whole.last() {
            Some(last) if other.whole.len() == MOST_PAIRS => *last,
            _ => u64::MAX,
        };
        let comparable = self.rest.iter().filter(|pair| **pair <= known);
        let (mut n_pairs, mut n_found) = (0, 0);
        for pair in comparable {
            n_pairs += 1;
            n_found += usize::from(other.whole.binary_search(pair).is_ok());
        }
        2 * n_found < n_pairs
    }

    /// Whether nothing is left of the document.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }
}

/// Appends the sampled pairs of neighboring words; Han, kana and Thai characters are words.
fn word_pairs(paragraph: &str, pairs: &mut Vec<u64>) {
    let mut previous = 0;
    let mut lowered = String::new();
    let mut add = |word: &str| {
        lowered.clear();
        lowered.extend(word.chars().flat_map(char::to_lowercase));
        let hash = xxh3_64(lowered.as_bytes());
        let pair = xxh3_64_with_seed(&hash.to_le_bytes(), previous);
        if pair.is_multiple_of(SAMPLED) {
            pairs.push(pair);
        }
        previous = hash;
    };
    for word in paragraph.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        if word.chars().any(is_written_without_spaces) {
            for (at, c) in word.char_indices() {
                add(&word[at..at + c.len_utf8()]);
            }
        } else {
            add(word);
        }
    }
}

fn is_written_without_spaces(c: char) -> bool {
    matches!(
        c,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{323af}'
    )
}
