//! The terms of a text one behind the other, with a separator behind each: what digests are made of.

use std::ops::Range;

use crate::analyzer::{Analyzer, MAX_TEXT_BYTES, WordRule};
use crate::ascii_words::{self, AsciiWord, room_for_ascii_words, write_ascii_words};
use crate::byte_bits::first_byte;
use crate::hash::HASH_PADDING;
use crate::tokenize::TermSink;
use crate::visible::VisibleText;

/// So many bytes of ASCII in a row are worth another way.
const WORTH_ANOTHER_WAY: usize = 256;

impl Analyzer {
    /// The terms in reading order, each with `separator` behind it; `buffer` and `room` are memory to
    /// reuse.
    ///
    /// Lines of ASCII are most of many texts. Their words are all there is to their terms, and need
    /// not be found one by one.
    pub fn separated<'r>(
        &self,
        text: &str,
        separator: u8,
        buffer: &mut String,
        room: &'r mut Vec<u8>,
    ) -> &'r [u8] {
        let mut sink = SeparatedTerms { terms: room, length: 0, separator };
        let seen = self.seen(text);
        let text = seen.as_ref().map_or(text, VisibleText::text);
        let mut rest = &text[..text.floor_char_boundary(MAX_TEXT_BYTES)];
        if self.finds_plain_words() && ascii_words::is_quick() {
            while !rest.is_empty() {
                let (plain, other, behind) = lines_of_ascii(rest);
                sink.push_plain_words(plain);
                if !other.is_empty() {
                    self.feed(other, buffer, &mut sink);
                }
                rest = behind;
            }
        } else {
            self.feed(rest, buffer, &mut sink);
        }
        let length = sink.length;
        &room[..length]
    }

    /// Whether the terms of ASCII are its runs of letters, digits and underscores in lower case.
    fn finds_plain_words(&self) -> bool {
        let config = self.config();
        let by_runs = matches!(config.words, WordRule::Unicode | WordRule::Characters);
        by_runs && config.lowercase && !self.has_filter()
    }
}

/// Splits a text into lines of ASCII, other lines, and the rest. Nothing reaches across the end of a
/// line.
fn lines_of_ascii(text: &str) -> (&str, &str, &str) {
    let bytes = text.as_bytes();
    let Some(first) = first_byte(bytes, |byte| byte >= 0x80) else { return (text, "", "") };
    let start = bytes[..first].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let line_end = |from: usize| {
        first_byte(&bytes[from..], |byte| byte == b'\n').map_or(text.len(), |at| from + at + 1)
    };
    let mut end = line_end(first);
    loop {
        let near = &bytes[end..text.len().min(end + WORTH_ANOTHER_WAY)];
        let last = if near.is_ascii() { None } else { near.iter().rposition(|b| !b.is_ascii()) };
        let Some(last) = last else { break };
        end = line_end(end + last);
    }
    (&text[..start], &text[start..end], &text[end..])
}

/// Writes terms one behind the other.
struct SeparatedTerms<'a> {
    terms: &'a mut Vec<u8>,
    /// How much of `terms` is written; the rest is room.
    length: usize,
    separator: u8,
}

impl SeparatedTerms<'_> {
    /// Makes room for so many bytes behind what is written.
    #[inline]
    fn room(&mut self, bytes: usize) -> &mut [u8] {
        let end = self.length + bytes;
        if self.terms.len() < end {
            self.terms.resize(2 * end, 0);
        }
        &mut self.terms[self.length..end]
    }

    fn push(&mut self, term: &[u8]) {
        let separator = self.separator;
        let room = self.room(term.len() + 1);
        room[..term.len()].copy_from_slice(term);
        room[term.len()] = separator;
        self.length += term.len() + 1;
    }

    /// Writes the words of ASCII, which the caller has found to have a quick way.
    fn push_plain_words(&mut self, text: &str) {
        let separator = self.separator;
        let room = self.room(room_for_ascii_words(text.len()));
        let written = write_ascii_words(text.as_bytes(), AsciiWord::AndUnderscore, separator, room);
        self.length += written.unwrap_or(0);
    }
}

impl TermSink for &mut SeparatedTerms<'_> {
    #[inline]
    fn in_buffer(&mut self, buffer: &str, place: Range<usize>) {
        let bytes = buffer.as_bytes();
        match bytes.get(place.start..).and_then(<[u8]>::first_chunk::<HASH_PADDING>) {
            // Most terms are short: to write more than the term is cheaper than to ask how long it
            // is, and the next term overwrites the rest.
            Some(window) if place.len() < HASH_PADDING => {
                let separator = self.separator;
                let room = self.room(HASH_PADDING);
                room.copy_from_slice(window);
                room[place.len()] = separator;
                self.length += place.len() + 1;
            }
            _ => self.push(&bytes[place]),
        }
    }

    fn elsewhere(&mut self, term: &str, _: Range<usize>) {
        self.push(term.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::AnalyzerConfig;

    #[test]
    fn lines_of_ascii_are_told_from_others() {
        let plain = "a line\nand another\n";
        let other = "a café and then a line that is long\n";
        let behind = "the rest\n".repeat(40);
        let text = format!("{plain}{other}{behind}");
        assert_eq!(lines_of_ascii(&text), (plain, other, behind.as_str()));
        assert_eq!(lines_of_ascii(plain), (plain, "", ""));
        assert_eq!(lines_of_ascii("é"), ("", "é", ""));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]
        #[test]
        fn separated_terms_are_the_terms(
            text in "([a-zA-Z]{0,20}[ .\n]|[é中ﬁ½Σ\u{301}_9 ]|[a-zA-Z0-9 \n]{300}|[\0-\u{7f}]{0,40})*",
            stem in any::<bool>(),
        ) {
            let mut config = AnalyzerConfig::default();
            config.filters.stem = stem;
            let analyzer = Analyzer::new(&config).unwrap();
            let mut expected = Vec::new();
            analyzer.visit(&text, |term, _| {
                expected.extend_from_slice(term.as_bytes());
                expected.push(0x1f);
            });
            let (mut buffer, mut room) = (String::new(), b"left over".to_vec());
            prop_assert_eq!(analyzer.separated(&text, 0x1f, &mut buffer, &mut room), expected);
        }
    }
}
