//! The difference of two texts, word by word.

use std::time::Duration;

use lookalike_text::{Analyzer, AnalyzerConfig, WordRule};
use similar::{ChangeTag, TextDiff, TextDiffConfig};

/// Everything below Thai is written with spaces.
const FIRST_SPACELESS: char = '\u{0E00}';

/// The difference word by word, neighbors of one kind joined.
pub(crate) fn word_difference(left: &str, right: &str) -> Vec<(ChangeTag, String)> {
    joined(changed_words(left, right))
}

/// The difference word by word, neighbors of one kind joined; past this time it is no longer the
/// shortest one, but still a difference of both texts.
pub fn word_difference_within(left: &str, right: &str, time: Duration) -> Vec<(ChangeTag, String)> {
    joined(changes(left, right, TextDiff::configure().timeout(time)))
}

/// The words of both texts, and the spaces between them, each with what becomes of it.
///
/// Bounded by its work, never by a clock: of long unlike texts the difference is a coarser one.
pub fn changed_words<'a>(left: &'a str, right: &'a str) -> Vec<(ChangeTag, &'a str)> {
    changes(left, right, &TextDiff::configure())
}

/// The only call of the library that compares, which is half a megabyte of program for each crate
/// that calls it.
fn changes<'a>(left: &'a str, right: &'a str, rules: &TextDiffConfig) -> Vec<(ChangeTag, &'a str)> {
    let (left, right) = (compared_words(left), compared_words(right));
    let difference = rules.diff_slices(&left, &right);
    let slices = difference.ops().iter().flat_map(|part| part.iter_slices(&left, &right));
    slices.flat_map(|(tag, words)| words.iter().map(move |word| (tag, *word))).collect()
}

fn joined(words: Vec<(ChangeTag, &str)>) -> Vec<(ChangeTag, String)> {
    let mut difference: Vec<(ChangeTag, String)> = Vec::new();
    for (of_word, word) in words {
        match difference.last_mut() {
            Some((tag, text)) if *tag == of_word => text.push_str(word),
            _ => difference.push((of_word, word.to_owned())),
        }
    }
    difference
}

/// Words and the spaces between them, which together are the text.
///
/// Where words are not set apart by spaces, each character is one, with its marks: two sentences of
/// Chinese would else differ as a whole.
fn compared_words(text: &str) -> Vec<&str> {
    let config = AnalyzerConfig { words: WordRule::Characters, ..AnalyzerConfig::default() };
    let characters = Analyzer::new(&config).ok();
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_space = first.is_whitespace();
        let end = rest.find(|one: char| one.is_whitespace() != is_space).unwrap_or(rest.len());
        let (run, later) = rest.split_at(end);
        rest = later;
        match &characters {
            Some(characters) if run.contains(|one: char| one >= FIRST_SPACELESS) => {
                cut(run, characters, &mut words);
            }
            _ => words.push(run),
        }
    }
    words
}

/// Cuts a run without spaces where its terms begin and end.
fn cut<'a>(run: &'a str, characters: &Analyzer, words: &mut Vec<&'a str>) {
    let mut written = 0;
    characters.visit(run, |_, place| {
        for at in [place.start, place.end] {
            if at > written && run.is_char_boundary(at) {
                words.push(&run[written..at]);
                written = at;
            }
        }
    });
    if written < run.len() {
        words.push(&run[written..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differing(left: &str, right: &str) -> Vec<(ChangeTag, String)> {
        let difference = word_difference(left, right);
        let side = |without: ChangeTag| -> String {
            let parts = difference.iter().filter(|(tag, _)| *tag != without);
            parts.map(|(_, text)| text.as_str()).collect()
        };
        assert_eq!((side(ChangeTag::Insert), side(ChangeTag::Delete)), (left.into(), right.into()));
        difference.into_iter().filter(|(tag, _)| *tag != ChangeTag::Equal).collect()
    }

    #[test]
    fn words_differ_as_a_whole() {
        let found =
            differing("The ferry leaves at six.\nDaily", "The ferry  leaves at seven.\nDaily");
        let expected = [(ChangeTag::Delete, " "), (ChangeTag::Insert, "  ")];
        let expected = expected.into_iter().chain([(ChangeTag::Delete, "six.")]);
        let expected = expected.chain([(ChangeTag::Insert, "seven.")]);
        assert_eq!(found, expected.map(|(tag, text)| (tag, text.to_owned())).collect::<Vec<_>>());
    }

    #[test]
    fn of_texts_without_spaces_only_the_characters_that_differ_are_told() {
        for (left, right, old, new) in [
            ("市议会于星期二晚上开会讨论。", "市议会于星期三晚上开会讨论。", "二", "三"),
            ("会議は火曜日に開かれたTokyo駅で", "会議は水曜日に開かれたTokyo駅で", "火", "水"),
            ("การประชุมวันอังคารนี้", "การประชุมวันอังคารนั้น", "นี้", "นั้น"),
        ] {
            let found = differing(left, right);
            let old = (ChangeTag::Delete, old.to_owned());
            let new = (ChangeTag::Insert, new.to_owned());
            assert!(found.contains(&old) && found.contains(&new), "{found:?}");
            assert!(found.len() <= 4, "{found:?}");
        }
    }

    #[test]
    fn any_text_is_the_sum_of_its_words() {
        for text in ["", " ", "a", "ﬁ市\u{301}x １２ ㍿ \u{200b}市", "नमस्ते दुनिया", "\u{e33}\u{e33}"]
        {
            assert_eq!(compared_words(text).concat(), text);
        }
    }
}
