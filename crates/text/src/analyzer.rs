//! From text to terms, under one configuration that can be stored and compared.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::filters::{Filtered, SyntacticFilters, TermFilter};
use crate::hash::{padded_hash, term_hash};
use crate::hash_batch::{self, BATCH, HashBatch};
use crate::normalize::Normalization;
use crate::tokenize::{TermSink, tokenize};
use crate::tokenized::TokenizedDocument;
use crate::visible::VisibleText;

/// Everything that decides which terms a text has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AnalyzerConfig {
    /// Unicode normalization; without it, nothing else that [`VisibleText`] or a folding of letters
    /// would change is changed either.
    pub normalization: Normalization,
    /// Whether terms are lower-cased.
    pub lowercase: bool,
    /// What counts as a word.
    pub words: WordRule,
    /// Terms of fewer characters are dropped (the 2008 paper: 4), except words of scripts that
    /// are written without spaces.
    pub min_characters: usize,
    /// Terms with more digits than this are dropped (the 2008 paper: 1).
    pub max_digits: Option<usize>,
    /// The five syntactic filters of the 2002 paper.
    pub filters: SyntacticFilters,
}

impl Default for AnalyzerConfig {
    fn default() -> Self {
        Self {
            normalization: Normalization::Nfkc,
            lowercase: true,
            words: WordRule::default(),
            min_characters: 1,
            max_digits: None,
            filters: SyntacticFilters::default(),
        }
    }
}

impl AnalyzerConfig {
    /// The word rules of the 2008 paper: at least 4 characters, at most one digit.
    pub fn paper_2008() -> Self {
        Self { min_characters: 4, max_digits: Some(1), ..Self::default() }
    }
}

/// What stands behind this many bytes of a text is not analyzed.
///
/// Places in a [`TokenizedDocument`] are 32 bits wide, and compatibility normalization can make a
/// text eleven times as long. Whoever reads documents decides what to do with a longer one.
pub const MAX_TEXT_BYTES: usize = 256 << 20;

/// How text is cut into words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WordRule {
    /// Maximal runs of letters, digits and underscore; scripts written without spaces are cut by
    /// dictionary. The default where dictionaries are compiled in, an error where they are not.
    ///
    /// The runs are those of Python's `\w+`, except that combining marks and zero-width joiners
    /// stay inside a word, where `\w` would cut Hindi words at every vowel sign, and that a word
    /// ends where a script written without spaces begins.
    #[cfg_attr(feature = "dictionaries", default)]
    Unicode,
    /// As `Unicode`, but scripts written without spaces give single characters, each with its
    /// combining marks.
    #[cfg_attr(not(feature = "dictionaries"), default)]
    Characters,
    /// Runs of anything but white space and control characters, with punctuation trimmed from
    /// both ends: the terms of the 2002 paper, which may contain special characters. A run with
    /// characters of a script written without spaces is cut as by `Characters`.
    Whitespace,
}

/// An [`AnalyzerConfig`] that cannot work.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnalyzerError {
    /// The configuration needs word dictionaries that this build does not contain.
    #[error(
        "this build has no word dictionaries; rebuild with the feature `dictionaries` or choose words = \"characters\""
    )]
    NoDictionaries,
}

/// Turns text into terms; cheap to share between threads.
#[derive(Debug)]
pub struct Analyzer {
    config: AnalyzerConfig,
    filter: Option<TermFilter>,
}

impl Analyzer {
    /// Builds the analyzer a configuration describes.
    ///
    /// # Errors
    ///
    /// Where the word rule needs dictionaries that this build does not contain: a configuration
    /// must mean the same terms everywhere, so there is no silent replacement.
    pub fn new(config: &AnalyzerConfig) -> Result<Self, AnalyzerError> {
        if config.words == WordRule::Unicode && cfg!(not(feature = "dictionaries")) {
            return Err(AnalyzerError::NoDictionaries);
        }
        Ok(Self { config: config.clone(), filter: TermFilter::new(config) })
    }

    /// The configuration this analyzer was built from.
    pub fn config(&self) -> &AnalyzerConfig {
        &self.config
    }

    /// Cuts a text into a fresh [`TokenizedDocument`].
    pub fn tokenize(&self, text: &str) -> TokenizedDocument {
        let mut document = TokenizedDocument::default();
        self.tokenize_into(text, &mut document);
        document
    }

    /// Cuts a text into `document`, whose old tokens are forgotten and whose memory is reused.
    pub fn tokenize_into(&self, text: &str, document: &mut TokenizedDocument) {
        let Some(seen) = self.seen(text) else {
            return self.tokenize_seen_into(text, document);
        };
        self.tokenize_seen_into(seen.text(), document);
        document.move_places(|place| seen.original(place));
    }

