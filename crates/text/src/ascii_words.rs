//! The words of a stretch of ASCII in lower case, one behind the other, 64 bytes at a time.
//!
//! A byte stays if it belongs to a word, or if it is the first behind one, where a separator takes
//! its place; one instruction of recent processors moves all bytes that stay to the front. Others
//! go the roads that every text can go.

use crate::byte_bits::{BLOCK, byte_bits};
use crate::hash::padded_hash;

/// What belongs to a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AsciiWord {
    /// Letters and digits.
    LettersAndDigits,
    /// Letters, digits and underscore.
    AndUnderscore,
}

/// What [`write_ascii_words`] writes for a text of so many bytes, and room to write too much.
pub const fn room_for_ascii_words(bytes: usize) -> usize {
    bytes + 1 + BLOCK
}

/// Writes the words of `text`, in lower case and each with `separator` behind it, to the beginning
/// of `words`, which has [`room_for_ascii_words`]; says how many bytes they are.
///
/// `None`, with anything written, where the processor has no quick way or the text is not ASCII.
pub fn write_ascii_words(
    text: &[u8],
    kind: AsciiWord,
    separator: u8,
    words: &mut [u8],
) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if words.len() >= room_for_ascii_words(text.len()) && is_quick() {
        #[expect(unsafe_code, reason = "calling code for a detected processor feature")]
        // SAFETY: the processor has AVX-512 with BW and VBMI2, and POPCNT.
        return unsafe { wide::write_words(text, kind, separator, words) };
    }
    let _ = (text, kind, separator, words);
    None
}

/// Calls `take` with the hash ([`term_hash`](crate::term_hash)) of every word among the first `length`
/// bytes of what [`write_ascii_words`] wrote, in their order.
pub fn visit_word_hashes(words: &[u8], length: usize, separator: u8, mut take: impl FnMut(u64)) {
    let (mut start, mut from) = (0, 0);
    while let Some(block) = words.get(from..).and_then(<[u8]>::first_chunk::<BLOCK>)
        && from < length
    {
        let mut ends = byte_bits(block, |byte| byte == separator);
        while ends != 0 {
            let end = from + ends.trailing_zeros() as usize;
            ends &= ends - 1;
            // What stands behind the words is left over from others.
            if end >= length {
                return;
            }
            take(padded_hash(words, start, end));
            start = end + 1;
        }
        from += BLOCK;
    }
}

/// Whether [`write_ascii_words`] works on this processor.
#[cfg(target_arch = "x86_64")]
#[inline]
pub fn is_quick() -> bool {
    use std::arch::is_x86_feature_detected as detected;
    detected!("avx512f") && detected!("avx512bw") && detected!("avx512vbmi2") && detected!("popcnt")
}

