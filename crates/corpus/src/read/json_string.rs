//! JSON strings with escapes: texts full of line breaks have one every few bytes.
//!
//! One look at 64 bytes finds all their quotes and backslashes. What stands between two of them is
//! copied with everything behind it, and written over: a copy of fixed length is a few
//! instructions, one of the right length a call.

use lookalike_text::byte_bits;

use super::json_string_wide::{Progress, unescape_many};

/// Bytes that are looked at together.
pub(super) const WINDOW: usize = 64;

/// Writes the string whose first character is at `start` into `text`, its escapes undone; returns
/// its length and the place behind its closing quote.
///
/// `None` where an escape is wrong, or there is no closing quote. What stands in `text` behind the
/// length means nothing.
pub(super) fn unescape(line: &str, start: usize, text: &mut Vec<u8>) -> Option<(usize, usize)> {
    unescape_by(line, start, text, unescape_many)
}

/// The same, with what undoes the escapes of many windows where it can; it need not do anything.
fn unescape_by(
    line: &str,
    start: usize,
    text: &mut Vec<u8>,
    many: impl Fn(&[u8], &mut [u8]) -> Option<Progress>,
) -> Option<(usize, usize)> {
    let bytes = line.as_bytes();
    // No escape is shorter than what it stands for; what is written over needs room for itself.
    let needed = bytes.len() - start + 2 * WINDOW;
    if text.len() < needed {
        text.resize(needed, 0);
    }
    let (mut at, mut filled) = (start, 0);
    loop {
        if let Some(some) = many(bytes.get(at..)?, text.get_mut(filled..)?) {
            (at, filled) = (at + some.read, filled + some.written);
            if some.is_last {
                return Some((filled, at));
            }
        }
        let Some(window) = bytes.get(at..)?.first_chunk::<{ 2 * WINDOW }>() else { break };
        let target = text.get_mut(filled..)?.first_chunk_mut()?;
        let step = unescape_window(window, target)?;
        (at, filled) = (at + step.read, filled + step.written);
        if step.is_last {
            return Some((filled, at));
        }
    }
    loop {
        match *bytes.get(at)? {
            b'"' => return Some((filled, at + 1)),
            b'\\' => {
                let (character, length) = escape(&bytes[at + 1..])?;
                filled += character.encode_utf8(&mut text[filled..]).len();
                at += 1 + length;
            }
            byte => {
                text[filled] = byte;
                (at, filled) = (at + 1, filled + 1);
            }
        }
    }
}

/// How far one window goes.
struct Step {
    read: usize,
    written: usize,
    /// Whether the closing quote was read.
    is_last: bool,
}

/// Undoes the escapes that begin in the first half of a window, and copies all that stands around
/// them there; the other half of the window and of the target is room to read and write too much.
#[inline]
fn unescape_window(window: &[u8; 2 * WINDOW], target: &mut [u8; 2 * WINDOW]) -> Option<Step> {
    let mut marks = marks(window.first_chunk()?);
    let (mut read, mut written) = (0, 0);
    while marks != 0 {
        let mark = marks.trailing_zeros() as usize;
        copy_window(&window[read..], &mut target[written..])?;
        written += mark - read;
        if window[mark] == b'"' {
            return Some(Step { read: mark + 1, written, is_last: true });
        }
        let single = SINGLE[usize::from(window[mark + 1])];
        if single == 0 {
            let (character, length) = escape(&window[mark + 1..])?;
            written += character.encode_utf8(&mut target[written..]).len();
            read = mark + 1 + length;
        } else {
            target[written] = single;
            written += 1;
            read = mark + 2;
        }
        // What has been read may be an escaped quote or backslash.
        marks &= u64::MAX.checked_shl(read as u32).unwrap_or(0);
    }
    if read < WINDOW {
        copy_window(&window[read..], &mut target[written..])?;
        written += WINDOW - read;
        read = WINDOW;
    }
    Some(Step { read, written, is_last: false })
}

#[inline]
fn copy_window(from: &[u8], to: &mut [u8]) -> Option<()> {
    *to.first_chunk_mut::<WINDOW>()? = *from.first_chunk()?;
    Some(())
}

/// One bit for each byte that is a quote or a backslash.
#[inline]
fn marks(window: &[u8; WINDOW]) -> u64 {
    byte_bits(window, |byte| matches!(byte, b'"' | b'\\'))
}

/// What an escape of one letter stands for, 0 for any other letter.
pub(super) const SINGLE: [u8; 256] = {
    let mut single = [0; 256];
    single[b'n' as usize] = b'\n';
    single[b'"' as usize] = b'"';
    single[b'\\' as usize] = b'\\';
    single[b'/' as usize] = b'/';
    single[b't' as usize] = b'\t';
    single[b'r' as usize] = b'\r';
    single[b'b' as usize] = 0x08;
    single[b'f' as usize] = 0x0C;
    single
};

