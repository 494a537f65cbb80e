//! Paragraphs of plain text.

use std::ops::Range;

use crate::by_register_width;
use crate::byte_bits::{BLOCK, byte_bits};

/// The paragraphs of a text, in reading order, without the white space around them.
///
/// The rule: blank lines (lines of white space only) separate paragraphs. A text that has no
/// blank line between two lines of text is cut at every line break instead, as pages saved one
/// paragraph a line want it. Line breaks are `\n`, `\r\n`, `\r`, vertical tab, form feed, next
/// line, line separator and paragraph separator; a form feed or a paragraph separator always ends
/// a paragraph. Every character that is not white space belongs to exactly one paragraph.
pub fn paragraphs(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut lines = Lines::new(text);
    let at_every_break = !has_blank_line(&mut lines);
    lines.rewind();
    let mut lines = lines.peekable();
    std::iter::from_fn(move || {
        let first = lines.find(|line| !line.is_blank(text))?;
        let mut end = first.end;
        let mut hard = first.hard;
        while !at_every_break && !hard {
            let Some(next) = lines.next_if(|next| !next.is_blank(text)) else { break };
            end = next.end;
            hard = next.hard;
        }
        Some(trimmed(text, first.start..end))
    })
}

/// A range without the white space at its ends.
pub(super) fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let slice = &text[range.clone()];
    if let [first, .., last] = slice.as_bytes()
        && first.is_ascii_graphic()
        && last.is_ascii_graphic()
    {
        return range;
    }
    let start = range.start + (slice.len() - slice.trim_start().len());
    start..start + slice.trim().len()
}

/// Whether a blank line stands between two lines of text.
fn has_blank_line(lines: &mut Lines<'_>) -> bool {
    let mut seen_text = false;
    let mut seen_blank = false;
    let text = lines.text;
    for line in lines {
        if line.is_blank(text) {
            seen_blank = seen_text;
        } else if seen_blank {
            return true;
        } else {
            seen_text = true;
        }
    }
    false
}

/// One line without its break.
struct Line {
    start: usize,
    end: usize,
    /// Whether the break after it ends a paragraph whatever follows.
    hard: bool,
}

impl Line {
    fn is_blank(&self, text: &str) -> bool {
        // Nearly every line begins with a letter or ends at once.
        let first = text.as_bytes()[self.start..self.end].first();
        first.is_none_or(|byte| !byte.is_ascii_graphic())
            && text[self.start..self.end].chars().all(char::is_whitespace)
    }
}

struct Lines<'a> {
    text: &'a str,
    position: usize,
    /// One bit for each byte that may begin a line break, 64 bytes a word: lines are short, and to
    /// look at each from its beginning on takes longer.
    marks: Vec<u64>,
    /// The word at hand, and its marks that are still ahead.
    word: usize,
    ahead: u64,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Self {
        let mut marks = Vec::with_capacity(text.len().div_ceil(BLOCK));
        mark_line_breaks(text.as_bytes(), &mut marks);
        let mut lines = Self { text, position: 0, marks, word: 0, ahead: 0 };
        lines.rewind();
        lines
    }

    /// Begins again with the first line.
    fn rewind(&mut self) {
        (self.position, self.word) = (0, 0);
        self.ahead = self.marks.first().copied().unwrap_or(0);
    }

    /// The next line break that does not stand before the line at hand.
    fn next_line_break(&mut self) -> Option<(usize, char)> {
        loop {
            while self.ahead == 0 {
                self.word += 1;
                self.ahead = *self.marks.get(self.word)?;
            }
            let at = BLOCK * self.word + self.ahead.trailing_zeros() as usize;
            self.ahead &= self.ahead - 1;
            if at < self.position {
                continue;
            }
            let c = self.text[at..].chars().next()?;
            if is_line_break(c) {
                return Some((at, c));
            }
        }
    }
}

