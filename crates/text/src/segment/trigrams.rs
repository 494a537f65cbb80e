//! How often each three characters in a row occur in a short text.
//!
//! Nearly all trigrams of a text in Latin letters are of a to z and blanks. They are counted in a
//! table with a place for each, in which they also stand in order; the few others are sorted.

/// Characters above which a text is not counted.
const MOST_CHARACTERS: usize = 2560;
/// Bits of a character that has a place in the table, and what stands for all others.
const CODE_BITS: u32 = 5;
const OTHER: u32 = 1 << (3 * CODE_BITS);
/// How many trigrams have a place in the table.
pub(super) const N_PLACES: usize = OTHER as usize;
/// Trigrams that occur so often are few, and sorted.
const OFTEN: usize = 32;

/// Three characters as one number, in their order.
pub(super) fn packed([first, second, third]: [char; 3]) -> u64 {
    (first as u64) << 42 | (second as u64) << 21 | third as u64
}

/// Signs, digits and blanks of ASCII, which separate words and count as blanks.
pub(super) const fn is_stop(character: char) -> bool {
    matches!(character, '\0'..='@' | '['..='`' | '{'..='~')
}

/// Of each character of ASCII five bits: blanks, the letters a to z and the delete character, in
/// their order.
const CODES: [u32; 128] = {
    let mut codes = [OTHER; 128];
    let mut byte = 0;
    while byte < 128 {
        codes[byte] = match byte as u8 {
            letter @ b'a'..=b'z' => (letter - b'a' + 1) as u32,
            0x7f => 27,
            stop if is_stop(stop as char) => 0,
            _ => OTHER,
        };
        byte += 1;
    }
    codes
};

#[inline]
fn code(character: char) -> u32 {
    CODES.get(character as usize).copied().unwrap_or(OTHER)
}

/// The place of three characters in a table, if they have one.
pub(super) fn place_of([first, second, third]: [char; 3]) -> Option<usize> {
    let place = place(code(first), code(second), code(third)) as usize;
    (place < N_PLACES).then_some(place)
}

#[inline]
fn place(first: u32, second: u32, third: u32) -> u32 {
    first << (2 * CODE_BITS) | second << CODE_BITS | third
}

/// The characters at a place, as one number.
fn packed_at(place: usize) -> u64 {
    let character = |code: usize| match code & 31 {
        0 => ' ',
        27 => '\u{7f}',
        code => char::from(b'a' - 1 + code as u8),
    };
    packed([character(place >> (2 * CODE_BITS)), character(place >> CODE_BITS), character(place)])
}

/// A trigram that a text has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trigram {
    /// One that has a place in tables.
    At(u16),
    /// Any other, packed.
    Other(u64),
}

impl Trigram {
    fn packed(self) -> u64 {
        match self {
            Self::At(place) => packed_at(usize::from(place)),
            Self::Other(packed) => packed,
        }
    }
}

/// Counts the trigrams of a text whose words a blank separates, character by character; those with
/// a blank in the middle count only between letters, and the text stands between two blanks.
pub(super) struct TrigramCounter {
    /// By place.
    counts: Vec<u16>,
    /// A bit for each place that is taken.
    taken: [u64; N_PLACES / 64],
    others: Vec<u64>,
    /// The two characters before, with their codes.
    before: [(char, u32); 2],
    n_characters: usize,
}

impl TrigramCounter {
    pub(super) fn new() -> Self {
        Self {
            counts: vec![0; N_PLACES],
            taken: [0; N_PLACES / 64],
            others: Vec::new(),
            before: [(' ', 0); 2],
            n_characters: 0,
        }
    }

    #[inline]
    pub(super) fn push(&mut self, character: char) {
        let code = code(character);
        let third = (if code == 0 { ' ' } else { character }, code);
        let [first, second] = self.before;
        self.before = [second, third];
        self.n_characters += 1;
        let counts = second.1 != 0 || (first.1 != 0 && third.1 != 0);
        // Before the first character there is no trigram.
        let counts = counts && self.n_characters > 1;
        let place = place(first.1, second.1, third.1) as usize;
        if let Some(count) = self.counts.get_mut(place) {
            // Too many of them are told in the end.
            *count = count.wrapping_add(u16::from(counts));
            self.taken[place / 64] |= u64::from(counts) << (place % 64);
        } else if counts && self.n_characters <= MOST_CHARACTERS {
            self.others.push(packed([first.0, second.0, third.0]));
        }
    }