/// No other processor has such an instruction.
#[cfg(not(target_arch = "x86_64"))]
pub fn is_quick() -> bool {
    false
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::x86_64::{
        __m512i, _mm512_cmpeq_epi8_mask, _mm512_cmplt_epu8_mask, _mm512_mask_blend_epi8,
        _mm512_maskz_compress_epi8, _mm512_movepi8_mask, _mm512_or_si512, _mm512_set1_epi8,
        _mm512_sub_epi8,
    };

    use super::{AsciiWord, BLOCK};

    /// The words of a text, one block after the other; `None` where there is too little room, or
    /// another byte than those of ASCII.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
    pub(super) fn write_words(
        text: &[u8],
        kind: AsciiWord,
        separator: u8,
        words: &mut [u8],
    ) -> Option<usize> {
        let (blocks, rest) = text.as_chunks::<BLOCK>();
        let (mut written, mut in_word) = (0, 0);
        let mut take = |block: &[u8; BLOCK]| {
            if beyond_ascii(block) != 0 {
                return None;
            }
            let (front, n_bytes, is_open) = words_of_block(block, kind, separator, in_word);
            *words.get_mut(written..)?.first_chunk_mut::<BLOCK>()? = front;
            written += n_bytes;
            in_word = is_open;
            Some(())
        };
        for block in blocks {
            take(block)?;
        }
        // Blanks behind the end close the last word.
        let mut last = [b' '; BLOCK];
        last[..rest.len()].copy_from_slice(rest);
        take(&last)?;
        Some(written)
    }

    /// One bit for each byte that is not ASCII.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn beyond_ascii(block: &[u8; BLOCK]) -> u64 {
        _mm512_movepi8_mask(vector(*block))
    }

    /// What stays of a block, moved to its front; how many bytes that is; and whether it ends
    /// within a word, as 1 or 0.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
    fn words_of_block(
        block: &[u8; BLOCK],
        kind: AsciiWord,
        separator: u8,
        in_word: u64,
    ) -> ([u8; BLOCK], usize, u64) {
        let all = |byte: u8| _mm512_set1_epi8(byte.cast_signed());
        let below = |bytes: __m512i, first: u8, n: u8| {
            _mm512_cmplt_epu8_mask(_mm512_sub_epi8(bytes, all(first)), all(n))
        };
        let bytes = vector(*block);
        // Lower case for letters; what this makes of other bytes is not looked at, or separators.
        let lower = _mm512_or_si512(bytes, all(0x20));
        let letters = below(lower, b'a', 26);
        let digits = below(bytes, b'0', 10);
        let underscores = match kind {
            AsciiWord::AndUnderscore => _mm512_cmpeq_epi8_mask(bytes, all(b'_')),
            AsciiWord::LettersAndDigits => 0,
        };
        let run = letters | digits | underscores;
        let behind = (run << 1 | in_word) & !run;
        let shown = _mm512_mask_blend_epi8(letters, bytes, lower);
        let shown = _mm512_mask_blend_epi8(run, all(separator), shown);
        let keep = run | behind;
        let front = _mm512_maskz_compress_epi8(keep, shown);
        (array(front), keep.count_ones() as usize, run >> 63)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn vector(bytes: [u8; BLOCK]) -> __m512i {
        #[expect(unsafe_code, reason = "there is no other way into a register")]
        // SAFETY: any 64 bytes are a vector.
        unsafe {
            std::mem::transmute::<[u8; BLOCK], __m512i>(bytes)
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn array(vector: __m512i) -> [u8; BLOCK] {
        #[expect(unsafe_code, reason = "there is no other way out of a register")]
        // SAFETY: a vector is any 64 bytes.
        unsafe {
            std::mem::transmute::<__m512i, [u8; BLOCK]>(vector)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use xxhash_rust::xxh3::xxh3_64;

    use super::*;

    fn plain_words(text: &str, kind: AsciiWord, separator: u8) -> Vec<u8> {
        let belongs =
            |c: char| c.is_ascii_alphanumeric() || c == '_' && kind == AsciiWord::AndUnderscore;
        let mut words = Vec::new();
        for word in text.split(|c: char| !belongs(c)).filter(|word| !word.is_empty()) {
            words.extend(word.bytes().map(|byte| byte.to_ascii_lowercase()));
            words.push(separator);
        }
        words
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]
        #[test]
        fn words_are_those_between_other_bytes(
            text in "([a-zA-Z0-9_]{0,80}[ -~\n]{0,3}){0,6}|[\0-\u{7f}]{0,200}",
            underscore in any::<bool>(),
        ) {
            let kind =
                if underscore { AsciiWord::AndUnderscore } else { AsciiWord::LettersAndDigits };
            let mut words = vec![7; room_for_ascii_words(text.len())];
            if let Some(length) = write_ascii_words(text.as_bytes(), kind, 0x1f, &mut words) {
                let expected = plain_words(&text, kind, 0x1f);
                prop_assert_eq!(&words[..length], &expected);
                let mut hashes = Vec::new();
                visit_word_hashes(&words, length, 0x1f, |hash| hashes.push(hash));
                let each = expected.split(|byte| *byte == 0x1f).filter(|word| !word.is_empty());
                prop_assert_eq!(hashes, each.map(xxh3_64).collect::<Vec<_>>());
            } else {
                prop_assert!(!is_quick());
            }
        }
    }

    #[test]
    fn other_text_and_too_little_room_are_refused() {
        let mut words = vec![0; 200];
        let kind = AsciiWord::AndUnderscore;
        assert_eq!(write_ascii_words("café".as_bytes(), kind, b' ', &mut words), None);
        assert_eq!(write_ascii_words(b"tide", kind, b' ', &mut words[..68]), None);
    }
}