    /// [`Analyzer::tokenize_into`] of a text that [`Analyzer::seen`] has made or would not change.
    pub fn tokenize_seen_into(&self, text: &str, document: &mut TokenizedDocument) {
        document.fill(|buffer, sink| self.feed(text, buffer, sink));
    }

    /// What a reader sees of a text where that is not the text and this analyzer cares.
    pub fn seen(&self, text: &str) -> Option<VisibleText> {
        let text = &text[..text.floor_char_boundary(MAX_TEXT_BYTES)];
        if self.config.normalization == Normalization::None { None } else { VisibleText::of(text) }
    }

    /// Calls `visitor` for each term in reading order, with its place in the original text.
    #[inline]
    pub fn visit(&self, text: &str, mut visitor: impl FnMut(&str, Range<usize>)) {
        let mut buffer = String::new();
        let seen = self.seen(text);
        for (offset, piece) in pieces(text_of(seen.as_ref(), text)) {
            let visitor = |term: &str, place| visitor(term, moved(place, offset, seen.as_ref()));
            self.feed(piece, &mut buffer, TermVisitor(visitor));
        }
    }

    /// As [`Analyzer::visit`], with the [`crate::term_hash`] of each term.
    #[inline]
    pub fn visit_hashed(&self, text: &str, mut visitor: impl FnMut(&str, u64, Range<usize>)) {
        let mut buffer = String::new();
        let seen = self.seen(text);
        for (offset, piece) in pieces(text_of(seen.as_ref(), text)) {
            let visitor = |term: &str, hash, place| {
                visitor(term, hash, moved(place, offset, seen.as_ref()));
            };
            self.feed(piece, &mut buffer, HashedVisitor(visitor));
        }
    }

    /// Calls `visitor` with the [`crate::term_hash`] of each term in reading order, some at a time;
    /// `buffer` is memory to reuse.
    #[inline]
    pub fn visit_hashes(&self, text: &str, buffer: &mut String, mut visitor: impl FnMut(&[u64])) {
        let seen = self.seen(text);
        for (_, piece) in pieces(text_of(seen.as_ref(), text)) {
            self.visit_batches::<0>(piece, buffer, |hashes, _| visitor(hashes));
        }
    }

    /// As [`Analyzer::visit_hashes`], with the first byte of each term in the original text.
    #[inline]
    pub fn visit_places(
        &self,
        text: &str,
        buffer: &mut String,
        mut visitor: impl FnMut(&[u64], &[u32]),
    ) {
        let Some(seen) = self.seen(text) else {
            return self.visit_batches::<BATCH>(text, buffer, visitor);
        };
        let original = |start: &u32| {
            let start = *start as usize;
            seen.original(start..start + 1).start as u32
        };
        let mut places = Vec::with_capacity(BATCH);
        self.visit_batches::<BATCH>(seen.text(), buffer, |hashes, starts| {
            places.clear();
            places.extend(starts.iter().map(original));
            visitor(hashes, &places);
        });
    }

    #[inline]
    fn visit_batches<const PLACES: usize>(
        &self,
        text: &str,
        buffer: &mut String,
        visitor: impl FnMut(&[u64], &[u32]),
    ) {
        if hash_batch::is_worthwhile() {
            let mut sink = BatchVisitor::<_, PLACES>::new(visitor);
            self.feed(text, buffer, &mut sink);
            sink.flush();
        } else {
            self.feed(text, buffer, PlaceVisitor(visitor));
        }
    }

    /// Whether some terms are dropped or changed.
    pub(crate) fn has_filter(&self) -> bool {
        self.filter.is_some()
    }

    /// Hands the terms of a text to `sink`; `buffer` is memory to reuse.
    #[inline]
    pub(crate) fn feed(&self, text: &str, buffer: &mut String, mut sink: impl TermSink) {
        let text = &text[..text.floor_char_boundary(MAX_TEXT_BYTES)];
        match &self.filter {
            None => tokenize(&self.config, text, buffer, &mut sink),
            Some(filter) => tokenize(&self.config, text, buffer, &mut Filtered { filter, sink }),
        }
    }
}

/// The size of the pieces that long texts are analyzed in, as far as their words allow.
const PIECE_BYTES: usize = if cfg!(test) { 16 } else { 1 << 20 };

/// Cuts a text of many megabytes where nothing reaches across, so that the buffer of the text as it
/// is cut into words need not hold all of it. Each piece comes with its place.
///
/// That is behind a line, or behind a space where no Chinese characters can be, which are read as the
/// rest of their line tells.
fn pieces(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = &text[..text.floor_char_boundary(MAX_TEXT_BYTES)];
    let mut offset = 0;
    let has_spaces = rest.len() > PIECE_BYTES && is_below_chinese(rest.as_bytes());
    std::iter::from_fn(move || {
        let is_end = |byte: &u8| *byte == b'\n' || has_spaces && *byte == b' ';
        let (first, later) = rest.as_bytes().split_at_checked(PIECE_BYTES).unwrap_or_default();
        let end = first.iter().rposition(is_end);
        let end = end.or_else(|| Some(first.len() + later.iter().position(is_end)?));
        let (piece, behind) = rest.split_at(end.map_or(rest.len(), |end| end + 1));
        let start = offset;
        (offset, rest) = (offset + piece.len(), behind);
        (!piece.is_empty()).then_some((start, piece))
    })
}

