//! Messages in one mbox file, each after a line that begins with `From `.

use super::records::{Boundary, Scan};

/// How the line before each message begins.
pub(crate) const FROM: &[u8] = b"From ";

/// Whether a file that begins like this is an mbox, whatever its name.
pub(crate) fn begins_mailbox(head: &[u8]) -> bool {
    line_of(head, true).is_some_and(|line| line.starts_with(FROM) && has_date(line))
}

/// Messages that end where the next `From ` line begins.
///
/// Bodies may contain lines that begin with `From ` although writers should quote them; a line
/// counts as a separator only after a blank line, and only with a time and a year in it if the
/// file's first separator has them too.
#[derive(Default)]
pub(crate) struct Messages {
    /// Whether separators carry a date; known after the first line.
    dated: Option<bool>,
    /// Whether the first line of the current message has been passed.
    inside: bool,
}

impl Boundary for Messages {
    fn scan(&mut self, bytes: &[u8], at_end: bool) -> Scan {
        let mut at = 0;
        if !self.inside {
            let Some(line) = line_of(bytes, at_end) else { return Scan::Resume(0) };
            self.dated.get_or_insert_with(|| has_date(line));
            self.inside = true;
            // The line's end may already be followed by a blank line.
            at = line.len() - usize::from(line.ends_with(b"\n"));
        }
        for blank in memchr::memchr_iter(b'\n', &bytes[at..]).map(|found| at + found) {
            let Some(candidate) = after_blank_line(&bytes[blank + 1..], at_end) else {
                return Scan::Resume(blank);
            };
            let Some((skip, rest)) = candidate else { continue };
            let Some(line) = line_of(rest, at_end) else { return Scan::Resume(blank) };
            if line.starts_with(FROM) && (self.dated != Some(true) || has_date(line)) {
                self.inside = false;
                return Scan::End(blank + 1 + skip);
            }
        }
        Scan::Resume(bytes.len())
    }

    fn is_row(&self, record: &[u8]) -> bool {
        !record.trim_ascii().is_empty()
    }
}

/// What follows a blank line at the start of `bytes`, with the length of that line.
///
/// The outer `None` means that more bytes are needed to know; so does a `From ` that is cut off.
#[expect(clippy::option_option, reason = "unknown, no and yes are three answers")]
fn after_blank_line(bytes: &[u8], at_end: bool) -> Option<Option<(usize, &[u8])>> {
    let skip = match bytes {
        [b'\n', ..] => 1,
        [b'\r', b'\n', ..] => 2,
        [] | [b'\r'] if !at_end => return None,
        _ => return Some(None),
    };
    let rest = &bytes[skip..];
    if rest.len() < FROM.len() && FROM.starts_with(rest) && !at_end {
        return None;
    }
    Some(rest.starts_with(FROM).then_some((skip, rest)))
}

fn line_of(bytes: &[u8], at_end: bool) -> Option<&[u8]> {
    // A separator of a thousand bytes is none, and waiting for its end would never stop.
    match memchr::memchr(b'\n', &bytes[..bytes.len().min(1000)]) {
        Some(end) => Some(&bytes[..=end]),
        None if at_end || bytes.len() >= 1000 => Some(&bytes[..bytes.len().min(1000)]),
        None => None,
    }
}

/// Whether a line has a time such as `10:59` and a year of four digits.
fn has_date(line: &[u8]) -> bool {
    let words = || line.split(u8::is_ascii_whitespace);
    let is_year = |word: &[u8]| word.len() == 4 && word.iter().all(u8::is_ascii_digit);
    let is_time = |word: &[u8]| {
        word.len() >= 4
            && word.contains(&b':')
            && word.iter().all(|b| b.is_ascii_digit() || *b == b':')
    };
    words().any(is_year) && words().any(is_time)
}
