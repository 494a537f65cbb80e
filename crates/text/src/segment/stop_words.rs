//! Function words of a language, by the hash that tokens carry.

use std::sync::OnceLock;

use super::Language;
use crate::term_hash;
use crate::tokenize::fold::folded;

/// The words of a language that say nothing of a text's subject.
#[derive(Clone, Debug, Default)]
pub struct StopWords {
    /// Ascending.
    hashes: Vec<u64>,
    /// By the upper bits of a hash, how many hashes have lower ones; empty where there are no words.
    starts: Vec<u32>,
    /// A bit for the lower bits of each hash; empty where there are no words. Most words of a text
    /// are no stop words, and one look says so.
    bits: Vec<u64>,
}

/// So many values of the lower bits are told apart: a stop word has one in thirty of them.
const TOLD_APART: usize = 1 << 15;

/// Upper bits that say where in the list to look: about one word has each value of them.
const START_BITS: u32 = 10;

impl StopWords {
    /// A list of the terms with these hashes.
    pub fn from_hashes(hashes: impl IntoIterator<Item = u64>) -> Self {
        let mut hashes: Vec<u64> = hashes.into_iter().collect();
        hashes.sort_unstable();
        hashes.dedup();
        let mut bits = vec![0; TOLD_APART / 64];
        for hash in &hashes {
            bits[*hash as usize % TOLD_APART / 64] |= 1 << (hash % 64);
        }
        let start = |upper: u64| hashes.partition_point(|hash| hash >> (64 - START_BITS) < upper);
        let starts = (0..1 << START_BITS).map(|upper| start(upper) as u32).collect();
        Self { hashes, starts, bits }
    }

    /// Whether the term with this [`term_hash`] is a stop word; terms are lower-cased.
    #[inline]
    pub fn contains(&self, term: u64) -> bool {
        let may_be = |bits: &u64| bits >> (term % 64) & 1 == 1;
        self.bits.get(term as usize % TOLD_APART / 64).is_some_and(may_be) && self.lists(term)
    }

    fn lists(&self, term: u64) -> bool {
        let start = self.starts.get((term >> (64 - START_BITS)) as usize);
        let from_there = start.and_then(|start| self.hashes.get(*start as usize..));
        let not_below = from_there.and_then(|hashes| hashes.iter().find(|hash| **hash >= term));
        not_below == Some(&term)
    }

    /// How many words the list has.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Whether the language has no list.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }
}

/// The ISO stop words of a language; an empty list for a language that has none, or no language.
pub fn stop_words(language: Option<Language>) -> &'static StopWords {
    static NONE: StopWords = StopWords { hashes: Vec::new(), starts: Vec::new(), bits: Vec::new() };
    static LISTS: OnceLock<Vec<(&'static str, OnceLock<StopWords>)>> = OnceLock::new();
    let Some(language) = language else { return &NONE };
    let lists = LISTS.get_or_init(|| {
        stop_words::available_languages().iter().map(|code| (*code, OnceLock::new())).collect()
    });
    lists
        .iter()
        .find(|(code, _)| *code == language.code())
        .map_or(&NONE, |(code, list)| list.get_or_init(|| hashed(code)))
}

fn hashed(code: &str) -> StopWords {
    let words = stop_words::lookup(code).unwrap_or_default();
    StopWords::from_hashes(words.iter().map(|word| term_hash(&folded(word))))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn function_words_are_listed_and_content_words_are_not() {
        for (code, function, content) in [
            ("en", "the", "harbour"),
            ("de", "und", "hafen"),
            ("ru", "и", "порт"),
            ("zh", "的", "港口"),
            ("hi", "है", "बंदरगाह"),
            ("ar", "في", "ميناء"),
        ] {
            let list = stop_words(code.parse().ok());
            assert!(list.contains(term_hash(function)), "{code} {function}");
            assert!(!list.contains(term_hash(content)), "{code} {content}");
        }
    }

    #[test]
    fn no_language_has_no_stop_words() {
        assert!(stop_words(None).is_empty());
        assert!(!stop_words(None).contains(0));
    }

    proptest! {
        #[test]
        fn a_list_has_what_was_listed_and_nothing_else(
            listed in prop::collection::vec(prop_oneof![0_u64..40, any::<u64>(), (0_u64..40).prop_map(|n| !n)], 0..60),
            asked in prop::collection::vec(any::<u64>(), 0..60),
        ) {
            let list = StopWords::from_hashes(listed.iter().copied());
            for hash in listed.iter().chain(&asked).flat_map(|hash| [*hash, hash.wrapping_add(1), !hash]) {
                prop_assert_eq!(list.contains(hash), listed.contains(&hash));
            }
        }
    }
}
