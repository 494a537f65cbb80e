//! The tokenizer written down plainly, character by character, to hold the quick one to.

use std::ops::Range;

use super::character::{Role, Spaceless, is_mark, is_punctuation, role, spaceless};
use super::dictionary::{self, LineLanguage, Writing};
use super::unicode::single_characters;
use crate::filters::is_smart_stop_word;
use crate::normalize::clusters;
use crate::visible::VisibleText;
use crate::{AnalyzerConfig, Normalization, WordRule};

/// A character of the normalized text and the original characters it came from.
type Origin = (char, Range<usize>);

fn normalized_characters(normalization: Normalization, text: &str) -> Vec<Origin> {
    let normalizer = normalization.normalizer();
    let mut characters = Vec::new();
    for cluster in clusters(text) {
        let original = &text[cluster.clone()];
        match &normalizer {
            // Where nothing changes, every character is its own origin.
            Some(normalizer) if !normalizer.is_normalized(original) => {
                let normalized = normalizer.normalize(original);
                characters.extend(normalized.chars().map(|c| (c, cluster.clone())));
            }
            _ => characters.extend(original.char_indices().map(|(position, c)| {
                let start = cluster.start + position;
                (c, start..start + c.len_utf8())
            })),
        }
    }
    characters
}

/// The words of a text, as ranges of its normalized characters.
fn word_ranges(config: &AnalyzerConfig, text: &str, all: &[Origin]) -> Vec<Range<usize>> {
    if config.words == WordRule::Whitespace {
        let is_space = |c: char| c.is_whitespace() || c.is_control();
        let mut words = Vec::new();
        for (range, _) in split(all, |_, c| (!is_space(c)).then_some(0)) {
            let range = trim(all, range);
            if all[range.clone()].iter().any(|(c, _)| spaceless(*c).is_some()) {
                let characters = AnalyzerConfig { words: WordRule::Characters, ..config.clone() };
                let within = word_ranges(&characters, text, &all[range.clone()]);
                words
                    .extend(within.into_iter().map(|w| range.start + w.start..range.start + w.end));
            } else if !range.is_empty() {
                words.push(range);
            }
        }
        return words;
    }
    let kind = |open: Option<u8>, c: char| match (role(c), spaceless(c)) {
        (Role::Other, _) => None,
        (Role::Mark, _) => open,
        (Role::Word, None) => Some(0),
        (Role::Word, Some(Spaceless::Han | Spaceless::Kana)) => Some(1),
        (Role::Word, Some(Spaceless::SoutheastAsian)) => Some(2),
    };
    let mut words = Vec::new();
    for (range, kind) in split(all, kind) {
        if kind == 0 {
            words.push(range);
            continue;
        }
        let stretch: String = all[range.clone()].iter().map(|(c, _)| *c).collect();
        let mut add = |place: Range<usize>| {
            let before = range.start + stretch[..place.start].chars().count();
            words.push(before..before + stretch[place].chars().count());
        };
        if config.words == WordRule::Characters {
            single_characters(&stretch, &mut add);
        } else {
            let position = all[range.start].1.start;
            let writing = match kind {
                1 => LineLanguage::default().writing_at(text, position),
                _ => Writing::SoutheastAsian,
            };
            dictionary::cut(&stretch, writing, &mut add);
        }
    }
    words
}

/// Maximal ranges of characters of the same kind; `None` is between words.
fn split(all: &[Origin], kind: impl Fn(Option<u8>, char) -> Option<u8>) -> Vec<(Range<usize>, u8)> {
    let mut ranges: Vec<(Range<usize>, u8)> = Vec::new();
    let mut open = None;
    for (position, (c, _)) in all.iter().enumerate() {
        let next = kind(open, *c);
        match (ranges.last_mut(), next) {
            (Some((range, _)), Some(_)) if open == next => range.end = position + 1,
            (_, Some(kind)) => ranges.push((position..position + 1, kind)),
            (_, None) => {}
        }
        open = next;
    }
    ranges
}