/// The character that an escape stands for, and the escape's length without its backslash.
fn escape(bytes: &[u8]) -> Option<(char, usize)> {
    match SINGLE[usize::from(*bytes.first()?)] {
        0 if bytes[0] == b'u' => unicode_escape(bytes),
        0 => None,
        single => Some((char::from(single), 1)),
    }
}

/// `u` and four hexadecimal digits, or two of them that make one character beyond the first 65,536.
fn unicode_escape(bytes: &[u8]) -> Option<(char, usize)> {
    let first = hexadecimal(bytes.get(1..5)?)?;
    if let Some(character) = char::from_u32(first) {
        return Some((character, 5));
    }
    let second = bytes.get(5..7).filter(|mark| *mark == b"\\u").and(bytes.get(7..11))?;
    let second = hexadecimal(second)?;
    let is_pair = (0xD800..0xDC00).contains(&first) && (0xDC00..0xE000).contains(&second);
    let code = 0x1_0000 + ((first & 0x3FF) << 10) + (second & 0x3FF);
    Some((char::from_u32(code).filter(|_| is_pair)?, 11))
}

fn hexadecimal(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |code, digit| Some(code << 4 | char::from(*digit).to_digit(16)?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What serde makes of the string that ends a line.
    fn by_serde(string: &str) -> Option<String> {
        serde_json::from_str(string).ok()
    }

    /// The string and the place behind it.
    fn unescaped_to(string: &str) -> Option<(String, usize)> {
        // Room that another string has left.
        let (mut text, mut plain) = (vec![b'~'; 100], Vec::new());
        let found = unescape(string, 1, &mut text);
        let plainly = unescape_by(string, 1, &mut plain, |_, _| None);
        assert_eq!(found, plainly, "{string}");
        let (length, end) = found?;
        assert_eq!(text[..length], plain[..length], "{string}");
        text.truncate(length);
        Some((String::from_utf8(text).unwrap(), end))
    }

    fn unescaped(string: &str) -> Option<String> {
        let (text, end) = unescaped_to(string)?;
        assert_eq!(end, string.len());
        Some(text)
    }

    #[test]
    fn escapes_are_undone_as_serde_undoes_them() {
        for before in 0..200 {
            let escapes = r#"\n\"\\\/\t\r\b\f\u00e9\u4e2d\ud83d\udc26 z"#;
            let string = format!("\"{}{escapes}{}\"", "x".repeat(before), "é".repeat(before / 3));
            assert_eq!(unescaped(&string), by_serde(&string), "{string}");
            assert!(unescaped(&string).is_some());
        }
    }

    #[test]
    fn rows_of_backslashes_and_escapes_at_the_end_of_a_window_are_undone_as_well() {
        for before in 0..140 {
            for row in 0..70 {
                let after = "x".repeat(row);
                let string = format!("\"{}{}{after}\"", "é".repeat(before / 2), r"\\".repeat(row));
                assert_eq!(unescaped(&string), by_serde(&string), "{string}");
                let string =
                    format!("\"{}{}\\\"{after}\\n\"", "y".repeat(before), r"\\".repeat(row % 7));
                assert_eq!(unescaped(&string), by_serde(&string), "{string}");
                assert!(unescaped(&string).is_some());
            }
        }
    }

    #[test]
    fn wrong_escapes_and_open_strings_are_none() {
        let wrong =
            [r"\ud83d", r"\udc26", r"\ud83d\n", r"\ud83dx", r"\x", r"\u12", r"\u+123", "\\"];
        for before in [0, 1, 60, 63, 64, 130] {
            for escape in wrong {
                let string = format!("\"{}{escape}\"{}", "x".repeat(before), " ".repeat(before));
                assert_eq!(unescaped_to(&string), None, "{string}");
            }
            assert_eq!(unescaped_to(&format!("\"{}\\n", "x".repeat(before))), None);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

        #[test]
        fn any_string_is_what_serde_says(
            string in r#"("|\\{1,2})?([a-z \PC]{0,40}(\\n|\\"|\\\\|\\u00e9|\\u|é|中|"))*"?"#,
        ) {
            let string = format!("\"{string}\"");
            let expected = by_serde(&string);
            // What stands behind the closing quote is the caller's.
            let found = unescaped_to(&string).filter(|(_, end)| *end == string.len());
            prop_assert_eq!(found.map(|(text, _)| text), expected);
        }
    }
}
