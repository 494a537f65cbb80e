//! Runs of bytes that may hold words, found 64 bytes at a time.
//!
//! The text is copied once into a buffer, lower-cased there as a whole and padded with spaces.
//! From each block of 64 bytes one bit per byte says whether the byte belongs to a run; starts
//! and ends of runs then come out of the bits without looking at single bytes. A run that is all
//! ASCII is a word as it stands; any other run goes the slower road of [`super::unicode`].

use super::masks::{BLOCK, Masks, RunBytes, masks};
use crate::hash::HASH_PADDING;

/// Behind the text: enough for a last block that closes the last run, and for the hash.
const PADDING: &str = match core::str::from_utf8(&[b' '; BLOCK + HASH_PADDING]) {
    Ok(spaces) => spaces,
    Err(_) => "",
};

/// Fills `buffer` with the text as [`runs`] wants it.
pub(crate) fn fill_buffer(buffer: &mut String, text: &str, lowercase: bool) {
    buffer.clear();
    buffer.reserve(text.len() + PADDING.len());
    buffer.push_str(text);
    if lowercase {
        buffer.make_ascii_lowercase();
    }
    buffer.push_str(PADDING);
}

const fn repeat(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// Highest bit set where a byte of `bytes` (all below 128) is at least `limit`.
#[inline]
const fn at_least(bytes: u64, limit: u8) -> u64 {
    bytes + repeat(128 - limit)
}

/// How many of `buffer[start..end]`, which is ASCII, are digits.
#[inline]
pub(crate) fn count_digits(buffer: &[u8], start: usize, end: usize) -> usize {
    const HIGHEST: u64 = repeat(0x80);
    let length = end - start;
    match buffer.get(start..).and_then(<[u8]>::first_chunk::<8>) {
        Some(window) if length.wrapping_sub(1) < 8 => {
            // What stands behind the word is shifted out; it may be no ASCII.
            let bytes = u64::from_le_bytes(*window) << (64 - 8 * length);
            let digits = at_least(bytes, b'0') & !at_least(bytes, b'9' + 1) & HIGHEST;
            digits.count_ones() as usize
        }
        _ => buffer[start..end].iter().filter(|byte| byte.is_ascii_digit()).count(),
    }
}

/// Calls `visitor` with start and end of each maximal run in a buffer made by [`fill_buffer`], in
/// reading order; may leave out ASCII runs of fewer than `shortest` bytes.
///
/// Short words make up half of a text. Leaving them out here costs two operations a block; a test
/// on each word's length would be mispredicted every few words.
#[inline]
pub(crate) fn runs<R: RunBytes>(
    buffer: &[u8],
    shortest: usize,
    mut visitor: impl FnMut(usize, usize, RunKind),
) {
    let mut previous = 0;
    let mut open = Open::default();
    let (blocks, _) = buffer.as_chunks::<BLOCK>();
    for (index, block) in blocks.iter().enumerate() {
        let base = index * BLOCK;
        let Masks { run, has_non_ascii } = masks::<R>(block);
        let before = run << 1 | previous >> 63;
        let mut ends = !run & before;
        let doubtful = has_non_ascii || open.has_non_ascii;
        if doubtful || shortest > 1 {
            if !doubtful {
                for length in 2..=shortest.min(BLOCK - 1) {
                    ends &= run << length | previous >> (BLOCK - length);
                }
            }
            while ends != 0 {
                let end = ends.trailing_zeros();
                ends &= ends - 1;
                // A run begins behind the last byte before its end that belongs to none.
                let gaps = !run & ((1 << end) - 1);
                let start = if gaps == 0 { open.start } else { base + last_bit(gaps) + 1 };
                let end = base + end as usize;
                let kind = if doubtful { kind(&buffer[start..end]) } else { RunKind::Ascii };
                visitor(start, end, kind);
            }
        } else {
            // Where nothing is left out and nothing doubtful, starts and ends come in pairs.
            let mut starts = run & !before;
            if previous >> 63 == 1 && ends != 0 {
                visitor(open.start, base + ends.trailing_zeros() as usize, RunKind::Ascii);
                ends &= ends - 1;
            }
            while ends != 0 {
                let start = base + starts.trailing_zeros() as usize;
                let end = base + ends.trailing_zeros() as usize;
                starts &= starts - 1;
                ends &= ends - 1;
                visitor(start, end, RunKind::Ascii);
            }
        }
        open.advance(run, previous, base, has_non_ascii);
        previous = run;
    }
}

/// The run that reaches over the end of a block, if there is one.
#[derive(Default)]
struct Open {
    start: usize,
    has_non_ascii: bool,
}

impl Open {
    #[inline]
    fn advance(&mut self, run: u64, previous: u64, base: usize, has_non_ascii: bool) {
        let continues = run == u64::MAX && previous >> 63 == 1;
        if continues {
            self.has_non_ascii |= has_non_ascii;
        } else {
            // Where the block ends outside a run this is never looked at.
            self.start = if run == u64::MAX { base } else { base + last_bit(!run) + 1 };
            self.has_non_ascii = has_non_ascii && run >> 63 == 1;
        }
    }
}

/// The position of the highest bit that is set in a mask, which is not zero.
#[inline]
fn last_bit(mask: u64) -> usize {
    63 - (mask.leading_zeros() as usize & 63)
}

/// What a run is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunKind {
    /// ASCII only.
    Ascii,
    /// At least one character outside ASCII.
    Other,
}

#[inline]
fn kind(run: &[u8]) -> RunKind {
    if run.is_ascii() { RunKind::Ascii } else { RunKind::Other }
}
