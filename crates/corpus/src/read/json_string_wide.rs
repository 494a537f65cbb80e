//! JSON strings with escapes, 64 bytes at a time without a branch for any of them.
//!
//! What an escape stands for takes the place of its letter, and one instruction of recent processors moves
//! all bytes that stay to the front, over the backslashes. Strings with `\u` escapes go the other road there.

/// How far a look at many windows went.
pub(super) struct Progress {
    pub(super) read: usize,
    pub(super) written: usize,
    /// Whether the closing quote was read.
    pub(super) is_last: bool,
}

/// Undoes escapes of one letter from the beginning of `bytes` on, up to the closing quote, or as far as it
/// knows how; `text` has room for as many bytes as there are, and a window more.
///
/// `None` where the processor has no quick way.
pub(super) fn unescape_many(bytes: &[u8], text: &mut [u8]) -> Option<Progress> {
    #[cfg(target_arch = "x86_64")]
    if is_quick() {
        #[expect(unsafe_code, reason = "calling code for a detected processor feature")]
        // SAFETY: the processor has AVX-512 with BW, VBMI and VBMI2, and POPCNT.
        return Some(unsafe { wide::unescape_many(bytes, text) });
    }
    let _ = (bytes, text);
    None
}

/// Whether [`unescape_many`] works on this processor.
#[cfg(target_arch = "x86_64")]
fn is_quick() -> bool {
    use std::arch::is_x86_feature_detected as detected;
    detected!("avx512f")
        && detected!("avx512bw")
        && detected!("avx512vbmi")
        && detected!("avx512vbmi2")
        && detected!("popcnt")
}

/// The backslashes that begin an escape, and the letters behind them, given all backslashes of a window that
/// does not begin within an escape: those at every other place of a row of them.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
#[inline]
fn escapes(backslashes: u64) -> (u64, u64) {
    const ODD: u64 = 0xAAAA_AAAA_AAAA_AAAA;
    // Subtracting a row from the bits behind its places runs through it, and leaves every other bit.
    let alternating = ((backslashes << 1) | ODD).wrapping_sub(backslashes) ^ ODD;
    (alternating & backslashes, alternating ^ backslashes)
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::x86_64::{
        __m512i, _mm512_cmpeq_epi8_mask, _mm512_mask_blend_epi8, _mm512_mask_cmpeq_epi8_mask,
        _mm512_maskz_compress_epi8, _mm512_movepi8_mask, _mm512_permutex2var_epi8,
        _mm512_set1_epi8, _mm512_setzero_si512,
    };

    use super::super::json_string::{SINGLE, WINDOW};
    use super::{Progress, escapes};

    /// One window after the other.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,popcnt")]
    pub(super) fn unescape_many(bytes: &[u8], text: &mut [u8]) -> Progress {
        let (mut read, mut written) = (0, 0);
        while let Some(target) = text.get_mut(written..).and_then(<[u8]>::first_chunk_mut) {
            let rest = bytes.get(read..).unwrap_or_default();
            let step = if let Some(window) = rest.first_chunk() {
                unescape_window(window, target)
            } else {
                // Zeros behind the end are taken for nothing: only what a quote closes counts.
                let mut window = [0; WINDOW];
                window[..rest.len()].copy_from_slice(rest);
                unescape_window(&window, target).filter(|step| step.is_last)
            };
            let Some(step) = step else { break };
            (read, written) = (read + step.read, written + step.written);
            if step.is_last {
                return Progress { read, written, is_last: true };
            }
        }
        Progress { read, written, is_last: false }
    }

    /// A window; `None` where it has another escape than those of one letter.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,popcnt")]
    fn unescape_window(window: &[u8; WINDOW], target: &mut [u8; WINDOW]) -> Option<Progress> {
        let all = |byte: u8| _mm512_set1_epi8(byte.cast_signed());
        let bytes = vector(*window);
        let quotes = _mm512_cmpeq_epi8_mask(bytes, all(b'"'));
        let (escapes, letters) = escapes(_mm512_cmpeq_epi8_mask(bytes, all(b'\\')));
        let closing = quotes & !letters;
        // An escape whose letter stands behind the window is left for the next one.
        let cut = escapes >> 63;
        let within = closing.wrapping_sub(1) & !closing & u64::MAX >> cut;
        let letters = letters & within;
        let undone = _mm512_permutex2var_epi8(vector(LETTERS[0]), bytes, vector(LETTERS[1]));
        let unknown = _mm512_mask_cmpeq_epi8_mask(letters, undone, _mm512_setzero_si512());
        if (unknown | letters & _mm512_movepi8_mask(bytes)) != 0 {
            return None;
        }
        let stays = within & !escapes;
        let shown = _mm512_mask_blend_epi8(letters, bytes, undone);
        *target = array(_mm512_maskz_compress_epi8(stays, shown));
        let is_last = closing != 0;
        let read =
            if is_last { closing.trailing_zeros() as usize + 1 } else { WINDOW - cut as usize };
        Some(Progress { read, written: stays.count_ones() as usize, is_last })
    }

    /// What letters of ASCII stand for, in two halves.
    const LETTERS: [[u8; WINDOW]; 2] = {
        let mut halves = [[0; WINDOW]; 2];
        let mut letter = 0;
        while letter < 2 * WINDOW {
            halves[letter / WINDOW][letter % WINDOW] = SINGLE[letter];
            letter += 1;
        }
        halves
    };

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn vector(bytes: [u8; WINDOW]) -> __m512i {
        #[expect(unsafe_code, reason = "there is no other way into a register")]
        // SAFETY: any 64 bytes are a vector.
        unsafe {
            std::mem::transmute::<[u8; WINDOW], __m512i>(bytes)
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn array(vector: __m512i) -> [u8; WINDOW] {
        #[expect(unsafe_code, reason = "there is no other way out of a register")]
        // SAFETY: a vector is any 64 bytes.
        unsafe {
            std::mem::transmute::<__m512i, [u8; WINDOW]>(vector)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// One byte after the other.
    fn plain_escapes(backslashes: u64) -> (u64, u64) {
        let (mut begins, mut letters) = (0, 0);
        for place in 0..64 {
            if letters >> place & 1 == 0 && backslashes >> place & 1 == 1 {
                begins |= 1 << place;
                letters |= (1 << place) << 1;
            }
        }
        (begins, letters)
    }

    proptest! {
        #[test]
        fn every_other_backslash_of_a_row_begins_an_escape(
            bits: u64, others: u64, from in 0..64_u32, length in 0..64_u32,
        ) {
            let row = (u64::MAX >> length) << from;
            for backslashes in [bits, bits & others, bits | others, row, row & bits, row | bits] {
                prop_assert_eq!(escapes(backslashes), plain_escapes(backslashes));
            }
        }
    }
}
