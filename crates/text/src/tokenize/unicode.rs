//! The slower road: runs with characters outside ASCII.
//!
//! A run is a maximal stretch of letters, digits, underscores and anything outside ASCII. No
//! normalization form composes across the ASCII characters between runs in a way that makes or
//! ends a word, so every run is normalized and cut by itself.

use std::ops::Range;

use icu_normalizer::ComposingNormalizerBorrowed;

use super::character::{Role, Spaceless, is_punctuation, role, spaceless};
use super::dictionary::{self, LineLanguage, Writing};
use super::fold::Folding;
use crate::analyzer::{AnalyzerConfig, WordRule};
use crate::normalize::{Normalization, NormalizedPiece};

/// Cuts runs into terms; holds the buffers that are reused from run to run.
#[derive(Debug)]
pub(crate) struct RunCutter {
    rule: WordRule,
    folding: Folding,
    normalizer: Option<ComposingNormalizerBorrowed<'static>>,
    normalized: NormalizedPiece,
    term: String,
    line: LineLanguage,
}

impl RunCutter {
    pub(crate) fn new(config: &AnalyzerConfig) -> Self {
        Self {
            rule: config.words,
            folding: Folding {
                lowercase: config.lowercase,
                spelling: config.normalization != Normalization::None,
            },
            normalizer: config.normalization.normalizer(),
            normalized: NormalizedPiece::default(),
            term: String::new(),
            line: LineLanguage::default(),
        }
    }

    /// Calls `visitor` with the terms of `text[run]` and their places in `text`.
    ///
    /// Not generic: a copy for everybody who asks for words would be a megabyte of program.
    #[inline(never)]
    pub(crate) fn cut(
        &mut self,
        text: &str,
        run: Range<usize>,
        visitor: &mut dyn FnMut(&str, Range<usize>),
    ) {
        if self.rule == WordRule::Whitespace {
            return self.cut_piece(text, run, visitor);
        }
        // Wide punctuation is all that normalization changes in most Chinese text. It ends words
        // before and after, so that what stands between need not be normalized with it.
        let mut start = run.start;
        for (offset, mark) in text[run.clone()].match_indices(is_wide_punctuation) {
            let end = run.start + offset;
            if start < end {
                self.cut_piece(text, start..end, visitor);
            }
            start = end + mark.len();
        }
        if start < run.end {
            self.cut_piece(text, start..run.end, visitor);
        }
    }

    fn cut_piece(
        &mut self,
        text: &str,
        run: Range<usize>,
        visitor: &mut dyn FnMut(&str, Range<usize>),
    ) {
        let Self { rule, folding, normalizer, normalized, term, line } = self;
        let piece = &text[run.clone()];
        let mut emit = |source: &str, place| {
            let folded = folding.fold(source, term);
            // Signs that may be left out can be all there is.
            if !folded.is_empty() {
                visitor(folded, place);
            }
        };
        // A run has no line break in it, so it is all of one line.
        let writing = || line.writing_at(text, run.start);
        match normalizer {
            Some(normalizer)
                if !piece.chars().all(is_inert) && !normalizer.is_normalized(piece) =>
            {
                normalized.fill(normalizer, piece, run.start);
                let source = normalized.text();
                words(*rule, source, writing, |word| {
                    emit(&source[word.clone()], normalized.original(word));
                });
            }
            _ => words(*rule, piece, writing, |word| {
                emit(&piece[word.clone()], run.start + word.start..run.start + word.end);
            }),
        }
    }
}

/// Whether a character is a wide form of ASCII punctuation, or the wide space: no word has one,
/// and what it normalizes to composes with nothing.
#[inline]
fn is_wide_punctuation(character: char) -> bool {
    matches!(
        character,
        '\u{3000}' | '\u{FF01}' | '\u{FF05}' | '\u{FF08}' | '\u{FF09}' | '\u{FF0C}'
            ..='\u{FF0F}' | '\u{FF1A}' | '\u{FF1B}' | '\u{FF1F}'
    )
}

/// Whether a character stays as it is in the composed normalization forms, whatever stands before
/// it, if only such characters follow. May say no where the answer is yes.
#[inline]
fn is_inert(character: char) -> bool {
    matches!(
        character,
        '\0'..='\u{7F}' | '\u{4E00}'..='\u{9FFF}'
            | '\u{A9}' | '\u{AB}' | '\u{B0}' | '\u{B6}' | '\u{B7}' | '\u{BB}' | '\u{C0}'..='\u{131}'
            | '\u{400}'..='\u{481}' | '\u{620}'..='\u{64A}' | '\u{679}'..='\u{6D3}'
            | '\u{2012}'..='\u{2016}' | '\u{2018}'..='\u{2022}' | '\u{2500}'..='\u{257F}'
            | '\u{3001}' | '\u{3002}' | '\u{3008}'..='\u{3011}'
            | '\u{3041}'..='\u{3096}' | '\u{30A1}'..='\u{30FC}' | '\u{AC00}'..='\u{D7A3}'
    )
}