fn trim(all: &[Origin], mut range: Range<usize>) -> Range<usize> {
    while !range.is_empty() && is_punctuation(all[range.start].0) {
        range.start += 1;
    }
    while !range.is_empty() && is_punctuation(all[range.end - 1].0) {
        range.end -= 1;
    }
    range
}

fn passes(config: &AnalyzerConfig, term: &str) -> bool {
    let filters = config.filters;
    let characters = term.chars().count();
    let digits = term.chars().filter(|c| c.is_numeric()).count();
    let special = |c: char| c == '_' || role(c) == Role::Other;
    let spaceless = term.chars().next().is_some_and(|first| spaceless(first).is_some());
    (spaceless || characters >= config.min_characters)
        && config.max_digits.is_none_or(|most| digits <= most)
        && !(filters.at_least_5 && characters < 5 && !spaceless)
        && !(filters.at_most_25 && characters > 25)
        && !(filters.no_special && term.chars().any(special))
        && !(filters.stop_words && is_smart_stop_word(term))
}

/// The terms of a text and their places.
pub fn terms(config: &AnalyzerConfig, text: &str) -> Vec<(String, Range<usize>)> {
    if config.normalization == Normalization::None {
        return terms_of_visible(config, text);
    }
    let Some(seen) = VisibleText::of_every_place(text) else {
        return terms_of_visible(config, text);
    };
    let terms = terms_of_visible(config, seen.text()).into_iter();
    terms.map(|(term, place)| (term, seen.original(place))).collect()
}

fn terms_of_visible(config: &AnalyzerConfig, text: &str) -> Vec<(String, Range<usize>)> {
    let all = normalized_characters(config.normalization, text);
    let stemmer = snowball_stemmers_rs::Stemmer::create(snowball_stemmers_rs::Algorithm::Porter);
    let mut terms = Vec::new();
    for word in word_ranges(config, text, &all) {
        let place = all[word.start].1.start..all[word.end - 1].1.end;
        let mut term: String = all[word].iter().map(|(c, _)| *c).collect();
        if config.normalization != Normalization::None {
            term = without_arabic_signs(&term);
        }
        if config.lowercase {
            term = term.to_lowercase();
            if config.normalization != Normalization::None {
                let one = [("i\u{307}", "i"), ("ı", "i"), ("ß", "ss"), ("ς", "σ")];
                term = one.iter().fold(term, |term, (from, to)| term.replace(from, to));
            }
        }
        if !term.is_empty() && passes(config, &term) {
            if config.filters.stem && term.is_ascii() {
                term = stemmer.stem(&term).into_owned();
            }
            terms.push((term, place));
        }
    }
    terms
}

