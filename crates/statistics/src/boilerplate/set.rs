//! Paragraphs that no method shall see.

use std::borrow::Cow;
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::paragraph::{ParagraphHasher, paragraph_hash};

/// Paragraphs to leave out, by their [`paragraph_hash`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BoilerplateSet {
    /// Ascending.
    hashes: Vec<u64>,
}

impl FromIterator<u64> for BoilerplateSet {
    fn from_iter<I: IntoIterator<Item = u64>>(hashes: I) -> Self {
        let mut hashes: Vec<u64> = hashes.into_iter().collect();
        hashes.sort_unstable();
        hashes.dedup();
        Self { hashes }
    }
}

impl BoilerplateSet {
    /// How many paragraphs are left out.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Whether nothing is left out.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// The hashes of the paragraphs that are left out, ascending.
    pub(super) fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// Whether a paragraph is left out.
    pub fn contains(&self, paragraph: &str) -> bool {
        paragraph_hash(paragraph).is_some_and(|hash| self.has(hash))
    }

    /// Whether paragraphs of this [`paragraph_hash`] are left out.
    pub fn has(&self, hash: u64) -> bool {
        self.hashes.binary_search(&hash).is_ok()
    }

    /// The text with blanks in place of every paragraph that is left out.
    ///
    /// The length does not change, so places found in the result are places in the original.
    pub fn mask<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if self.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut hidden = Vec::new();
        ParagraphHasher::default().visit(text, |paragraph| {
            if self.has(paragraph.hash) {
                hidden.push(paragraph.range);
            }
        });
        blanked(text, hidden)
    }

    /// A value that differs between different sets; what was made under a set records it.
    pub fn fingerprint(&self) -> u64 {
        let bytes: Vec<u8> = self.hashes.iter().flat_map(|hash| hash.to_le_bytes()).collect();
        xxh3_64(&bytes)
    }
}

/// The text with blanks in place of some ranges, which must be ascending.
pub fn blanked(text: &str, ranges: impl IntoIterator<Item = Range<usize>>) -> Cow<'_, str> {
    let mut blanked = String::new();
    let mut copied = 0;
    for range in ranges {
        blanked.push_str(&text[copied..range.start]);
        blanked.extend(std::iter::repeat_n(' ', range.len()));
        copied = range.end;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    blanked.push_str(&text[copied..]);
    Cow::Owned(blanked)
}
