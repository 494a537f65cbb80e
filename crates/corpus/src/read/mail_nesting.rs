//! Messages within messages: how many there may be, and the stack they need.
//!
//! The parser itself does not recurse, but taking its result apart does, one level a message. Those
//! that stand openly in a message are counted beforehand. Those inside an encoded part cannot be
//! counted, and their text is none of the outer message's; they are hidden from the parser.

use std::borrow::Cow;

use memchr::memmem;

/// Messages that one message may contain, at whatever depth; all the parts it may have.
const MAX_MESSAGES: usize = 500;
const MAX_PARTS: usize = 100_000;

/// What takes the place of the last letter of a media type that the parser is not to know.
const MASK: u8 = 2;

/// Parts of a digest are messages without saying so. Up to this size a digest is parsed on a stack
/// that suffices for as many levels as fit into it.
const MAX_DIGEST_BYTES: usize = 2 << 20;
const DIGEST_STACK_BYTES: usize = 512 << 20;

/// Runs `work` on the message, where it cannot run out of stack.
///
/// The bytes that `work` gets may be masked; [`unmasked`] makes of a text what it was.
///
/// # Errors
/// The message contains more messages or parts than any would that people have sent.
pub(super) fn with_room<T: Send>(
    raw: &[u8],
    work: impl FnOnce(&[u8]) -> T + Send,
) -> Result<T, String> {
    if memmem::find_iter(raw, b"\n--").nth(MAX_PARTS).is_some() {
        return Err(format!("the message has more than {MAX_PARTS} parts"));
    }
    let nested: Vec<Nested> = announcements(raw).take(MAX_MESSAGES + 1).collect();
    if nested.len() > MAX_MESSAGES {
        return Err(format!("the message has more than {MAX_MESSAGES} others in it"));
    }
    if nested.is_empty() || !is_encoded(raw) {
        return Ok(work(raw));
    }
    let mut masked = raw.to_vec();
    let is_long = raw.len() > MAX_DIGEST_BYTES;
    for announced in nested.iter().filter(|announced| is_long || !announced.is_digest) {
        masked[announced.end - 1] = MASK;
    }
    if is_long || nested.iter().all(|announced| !announced.is_digest) {
        return Ok(work(&masked));
    }
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(DIGEST_STACK_BYTES)
            .spawn_scoped(scope, || work(&masked))
            .map_err(|error| error.to_string())?
            .join()
            .map_err(|_| "the message could not be parsed".to_owned())
    })
}

/// A text of a message with the letters that were masked.
pub(super) fn unmasked(text: Cow<'_, str>) -> Cow<'_, str> {
    if !text.as_bytes().contains(&MASK) {
        return text;
    }
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        let ends = |word: &str| {
            let start = plain.len().checked_sub(word.len());
            start
                .and_then(|start| plain.get(start..))
                .is_some_and(|end| end.eq_ignore_ascii_case(word))
        };
        let letter = match character {
            '\u{2}' if ends("message/rfc82") => '2',
            '\u{2}' if ends("message/globa") => 'l',
            '\u{2}' if ends("multipart/diges") => 't',
            other => other,
        };
        plain.push(letter);
    }
    Cow::Owned(plain)
}

/// A place where a header may announce a message inside this one.
struct Nested {
    end: usize,
    is_digest: bool,
}

fn announcements(raw: &[u8]) -> impl Iterator<Item = Nested> {
    memchr::memchr_iter(b'/', raw).filter_map(|slash| {
        let (before, after) = (&raw[..slash], &raw[slash + 1..]);
        let ends = |word: &[u8]| {
            before.len() >= word.len()
                && before[before.len() - word.len()..].eq_ignore_ascii_case(word)
        };
        let begins = |word: &[u8]| {
            after.len() >= word.len() && after[..word.len()].eq_ignore_ascii_case(word)
        };
        // All three names have six letters.
        let end = slash + 7;
        if ends(b"message") && (begins(b"rfc822") || begins(b"global")) {
            Some(Nested { end, is_digest: false })
        } else if ends(b"multipart") && begins(b"digest") {
            Some(Nested { end, is_digest: true })
        } else {
            None
        }
    })
}

fn is_encoded(raw: &[u8]) -> bool {
    let holds = |word: &[u8]| raw.windows(word.len()).any(|found| found.eq_ignore_ascii_case(word));
    holds(b"base64") || holds(b"quoted-printable")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn announcements_are_found_whatever_their_case() {
        let raw =
            b"Content-Type: Message/RFC822\n\nmultipart/digest; message/rfc8 a/b message/global";
        assert_eq!(announcements(raw).count(), 3);
        assert!(with_room(&b"message/rfc822\n".repeat(MAX_MESSAGES), <[u8]>::len).is_ok());
        assert!(with_room(&b"message/rfc822\n".repeat(MAX_MESSAGES + 1), <[u8]>::len).is_err());
    }

    #[test]
    fn what_is_masked_for_the_parser_is_there_again_in_the_text() {
        let text = "Of Message/RFC822 and base64, message/global\u{2}, a\u{2}.";
        let seen = with_room(text.as_bytes(), |raw| String::from_utf8(raw.to_vec()).unwrap());
        let seen = seen.unwrap();
        assert!(!announcements(seen.as_bytes()).any(|_| true), "{seen:?}");
        assert_eq!(unmasked(Cow::Owned(seen)), text);
        assert_eq!(unmasked(Cow::Borrowed("plain")), "plain");
    }

    #[test]
    fn digests_with_encoded_parts_are_read_on_a_stack_of_their_own() {
        let here = std::thread::current().id();
        let elsewhere = |raw: &[u8]| with_room(raw, |_| std::thread::current().id() != here);
        assert_eq!(elsewhere(b"multipart/digest 7bit"), Ok(false));
        assert_eq!(elsewhere(b"message/rfc822 Base64"), Ok(false));
        assert_eq!(elsewhere(b"multipart/digest Base64"), Ok(true));
    }
}