    /// The most frequent trigrams, at most so many; of equally frequent ones the higher first.
    /// `None` for a text that is too long or has no trigram.
    pub(super) fn most_frequent(mut self, most: usize) -> Option<Vec<Trigram>> {
        if self.n_characters > MOST_CHARACTERS {
            return None;
        }
        self.push(' ');
        let found = self.descending();
        // Classes of one count each, but for the last; the higher counts come first.
        let class = |count: u16| usize::from(count).min(OFTEN);
        let mut starts = [0; OFTEN + 1];
        for (count, _) in &found {
            starts[class(*count)] += 1;
        }
        let n_often = starts[OFTEN];
        let mut start = 0;
        for n_members in starts.iter_mut().rev() {
            (*n_members, start) = (start, start + *n_members);
        }
        let mut ordered = vec![(0, Trigram::At(0)); found.len()];
        for entry in found {
            let next = &mut starts[class(entry.0)];
            ordered[*next] = entry;
            *next += 1;
        }
        // The sort is stable: of equally frequent ones the higher stay first.
        ordered[..n_often].sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        ordered.truncate(most);
        let trigrams: Vec<Trigram> = ordered.into_iter().map(|(_, trigram)| trigram).collect();
        (!trigrams.is_empty()).then_some(trigrams)
    }

    /// All trigrams with their counts, from the highest to the lowest.
    fn descending(&mut self) -> Vec<(u16, Trigram)> {
        let mut found = Vec::with_capacity(1024);
        for (index, word) in self.taken.iter().enumerate().rev() {
            let mut bits = *word;
            while bits != 0 {
                let bit = 63 - bits.leading_zeros() as usize;
                bits ^= 1 << bit;
                let place = 64 * index + bit;
                found.push((self.counts[place], Trigram::At(place as u16)));
            }
        }
        if !self.others.is_empty() {
            self.others.sort_unstable_by(|left, right| right.cmp(left));
            let same = self.others.chunk_by(|left, right| left == right);
            found.extend(same.map(|same| (same.len() as u16, Trigram::Other(same[0]))));
            // Two runs in order, which sorting merges.
            found.sort_by_key(|(_, trigram)| std::cmp::Reverse(trigram.packed()));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn most_frequent(text: &str, most: usize) -> Option<Vec<u64>> {
        let mut counter = TrigramCounter::new();
        text.chars().for_each(|character| counter.push(character));
        let found = counter.most_frequent(most);
        found.map(|found| found.into_iter().map(Trigram::packed).collect())
    }

    proptest! {
        #[test]
        fn trigrams_are_counted_as_windows_are(
            text in "[abc ]{0,60}|[ab ]{0,400}|[a-zAé\u{7f}中 1-3]{0,80}", most in 1_usize..40,
        ) {
            let blank = |c: char| if c.is_ascii_digit() { ' ' } else { c };
            let padded: Vec<char> = format!(" {text} ").chars().map(blank).collect();
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
            prop_assert_eq!(most_frequent(&text, most).unwrap_or_default(), expected);
        }
    }

    #[test]
    fn places_are_in_the_order_of_their_characters() {
        let of_table = [' ', 'a', 'm', 'z', '\u{7f}'];
        let mut places = Vec::new();
        for first in of_table {
            for second in of_table {
                for third in of_table {
                    let trigram = [first, second, third];
                    let place = place_of(trigram).unwrap();
                    assert_eq!(packed_at(place), packed(trigram));
                    places.push(place);
                }
            }
        }
        assert!(places.is_sorted());
        assert_eq!(place_of(['a', 'é', 'b']), None);
    }

    #[test]
    fn a_long_text_is_left_to_others() {
        for letter in ["a", "é"] {
            assert!(most_frequent(&letter.repeat(MOST_CHARACTERS + 10), 9).is_none());
        }
        assert!(most_frequent("abc", 9).is_some());
        assert!(most_frequent("", 9).is_none());
    }
}
