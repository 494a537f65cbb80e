//! Chinese words by dictionary, from a table that needs no loading.
//!
//! The words, their frequencies and the rule are jieba's (github.com/fxsjy/jieba, MIT licence): of
//! all ways to cut a stretch into words of the dictionary the most probable one, where a word's
//! probability is its share of all frequencies and an unknown character counts as seen once.
//!
//! The table is part of the program: a trie, level by level, the children of a node side by side
//! and sorted. Building jieba's own trie took a tenth of a second, as long as cutting twenty
//! megabytes of English into words. Logarithms are stored too, so that no two machines differ.
//!
//! Little-endian: the number of nodes (u32) and of distinct frequencies (u32); the log probability
//! of an unknown character and of each frequency (f64); the first child of each node, and the end
//! of the last one's children (u32); the letter of each node (u16); for each node 0, or the number
//! of its word's frequency, from 1 (u16). Node 0 is the root. `examples/chinese_table.rs` makes it.

use std::ops::Range;
use std::sync::LazyLock;

use super::continuations::Continuations;

static TABLE: &[u8] = include_bytes!("../../data/chinese-words.bin");

static WORDS: LazyLock<ChineseWords> = LazyLock::new(|| ChineseWords::new(TABLE));

/// Calls `visitor` with the ends of words, ascending. Characters that are not Chinese stand alone.
pub(super) fn boundaries(stretch: &str, visitor: &mut dyn FnMut(usize)) {
    let mut steps = Vec::with_capacity(stretch.len() / 3 + 1);
    for (position, character) in stretch.char_indices() {
        if is_ideograph(character) {
            steps.push(Step::at(position, character));
            continue;
        }
        WORDS.cut(&mut steps, position, visitor);
        visitor(position + character.len_utf8());
    }
    WORDS.cut(&mut steps, stretch.len(), visitor);
}

/// Whether a character may stand in a word: the unified ideographs that jieba knows of.
#[inline]
fn is_ideograph(character: char) -> bool {
    matches!(
        character,
        '\u{4E00}'..='\u{9FFF}'
            | '\u{3400}'..='\u{4DBF}'
            | '\u{F900}'..='\u{FAFF}'
            | '\u{20000}'..='\u{2A6DF}'
            | '\u{2A700}'..='\u{2EBEF}'
            | '\u{2F800}'..='\u{2FA1F}'
    )
}

/// A character of a stretch, and the best way on from it.
struct Step {
    position: usize,
    /// 0, which no node has but the root, for a character beyond the first 65,536.
    letter: u16,
    /// The step behind the best word that begins here.
    next: usize,
    /// The log probability of that word and all that follow.
    score: f64,
}

impl Step {
    fn at(position: usize, character: char) -> Self {
        let letter = u16::try_from(u32::from(character)).unwrap_or(0);
        Self { position, letter, next: 0, score: 0.0 }
    }
}

struct ChineseWords {
    /// The node of each character that begins a word, 0 for the others.
    beginnings: Vec<u32>,
    continuations: Continuations,
    unknown: f64,
    log_probabilities: Vec<f64>,
    first_children: &'static [[u8; 4]],
    letters: &'static [[u8; 2]],
    frequencies: &'static [[u8; 2]],
}

impl ChineseWords {
    fn new(table: &'static [u8]) -> Self {
        let (numbers, table) = table.split_at(8);
        let number = |place: usize| u32::from_le_bytes(numbers.as_chunks().0[place]) as usize;
        let (n_nodes, n_frequencies) = (number(0), number(1));
        let (logs, table) = table.split_at((1 + n_frequencies) * 8);
        let mut logs = logs.as_chunks().0.iter().map(|log| f64::from_le_bytes(*log));
        let (first_children, table) = table.split_at((n_nodes + 1) * 4);
        let (letters, frequencies) = table.split_at(n_nodes * 2);
        let mut words = Self {
            beginnings: vec![0; 1 << 16],
            continuations: Continuations::new(),
            unknown: logs.next().unwrap_or_default(),
            log_probabilities: logs.collect(),
            first_children: first_children.as_chunks().0,
            letters: letters.as_chunks().0,
            frequencies: frequencies.as_chunks().0,
        };
        for node in words.children(0) {
            let letter = words.letter(node);
            words.beginnings[usize::from(letter)] = node as u32;
        }
        // The children of the root are found by their letter alone.
        for node in 1..n_nodes {
            for child in words.children(node) {
                words.continuations.insert(node, words.letter(child));
            }
        }
        words
    }

    fn children(&self, node: usize) -> Range<usize> {
        let first = |node: usize| u32::from_le_bytes(self.first_children[node]) as usize;
        first(node)..first(node + 1)
    }

    fn letter(&self, node: usize) -> u16 {
        u16::from_le_bytes(self.letters[node])
    }

    /// The log probability of the word that ends at a node, if one does.
    fn log_probability(&self, node: usize) -> Option<f64> {
        let number = usize::from(u16::from_le_bytes(self.frequencies[node]));
        self.log_probabilities.get(number.wrapping_sub(1)).copied()
    }

    /// The node that a letter leads to.
    #[inline]
    fn child(&self, node: usize, letter: u16) -> Option<usize> {
        if !self.continuations.may_contain(node, letter) {
            return None;
        }
        self.searched_child(node, letter)
    }