impl Iterator for Lines<'_> {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        let start = self.position;
        if start >= self.text.len() {
            return None;
        }
        let Some((end, line_break)) = self.next_line_break() else {
            self.position = self.text.len();
            return Some(Line { start, end: self.text.len(), hard: false });
        };
        self.position = end + line_break.len_utf8();
        if line_break == '\r' && self.text[self.position..].starts_with('\n') {
            self.position += 1;
        }
        Some(Line { start, end, hard: matches!(line_break, '\u{c}' | '\u{2029}') })
    }
}

by_register_width! {
    /// Appends one bit for each byte that may begin a line break.
    fn mark_line_breaks(bytes: &[u8], marks: &mut Vec<u64>) {
        512 => mark_each(bytes, marks),
        256 => mark_each(bytes, marks),
        _ => mark_each(bytes, marks),
    }
}

#[expect(clippy::inline_always, reason = "it is compiled for the processor of its caller")]
#[inline(always)]
fn mark_each(bytes: &[u8], marks: &mut Vec<u64>) {
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    marks.extend(blocks.iter().map(|block| byte_bits(block, may_begin_line_break)));
    if !rest.is_empty() {
        let mut last = [0; BLOCK];
        last[..rest.len()].copy_from_slice(rest);
        marks.push(byte_bits(&last, may_begin_line_break));
    }
}

/// Whether a line break may begin with this byte; no character has one of them further on.
#[inline]
fn may_begin_line_break(byte: u8) -> bool {
    // Next line begins with the one, line and paragraph separator with the other.
    matches!(byte, 0x0a..=0x0d | 0xc2 | 0xe2)
}

fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        paragraphs(text).map(|range| &text[range]).collect()
    }

    #[test]
    fn blank_lines_separate_and_single_breaks_do_not() {
        assert_eq!(texts("one\ntwo\n\n  \nthree\n"), ["one\ntwo", "three"]);
    }

    #[test]
    fn without_blank_lines_every_line_is_a_paragraph() {
        assert_eq!(texts("one\ntwo\r\nthree"), ["one", "two", "three"]);
        assert_eq!(texts("\n\none\ntwo\n\n"), ["one", "two"]);
    }

    #[test]
    fn windows_and_old_mac_line_breaks_are_understood() {
        assert_eq!(texts("one\r\n\r\ntwo"), ["one", "two"]);
        assert_eq!(texts("one\r\rtwo"), ["one", "two"]);
    }

    #[test]
    fn a_paragraph_separator_ends_a_paragraph() {
        assert_eq!(texts("one\u{2029}two\nthree\n\nfour"), ["one", "two\nthree", "four"]);
    }

    #[test]
    fn ideographic_indentation_is_not_part_of_a_paragraph() {
        let text = "\u{3000}\u{3000}第一段。\n\u{3000}\u{3000}第二段。\n";
        assert_eq!(texts(text), ["第一段。", "第二段。"]);
    }

    #[test]
    fn white_space_alone_has_no_paragraph() {
        assert!(texts("").is_empty());
        assert!(texts(" \n\t\n\u{3000}").is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn line_breaks_are_found_wherever_they_stand(
            text in "([a-z]{0,70}|[“”é中\u{a0}\u{85}\u{2028}\u{2029}\u{b}\u{c}\n\r]){0,8}",
        ) {
            let mut lines = Lines::new(&text);
            let expected = || text.char_indices().filter(|(_, c)| is_line_break(*c));
            for (at, c) in expected() {
                prop_assert_eq!(lines.next_line_break(), Some((at, c)));
            }
            prop_assert_eq!(lines.next_line_break(), None);
            prop_assert_eq!(lines.next_line_break(), None);
            lines.rewind();
            prop_assert_eq!(lines.next_line_break(), expected().next());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn every_visible_character_is_in_exactly_one_paragraph(text in "[a。 \n\r\u{c}\u{2029}]{0,40}") {
            let mut end = 0;
            let mut rebuilt = String::new();
            for range in paragraphs(&text) {
                prop_assert!(range.start >= end && range.start < range.end);
                end = range.end;
                rebuilt.push_str(&text[range]);
            }
            let visible = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(visible(&rebuilt), visible(&text));
        }
    }
}
