//! Rabin fingerprints: a string, read as a polynomial over GF(2), modulo an irreducible one.
//!
//! Rabin 1981. The modulus is drawn at random, by a seed, so that no input is bad for everyone;
//! two different strings of n bits collide with probability at most n / 2^bits.

use crate::random::SplitMix64;

/// The residues modulo one irreducible polynomial, by tables: a byte at a time, or eight of 64 bits.
#[derive(Clone)]
pub struct Rabin {
    /// The modulus without its highest term, which is x^bits.
    modulus: u64,
    bits: u32,
    /// `i · x^bits · x^8k` modulo the polynomial, for every byte `i` that is shifted out with `k`
    /// bytes behind it.
    tables: Box<[[u64; 256]; 8]>,
}

impl std::fmt::Debug for Rabin {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Rabin(x^{} + {:#x})", self.bits, self.modulus)
    }
}

impl Rabin {
    /// Fingerprints of 32 or 64 bits; `None` for another width.
    pub fn new(bits: u32, seed: u64) -> Option<Self> {
        if !matches!(bits, 32 | 64) {
            return None;
        }
        let mut random = SplitMix64::new(seed);
        // One odd polynomial in about bits/2 is irreducible, so this ends soon.
        let modulus = loop {
            let candidate = (random.next_u64() >> (64 - bits)) | 1;
            if is_irreducible(candidate, bits) {
                break candidate;
            }
        };
        let mut tables = Box::new([[0; 256]; 8]);
        for byte in 0..256 {
            let mut residue = multiply(byte as u64, modulus, modulus, bits);
            for table in tables.iter_mut() {
                table[byte] = residue;
                residue = multiply(residue, 1 << 8, modulus, bits);
            }
        }
        Some(Self { modulus, bits, tables })
    }

    /// The fingerprint before the first byte: 1, so that leading zero bytes count.
    pub const START: u64 = 1;

    /// The fingerprint of what was read so far followed by `bytes`.
    pub fn update(&self, mut fingerprint: u64, bytes: &[u8]) -> u64 {
        if self.bits != 64 {
            return self.update_bytewise(fingerprint, bytes);
        }
        let (words, rest) = bytes.as_chunks();
        for word in words {
            // All of the residue is shifted out, by as many looks as it has bytes.
            let shifted_out = fingerprint.to_le_bytes();
            let terms = self.tables.iter().zip(shifted_out);
            let residue = terms.fold(0, |sum, (table, byte)| sum ^ table[byte as usize]);
            fingerprint = residue ^ u64::from_be_bytes(*word);
        }
        self.update_bytewise(fingerprint, rest)
    }

    fn update_bytewise(&self, fingerprint: u64, bytes: &[u8]) -> u64 {
        let mask = u64::MAX >> (64 - self.bits);
        bytes.iter().fold(fingerprint, |residue, &byte| {
            let shifted_out = (residue >> (self.bits - 8)) as usize & 0xff;
            (((residue << 8) | u64::from(byte)) & mask) ^ self.tables[0][shifted_out]
        })
    }

    /// The fingerprint of a string.
    pub fn fingerprint(&self, bytes: &[u8]) -> u64 {
        self.update(Self::START, bytes)
    }
}

/// The product of two residues; `modulus` lacks its highest term x^bits.
fn multiply(left: u64, right: u64, modulus: u64, bits: u32) -> u64 {
    let mask = u64::MAX >> (64 - bits);
    let mut product = 0;
    for position in (0..bits).rev() {
        let overflow = product >> (bits - 1) & 1;
        product = ((product << 1) & mask) ^ (overflow * modulus);
        product ^= (left >> position & 1) * right;
    }
    product
}

/// Rabin's test for a degree that is a power of two: x^(2^n) = x, and x^(2^(n/2)) - x shares no
/// factor with the polynomial.
fn is_irreducible(modulus: u64, bits: u32) -> bool {
    const X: u64 = 2;
    let square = |residue| multiply(residue, residue, modulus, bits);
    let half = (0..bits / 2).fold(X, |residue, _| square(residue));
    let whole = (0..bits / 2).fold(half, |residue, _| square(residue));
    let polynomial = 1u128 << bits | u128::from(modulus);
    whole == X && greatest_common_divisor(polynomial, u128::from(half ^ X)) == 1
}

fn greatest_common_divisor(mut left: u128, mut right: u128) -> u128 {
    while right != 0 {
        while left != 0 && left.leading_zeros() <= right.leading_zeros() {
            left ^= right << (right.leading_zeros() - left.leading_zeros());
        }
        std::mem::swap(&mut left, &mut right);
    }
    left
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Long division, one bit at a time.
    fn by_definition(bytes: &[u8], modulus: u64, bits: u32) -> u64 {
        let polynomial = 1u128 << bits | u128::from(modulus);
        let mut residue = 1u128;
        for bit in bytes.iter().flat_map(|byte| (0..8).rev().map(move |i| byte >> i & 1)) {
            residue = residue << 1 | u128::from(bit);
            if residue >> bits == 1 {
                residue ^= polynomial;
            }
        }
        residue as u64
    }

    #[test]
    fn known_polynomials_are_told_apart() {
        // x^64 + x^4 + x^3 + x + 1 and x^32 + x^7 + x^3 + x^2 + 1 are irreducible.
        assert!(is_irreducible(0b1_1011, 64));
        assert!(is_irreducible(0b1000_1101, 32));
        // x^64 + 1 = (x + 1)^64, and a polynomial without constant term is divisible by x.
        assert!(!is_irreducible(1, 64));
        assert!(!is_irreducible(0b1_1010, 64));
        // (x^32 + x^7 + x^3 + x^2 + 1)^2: every factor has degree 32.
        assert!(!is_irreducible(1 << 14 | 1 << 6 | 1 << 4 | 1, 64));
    }

    #[test]
    fn other_widths_are_refused() {
        assert!(Rabin::new(48, 0).is_none());
    }

    #[test]
    fn the_modulus_of_a_seed_never_changes() {
        assert_eq!(format!("{:?}", Rabin::new(64, 1).unwrap()), "Rabin(x^64 + 0xfd845ef300ce2d0b)");
        assert_eq!(format!("{:?}", Rabin::new(32, 1).unwrap()), "Rabin(x^32 + 0xc43407d)");
    }

    #[test]
    fn leading_zero_bytes_count() {
        let rabin = Rabin::new(64, 7).unwrap();
        assert_ne!(rabin.fingerprint(b"\0a"), rabin.fingerprint(b"a"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn tables_give_what_long_division_gives(bytes: Vec<u8>, seed in 0u64..4) {
            for bits in [32, 64] {
                let rabin = Rabin::new(bits, seed).unwrap();
                let expected = by_definition(&bytes, rabin.modulus, bits);
                prop_assert_eq!(rabin.fingerprint(&bytes), expected);
            }
        }

        #[test]
        fn fingerprints_are_linear_and_extend(left: [u8; 24], right: [u8; 24]) {
            let rabin = Rabin::new(64, 1).unwrap();
            let sum: Vec<u8> = left.iter().zip(&right).map(|(l, r)| l ^ r).collect();
            let residue = |bytes: &[u8]| rabin.update(0, bytes);
            prop_assert_eq!(residue(&sum), residue(&left) ^ residue(&right));
            let whole = rabin.fingerprint(&[left, right].concat());
            prop_assert_eq!(whole, rabin.update(rabin.fingerprint(&left), &right));
        }
    }
}
