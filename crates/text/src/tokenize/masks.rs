//! Which bytes of a block of 64 belong to words, one bit a byte.

pub(super) use crate::byte_bits::BLOCK;
use crate::byte_bits::byte_bits;

/// Which ASCII bytes belong to a run; bytes above 127 always do.
pub(crate) trait RunBytes {
    /// Whether a byte belongs to a run; for bytes above 127 the answer is not looked at.
    fn belongs(byte: u8) -> bool;
}

/// Letters, digits and underscore.
pub(crate) struct WordBytes;

/// Anything but white space and control characters.
pub(crate) struct NonSpaceBytes;

impl RunBytes for WordBytes {
    #[inline]
    fn belongs(byte: u8) -> bool {
        let is_letter = (byte | 0x20).wrapping_sub(b'a') < 26;
        let is_digit = byte.wrapping_sub(b'0') < 10;
        is_letter || is_digit || byte == b'_'
    }
}

impl RunBytes for NonSpaceBytes {
    #[inline]
    fn belongs(byte: u8) -> bool {
        byte.wrapping_sub(b' ' + 1) < 0x7F - (b' ' + 1)
    }
}

/// What is known of a block.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Masks {
    /// One bit per byte: the byte belongs to a run.
    pub(super) run: u64,
    /// Whether any byte of the block is above 127.
    pub(super) has_non_ascii: bool,
}

/// The masks of a block.
#[inline]
pub(super) fn masks<R: RunBytes>(block: &[u8; BLOCK]) -> Masks {
    const HIGHEST: u64 = u64::from_le_bytes([0x80; 8]);
    let run = byte_bits(block, |byte| R::belongs(byte) || byte >= 0x80);
    let words = block.as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes));
    Masks { run, has_non_ascii: words.fold(0, |all, word| all | word) & HIGHEST != 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn naive<R: RunBytes>(block: &[u8; BLOCK]) -> Masks {
        let bit =
            |(place, byte): (usize, &u8)| u64::from(!byte.is_ascii() || R::belongs(*byte)) << place;
        let run = block.iter().enumerate().map(bit).sum();
        Masks { run, has_non_ascii: !block.is_ascii() }
    }

    #[test]
    fn every_byte_has_its_bit_at_every_place() {
        for byte in 0..=u8::MAX {
            for place in 0..BLOCK {
                for around in [b' ', b'x', 0xE9] {
                    let mut block = [around; BLOCK];
                    block[place] = byte;
                    assert_eq!(masks::<WordBytes>(&block), naive::<WordBytes>(&block));
                    assert_eq!(masks::<NonSpaceBytes>(&block), naive::<NonSpaceBytes>(&block));
                }
            }
        }
    }

    #[test]
    fn words_are_letters_digits_and_underscores() {
        for byte in 0..128 {
            let character = char::from(byte);
            let is_word = character.is_ascii_alphanumeric() || character == '_';
            assert_eq!(WordBytes::belongs(byte), is_word, "{character:?}");
            assert_eq!(NonSpaceBytes::belongs(byte), character.is_ascii_graphic());
        }
    }
}
