//! The fast way through a row of JSON: strings are crossed with wide instructions.
//!
//! A document is mostly one long string. A general parser looks at it byte by byte and moves it
//! through a buffer; here many bytes are looked at together, and the text is copied once, into
//! memory that is used again for the next row. Whatever is not a plain row is left to serde:
//! `None` never means that a row is bad, and `Some` only that serde would have found the same.

use std::borrow::Cow;

use serde::de::IgnoredAny;

use super::json_string::unescape;
use super::jsonl::{Fields, Found, Role, id_of};
use crate::InputOptions;

/// Picks the fields that have a meaning, if the row is plain enough; the first string that is not
/// as it stands in the line is written into `room`.
pub(super) fn scan<'a>(
    line: &'a str,
    options: &InputOptions,
    room: &'a mut Vec<u8>,
) -> Option<Fields<'a>> {
    // Strings may not contain control characters; one pass finds out for all of them.
    if line.bytes().fold(u8::MAX, u8::min) < b' ' {
        return None;
    }
    let mut scanner = Scanner { line, at: 0, room: Some(room) };
    let mut fields = Fields { nothing_else: true, ..Fields::default() };
    scanner.expect(b'{')?;
    if scanner.next_is(b'}') {
        return scanner.is_at_end().then_some(fields);
    }
    loop {
        scanner.skip_spaces();
        let key = scanner.plain_string()?;
        scanner.expect(b':')?;
        scanner.skip_spaces();
        let role = Role::of(key, options);
        fields.nothing_else &= matches!(role, Role::Text | Role::Id);
        match role {
            Role::Text => fields.text = Some(scanner.any_string()?),
            Role::Id => fields.id = id_of(scanner.value()?),
            Role::Title(rank) => fields.add_title(rank, scanner.any_string()?.string()),
            Role::Url => fields.url = scanner.any_string()?.string(),
            Role::None => {
                scanner.value()?;
            }
        }
        if !scanner.next_is(b',') {
            break;
        }
    }
    scanner.expect(b'}')?;
    (scanner.is_at_end() && !fields.ambiguous).then_some(fields)
}

struct Scanner<'a> {
    line: &'a str,
    at: usize,
    room: Option<&'a mut Vec<u8>>,
}

impl<'a> Scanner<'a> {
    fn byte(&self) -> Option<u8> {
        self.line.as_bytes().get(self.at).copied()
    }

    fn skip_spaces(&mut self) {
        while self.byte() == Some(b' ') {
            self.at += 1;
        }
    }

    /// Steps over `wanted` if it comes next, spaces aside.
    fn next_is(&mut self, wanted: u8) -> bool {
        self.skip_spaces();
        let found = self.byte() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, wanted: u8) -> Option<()> {
        self.next_is(wanted).then_some(())
    }

    fn is_at_end(&mut self) -> bool {
        self.skip_spaces();
        self.at == self.line.len()
    }

    /// The string that begins here, or the kind of value that stands in its place.
    fn any_string(&mut self) -> Option<Found<'a>> {
        let kind = match self.byte()? {
            b'"' => return self.string().map(Found::String),
            b'n' => {
                self.value()?;
                return Some(Found::Null);
            }
            b't' | b'f' => "a truth value",
            b'[' => "a list",
            b'{' => "an object",
            _ => "a number",
        };
        self.value()?;
        Some(Found::Other(kind))
    }

    /// Steps over a value that nobody wants to understand, and returns it as it is written.
    fn value(&mut self) -> Option<&'a str> {
        let start = self.at;
        if self.byte()? == b'"' {
            let length = plain_length(&self.line.as_bytes()[start + 1..]);
            if let Some(length) = length {
                self.at = start + length + 2;
                return Some(&self.line[start..self.at]);
            }
        }
        let rest = serde_json::Deserializer::from_str(&self.line[start..]);
        let mut values = rest.into_iter::<IgnoredAny>();
        values.next()?.ok()?;
        self.at = start + values.byte_offset();
        Some(&self.line[start..self.at])
    }

    /// The string that begins here, if it has no escapes.
    fn plain_string(&mut self) -> Option<&'a str> {
        if self.byte()? != b'"' {
            return None;
        }
        let start = self.at + 1;
        let end = start + plain_length(&self.line.as_bytes()[start..])?;
        self.at = end + 1;
        Some(&self.line[start..end])
    }

    /// The string that begins here, with its escapes undone.
    fn string(&mut self) -> Option<Cow<'a, str>> {
        if let Some(plain) = self.plain_string() {
            return Some(Cow::Borrowed(plain));
        }
        if self.byte()? != b'"' {
            return None;
        }
        let start = self.at + 1;
        // Always UTF-8: the line is, and it is cut at ASCII characters only.
        if let Some(room) = self.room.take() {
            let (length, end) = unescape(self.line, start, room)?;
            self.at = end;
            return simdutf8::basic::from_utf8(&room[..length]).ok().map(Cow::Borrowed);
        }
        let mut own = Vec::new();
        let (length, end) = unescape(self.line, start, &mut own)?;
        self.at = end;
        own.truncate(length);
        String::from_utf8(own).ok().map(Cow::Owned)
    }
}

