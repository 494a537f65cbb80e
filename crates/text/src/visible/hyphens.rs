//! Which words that a hyphen divides at the end of a line are one word.
//!
//! Printers divide `exam-ple`, and people end lines behind the hyphen of `well-known`. The text
//! itself tells the two apart where it can: a word is joined if it stands in one piece elsewhere in
//! the text; otherwise if its rest begins with a small letter and is no word of the text by itself.
//! So `drug-` and `free` stay two words in a text that has `free` elsewhere.

use std::collections::BTreeMap;
use std::ops::Range;

/// The soft hyphen.
const SOFT: char = '\u{AD}';

/// A word that is divided at the end of a line.
pub(super) struct DividedWord {
    /// Its letters in the first line.
    pub(super) first: Range<usize>,
    /// Its letters in the second line.
    pub(super) rest: Range<usize>,
}

/// The word that the hyphen at `place` divides, if two letters or more stand right before it and
/// two or more at the beginning of the next line.
///
/// Before the rest, white space and the signs of quoted mail are passed over.
pub(super) fn divided_word(text: &str, place: usize) -> Option<DividedWord> {
    let first = &text[..place];
    let n_letters = first.chars().rev().take_while(|c| c.is_alphabetic()).count();
    let start = first.char_indices().rev().nth(n_letters.checked_sub(2)? + 1)?.0;
    let before = first[..start].chars().next_back();
    if before.is_some_and(|c| c == '-' || c == '_' || c.is_alphanumeric()) {
        return None;
    }
    let hyphen = text[place..].chars().next()?.len_utf8();
    let behind = &text[place + hyphen..];
    let line = behind.trim_start_matches([' ', '\t', '\r']).strip_prefix('\n')?;
    let rest = line.trim_start_matches([' ', '\t', '>']);
    let length = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
    let has_two = rest[..length].chars().nth(1).is_some();
    let follows = rest[length..].chars().next();
    if !has_two || follows.is_some_and(|c| c == '-' || c == '_' || c.is_alphanumeric()) {
        return None;
    }
    let rest_start = text.len() - rest.len();
    Some(DividedWord { first: start..place, rest: rest_start..rest_start + length })
}

/// Decides on the hyphens of a text; looks at all of its words when it is asked first.
pub(super) struct Hyphens<'a> {
    text: &'a str,
    joined: Option<Vec<usize>>,
}

impl<'a> Hyphens<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, joined: None }
    }

    /// Whether the word that the hyphen at `place` divides is one word.
    pub(super) fn join(&mut self, place: usize) -> bool {
        let joined = self.joined.get_or_insert_with(|| joined_words(self.text));
        joined.binary_search(&place).is_ok()
    }
}

/// The hyphens of a text, ascending, that are no part of their word.
fn joined_words(text: &str) -> Vec<usize> {
    // One character is looked for many bytes at a time, one of several is not.
    let hyphens = ['-', '\u{2010}', SOFT].into_iter().flat_map(|hyphen| text.match_indices(hyphen));
    let divided = |(place, _)| Some((place, divided_word(text, place)?));
    let mut words: Vec<(usize, DividedWord)> = hyphens.filter_map(divided).collect();
    words.sort_unstable_by_key(|(place, _)| *place);
    let joined = |word: &DividedWord| {
        (text[word.first.clone()].to_owned() + &text[word.rest.clone()]).to_lowercase()
    };
    let rest = |word: &DividedWord| text[word.rest.clone()].to_lowercase();
    let mut wanted: BTreeMap<String, bool> = BTreeMap::new();
    for (place, word) in &words {
        // A soft hyphen says that its word is one.
        *wanted.entry(joined(word)).or_default() |= text[*place..].starts_with(SOFT);
        wanted.entry(rest(word)).or_default();
    }
    let divided: Vec<usize> = words.iter().map(|(_, word)| word.rest.start).collect();
    let beginnings = beginnings(wanted.keys());
    for (place, word) in words_beginning_with(text, &beginnings) {
        if divided.binary_search(&place).is_err()
            && let Some(stands_elsewhere) = wanted.get_mut(&word.to_lowercase())
        {
            *stands_elsewhere = true;
        }
    }
    let stands_elsewhere = |word: String| wanted.get(&word) == Some(&true);
    let is_one = |word: &DividedWord| {
        let begins_small = text[word.rest.clone()].starts_with(char::is_lowercase);
        stands_elsewhere(joined(word)) || begins_small && !stands_elsewhere(rest(word))
    };
    words.iter().filter(|(_, word)| is_one(word)).map(|(place, _)| *place).collect()
}

