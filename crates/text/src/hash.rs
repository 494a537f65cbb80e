//! The hash of a term, and a quicker way to the same value for short ASCII terms.

use std::hint::select_unpredictable;

use xxhash_rust::xxh3::xxh3_64;

/// The hash by which a term is known everywhere: signatures, statistics, models.
///
/// XXH3-64 with seed 0 over the term's UTF-8 bytes: a public specification, so that another
/// program can compute the same value.
#[inline]
pub fn term_hash(term: &str) -> u64 {
    xxh3_64(term.as_bytes())
}

/// How many bytes behind a term [`padded_hash`] may look at.
pub(crate) const HASH_PADDING: usize = 16;

/// [`term_hash`] of `buffer[start..end]`, where at least [`HASH_PADDING`] bytes follow `start`.
///
/// Most words have at most eight letters. With the bytes behind the word readable, its first and
/// last bytes come out of one register by shifting, where the general function branches on the
/// length to choose its loads; on running text those branches are mispredicted all the time.
#[inline]
pub(crate) fn padded_hash(buffer: &[u8], start: usize, end: usize) -> u64 {
    let length = end - start;
    match buffer.get(start..).and_then(<[u8]>::first_chunk::<HASH_PADDING>) {
        Some(window) if length.wrapping_sub(1) < HASH_PADDING => {
            let both = u128::from_le_bytes(*window);
            let (low, high) = (both as u64, (both >> 64) as u64);
            if length <= 8 {
                hash_up_to_8(low, length as u32)
            } else {
                hash_9_to_16(low, high, length as u32)
            }
        }
        _ => general_hash(&buffer[start..end]),
    }
}

/// Kept out of the way, so that the quick part is small enough to be inlined.
#[cold]
#[inline(never)]
pub(crate) fn general_hash(term: &[u8]) -> u64 {
    xxh3_64(term)
}

// Constants of the XXH3 specification: pairs of words of the default secret, already combined as
// seed 0 combines them, and the multipliers of the mixing steps.
const FLIP_1_TO_3: u64 = 0x8727_5A9B;
const FLIP_4_TO_8: u64 = 0xC73A_B174_C5EC_D5A2;
const FLIP_9_TO_16_LOW: u64 = 0x6782_737B_EA42_39B9;
const FLIP_9_TO_16_HIGH: u64 = 0xAF56_BC3B_0996_523A;
const PRIME64_2: u64 = 0xC2B2_AE3D_27D4_EB4F;
const PRIME64_3: u64 = 0x1656_67B1_9E37_79F9;
const PRIME_MX1: u64 = 0x1656_6791_9E37_79F9;
const PRIME_MX2: u64 = 0x9FB2_1C65_1E98_DF25;

#[inline]
fn hash_up_to_8(word: u64, length: u32) -> u64 {
    // Both are computed: words of three and of four letters follow each other at random.
    select_unpredictable(length >= 4, hash_4_to_8(word, length), hash_1_to_3(word, length))
}

/// Of a term of one to three bytes; any value for other lengths.
#[inline]
pub(crate) fn hash_1_to_3(word: u64, length: u32) -> u64 {
    let first = word & 0xFF;
    let middle = word.wrapping_shr(8 * (length >> 1)) & 0xFF;
    let last = word.wrapping_shr(length.wrapping_sub(1).wrapping_mul(8)) & 0xFF;
    let combined = first << 16 | middle << 24 | last | u64::from(length) << 8;
    let mut hash = combined ^ FLIP_1_TO_3;
    hash = (hash ^ hash >> 33).wrapping_mul(PRIME64_2);
    hash = (hash ^ hash >> 29).wrapping_mul(PRIME64_3);
    hash ^ hash >> 32
}

/// Of a term of four to eight bytes; any value for other lengths.
#[inline]
pub(crate) fn hash_4_to_8(word: u64, length: u32) -> u64 {
    let first = word & 0xFFFF_FFFF;
    let last = word.wrapping_shr(length.wrapping_sub(4).wrapping_mul(8)) & 0xFFFF_FFFF;
    let mut hash = (last | first << 32) ^ FLIP_4_TO_8;
    hash ^= hash.rotate_left(49) ^ hash.rotate_left(24);
    hash = hash.wrapping_mul(PRIME_MX2);
    hash ^= (hash >> 35).wrapping_add(u64::from(length));
    hash = hash.wrapping_mul(PRIME_MX2);
    hash ^ hash >> 28
}

/// Of a term of nine to sixteen bytes.
#[inline]
pub(crate) fn hash_9_to_16(low: u64, high: u64, length: u32) -> u64 {
    let both = u128::from(high) << 64 | u128::from(low);
    let last = (both >> (8 * (length - 8))) as u64;
    let low = low ^ FLIP_9_TO_16_LOW;
    let high = last ^ FLIP_9_TO_16_HIGH;
    let product = u128::from(low) * u128::from(high);
    let mut hash = u64::from(length)
        .wrapping_add(low.swap_bytes())
        .wrapping_add(high)
        .wrapping_add(product as u64 ^ (product >> 64) as u64);
    hash = (hash ^ hash >> 37).wrapping_mul(PRIME_MX1);
    hash ^ hash >> 32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn the_quick_hash_is_the_published_hash(
            bytes in proptest::collection::vec(any::<u8>(), 0..200),
            start in 0usize..40,
            length in 0usize..40,
        ) {
            let start = start.min(bytes.len());
            let end = (start + length).min(bytes.len());
            prop_assert_eq!(padded_hash(&bytes, start, end), xxh3_64(&bytes[start..end]));
        }
    }

    #[test]
    fn term_hashes_never_change() {
        // Values of the reference implementation: `xxhsum -H3`.
        assert_eq!(term_hash(""), 0x2d06_8005_38d3_94c2);
        assert_eq!(term_hash("a"), 0xe6c6_32b6_1e96_4e1f);
    }
}
