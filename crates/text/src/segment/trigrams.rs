//! How often each three characters in a row occur in a short text.
//!
//! Nearly all trigrams of a text in Latin letters are of a to z and blanks. They are counted in a
//! table with a place for each, and places are in the order of their characters; the few others are
//! sorted.

/// Characters above which a text is not counted.
const MOST_CHARACTERS: usize = 2560;
/// Bits of the code of a character.
const CODE_BITS: u32 = 5;
/// Codes that may be: of blanks, the letters a to z and the delete character, in their order, and
/// of all others.
pub(super) const N_CODES: usize = 1 << CODE_BITS;
/// The code of all other characters.
const OTHER: u8 = 28;
/// How many places there are.
pub(super) const N_PLACES: usize = 1 << (3 * CODE_BITS);
/// Trigrams that occur so often are few, and sorted.
const OFTEN: usize = 32;

/// Three characters as one number, in their order.
pub(super) fn packed([first, second, third]: [char; 3]) -> u64 {
    (first as u64) << 42 | (second as u64) << 21 | third as u64
}

/// The code of each character of ASCII, in lower case. Signs and digits separate words and count as
/// blanks.
const CODES: [u8; 128] = {
    let mut codes = [0; 128];
    let mut byte = 0;
    while byte < 128 {
        codes[byte] = match (byte as u8).to_ascii_lowercase() {
            letter @ b'a'..=b'z' => letter - b'a' + 1,
            0x7f => 27,
            _ => 0,
        };
        byte += 1;
    }
    codes
};

/// The characters of the codes.
const LETTERS: [char; N_CODES] = {
    let mut letters = [' '; N_CODES];
    let mut byte = 0;
    while byte < 128 {
        if CODES[byte] > 0 {
            letters[CODES[byte] as usize] = (byte as u8).to_ascii_lowercase() as char;
        }
        byte += 1;
    }
    letters
};

/// The code of a character in lower case.
#[inline]
pub(super) fn code(lower: char) -> u8 {
    CODES.get(lower as usize).copied().unwrap_or(OTHER)
}

/// The place of three characters in a table, if they have one of their own.
pub(super) fn place_of(characters: [char; 3]) -> Option<usize> {
    let place =
        characters.into_iter().fold(0, |place, character| next_place(place, code(character)));
    (!is_shared(place)).then_some(place)
}

/// The place of the last two characters of a place and one more.
#[inline]
fn next_place(place: usize, code: u8) -> usize {
    (place << CODE_BITS | usize::from(code)) % N_PLACES
}

/// Whether one of three codes is that of all other characters.
#[inline]
fn is_shared(place: usize) -> bool {
    // It is the only one whose upper three bits are set.
    place & place << 1 & place << 2 & 0b10000_10000_10000 != 0
}

/// Whether three characters at a place count: a blank in the middle does between letters only.
#[inline]
fn counts(place: usize) -> bool {
    let is_blank = |index: u32| (place >> (index * CODE_BITS)).is_multiple_of(N_CODES);
    !is_blank(1) | (!is_blank(0) & !is_blank(2))
}

/// A trigram that a text has: its place, or the characters, packed, of one that has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Trigram(u64);

impl Trigram {
    /// Where it stands in tables, if it does.
    #[inline]
    pub(super) fn place(self) -> Option<usize> {
        // Packed characters are larger than any place: the least of them is a blank.
        (self.0 < N_PLACES as u64).then_some(self.0 as usize)
    }

    /// Its characters, packed, if it has no place of its own.
    #[inline]
    pub(super) fn other(self) -> u64 {
        self.0
    }
}

/// What was counted of a text.
#[derive(Debug)]
pub(super) struct Counted {
    /// The most frequent trigrams; of equally frequent ones the higher first.
    pub trigrams: Vec<Trigram>,
    /// By code, how often each letter occurs; what has no code or is blank is not counted.
    pub letters: [u32; N_CODES],
}

/// Counts the trigrams of a text whose words a blank separates; the text stands between two blanks.
pub(super) struct TrigramCounter {
    /// By place, how often it was seen, modulo 256.
    counts: Vec<u8>,
    /// The places that were seen, each once for every 256 times; room for more.
    seen: Vec<u16>,
    n_seen: usize,
    /// The trigrams without a place of their own, packed, with the place that they share.
    others: Vec<(u64, u16)>,
    /// The place of the last three characters, and the last two in lower case.
    place: usize,
    before: [char; 2],
    n_characters: usize,
}

