//! Sentences of a paragraph.

use std::ops::Range;

use super::Language;
use super::abbreviations::{Abbreviation, abbreviation};
use super::paragraphs::trimmed;
use crate::byte_bits::first_byte;
use crate::letters::{LetterKind, letter_kind};

/// The sentences of a text, in reading order, without the white space around them.
///
/// A sentence ends after one of
/// * `。 ！ ？ ； ｡ ؟ ۔ ؛ । ॥` and the full stops of Armenian, Ethiopic, Khmer and Burmese,
///   wherever they stand;
/// * `! ? ;` before white space or the end, so that addresses and code are not torn;
/// * a full stop before white space or the end, unless it belongs to an abbreviation, an
///   initial, an enumeration's number or a German ordinal, or a small letter follows; between
///   two Han or kana characters also without white space;
/// * white space between two Thai, Lao, Khmer or Burmese letters, which these scripts put where
///   others put a full stop.
///
/// Closing quotation marks and brackets stay with the sentence they close. What has no letter or
/// digit is no sentence. `language` decides which abbreviations hold; `None` takes them all.
pub fn sentences(text: &str, language: Option<Language>) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    let mut cutter = Cutter::new(text, language);
    std::iter::from_fn(move || {
        while start < text.len() {
            let end = cutter.sentence_end(start);
            let range = trimmed(text, start..end);
            start = end;
            if text[range.clone()].chars().any(|c| letter_kind(c) != LetterKind::None) {
                return Some(range);
            }
        }
        None
    })
}

/// Finds the ends of sentences.
///
/// What a full stop means depends on what stands before and behind it, however far away. Behind
/// it stand marks that many full stops share: what was seen there is remembered. Before it stands
/// a word, which is followed as it goes by. So no character is looked at more than a few times,
/// whatever stands in a text and however often.
struct Cutter<'a> {
    text: &'a str,
    language: Option<Language>,
    marks: Option<Marks>,
    word: Word,
    /// The word that was judged last, and what a full stop behind it means.
    judged: Option<(Range<usize>, StopAfter)>,
}

/// A run of terminators and closing marks, and what follows it.
#[derive(Clone, Copy)]
struct Marks {
    start: usize,
    end: usize,
    /// The character right behind it.
    next: Option<char>,
    /// The first one that is no white space.
    following: Option<char>,
}

/// The run of letters, digits and inner full stops that was passed last: `Dr`, `z.B`, `3`.
#[derive(Default)]
struct Word {
    start: usize,
    /// Behind the last letter or digit; as `start` where there is none.
    end: usize,
    /// Whether a character stands behind it that ends it.
    is_over: bool,
}

impl Word {
    fn begin(start: usize) -> Self {
        Self { start, end: start, is_over: true }
    }

    /// Passes a character.
    fn pass(&mut self, c: char, position: usize) {
        if letter_kind(c) != LetterKind::None {
            if self.is_over {
                self.start = position;
            }
            self.end = position + c.len_utf8();
            self.is_over = false;
        } else if c != '.' {
            *self = Self::begin(position);
        }
    }

    /// Passes characters of ASCII without a full stop, of which only the last word matters.
    fn pass_plain(&mut self, text: &str, passed: Range<usize>) {
        let bytes = &text.as_bytes()[passed.clone()];
        let before = bytes.iter().rposition(|byte| !byte.is_ascii_alphanumeric());
        work::count(bytes.len() - before.unwrap_or(0));
        match before.map(|before| passed.start + before) {
            None => self.pass_letters(passed),
            Some(before) if before + 1 == passed.end => *self = Self::begin(before),
            Some(before) => {
                *self = Self { start: before + 1, end: passed.end, is_over: false };
            }
        }
    }

    /// Passes letters.
    fn pass_letters(&mut self, passed: Range<usize>) {
        if self.is_over {
            self.start = passed.start;
        }
        self.end = passed.end;
        self.is_over = false;
    }

