//! The edit process of the 2002 paper (section 4.3).
//!
//! For every i-th word draw 1..10; if the draw is above alpha, draw 1..3: delete the word, swap it
//! with the next, or insert a random word of the vocabulary. The paper gives neither i nor alpha,
//! and they decide everything: both are parameters here.

use lookalike_detect::random::SplitMix64;

/// The parameters of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContrivedEdits {
    /// Every which word is considered; 1 considers them all.
    pub every: usize,
    /// A draw of 1..10 above this edits the word: 10 edits nothing, 9 one considered word in ten.
    pub alpha: u32,
}

impl Default for ContrivedEdits {
    fn default() -> Self {
        // Half an edit in a hundred words: where our IDF-L-10 comes nearest to the paper's.
        Self { every: 20, alpha: 9 }
    }
}

/// What was done to one copy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EditCounts {
    /// Words deleted.
    pub deleted: usize,
    /// Words exchanged with their successor.
    pub swapped: usize,
    /// Words inserted.
    pub inserted: usize,
}

impl EditCounts {
    /// All edits together.
    pub fn total(&self) -> usize {
        self.deleted + self.swapped + self.inserted
    }
}

impl ContrivedEdits {
    /// An edited copy of `words`; inserted words are drawn from `vocabulary`.
    pub fn apply<'a>(
        &self,
        words: &[&'a str],
        vocabulary: &[&'a str],
        random: &mut SplitMix64,
    ) -> (Vec<&'a str>, EditCounts) {
        let mut copy = Vec::with_capacity(words.len() + 8);
        let mut counts = EditCounts::default();
        let mut place = 0;
        while place < words.len() {
            let word = words[place];
            let is_considered = (place + 1).is_multiple_of(self.every.max(1));
            let is_edited = is_considered && random.next_below(10) as u32 + 1 > self.alpha;
            match if is_edited { random.next_below(3) } else { u64::MAX } {
                0 => counts.deleted += 1,
                1 if place + 1 < words.len() => {
                    copy.extend([words[place + 1], word]);
                    counts.swapped += 1;
                    // Both words of the swap have been written.
                    place += 1;
                }
                2 if !vocabulary.is_empty() => {
                    copy.extend([
                        word,
                        vocabulary[random.next_below(vocabulary.len() as u64) as usize],
                    ]);
                    counts.inserted += 1;
                }
                _ => copy.push(word),
            }
            place += 1;
        }
        (copy, counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: [&str; 6] = ["one", "two", "three", "four", "five", "six"];

    #[test]
    fn alpha_10_changes_nothing() {
        let edits = ContrivedEdits { every: 1, alpha: 10 };
        let (copy, counts) = edits.apply(&WORDS, &["new"], &mut SplitMix64::new(1));
        assert_eq!(copy, WORDS);
        assert_eq!(counts.total(), 0);
    }

    #[test]
    fn the_length_follows_from_the_counts() {
        let words: Vec<&str> = WORDS.iter().copied().cycle().take(600).collect();
        let edits = ContrivedEdits { every: 1, alpha: 5 };
        let (copy, counts) = edits.apply(&words, &["new"], &mut SplitMix64::new(3));
        assert_eq!(copy.len(), words.len() + counts.inserted - counts.deleted);
        assert!(counts.deleted > 0 && counts.swapped > 0 && counts.inserted > 0);
        assert_eq!(copy.iter().filter(|word| **word == "new").count(), counts.inserted);
    }

    #[test]
    fn only_every_ith_word_is_considered() {
        let words: Vec<&str> = WORDS.iter().copied().cycle().take(600).collect();
        let edits = ContrivedEdits { every: 6, alpha: 0 };
        let (_, counts) = edits.apply(&words, &["new"], &mut SplitMix64::new(3));
        // Each of the 100 words "six" is edited; the last one cannot be swapped with a next.
        assert!((99..=100).contains(&counts.total()));
    }

    #[test]
    fn the_seed_decides_the_copy() {
        let edits = ContrivedEdits { every: 1, alpha: 5 };
        let copy = |seed| edits.apply(&WORDS, &["new"], &mut SplitMix64::new(seed)).0;
        assert_eq!(copy(4), copy(4));
    }
}