/// Whether all characters are below U+2E80, where the Chinese ones begin.
fn is_below_chinese(text: &[u8]) -> bool {
    text.array_windows().all(|pair| u16::from_be_bytes(*pair) < 0xE2BA)
}

/// The text that is analyzed.
fn text_of<'a>(seen: Option<&'a VisibleText>, text: &'a str) -> &'a str {
    seen.map_or(text, VisibleText::text)
}

/// A place in a piece as a place in the original text.
#[inline]
fn moved(place: Range<usize>, offset: usize, seen: Option<&VisibleText>) -> Range<usize> {
    let place = place.start + offset..place.end + offset;
    match seen {
        None => place,
        Some(seen) => seen.original(place),
    }
}

struct TermVisitor<V>(V);

impl<V: FnMut(&str, Range<usize>)> TermSink for TermVisitor<V> {
    #[inline]
    fn in_buffer(&mut self, buffer: &str, place: Range<usize>) {
        (self.0)(&buffer[place.clone()], place);
    }

    fn elsewhere(&mut self, term: &str, place: Range<usize>) {
        (self.0)(term, place);
    }
}

struct HashedVisitor<V>(V);

impl<V: FnMut(&str, u64, Range<usize>)> TermSink for HashedVisitor<V> {
    #[inline]
    fn in_buffer(&mut self, buffer: &str, place: Range<usize>) {
        let hash = padded_hash(buffer.as_bytes(), place.start, place.end);
        (self.0)(&buffer[place.clone()], hash, place);
    }

    fn elsewhere(&mut self, term: &str, place: Range<usize>) {
        (self.0)(term, term_hash(term), place);
    }
}

/// Hands on hashes and places one by one.
struct PlaceVisitor<V>(V);

impl<V: FnMut(&[u64], &[u32])> TermSink for PlaceVisitor<V> {
    #[inline]
    fn in_buffer(&mut self, buffer: &str, place: Range<usize>) {
        let hash = padded_hash(buffer.as_bytes(), place.start, place.end);
        (self.0)(&[hash], &[place.start as u32]);
    }

    fn elsewhere(&mut self, term: &str, place: Range<usize>) {
        (self.0)(&[term_hash(term)], &[place.start as u32]);
    }
}

/// Hands on hashes some at a time, and the places of `PLACES` of them: all or none.
struct BatchVisitor<V, const PLACES: usize> {
    batch: HashBatch,
    starts: [u32; PLACES],
    visitor: V,
}

impl<V: FnMut(&[u64], &[u32]), const PLACES: usize> BatchVisitor<V, PLACES> {
    fn new(visitor: V) -> Self {
        Self { batch: HashBatch::new(), starts: [0; PLACES], visitor }
    }

    /// Notes where the next term begins.
    #[inline]
    fn note(&mut self, place: &Range<usize>) {
        if let Some(start) = self.starts.get_mut(self.batch.len()) {
            *start = place.start as u32;
        }
    }

    fn flush(&mut self) {
        let hashes = self.batch.take();
        (self.visitor)(hashes, &self.starts[..hashes.len().min(PLACES)]);
    }
}

impl<V: FnMut(&[u64], &[u32]), const PLACES: usize> TermSink for &mut BatchVisitor<V, PLACES> {
    #[inline]
    fn in_buffer(&mut self, buffer: &str, place: Range<usize>) {
        self.note(&place);
        self.batch.push_term(buffer.as_bytes(), place.start, place.end);
        if self.batch.is_full() {
            self.flush();
        }
    }

    fn elsewhere(&mut self, term: &str, place: Range<usize>) {
        self.note(&place);
        self.batch.push_hash(term_hash(term));
        if self.batch.is_full() {
            self.flush();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_end_behind_white_space_and_make_up_the_text() {
        let long = "longer-than-a-piece-by-far";
        let text = format!("a few words\nand é {long} {long}\tand {}", "x ".repeat(20));
        for (text, ends) in [(&text, &[' ', '\n'][..]), (&format!("中文 {text}"), &['\n'])] {
            let mut end = 0;
            for (place, piece) in pieces(text) {
                assert_eq!((place, &text[place..place + piece.len()]), (end, piece));
                end = place + piece.len();
                assert!(end == text.len() || piece.ends_with(ends), "{piece:?}");
            }
            assert_eq!(end, text.len());
        }
        assert!(pieces(&text).all(|(_, piece)| piece.len() <= long.len() + 5));
        assert_eq!(pieces("").count(), 0);
    }
}
