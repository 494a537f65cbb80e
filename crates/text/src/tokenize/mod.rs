//! Text to terms: a quick road for ASCII, a careful one for everything else.

mod ascii;
pub(crate) mod character;
#[cfg(feature = "dictionaries")]
mod chinese;
#[cfg(feature = "dictionaries")]
mod continuations;
mod dictionary;
pub(crate) mod fold;
mod masks;
#[cfg(any(test, feature = "reference"))]
pub(crate) mod reference;
mod unicode;

use std::ops::Range;

pub(crate) use self::ascii::count_digits;
use self::ascii::{RunKind, fill_buffer, runs};
use self::character::is_punctuation;
use self::masks::{NonSpaceBytes, RunBytes, WordBytes};
use self::unicode::RunCutter;
use crate::analyzer::{AnalyzerConfig, WordRule};

/// Where terms go.
pub(crate) trait TermSink {
    /// An ASCII term that stands in the buffer, at the same place as in the original text; at least
    /// [`crate::hash::HASH_PADDING`] bytes follow it.
    fn in_buffer(&mut self, buffer: &str, place: Range<usize>);

    /// The fewest bytes a term in the buffer must have to be of interest.
    fn shortest(&self) -> usize {
        1
    }

    /// Any other term, and its place in the original text.
    fn elsewhere(&mut self, term: &str, place: Range<usize>);
}

/// Hands the terms of a text to `sink` in reading order; `buffer` is memory to reuse.
#[inline]
pub(crate) fn tokenize(
    config: &AnalyzerConfig,
    text: &str,
    buffer: &mut String,
    sink: &mut impl TermSink,
) {
    fill_buffer(buffer, text, config.lowercase);
    match config.words {
        WordRule::Unicode | WordRule::Characters => {
            cut_runs::<WordBytes>(config, text, buffer, sink, |_, place| place);
        }
        WordRule::Whitespace => {
            cut_runs::<NonSpaceBytes>(config, text, buffer, sink, trim_punctuation);
        }
    }
}

#[inline]
fn cut_runs<R: RunBytes>(
    config: &AnalyzerConfig,
    text: &str,
    buffer: &str,
    sink: &mut impl TermSink,
    trim: impl Fn(&[u8], Range<usize>) -> Range<usize>,
) {
    let mut cutter = None;
    let shortest = sink.shortest();
    runs::<R>(buffer.as_bytes(), shortest, |start, end, kind| match kind {
        RunKind::Ascii => {
            let place = trim(buffer.as_bytes(), start..end);
            if !place.is_empty() {
                sink.in_buffer(buffer, place);
            }
        }
        RunKind::Other => cutter.get_or_insert_with(|| RunCutter::new(config)).cut(
            text,
            start..end,
            &mut |term, place| sink.elsewhere(term, place),
        ),
    });
}

#[inline]
fn trim_punctuation(buffer: &[u8], mut place: Range<usize>) -> Range<usize> {
    while place.start < place.end && is_punctuation(char::from(buffer[place.start])) {
        place.start += 1;
    }
    while place.start < place.end && is_punctuation(char::from(buffer[place.end - 1])) {
        place.end -= 1;
    }
    place
}
