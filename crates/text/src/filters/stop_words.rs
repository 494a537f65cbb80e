//! The stop words of the SMART retrieval system.
//!
//! `data/smart-stop-words.txt` holds the list as the Debian package `r-cran-tm` ships it
//! (`stopwords/SMART.dat`), line for line. It is the list the 2002 paper names, and was
//! published again as appendix 11 of the RCV1 collection. It has 571 lines; one word, `would`,
//! stands in it twice. Words like `don't` are found only by a word rule that keeps the
//! apostrophe.

use std::sync::LazyLock;

use crate::hash::term_hash;

const SMART: &str = include_str!("../../data/smart-stop-words.txt");

/// The 571 entries of the SMART list, in the order of the list.
pub fn smart_stop_words() -> impl Iterator<Item = &'static str> {
    SMART.lines()
}

/// Whether a lower-case term is on the SMART list.
pub fn is_smart_stop_word(term: &str) -> bool {
    // The longest word on the list is "unfortunately".
    term.len() <= 13 && TABLE.contains(term)
}

static TABLE: LazyLock<StopTable> = LazyLock::new(StopTable::new);

const SLOTS: usize = 2048;

/// Open addressing by the hash that terms have anyway; a quarter full, so nearly every
/// question is answered by one look.
struct StopTable(Vec<&'static str>);

impl StopTable {
    fn new() -> Self {
        let mut table = Self(vec![""; SLOTS]);
        for word in smart_stop_words() {
            let slot = table.slot(word);
            table.0[slot] = word;
        }
        table
    }

    /// Where a term stands, or the empty slot where it would stand.
    fn slot(&self, term: &str) -> usize {
        let mut slot = term_hash(term) as usize % SLOTS;
        while !self.0[slot].is_empty() && self.0[slot] != term {
            slot = (slot + 1) % SLOTS;
        }
        slot
    }

    fn contains(&self, term: &str) -> bool {
        !term.is_empty() && !self.0[self.slot(term)].is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_list_has_571_entries_and_all_are_found() {
        let words: Vec<_> = smart_stop_words().collect();
        assert_eq!(words.len(), 571);
        assert!(words.iter().all(|word| is_smart_stop_word(word)));
        assert_eq!(words.iter().collect::<BTreeSet<_>>().len(), 570);
    }

    #[test]
    fn other_words_are_not_on_the_list() {
        for word in ["", "near", "duplicate", "thee", "unfortunatelyy", "The"] {
            let listed = smart_stop_words().any(|entry| entry == word);
            assert_eq!(is_smart_stop_word(word), listed, "{word}");
        }
        assert!(!is_smart_stop_word("duplicate"));
    }
}