impl TrigramCounter {
    pub(super) fn new() -> Self {
        Self {
            counts: vec![0; N_PLACES],
            seen: vec![0; MOST_CHARACTERS + 2],
            n_seen: 0,
            others: Vec::new(),
            place: 0,
            before: [' '; 2],
            n_characters: 0,
        }
    }

    /// Counts a character in lower case.
    #[inline]
    pub(super) fn push(&mut self, lower: char) {
        self.n_characters += 1;
        // Too many are told in the end.
        if self.n_characters > MOST_CHARACTERS {
            return;
        }
        let code = code(lower);
        let third = if code == 0 { ' ' } else { lower };
        let [first, second] = self.before;
        self.before = [second, third];
        self.place = next_place(self.place, code);
        if !is_shared(self.place) {
            self.n_seen = see(&mut self.counts, &mut self.seen, self.n_seen, self.place);
        } else if counts(self.place) {
            self.others.push((packed([first, second, third]), self.place as u16));
        }
    }

    /// Counts characters of ASCII in any case.
    pub(super) fn push_ascii(&mut self, run: &str) {
        // The first two may follow a character that has no place.
        let (start, rest) = run.as_bytes().split_at(run.len().min(2));
        for byte in start {
            self.push(char::from(byte.to_ascii_lowercase()));
        }
        self.n_characters += rest.len();
        if rest.is_empty() || self.n_characters > MOST_CHARACTERS {
            return;
        }
        let (mut place, mut n_seen) = (self.place, self.n_seen);
        for byte in rest {
            place = next_place(place, CODES[usize::from(byte % 128)]);
            n_seen = see(&mut self.counts, &mut self.seen, n_seen, place);
        }
        (self.place, self.n_seen) = (place, n_seen);
        let character = |code: usize| LETTERS[code % N_CODES];
        self.before = [character(place >> CODE_BITS), character(place)];
    }

    /// What was counted, at most so many trigrams of it. `None` for a text that is too long or has no
    /// trigram.
    pub(super) fn most_frequent(mut self, most: usize) -> Option<Counted> {
        if self.n_characters > MOST_CHARACTERS {
            return None;
        }
        self.n_characters = 0;
        self.push(' ');
        let mut letters = [0; N_CODES];
        let found = self.descending(&mut letters);
        (letters[0], letters[usize::from(OTHER)]) = (0, 0);
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
        let mut trigrams = vec![Trigram(0); found.len()];
        let mut often = Vec::with_capacity(n_often);
        for entry in found {
            let next = &mut starts[class(entry.0)];
            trigrams[*next] = entry.1;
            *next += 1;
            if usize::from(entry.0) >= OFTEN {
                often.push(entry);
            }
        }
        // The sort is stable: of equally frequent ones the higher stay first.
        often.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        trigrams.iter_mut().zip(often).for_each(|(place, (_, trigram))| *place = trigram);
        trigrams.truncate(most);
        (!trigrams.is_empty()).then_some(Counted { trigrams, letters })
    }

    /// All trigrams with their counts, from the highest to the lowest; adds up the letters in their
    /// middles, which are all letters of the text.
    fn descending(&mut self, letters: &mut [u32; N_CODES]) -> Vec<(u16, Trigram)> {
        self.others.sort_unstable_by(|left, right| right.cmp(left));
        let mut others = self.others.chunk_by(|left, right| left == right).peekable();
        let mut found = Vec::with_capacity(self.n_seen + self.others.len());
        let mut add = |place: u16, trigram: u64, count: u16| {
            found.push((count, Trigram(trigram)));
            letters[usize::from(place >> CODE_BITS) % N_CODES] += u32::from(count);
        };
        let mut again = 0;
        let places = sorted_descending(&self.seen[..self.n_seen]);
        for (index, &place) in places.iter().enumerate() {
            if places.get(index + 1) == Some(&place) {
                again += 256;
                continue;
            }
            let count = again + u16::from(self.counts[usize::from(place)].wrapping_sub(1)) + 1;
            again = 0;
            // A character that has no code comes behind those that have one.
            while let Some(same) = others.next_if(|same| same[0].1 > place) {
                add(same[0].1, same[0].0, same.len() as u16);
            }
            if counts(usize::from(place)) {
                add(place, u64::from(place), count);
            }
        }
        for same in others {
            add(same[0].1, same[0].0, same.len() as u16);
        }
        found
    }
}