fn without_arabic_signs(term: &str) -> String {
    let alefs = ['آ', 'أ', 'إ', 'ٱ', 'ٲ', 'ٳ', 'ٵ'];
    let plain = term.replace(alefs, "ا").replace('ؤ', "و").replace('ئ', "ي").replace('\u{640}', "");
    let is_sign =
        |c: char| is_mark(c) && matches!(c, '\u{610}'..='\u{6FF}' | '\u{8D3}'..='\u{8FF}');
    plain.replace(is_sign, "")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::filters::SyntacticFilters;
    use crate::tokenize::fold::folded;
    use crate::{Analyzer, TokenizedDocument, term_hash};

    /// Text in which every road of the tokenizer meets every other.
    fn texts() -> impl Strategy<Value = String> {
        let pieces = prop_oneof![
            6 => "[a-zA-Z0-9_]{1,20}",
            4 => "[ \\n.,;'/=<>_-]{1,3}",
            1 => "[a-z ]{40,150}",
            2 => "(the|because|don't|connections|relational|2008)",
            2 => "[a-zäöüßéÀ-ÿΑ-ωΣ]{1,8}",
            2 => "[e\u{0300}-\u{0308}\u{0323}<=\u{0338}\u{0345}]{1,4}",
            1 => "[а-яА-Я]{1,8}",
            1 => "[\u{0600}-\u{06FF}]{1,8}",
            1 => "[\u{0900}-\u{097F}\u{200C}\u{200D}]{1,8}",
            2 => "[一-龠、。]{1,8}",
            2 => "[一-龠a，：；？！（）％．－／“”《》\u{3000}\u{0301}\u{0338}\u{3099}]{1,8}",
            2 => "[ぁ-ヶー一-龠ｦ-ﾟ]{1,8}",
            2 => "[\u{0E01}-\u{0E5B}\u{0E80}-\u{0EDF}]{1,10}",
            1 => "[가-힣ㄱ-ㅣ]{1,5}",
            1 => "[Ａ-Ｚ０-９ﬁﬂ½㎞™ªⅣ①\u{A0}\u{3000}İ´ﷺ]{1,4}",
            3 => "\\PC{0,6}",
            2 => "([a-z]{2,5}[-\u{AD}] ?\n>? ?[a-zA-Z]{2,5} ){1,3}",
            2 => "([一-龠ก-ฮ]\r?\n){1,4}",
            2 => "([a-z]|\u{AD}|\u{200B}|\u{FEFF}|\u{200F}|&shy;|&eacute;|&#8217;|&amp;|&nbsp;|ı|İ|I){1,6}",
            1 => any::<String>(),
        ];
        proptest::collection::vec(pieces, 0..16).prop_map(|pieces| pieces.concat())
    }

    fn configs() -> impl Strategy<Value = AnalyzerConfig> {
        (
            prop_oneof![
                1 => Just(Normalization::None),
                1 => Just(Normalization::Nfc),
                3 => Just(Normalization::Nfkc)
            ],
            any::<bool>(),
            prop_oneof![
                Just(WordRule::default()),
                Just(WordRule::Characters),
                Just(WordRule::Whitespace)
            ],
            0usize..5,
            proptest::option::of(0usize..3),
            prop_oneof![
                2 => Just(0),
                1 => 0usize..32,
            ],
        )
            .prop_map(
                |(normalization, lowercase, words, min_characters, max_digits, filters)| {
                    AnalyzerConfig {
                        normalization,
                        lowercase,
                        words,
                        min_characters,
                        max_digits,
                        filters: SyntacticFilters::all_combinations()
                            .nth(filters)
                            .unwrap_or_default(),
                    }
                },
            )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn the_quick_tokenizer_finds_what_the_plain_one_finds(text in texts(), config in configs()) {
            let expected = terms(&config, &text);
            let analyzer = Analyzer::new(&config).unwrap();
            let mut found = Vec::new();
            analyzer.visit(&text, |term, place| found.push((term.to_owned(), place)));
            prop_assert_eq!(&found, &expected);

            let mut hashed = Vec::new();
            analyzer.visit_hashed(&text, |term, hash, place| {
                assert_eq!(hash, term_hash(term));
                hashed.push((term.to_owned(), place));
            });
            prop_assert_eq!(&hashed, &expected);

            let mut pushed = TokenizedDocument::default();
            for (term, place) in expected {
                pushed.push(&term, place);
            }
            let tokenized = analyzer.tokenize(&text);
            prop_assert!(tokenized.tokens().iter().all(|t| t.hash == term_hash(tokenized.term(t))));
            prop_assert_eq!(tokenized, pushed);
        }

        #[test]
        fn a_normalized_original_slice_contains_its_term(text in texts(), config in configs()) {
            let config = AnalyzerConfig { filters: SyntacticFilters::default(), ..config };
            if crate::VisibleText::of(&text).is_some() {
                return Ok(());
            }
            Analyzer::new(&config).unwrap().visit(&text, |term, place| {
                let slice = &text[place];
                let normalized = config.normalization.normalizer().map_or_else(
                    || slice.to_owned(),
                    |normalizer| normalizer.normalize(slice).into_owned(),
                );
                // One original character may hold several words ("½" is 1⁄2), hence not always equal.
                assert!(folded(&normalized).contains(&*folded(term)), "{slice:?} {term:?}");
            });
        }
    }
}