/// Where the next quote or backslash is.
///
/// Near ones are found eight bytes at a time right here, which is quicker than a call.
#[inline]
fn next_mark(bytes: &[u8]) -> Option<usize> {
    let (words, _) = bytes.as_chunks::<8>();
    for (place, word) in words.iter().take(4).enumerate() {
        let word = u64::from_le_bytes(*word);
        let marks = equal_bytes(word, b'"') | equal_bytes(word, b'\\');
        if marks != 0 {
            return Some(place * 8 + marks.trailing_zeros() as usize / 8);
        }
    }
    let far = words.len().min(4) * 8;
    memchr::memchr2(b'"', b'\\', &bytes[far..]).map(|found| far + found)
}

/// The top bit of the first byte of `word` that is `byte`; bits above it may be wrong.
fn equal_bytes(word: u64, byte: u8) -> u64 {
    const ONES: u64 = u64::MAX / 255;
    let difference = word ^ (ONES * u64::from(byte));
    difference.wrapping_sub(ONES) & !difference & (ONES << 7)
}

/// The length of a string without escapes, up to its closing quote.
fn plain_length(bytes: &[u8]) -> Option<usize> {
    let end = next_mark(bytes)?;
    (bytes[end] == b'"').then_some(end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn text(line: &str) -> Option<String> {
        let mut room = Vec::new();
        scan(line, &InputOptions::default(), &mut room)?.text?.string().map(Cow::into_owned)
    }

    #[test]
    fn marks_are_found_at_every_distance() {
        for length in 0..100 {
            for mark in [b'"', b'\\'] {
                let mut bytes = vec![b'#'; length];
                assert_eq!(next_mark(&bytes), None);
                bytes.push(mark);
                bytes.extend_from_slice(b"]\"!\\");
                assert_eq!(next_mark(&bytes), Some(length));
            }
        }
    }

    #[test]
    fn rows_that_are_not_plain_are_left_to_serde() {
        for line in
            ["{", "{}x", "{\"text\"}", "{\"text\":\"a\",}", "{\"text\":\"a\"", "{\"text\":1 2}"]
        {
            assert_eq!(text(line), None, "{line}");
        }
        assert_eq!(text("{\"te\\u0078t\":\"a\"}"), None);
        assert_eq!(text(" { \"b\" : [1, {}] , \"text\" : \"a\" } ").as_deref(), Some("a"));
    }

    #[test]
    fn room_is_used_again_and_two_strings_with_escapes_do_not_mix() {
        let mut room = vec![b'#'; 5];
        for length in [300, 3, 40] {
            let (title, body) = ("a\\n".repeat(length), "b\\t".repeat(length));
            let line = format!("{{\"title\":\"{title}\",\"text\":\"{body}\"}}");
            let fields = scan(&line, &InputOptions::default(), &mut room).unwrap();
            assert_eq!(fields.text.unwrap().string().unwrap(), "b\t".repeat(length));
            assert_eq!(fields.title.unwrap().1, "a\n".repeat(length));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn what_is_found_is_what_serde_finds(
            line in "[{][ ]?(\"(text|id|b)\"[ :]{1,2}(\"[a\\\\nu0é\"]{0,6}\"|[0-9]{1,2}|null|[{}]{2}),?){0,3}[}]?",
        ) {
            let mut room = Vec::new();
            if let Some(fields) = scan(&line, &InputOptions::default(), &mut room) {
                let value: Value = serde_json::from_str(&line).unwrap();
                let text = fields.text.and_then(Found::string);
                prop_assert_eq!(text.as_deref(), value["text"].as_str());
            }
        }
    }
}