/// Counts a place, and notes it if that is the first of 256 times; returns how many are noted. What
/// is noted is written in any case: whether it is new cannot be predicted.
#[inline]
fn see(counts: &mut [u8], seen: &mut [u16], n_seen: usize, place: usize) -> usize {
    let count = &mut counts[place];
    let is_first = *count == 0;
    *count = count.wrapping_add(1);
    seen[n_seen] = place as u16;
    n_seen + usize::from(is_first)
}

/// Places from the highest to the lowest.
fn sorted_descending(places: &[u16]) -> Vec<u16> {
    let by_low = sorted_by(places, |place| 255 - usize::from(place % 256));
    sorted_by(&by_low, |place| 255 - usize::from(place / 256))
}

/// Places in the order of one of their bytes, otherwise as they are.
#[inline]
fn sorted_by(places: &[u16], key: impl Fn(u16) -> usize) -> Vec<u16> {
    let mut starts = [0_u16; 256];
    for place in places {
        starts[key(*place) % 256] += 1;
    }
    let mut start = 0;
    for n_members in &mut starts {
        (*n_members, start) = (start, start + *n_members);
    }
    let mut sorted = vec![0; places.len()];
    for place in places {
        let next = &mut starts[key(*place) % 256];
        sorted[usize::from(*next)] = *place;
        *next += 1;
    }
    sorted
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// The characters at a place, as one number.
    fn packed_at(place: usize) -> u64 {
        let character = |index: u32| LETTERS[(place >> (index * CODE_BITS)) % N_CODES];
        packed([character(2), character(1), character(0)])
    }

    /// The most frequent trigrams, packed, and the letters, counted one by one or run by run.
    fn most_frequent(text: &str, most: usize, by_runs: bool) -> Option<(Vec<u64>, Vec<u32>)> {
        let mut counter = TrigramCounter::new();
        if by_runs {
            let runs = text.split_inclusive(|c: char| !c.is_ascii());
            for run in runs {
                let other = run.chars().next_back().filter(|c| !c.is_ascii());
                counter.push_ascii(&run[..run.len() - other.map_or(0, char::len_utf8)]);
                if let Some(other) = other {
                    counter.push(other);
                }
            }
        } else {
            text.chars().for_each(|c| counter.push(c.to_ascii_lowercase()));
        }
        let Counted { trigrams, letters } = counter.most_frequent(most)?;
        let packed = |trigram: Trigram| trigram.place().map_or(trigram.other(), packed_at);
        Some((trigrams.into_iter().map(packed).collect(), letters.to_vec()))
    }

    proptest! {
        #[test]
        fn trigrams_are_counted_as_windows_are(
            text in "[abc ]{0,60}|[ab ]{0,400}|(a|ab|[ é]){900,1200}|[a-zAéü\u{7f}中文 1-3]{0,80}|[aé 文]{0,400}",
            most in 1_usize..40,
        ) {
            let lower = text.to_ascii_lowercase();
            let blank = |c: char| if c.is_ascii_digit() { ' ' } else { c };
            let padded: Vec<char> = format!(" {lower} ").chars().map(blank).collect();
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
            let mut letters = vec![0; N_CODES];
            for letter in lower.chars().filter(|c| c.is_ascii_lowercase() || *c == '\u{7f}') {
                letters[usize::from(code(letter))] += 1;
            }
            let expected = (!expected.is_empty()).then_some((expected, letters));
            prop_assert_eq!(&most_frequent(&text, most, false), &expected);
            prop_assert_eq!(&most_frequent(&text, most, true), &expected);
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
        for by_runs in [false, true] {
            for letter in ["a", "é", "ab é"] {
                let most = letter.repeat(MOST_CHARACTERS / letter.chars().count());
                assert!(most_frequent(&most, 9, by_runs).is_some());
                assert!(most_frequent(&format!("{most}a"), 9, by_runs).is_none());
                assert!(most_frequent(&most.repeat(3), 9, by_runs).is_none());
            }
            assert!(most_frequent("abc", 9, by_runs).is_some());
            assert!(most_frequent("", 9, by_runs).is_none());
        }
    }
}
