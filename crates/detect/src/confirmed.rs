//! When two documents count as copies without being compared.
//!
//! A text is known by its XXH3-128 digest, which costs next to nothing, but for which two texts of
//! the same digest can be written on purpose: its lanes are sums of products with a public secret.
//! So a copy must also look the same to the method. The bucket keys are there anyway, and SHA-256
//! binds them to the digest: two documents share a confirmed identity only where digest and keys
//! are both equal. What can still be forged is a pair that the method's keys cannot tell apart
//! either.

use sha2::{Digest as _, Sha256};

use crate::BucketKey;

/// The identity of a document from the digest of what the method sees and its bucket keys, which
/// are distinct and in ascending order.
pub fn confirmed_identity(digest: u128, keys: &[BucketKey]) -> u128 {
    let mut hasher = Sha256::new();
    hasher.update(digest.to_le_bytes());
    for some in keys.chunks(8) {
        let mut bytes = [0; 64];
        for (place, key) in bytes.as_chunks_mut().0.iter_mut().zip(some) {
            *place = key.0.to_le_bytes();
        }
        hasher.update(&bytes[..8 * some.len()]);
    }
    let digest: [u8; 32] = hasher.finalize().into();
    u128::from_le_bytes(*digest.as_chunks().0.first().unwrap_or(&[0; 16]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digest_and_keys_both_count() {
        let keys = |keys: &[u64]| keys.iter().copied().map(BucketKey).collect::<Vec<_>>();
        let twelve: Vec<u64> = (0..12).collect();
        let identity = confirmed_identity(7, &keys(&twelve));
        assert_eq!(identity, confirmed_identity(7, &keys(&twelve)));
        assert_ne!(identity, confirmed_identity(8, &keys(&twelve)));
        assert_ne!(identity, confirmed_identity(7, &keys(&twelve[..11])));
        assert_ne!(confirmed_identity(7, &[]), confirmed_identity(8, &[]));
        // printf '\x07\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0' | sha256sum
        assert_eq!(confirmed_identity(7, &keys(&[3])), SHA256_OF_7_AND_3);
    }

    const SHA256_OF_7_AND_3: u128 = 0x9fba_93e8_76e9_b740_d494_abae_011c_6054;
}
