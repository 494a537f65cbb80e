//! Which terms are kept, and in what form: the word rules of the 2008 paper and the five
//! syntactic filters of the 2002 paper.
//!
//! All rules look at the term as it was cut (normalized, lower-cased); stemming comes last, so
//! that the length rules and the stop words mean words, not stems.

mod stem;
mod stop_words;
mod syntactic;

use std::ops::Range;

use self::stem::PorterStemmer;
use crate::analyzer::AnalyzerConfig;
use crate::tokenize::character::{Role, role, spaceless};
use crate::tokenize::{TermSink, count_digits};

pub use self::stop_words::{is_smart_stop_word, smart_stop_words};
pub use self::syntactic::{FilterNameError, SyntacticFilters};

/// `tg5` keeps terms of at least this many characters: the average length of an English word,
/// after which the 2002 paper names the filter.
const AVERAGE_WORD_CHARACTERS: usize = 5;

/// `tl25` keeps terms of at most this many characters.
const LONGEST_TERM_CHARACTERS: usize = 25;

/// The rules of one configuration, ready to be asked.
#[derive(Debug)]
pub(crate) struct TermFilter {
    characters: std::ops::RangeInclusive<usize>,
    max_digits: Option<usize>,
    drop_stop_words: bool,
    drop_special: bool,
    stemmer: Option<PorterStemmer>,
}

impl TermFilter {
    /// The rules of a configuration, or `None` if every term passes as it is.
    pub(crate) fn new(config: &AnalyzerConfig) -> Option<Self> {
        let filters = config.filters;
        let at_least = if filters.at_least_5 { AVERAGE_WORD_CHARACTERS } else { 1 };
        let at_most = if filters.at_most_25 { LONGEST_TERM_CHARACTERS } else { usize::MAX };
        let filter = Self {
            characters: config.min_characters.max(at_least)..=at_most,
            max_digits: config.max_digits,
            drop_stop_words: filters.stop_words,
            drop_special: filters.no_special,
            stemmer: filters.stem.then(PorterStemmer::default),
        };
        let does_nothing = filter.characters == (1..=usize::MAX)
            && filter.max_digits.is_none()
            && filters == SyntacticFilters::default();
        (!does_nothing).then_some(filter)
    }

    /// Whether `buffer[place]`, which is ASCII, passes.
    #[inline]
    fn keeps_ascii(&self, buffer: &str, place: &Range<usize>) -> bool {
        if !self.characters.contains(&place.len()) {
            return false;
        }
        if let Some(most) = self.max_digits
            && count_digits(buffer.as_bytes(), place.start, place.end) > most
        {
            return false;
        }
        if !self.drop_special && !self.drop_stop_words {
            return true;
        }
        let term = &buffer[place.clone()];
        let special = || !term.bytes().all(|byte| byte.is_ascii_alphanumeric());
        !(self.drop_special && special() || self.drop_stop_words && is_smart_stop_word(term))
    }

    /// Whether any term passes.
    fn keeps(&self, term: &str) -> bool {
        let digits = || term.chars().filter(|character| character.is_numeric()).count();
        let n_characters = term.chars().count();
        let is_long_enough = n_characters >= *self.characters.start() || is_spaceless(term);
        is_long_enough
            && n_characters <= *self.characters.end()
            && self.max_digits.is_none_or(|most| digits() <= most)
            && !(self.drop_special && term.chars().any(is_special))
            && !(self.drop_stop_words && is_smart_stop_word(term))
    }
}

/// Whether a word is written in a script without spaces, where one character says much: the
/// shortest lengths of the papers are those of English words and would leave no Chinese word.
fn is_spaceless(term: &str) -> bool {
    term.chars().next().is_some_and(|first| spaceless(first).is_some())
}

/// Whether a character is neither letter nor digit nor one of the marks and joiners inside words.
fn is_special(character: char) -> bool {
    character == '_' || role(character) == Role::Other
}

/// Hands on the terms that pass.
pub(crate) struct Filtered<'a, S> {
    pub(crate) filter: &'a TermFilter,
    pub(crate) sink: S,
}

impl<S: TermSink> TermSink for Filtered<'_, S> {
    #[inline]
    fn in_buffer(&mut self, buffer: &str, place: Range<usize>) {
        if !self.filter.keeps_ascii(buffer, &place) {
            return;
        }
        let Some(stemmer) = &self.filter.stemmer else {
            return self.sink.in_buffer(buffer, place);
        };
        let term = &buffer[place.clone()];
        match stemmer.stem(term) {
            stem if stem == term => self.sink.in_buffer(buffer, place),
            stem => self.sink.elsewhere(&stem, place),
        }
    }

    #[inline]
    fn shortest(&self) -> usize {
        *self.filter.characters.start()
    }

    fn elsewhere(&mut self, term: &str, place: Range<usize>) {
        if self.filter.keeps(term) {
            match &self.filter.stemmer {
                Some(stemmer) => self.sink.elsewhere(&stemmer.stem(term), place),
                None => self.sink.elsewhere(term, place),
            }
        }
    }
}