/// For each byte that words in small letters may begin with, however they are capitalized, a bit for
/// each length of such a word.
fn beginnings<'a>(words: impl Iterator<Item = &'a String>) -> [u64; 256] {
    let mut lengths = [0; 256];
    for (word, first) in words.filter_map(|word| Some((word, word.chars().next()?))) {
        for character in first.to_uppercase().chain([first]) {
            let mut bytes = [0; 4];
            character.encode_utf8(&mut bytes);
            lengths[usize::from(bytes[0])] |= length_bit(word);
        }
    }
    lengths
}

/// The bit of a word's length; of words with letters outside ASCII all bits, because a capital may be
/// longer than its small letter.
fn length_bit(word: &str) -> u64 {
    if word.is_ascii() { 1 << word.len().min(63) } else { u64::MAX }
}

/// The runs of letters with one of the beginnings, with their places.
///
/// Most words begin otherwise or are of another length, and few looks say so.
fn words_beginning_with<'t>(
    text: &'t str,
    beginnings: &[u64; 256],
) -> impl Iterator<Item = (usize, &'t str)> {
    let bytes = text.as_bytes();
    let may_begin = move |place: &usize| {
        beginnings[usize::from(bytes[*place])] != 0
            && !place.checked_sub(1).is_some_and(|before| bytes[before].is_ascii_alphabetic())
    };
    (0..bytes.len()).filter(may_begin).filter_map(|place| {
        // A byte that begins a character is a boundary.
        if text[..place].chars().next_back().is_some_and(char::is_alphabetic) {
            return None;
        }
        let rest = &text[place..];
        let length = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
        let word = &rest[..length];
        let is_of_length = beginnings[usize::from(bytes[place])] & length_bit(word) != 0;
        (length > 0 && is_of_length).then_some((place, word))
    })
}

#[cfg(test)]
mod tests {
    use super::super::visible;

    #[test]
    fn a_word_divided_at_the_end_of_a_line_is_joined() {
        assert_eq!(visible("an exam-\nple of it"), "an example of it");
        assert_eq!(visible("an exam- \r\n  ple of it"), "an example of it");
        assert_eq!(visible("> an exam-\n> ple of it"), "> an example of it");
        assert_eq!(visible("ein Bei‐\nspiel, ein Bei\u{AD}\nspiel"), "ein Beispiel, ein Beispiel");
        assert_eq!(visible("при-\nмер"), "пример");
    }

    #[test]
    fn the_words_of_the_text_tell_compounds_from_divided_words() {
        for compound in [
            "drug-\nfree and free",
            "the well-\nKnown",
            "a mother-in-\nlaw, a mother-\nin-law",
            "e-\nmail, vitamin-\nB",
            "2-\nfold, a--\nb, a -\nb, -\nand so on",
            "one-\n\ntwo",
        ] {
            assert_eq!(visible(compound), compound);
        }
        assert_eq!(visible("a soft-\nware ware software"), "a software ware software");
        assert_eq!(visible("SOFT-\nWARE, Software"), "SOFTWARE, Software");
        assert_eq!(visible("an über-\nall all überall"), "an überall all überall");
        assert_eq!(visible("ein Bei-\nspiel, Éspiel spielend"), "ein Beispiel, Éspiel spielend");
    }
}
