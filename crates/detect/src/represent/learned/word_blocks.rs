//! How often each word of a text occurs, and the longest of the blocks it stands in.
//!
//! Blocks are a handful of words each. Where one ends cannot be predicted, so that the loops here
//! run over all words of the text and look up which block they are in.

use lookalike_text::bits_of_byte;

/// A distinct word of the text at hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    /// The size of the longest block it stands in.
    pub(super) longest: BlockSize,
    pub(super) frequency: u32,
    pub(super) flags: u8,
    pub(super) is_stop_word: bool,
}

/// The length of a block and, among blocks as long, its stop words: ordered as they count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct BlockSize(u64);

impl BlockSize {
    fn new(length: u32, stop_words: u32) -> Self {
        Self(u64::from(length) << 32 | u64::from(stop_words))
    }

    pub(super) fn length(self) -> u32 {
        (self.0 >> 32) as u32
    }

    pub(super) fn stop_words(self) -> u32 {
        self.0 as u32
    }
}

/// The blocks of one text at a time.
#[derive(Debug, Default)]
pub(super) struct WordBlocks {
    /// Which bytes of the text end a line, 64 a word.
    line_ends: Vec<u64>,
    /// The first word of each block, and the number of all words.
    bounds: Vec<u32>,
    /// How many stop words stand before each word of the text.
    stop_words: Vec<u32>,
    sizes: Vec<BlockSize>,
    /// 1 for each word of the text that begins a block, but for the first.
    begins: Vec<u8>,
}

/// Words that are compared with a line end at once.
const AT_ONCE: usize = 16;

impl WordBlocks {
    /// Cuts a text at its line ends, given the first byte of each word; some are added for the
    /// while, so that a step past the last word needs no care.
    pub(super) fn cut(&mut self, text: &str, starts: &mut Vec<u32>) {
        let n_words = starts.len();
        starts.resize(n_words + AT_ONCE, u32::MAX);
        self.line_ends.clear();
        bits_of_byte(text.as_bytes(), b'\n', &mut self.line_ends);
        self.bounds.clear();
        self.bounds.push(0);
        let mut next = 0;
        for (line_ends, first) in self.line_ends.iter().zip((0..).step_by(64)) {
            // The last of a row of line ends will do.
            let mut left = line_ends & !(line_ends >> 1);
            while left != 0 {
                let line_end = first + left.trailing_zeros();
                left &= left - 1;
                let last = next;
                next = first_after(line_end, starts, next);
                if next > last {
                    self.bounds.push(next as u32);
                }
            }
        }
        if next < n_words {
            self.bounds.push(n_words as u32);
        }
        starts.truncate(n_words);
    }

    /// How many stop words the text has whose words were counted last.
    pub(super) fn n_stop_words(&self) -> usize {
        self.stop_words.last().map_or(0, |n| *n as usize)
    }

    /// Counts the words of the text that was cut, given as numbers of `tallies`.
    pub(super) fn count(&mut self, words: &[u32], tallies: &mut [Tally]) {
        self.stop_words.clear();
        let mut stop_words = 0;
        self.stop_words.extend(words.iter().map(|&word| {
            let tally = &mut tallies[word as usize];
            tally.frequency += 1;
            let before = stop_words;
            stop_words += u32::from(tally.is_stop_word);
            before
        }));
        self.stop_words.push(stop_words);
        self.begins.clear();
        self.begins.resize(words.len() + 1, 0);
        self.sizes.clear();
        for bounds in self.bounds.windows(2) {
            let before = |bound: u32| self.stop_words[bound as usize];
            let stop_words = before(bounds[1]) - before(bounds[0]);
            self.sizes.push(BlockSize::new(bounds[1] - bounds[0], stop_words));
            self.begins[bounds[1] as usize] = 1;
        }
        let mut block = 0;
        for (&word, &begins) in words.iter().zip(&self.begins) {
            block += usize::from(begins);
            let tally = &mut tallies[word as usize];
            tally.longest = tally.longest.max(self.sizes[block]);
        }
    }
}

/// The first word from `next` on that starts after a line end; as many as [`AT_ONCE`] stand behind
/// the last word.
///
/// One step for nearly every line, however many words it has: nothing to guess.
#[inline]
fn first_after(line_end: u32, starts: &[u32], mut next: usize) -> usize {
    while let Some(some) = starts.get(next..).and_then(<[u32]>::first_chunk::<AT_ONCE>) {
        let is_after = |(bit, &start)| u32::from(start >= line_end) << bit;
        let after: u32 = (0..).zip(some).map(is_after).sum();
        if after != 0 {
            return next + after.trailing_zeros() as usize;
        }
        next += AT_ONCE;
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tallies of a text whose words are single letters; stop words are capital ones.
    fn tallies(text: &str) -> Vec<(char, u32, u32, u32)> {
        let mut letters: Vec<char> = text.chars().filter(|c| c.is_alphabetic()).collect();
        let mut starts: Vec<u32> =
            text.char_indices().filter(|(_, c)| c.is_alphabetic()).map(|(i, _)| i as u32).collect();
        let text_letters = letters.clone();
        letters.sort_unstable();
        letters.dedup();
        let number = |letter: &char| letters.binary_search(letter).unwrap() as u32;
        let words: Vec<u32> = text_letters.iter().map(number).collect();
        let tally =
            |letter: &char| Tally { is_stop_word: letter.is_uppercase(), ..Tally::default() };
        let mut tallies: Vec<Tally> = letters.iter().map(tally).collect();
        let mut blocks = WordBlocks::default();
        // What an earlier text has left must not matter.
        blocks.cut("x\ny z", &mut vec![0, 2, 4]);
        blocks.count(&[0, 0, 0], &mut [Tally::default()]);
        blocks.cut(text, &mut starts);
        blocks.count(&words, &mut tallies);
        let row = |(letter, tally): (&char, &Tally)| {
            let size = tally.longest;
            (*letter, tally.frequency, size.length(), size.stop_words())
        };
        letters.iter().zip(&tallies).map(row).collect()
    }

    #[test]
    fn a_word_has_its_longest_block() {
        assert_eq!(
            tallies("\n\na b\n\n c a A\n a\n"),
            [('A', 1, 3, 1), ('a', 3, 3, 1), ('b', 1, 2, 0), ('c', 1, 3, 1)]
        );
    }

    #[test]
    fn of_blocks_as_long_the_one_with_more_stop_words_counts() {
        assert_eq!(tallies("a A\na b"), [('A', 1, 2, 1), ('a', 2, 2, 1), ('b', 1, 2, 0)]);
        assert_eq!(tallies("a b\na A")[1], ('a', 2, 2, 1));
    }

    #[test]
    fn texts_without_words_or_lines_have_their_blocks_too() {
        assert_eq!(tallies(""), []);
        assert_eq!(tallies("\n \n"), []);
        assert_eq!(tallies("a"), [('a', 1, 1, 0)]);
        assert_eq!(tallies("a b c"), [('a', 1, 3, 0), ('b', 1, 3, 0), ('c', 1, 3, 0)]);
    }
}
