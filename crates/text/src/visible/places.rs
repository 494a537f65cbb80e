//! Where a reader's view may differ from the text: found 64 bytes at a time.

use crate::by_register_width;
use crate::byte_bits::{BLOCK, byte_bits};

/// The places of a text that are worth a look, ascending.
pub(super) struct Places<'a> {
    bytes: &'a [u8],
    /// The block at hand and the places in it that are still ahead, one bit each.
    base: usize,
    ahead: u64,
    /// Where the next block begins.
    next: usize,
}

impl<'a> Places<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, base: 0, ahead: 0, next: 0 }
    }
}

impl Iterator for Places<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.ahead == 0 {
            (self.base, self.ahead) = next_block(self.bytes, self.next)?;
            self.next = self.base + BLOCK;
        }
        let place = self.base + self.ahead.trailing_zeros() as usize;
        self.ahead &= self.ahead - 1;
        Some(place)
    }
}

by_register_width! {
    /// The first block from `from` on that has a place worth a look, and its places.
    fn next_block(bytes: &[u8], from: usize) -> Option<(usize, u64)> {
        512 => next_of(bytes, from),
        256 => next_of(bytes, from),
        _ => next_of(bytes, from),
    }
}

#[expect(clippy::inline_always, reason = "it is compiled for the processor of its caller")]
#[inline(always)]
fn next_of(bytes: &[u8], mut from: usize) -> Option<(usize, u64)> {
    while from < bytes.len() {
        let mut last = [0; BLOCK + 1];
        let block = if let Some(block) = bytes[from..].first_chunk() {
            block
        } else {
            last[..bytes.len() - from].copy_from_slice(&bytes[from..]);
            &last
        };
        let places =
            if block.is_ascii() { bits(block, may_change_ascii) } else { bits(block, may_change) };
        if places != 0 {
            return Some((from, places));
        }
        from += BLOCK;
    }
    None
}

/// One bit for each byte that passes with the one behind it.
#[expect(clippy::inline_always, reason = "it is compiled for the processor of its caller")]
#[inline(always)]
fn bits(block: &[u8; BLOCK + 1], passes: impl Fn(u8, u8) -> bool) -> u64 {
    let both = (block.first_chunk::<BLOCK>(), block.last_chunk::<BLOCK>());
    let (Some(first), Some(second)) = both else { return 0 };
    let mut passed = [0; BLOCK];
    for ((passed, byte), next) in passed.iter_mut().zip(first).zip(second) {
        *passed = u8::from(passes(*byte, *next));
    }
    // Few blocks have any.
    let words = passed.as_chunks::<8>().0;
    if words.iter().fold(0, |any, word| any | u64::from_le_bytes(*word)) == 0 {
        return 0;
    }
    byte_bits(&passed, |passed| passed != 0)
}

/// A reference, or a hyphen before white space.
#[expect(
    clippy::needless_bitwise_bool,
    reason = "branches would keep it from being done for many bytes"
)]
#[inline]
fn may_change_ascii(byte: u8, next: u8) -> bool {
    (byte == b'&') | ((byte == b'-') & (next <= b' '))
}

/// Also a line break before a character of three bytes or more, a hyphen outside ASCII, and the
/// first two bytes of a character that is not displayed. Without branches.
#[expect(
    clippy::needless_bitwise_bool,
    reason = "branches would keep it from being done for many bytes"
)]
#[inline]
fn may_change(byte: u8, next: u8) -> bool {
    let is = |first: u8, second: u8| (byte == first) & (next == second);
    may_change_ascii(byte, next)
        | ((byte == b'\n') & (next >= 0xE0))
        | is(0xC2, 0xAD)
        | is(0xCD, 0x8F)
        | is(0xD8, 0x9C)
        | is(0xE1, 0x85)
        | is(0xE1, 0x9E)
        | is(0xE1, 0xA0)
        | is(0xE2, 0x80)
        | is(0xE2, 0x81)
        | is(0xE3, 0x85)
        | is(0xEF, 0xB8)
        | is(0xEF, 0xBB)
        | is(0xEF, 0xBE)
        | is(0xEF, 0xBF)
        | is(0xF0, 0x9B)
        | is(0xF0, 0x9D)
        | is(0xF3, 0xA0)
}