/// Calls `visitor` with the place of each word in `source`; `writing` tells, when asked, how its
/// Chinese characters are to be read.
fn words(
    rule: WordRule,
    source: &str,
    mut writing: impl FnMut() -> Writing,
    visitor: impl FnMut(Range<usize>),
) {
    match rule {
        WordRule::Whitespace => whitespace_words(source, visitor),
        WordRule::Unicode => unicode_words(source, visitor, |kind, stretch, visitor| {
            let writing = match kind {
                Stretch::SoutheastAsian => Writing::SoutheastAsian,
                Stretch::ChineseJapanese | Stretch::Word => writing(),
            };
            dictionary::cut(stretch, writing, visitor);
        }),
        WordRule::Characters => unicode_words(source, visitor, |_, stretch, visitor| {
            single_characters(stretch, visitor);
        }),
    }
}

/// Runs of anything but white space and control characters, without punctuation at the ends.
///
/// A run of a script written without spaces is a whole sentence or more: it is cut into single
/// characters, which needs no dictionary.
pub(crate) fn whitespace_words(source: &str, mut visitor: impl FnMut(Range<usize>)) {
    let mut position = 0;
    for part in source.split(|c: char| c.is_whitespace() || c.is_control()) {
        let trimmed = part.trim_start_matches(is_punctuation);
        let start = position + part.len() - trimmed.len();
        let word = trimmed.trim_end_matches(is_punctuation);
        if word.chars().any(|c| spaceless(c).is_some()) {
            let place = |within: Range<usize>| start + within.start..start + within.end;
            unicode_words(
                word,
                |within| visitor(place(within)),
                |_, stretch, visitor| single_characters(stretch, visitor),
            );
        } else if !word.is_empty() {
            visitor(start..start + word.len());
        }
        // A separator may be longer than a byte.
        position += part.len();
        position += source[position..].chars().next().map_or(0, char::len_utf8);
    }
}

/// What consecutive characters of one word have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stretch {
    Word,
    ChineseJapanese,
    SoutheastAsian,
}

/// Words between characters that belong to none; `cut` divides stretches written without spaces.
fn unicode_words<V: FnMut(Range<usize>)>(
    source: &str,
    mut visitor: V,
    mut cut: impl FnMut(Stretch, &str, &mut dyn FnMut(Range<usize>)),
) {
    let mut open: Option<(usize, Stretch)> = None;
    let mut close = |open: Option<(usize, Stretch)>, end: usize| match open {
        None => {}
        Some((start, Stretch::Word)) => visitor(start..end),
        Some((start, kind)) => cut(kind, &source[start..end], &mut |word| {
            visitor(start + word.start..start + word.end);
        }),
    };
    for (position, character) in source.char_indices() {
        let stretch = match role(character) {
            Role::Mark => open.map(|(_, stretch)| stretch),
            Role::Other => None,
            Role::Word => Some(match spaceless(character) {
                None => Stretch::Word,
                Some(Spaceless::Han | Spaceless::Kana) => Stretch::ChineseJapanese,
                Some(Spaceless::SoutheastAsian) => Stretch::SoutheastAsian,
            }),
        };
        if open.map(|(_, stretch)| stretch) != stretch {
            close(open, position);
            open = stretch.map(|stretch| (position, stretch));
        }
    }
    close(open, source.len());
}

/// Every character by itself, with the marks that follow it.
pub(crate) fn single_characters(stretch: &str, visitor: &mut dyn FnMut(Range<usize>)) {
    let mut start = 0;
    for (position, character) in stretch.char_indices() {
        if position > start && role(character) != Role::Mark {
            visitor(start..position);
            start = position;
        }
    }
    if start < stretch.len() {
        visitor(start..stretch.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Normalization;

    #[test]
    fn inert_characters_stay_as_they_are_whatever_stands_before() {
        for normalization in [Normalization::Nfc, Normalization::Nfkc] {
            let normalizer = normalization.normalizer().unwrap();
            for character in ('\0'..=char::MAX).filter(|character| is_inert(*character)) {
                // A vowel, a syllable that takes a final consonant, a voiceless kana, an alef.
                for before in ["", "a", "\u{AC00}", "\u{3046}", "\u{627}", "\u{438}", "\u{1100}"] {
                    let text = format!("{before}{character}");
                    assert!(normalizer.is_normalized(&text), "{text:?}");
                }
                assert_ne!(role(character), Role::Mark, "{character:?}");
            }
        }
    }
}