    fn place(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// What a full stop behind a word means, where white space or nothing follows it.
#[derive(Clone, Copy)]
enum StopAfter {
    /// The end, unless the word enumerates or is an ordinal.
    Number,
    /// The end only where nothing follows.
    Inner,
    /// The end unless a number follows.
    UnlessNumber,
    End,
}

impl<'a> Cutter<'a> {
    fn new(text: &'a str, language: Option<Language>) -> Self {
        Self { text, language, marks: None, word: Word::default(), judged: None }
    }

    /// Where the sentence that begins at `start` ends; always beyond `start`.
    fn sentence_end(&mut self, start: usize) -> usize {
        let mut plain = Some(self.plain_bytes(start));
        if plain == Some(self.text.len() - start) {
            return self.text.len();
        }
        let mut previous = None;
        let visible = self.text.len() - self.text[start..].trim_start().len();
        work::count(visible - start);
        self.word = Word::begin(start);
        self.judged = None;
        let mut position = start;
        loop {
            position += self.pass_unremarkable(position, plain.take(), &mut previous);
            let Some(c) = self.text[position..].chars().next() else { break };
            work::count(1);
            let after = position + c.len_utf8();
            let ends = match c {
                '.' | '．' => self.full_stop_ends(previous, visible, position, after),
                '!' | '?' | ';' | '\u{37e}' | '…' => {
                    let next = self.marks(after).next;
                    next.is_none_or(|c| c.is_whitespace() || is_han_or_kana(c))
                }
                _ if is_terminator(c) => true,
                _ if c.is_whitespace() && previous.is_some_and(is_spaceless_letter) => {
                    self.text[after..].trim_start().starts_with(is_spaceless_letter)
                }
                _ => false,
            };
            if ends {
                return self.marks(after).end;
            }
            self.word.pass(c, position);
            previous = Some(c);
            position = after;
        }
        self.text.len()
    }

    /// How many bytes from a position on can end no sentence, whatever stands around them.
    fn plain_bytes(&self, position: usize) -> usize {
        let rest = &self.text.as_bytes()[position..];
        let plain = match rest.first() {
            Some(first) if is_remarkable(*first) => 0,
            _ => first_byte(rest, is_remarkable).unwrap_or(rest.len()),
        };
        work::count(plain);
        plain
    }

    /// Passes characters that can end no sentence; returns how many bytes they are. `plain` is what
    /// [`Self::plain_bytes`] says here, if it was asked.
    fn pass_unremarkable(
        &mut self,
        position: usize,
        plain: Option<usize>,
        previous: &mut Option<char>,
    ) -> usize {
        // White space behind such a letter may be an end.
        if previous.is_some_and(is_spaceless_letter) {
            return 0;
        }
        let plain = plain.unwrap_or_else(|| self.plain_bytes(position));
        let rest = &self.text.as_bytes()[position..];
        if let Some(last) = plain.checked_sub(1) {
            self.word.pass_plain(self.text, position..position + plain);
            *previous = Some(char::from(rest[last]));
        }
        let ideographs = ideographs(&rest[plain..]);
        work::count(ideographs / 3);
        let end = position + plain + ideographs;
        if ideographs > 0 {
            self.word.pass_letters(position + plain..end);
            *previous = self.text[end - 3..].chars().next();
        }
        plain + ideographs
    }

    /// The run of marks that begins, or goes on, at a position; it may be empty.
    fn marks(&mut self, position: usize) -> Marks {
        match self.marks {
            Some(marks) if (marks.start..=marks.end).contains(&position) => marks,
            _ => {
                let rest = self.text[position..].trim_start_matches(is_mark);
                let behind = rest.trim_start();
                let end = self.text.len() - rest.len();
                work::count(end - position + rest.len() - behind.len());
                let (next, following) = (rest.chars().next(), behind.chars().next());
                *self.marks.insert(Marks { start: position, end, next, following })
            }
        }
    }

    /// Whether a full stop ends the sentence whose first visible character stands at `visible`.
    fn full_stop_ends(
        &mut self,
        before: Option<char>,
        visible: usize,
        position: usize,
        after: usize,
    ) -> bool {
        let Marks { next, following, .. } = self.marks(after);
        match next {
            None => return true,
            Some(c) if c.is_whitespace() => {}
            Some(c) => return is_han_or_kana(c) && before.is_some_and(is_han_or_kana),
        }
        if following.is_some_and(char::is_lowercase) {
            return false;
        }
        match self.judge_word() {
            StopAfter::Number => {
                let length = self.word.place().len();
                let enumerates = position - visible == length;
                let ordinal = self.language == Some(Language::GERMAN) && length <= 2;
                !enumerates && !ordinal
            }
            StopAfter::Inner => following.is_none(),
            StopAfter::UnlessNumber => !following.is_some_and(|c| c.is_ascii_digit()),
            StopAfter::End => true,
        }
    }

    /// What a full stop behind the word at hand means; looked at once a word.
    fn judge_word(&mut self) -> StopAfter {
        let place = self.word.place();
        match &self.judged {
            Some((judged, meaning)) if *judged == place => *meaning,
            _ => {
                work::count(place.len());
                let meaning = stop_after(&self.text[place.clone()], self.language);
                self.judged = Some((place, meaning));
                meaning
            }
        }
    }
}

fn stop_after(word: &str, language: Option<Language>) -> StopAfter {
    if !word.is_empty() && word.chars().all(|c| c.is_ascii_digit()) {
        return StopAfter::Number;
    }
    let mut letters = word.chars();
    let initial = letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none();
    let dotted = word.contains('.');
    if (initial || dotted) && !word.chars().any(is_han_or_kana) {
        return StopAfter::Inner;
    }
    match abbreviation(word, language) {
        Some(Abbreviation::Always) => StopAfter::Inner,
        Some(Abbreviation::BeforeNumber) => StopAfter::UnlessNumber,
        None => StopAfter::End,
    }
}

/// Whether a character that begins with this byte may end a sentence, or must be looked at.
#[expect(clippy::needless_bitwise_bool, reason = "sixteen bytes are tested at once")]
#[inline]
fn is_remarkable(byte: u8) -> bool {
    (byte == b'.') | (byte == b'!') | (byte == b'?') | (byte == b';') | (byte >= 0x80)
}

/// How many bytes of common ideographs a text begins with: letters of three bytes that end nothing.
fn ideographs(text: &[u8]) -> usize {
    // U+4E00 to U+9F7F.
    let is_one = |bytes: &&[u8; 3]| match bytes[0] {
        0xE5..=0xE8 => true,
        0xE4 => bytes[1] >= 0xB8,
        0xE9 => bytes[1] < 0xBE,
        _ => false,
    };
    3 * text.as_chunks().0.iter().take_while(is_one).count()
}

/// Marks that stay with the sentence they end or close.
fn is_mark(c: char) -> bool {
    is_closing(c) || is_terminator(c) || matches!(c, '.' | '!' | '?' | '…')
}

/// How many characters were looked at: tests hold it to the length of the text.
mod work {
    #[cfg(test)]
    thread_local! {
        static COUNTED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
    }

    #[cfg(test)]
    pub(super) fn count(characters: usize) {
        COUNTED.set(COUNTED.get() + characters);
    }

    #[cfg(not(test))]
    #[inline]
    pub(super) fn count(_: usize) {}

    /// What was counted since the last call.
    #[cfg(test)]
    pub(super) fn take() -> usize {
        COUNTED.take()
    }
}

/// Terminators that no other use shares.
#[rustfmt::skip]
fn is_terminator(c: char) -> bool {
    matches!(
        c,
        '。' | '！' | '？' | '；' | '｡' | '؟' | '۔' | '؛' | '।' | '॥'
        | '։' | '።' | '፧' | '។' | '៕' | '။'
    )
}

fn is_closing(c: char) -> bool {
    matches!(
        c,
        '"' | '\'' | '”' | '’' | '»' | '›' | ')' | ']' | '）' | '」' | '』' | '》' | '】' | '〉'
    )
}

/// Letters of scripts that put spaces between phrases instead of words.
fn is_spaceless_letter(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
}

fn is_han_or_kana(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{323af}')
}

#[cfg(test)]
mod tests;
