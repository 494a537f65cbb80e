//! How often each three characters in a row occur in a short text.

/// Characters above which a text is not counted: the table has room for twice as many.
const MOST_CHARACTERS: usize = 2560;
const SLOTS: usize = 8192;

/// Three characters as one number, in their order.
pub(super) fn packed([first, second, third]: [char; 3]) -> u64 {
    (first as u64) << 42 | (second as u64) << 21 | third as u64
}

/// Trigrams and how often they occur.
pub(super) struct TrigramCounts(Vec<(u32, u64)>);

impl TrigramCounts {
    /// Counts the trigrams of a text whose words a blank separates; those with a blank in the
    /// middle count only between letters, and the text stands between two blanks. `None` for a
    /// text that is too long or has no trigram.
    pub(super) fn of(characters: impl Iterator<Item = char>) -> Option<Self> {
        // By slot, the place in `counts` and one more; 0 where nothing is.
        let mut slots = vec![0_u16; SLOTS];
        let mut counts: Vec<(u32, u64)> = Vec::with_capacity(1024);
        let mut characters = characters.chain(Some(' '));
        let (mut first, mut second) = (' ', characters.next()?);
        for (place, third) in characters.enumerate() {
            if place > MOST_CHARACTERS {
                return None;
            }
            if second != ' ' || (first != ' ' && third != ' ') {
                let trigram = packed([first, second, third]);
                let mut slot = (trigram.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 51) as usize;
                loop {
                    match slots[slot] {
                        0 => {
                            counts.push((1, trigram));
                            slots[slot] = counts.len() as u16;
                            break;
                        }
                        number if counts[usize::from(number) - 1].1 == trigram => {
                            counts[usize::from(number) - 1].0 += 1;
                            break;
                        }
                        _ => slot = (slot + 1) % SLOTS,
                    }
                }
            }
            (first, second) = (second, third);
        }
        (!counts.is_empty()).then_some(Self(counts))
    }

    /// The most frequent trigrams, at most so many; of equally frequent ones the higher first.
    pub(super) fn most_frequent(mut self, most: usize) -> Vec<u64> {
        let counts = &mut self.0;
        if counts.len() > most {
            counts.select_nth_unstable_by(most, |left, right| right.cmp(left));
            counts.truncate(most);
        }
        counts.sort_unstable_by(|left, right| right.cmp(left));
        counts.iter().map(|(_, trigram)| *trigram).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn trigrams_are_counted_as_windows_are(text in "[abc ]{0,60}", most in 1_usize..40) {
            let padded: Vec<char> = format!(" {text} ").chars().collect();
            let mut counts: BTreeMap<u64, u32> = BTreeMap::new();
            for window in padded.windows(3) {
                let &[first, second, third] = window else { continue };
                if second != ' ' || (first != ' ' && third != ' ') {
                    *counts.entry(packed([first, second, third])).or_default() += 1;
                }
            }
            let mut expected: Vec<(u32, u64)> = counts.into_iter().map(|(t, n)| (n, t)).collect();
            expected.sort_unstable_by(|left, right| right.cmp(left));
            let expected: Vec<u64> = expected.into_iter().take(most).map(|(_, t)| t).collect();
            let found = TrigramCounts::of(text.chars());
            let found = found.map(|counts| counts.most_frequent(most)).unwrap_or_default();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn a_long_text_is_left_to_others() {
        assert!(TrigramCounts::of("a".repeat(MOST_CHARACTERS + 10).chars()).is_none());
        assert!(TrigramCounts::of("abc".chars()).is_some());
    }
}
