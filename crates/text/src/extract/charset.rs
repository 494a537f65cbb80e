//! Which character encoding a file is in, and its text.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// Bytes turned into text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded<'a> {
    /// The text; borrowed when the bytes were UTF-8 already.
    pub text: Cow<'a, str>,
    /// The name of the encoding, as the WHATWG standard spells it.
    pub encoding: &'static str,
    /// Whether some bytes mean nothing in the encoding; they became U+FFFD.
    pub had_errors: bool,
}

/// Decodes a plain file: by its byte order mark, as UTF-8 if it is valid, else by a guess.
///
/// Never fails; bytes without meaning become U+FFFD and are reported in [`Decoded::had_errors`].
pub fn decode(bytes: &[u8]) -> Decoded<'_> {
    decode_with(bytes, |_| None)
}

/// As [`decode`], but an encoding that an HTML page declares for itself goes before a guess.
pub fn decode_html(bytes: &[u8]) -> Decoded<'_> {
    decode_with(bytes, declared_by_page)
}

fn decode_with(bytes: &[u8], declared: impl Fn(&[u8]) -> Option<&'static Encoding>) -> Decoded<'_> {
    if let Some((encoding, mark_length)) = Encoding::for_bom(bytes) {
        return decode_as(encoding, &bytes[mark_length..]);
    }
    if let Some(encoding) = utf_16_without_mark(bytes) {
        return decode_as(encoding, bytes);
    }
    // ISO-2022-JP switches alphabets by escape sequences and is valid ASCII otherwise.
    let has_escapes = bytes.contains(&0x1B);
    if !has_escapes && let Ok(text) = std::str::from_utf8(bytes) {
        return Decoded { text: Cow::Borrowed(text), encoding: UTF_8.name(), had_errors: false };
    }
    decode_as(declared(bytes).unwrap_or_else(|| guess(bytes)), bytes)
}

fn decode_as<'a>(encoding: &'static Encoding, bytes: &'a [u8]) -> Decoded<'a> {
    let (text, had_errors) = encoding.decode_without_bom_handling(bytes);
    Decoded { text, encoding: encoding.name(), had_errors }
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(bytes, true);
    detector.guess(None, Utf8Detection::Allow)
}

/// UTF-16 of mostly Latin text shows in zeros at every second byte.
fn utf_16_without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
    const SAMPLE: usize = 512;
    let (pairs, rest) = bytes[..bytes.len().min(SAMPLE)].as_chunks::<2>();
    if pairs.len() < 2 || !rest.is_empty() {
        return None;
    }
    let first_zero = pairs.iter().filter(|pair| pair[0] == 0 && pair[1] != 0).count();
    let second_zero = pairs.iter().filter(|pair| pair[1] == 0 && pair[0] != 0).count();
    let most = pairs.len() - pairs.len() / 4;
    if second_zero >= most {
        Some(UTF_16LE)
    } else if first_zero >= most {
        Some(UTF_16BE)
    } else {
        None
    }
}

/// The encoding in a page's `<meta charset>` or `<meta http-equiv>`, looked for where the HTML
/// standard says it must stand: in the first 1024 bytes.
fn declared_by_page(bytes: &[u8]) -> Option<&'static Encoding> {
    const PRESCAN: usize = 1024;
    let head = bytes[..bytes.len().min(PRESCAN)].to_ascii_lowercase();
    let mut rest = &head[..];
    while let Some(position) = find(rest, b"<meta") {
        rest = &rest[position + b"<meta".len()..];
        let tag = &rest[..rest.iter().position(|&byte| byte == b'>').unwrap_or(rest.len())];
        if let Some(encoding) = declared_by_tag(tag) {
            return Some(encoding);
        }
    }
    None
}

fn declared_by_tag(tag: &[u8]) -> Option<&'static Encoding> {
    let mut rest = &tag[find(tag, b"charset")? + b"charset".len()..];
    rest = rest.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    rest = rest.strip_prefix(b"\"").or_else(|| rest.strip_prefix(b"'")).unwrap_or(rest);
    let is_label = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_:.+".contains(byte);
    let length = rest.iter().position(|byte| !is_label(byte)).unwrap_or(rest.len());
    let encoding = Encoding::for_label_no_replacement(&rest[..length])?;
    // A page whose declaration can be read as ASCII is not in UTF-16, whatever it says.
    Some(if encoding == UTF_16LE || encoding == UTF_16BE { UTF_8 } else { encoding })
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use encoding_rs::{BIG5, GBK, ISO_2022_JP, SHIFT_JIS, WINDOWS_1251, WINDOWS_1252};
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn utf_8_is_borrowed_and_its_mark_is_dropped() {
        let plain = decode("Grüße".as_bytes());
        assert!(matches!(plain.text, Cow::Borrowed("Grüße")));
        assert_eq!((plain.encoding, plain.had_errors), ("UTF-8", false));
        assert_eq!(decode(b"\xEF\xBB\xBFtext").text, "text");
    }

    #[test]
    fn utf_16_is_known_with_and_without_its_mark() {
        let little: Vec<u8> = "A short note".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = "A short note".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(decode(&little).text, "A short note");
        assert_eq!(decode(&big).text, "A short note");
        let marked = [b"\xFF\xFE".as_slice(), &little].concat();
        assert_eq!(decode(&marked).text, "A short note");
        assert_eq!(decode(&marked).encoding, "UTF-16LE");
    }

    #[test]
    fn older_encodings_are_guessed_from_the_text() {
        let texts = [
            (WINDOWS_1251, "Книга лежит на столе, а рядом с ней остывает чай."),
            (WINDOWS_1252, "Die Straße führt über eine schmale Brücke zum schönen Schloss."),
            (SHIFT_JIS, "今日は天気がよかったので、公園まで歩いて行きました。"),
            (ISO_2022_JP, "明日の会議は十時から始まります。"),
            (GBK, "昨天下午我们在河边散步，看见了许多水鸟。"),
            (BIG5, "昨天下午我們在河邊散步，看見了許多水鳥。"),
        ];
        for (encoding, text) in texts {
            let (bytes, _, _) = encoding.encode(text);
            let decoded = decode(&bytes);
            assert_eq!(decoded.text, text, "{}", encoding.name());
            assert!(!decoded.had_errors);
        }
    }

    #[test]
    fn a_page_may_declare_its_encoding() {
        let page = b"<html><META http-equiv=x content='text/html; Charset = koi8-r'>\xCD\xC9\xD2";
        let decoded = decode_html(page);
        assert_eq!(decoded.encoding, "KOI8-R");
        assert!(decoded.text.ends_with("мир"));
        assert_eq!(decode_html(b"<meta charset=\"latin1\">\xE9").encoding, "windows-1252");
        let nonsense = b"<meta charset=nonsense><meta charset='utf-16'>\xE9";
        assert_eq!(decode_html(nonsense).encoding, "UTF-8");
    }

    #[test]
    fn bytes_without_meaning_are_reported() {
        let decoded = decode(b"\xEF\xBB\xBFgood \xFF bad");
        assert_eq!(decoded.text, "good \u{FFFD} bad");
        assert!(decoded.had_errors);
    }

    proptest! {
        #[test]
        fn any_bytes_decode(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            decode(&bytes);
            decode_html(&bytes);
        }
    }
}
