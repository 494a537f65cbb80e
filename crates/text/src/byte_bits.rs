//! Which bytes of a block of 64 pass a test, one bit a byte.
//!
//! Written so that the compiler looks at sixteen bytes or more at once, whatever the processor: a
//! test of one byte without branches, the same for all.

/// Bytes that are looked at together.
pub const BLOCK: usize = 64;

/// One bit for each byte that passes; the test should have no branches.
#[inline]
pub fn byte_bits(block: &[u8; BLOCK], passes: impl Fn(u8) -> bool) -> u64 {
    // Moves the highest bits of eight bytes into the lowest byte, in order.
    const GATHER: u64 = 0x0002_0408_1020_4081;
    let marked = block.map(|byte| if passes(byte) { 0x80 } else { 0 });
    let mut bits = 0;
    for (index, bytes) in marked.as_chunks::<8>().0.iter().enumerate() {
        bits |= (u64::from_le_bytes(*bytes).wrapping_mul(GATHER) >> 56) << (8 * index);
    }
    bits
}

/// The first byte that passes; the test should have no branches.
#[inline]
pub(crate) fn first_byte(bytes: &[u8], passes: impl Fn(u8) -> bool) -> Option<usize> {
    // The rest of a text is mostly shorter than a block.
    const PART: usize = 16;
    let mut from = 0;
    while let Some(block) = bytes[from..].first_chunk::<BLOCK>() {
        let bits = byte_bits(block, &passes);
        if bits != 0 {
            return Some(from + bits.trailing_zeros() as usize);
        }
        from += BLOCK;
    }
    while let Some(part) = bytes[from..].first_chunk::<PART>() {
        let marked = part.map(|byte| u8::from(passes(byte)));
        let bits = u128::from_le_bytes(marked);
        if bits != 0 {
            return Some(from + bits.trailing_zeros() as usize / 8);
        }
        from += PART;
    }
    let last = bytes[from..].iter().position(|byte| passes(*byte));
    last.map(|place| from + place)
}

/// How many bytes pass; the test should have no branches.
#[inline]
pub(crate) fn count_bytes(bytes: &[u8], passes: impl Fn(u8) -> bool) -> usize {
    // Sums of so few fit into a byte, and so sixteen or more are added at once.
    const TOGETHER: usize = 128;
    let count = |part: &[u8]| part.iter().map(|byte| u8::from(passes(*byte))).sum::<u8>();
    bytes.chunks(TOGETHER).map(|part| usize::from(count(part))).sum()
}

/// One bit for each byte of this value, 64 bytes a word, appended to `bits`.
pub fn bits_of_byte(bytes: &[u8], wanted: u8, bits: &mut Vec<u64>) {
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    bits.extend(blocks.iter().map(|block| byte_bits(block, |byte| byte == wanted)));
    if !rest.is_empty() {
        let mut block = [!wanted; BLOCK];
        block[..rest.len()].copy_from_slice(rest);
        bits.push(byte_bits(&block, |byte| byte == wanted));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_its_bit_at_every_place() {
        for byte in 0..=u8::MAX {
            for place in 0..BLOCK {
                let mut block = [byte.wrapping_add(1); BLOCK];
                block[place] = byte;
                assert_eq!(byte_bits(&block, |b| b == byte), 1 << place);
            }
        }
    }

    #[test]
    fn the_first_byte_is_found_wherever_it_stands() {
        for length in 0..200 {
            for place in 0..=length {
                let mut bytes = vec![b'a'; length];
                bytes[place..].fill(b'.');
                let found = first_byte(&bytes, |byte| byte == b'.');
                assert_eq!(found, (place < length).then_some(place), "{length}");
            }
        }
    }

    #[test]
    #[expect(clippy::naive_bytecount, reason = "the plain way is what it is held to")]
    fn bytes_are_counted_in_texts_of_any_length() {
        for length in 0..600 {
            let bytes: Vec<u8> = (0..length).map(|i: usize| (i * i % 7) as u8).collect();
            let expected = bytes.iter().filter(|byte| **byte == 4).count();
            assert_eq!(count_bytes(&bytes, |byte| byte == 4), expected);
            assert_eq!(count_bytes(&bytes, |_| true), length);
        }
    }

    #[test]
    fn texts_of_any_length_have_a_bit_for_each_byte() {
        for length in (0..200).chain([1000]) {
            let bytes: Vec<u8> = (0..length).map(|i: usize| (i * i % 7) as u8).collect();
            let mut bits = Vec::new();
            bits_of_byte(&bytes, 4, &mut bits);
            assert_eq!(bits.len(), length.div_ceil(BLOCK));
            for place in 0..BLOCK * bits.len() {
                let is_set = bits[place / BLOCK] >> (place % BLOCK) & 1 == 1;
                assert_eq!(is_set, bytes.get(place) == Some(&4), "{place} of {length}");
            }
        }
    }
}