    /// The same by a search among all children, which says no as slowly as yes.
    fn searched_child(&self, node: usize, letter: u16) -> Option<usize> {
        let children = self.children(node);
        let place = self.letters[children.clone()]
            .binary_search_by_key(&letter, |letter| u16::from_le_bytes(*letter));
        place.ok().map(|place| children.start + place)
    }

    /// Hands the ends of the words of a run of ideographs to `visitor`, and empties it.
    fn cut(&self, steps: &mut Vec<Step>, end: usize, visitor: &mut dyn FnMut(usize)) {
        for place in (0..steps.len()).rev() {
            let (next, score) = self.best_word(steps, place);
            (steps[place].next, steps[place].score) = (next, score);
        }
        let mut place = 0;
        while let Some(step) = steps.get(place) {
            place = step.next;
            visitor(steps.get(place).map_or(end, |next| next.position));
        }
        steps.clear();
    }

    /// Where the best word from a step on ends, given the best ways on from all later steps; of
    /// equally good ones the longest.
    fn best_word(&self, steps: &[Step], place: usize) -> (usize, f64) {
        let score_of_rest = |next: usize| steps.get(next).map_or(0.0, |step| step.score);
        let mut best = None;
        let mut node = self.beginnings[usize::from(steps[place].letter)] as usize;
        let mut next = place + 1;
        while node != 0 {
            if let Some(log_probability) = self.log_probability(node) {
                let score = log_probability + score_of_rest(next);
                if best.is_none_or(|(_, least)| score >= least) {
                    best = Some((next, score));
                }
            }
            let letter = steps.get(next).map(|step| step.letter);
            node = letter.and_then(|letter| self.child(node, letter)).unwrap_or(0);
            next += 1;
        }
        best.unwrap_or_else(|| (place + 1, self.unknown + score_of_rest(place + 1)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use jieba_rs::Jieba;
    use proptest::prelude::*;

    use super::*;

    static JIEBA: LazyLock<Jieba> = LazyLock::new(Jieba::new);

    fn ends(stretch: &str) -> Vec<usize> {
        let mut ends = Vec::new();
        boundaries(stretch, &mut |end| ends.push(end));
        ends
    }

    fn ends_by_jieba(stretch: &str) -> Vec<usize> {
        JIEBA.cut(stretch, false).iter().map(|word| word.byte_end).collect()
    }

    /// The words of the table.
    fn all_words() -> Vec<String> {
        let mut words = vec![String::new(); WORDS.letters.len()];
        for node in 0..words.len() {
            for child in WORDS.children(node) {
                let letter = char::from_u32(WORDS.letter(child).into()).unwrap();
                words[child] = format!("{}{letter}", words[node]);
            }
        }
        let is_word = |node: &usize| WORDS.log_probability(*node).is_some();
        (0..words.len()).filter(is_word).map(|node| words[node].clone()).collect()
    }

    #[test]
    fn the_table_has_the_words_of_jieba() {
        let words = all_words();
        // Its list has 349,045 words, 71 of them with characters that are not Chinese.
        assert_eq!(words.len(), 348_974);
        assert_eq!(words.iter().collect::<BTreeSet<_>>().len(), words.len());
        for word in &words {
            assert!(JIEBA.has_word(word), "{word}");
        }
    }

    #[test]
    fn every_word_by_itself_is_cut_as_jieba_cuts_it() {
        for word in all_words() {
            assert_eq!(ends(&word), ends_by_jieba(&word), "{word}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

        #[test]
        fn words_in_a_row_are_cut_as_jieba_cuts_them(
            choice in prop::collection::vec((any::<prop::sample::Index>(), 0..12_usize), 1..30),
        ) {
            static ALL: LazyLock<Vec<String>> = LazyLock::new(all_words);
            let odd = ["々", "\u{20000}", "\u{2F800}", "㐀", "豈", "\u{30000}", "\u{E0100}"];
            let piece = |(index, kind): &(prop::sample::Index, usize)| match kind {
                0 => odd[index.index(odd.len())].to_owned(),
                // Pieces of words make unknown characters and words across the seams.
                1..4 => index.get(&ALL).chars().skip(1).collect(),
                _ => index.get(&ALL).clone(),
            };
            let text: String = choice.iter().map(piece).collect();
            prop_assert_eq!(ends(&text), ends_by_jieba(&text), "{}", text);
        }
    }

    #[test]
    fn the_table_of_continuations_hides_no_child_and_says_no_to_most_others() {
        let (mut asked, mut searched) = (0, 0);
        for node in 1..WORDS.letters.len() {
            for child in WORDS.children(node) {
                assert_eq!(WORDS.child(node, WORDS.letter(child)), Some(child));
            }
            // Letters of other nodes, nearly all of which do not follow this one.
            let letter = WORDS.letter(1 + node * 7919 % (WORDS.letters.len() - 1));
            assert_eq!(WORDS.child(node, letter), WORDS.searched_child(node, letter));
            asked += 1;
            searched += usize::from(WORDS.continuations.may_contain(node, letter));
        }
        assert!(searched * 6 < asked, "{searched} of {asked}");
    }

    #[test]
    fn running_text_is_cut_as_jieba_cuts_it() {
        let text = "科学家在图书馆研究长江大桥南京市长江大桥他来到了网易杭研大厦小明硕士毕业于\
                    中国科学院计算所后在日本京都大学深造乒乓球拍卖完了这个门被锁了";
        assert_eq!(ends(text), ends_by_jieba(text));
    }
}
