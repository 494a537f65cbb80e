//! Digests of a set of terms: equal sets, equal digests.

use serde::{Deserialize, Serialize};
use sha1::{Digest as _, Sha1};

use crate::random::mix64;
use crate::represent::TERM_SEPARATOR;

/// A digest of 128 bits; all zero stands for *none*.
pub(crate) type TermDigest = [u64; 2];

/// How the retained terms become one value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DigestRule {
    /// The paper's: SHA-1 over the terms in ascending Unicode order, of which 128 bits are kept.
    #[default]
    Sha1,
    /// The sum of the terms' mixed hashes, 128 bits: needs no order and no texts.
    Sum,
}

/// SHA-1 over terms that come in ascending order, a separator after each; the first 128 bits.
pub fn sha1_of_terms<'a>(terms: impl Iterator<Item = &'a str>) -> [u64; 2] {
    let mut hasher = Sha1::new();
    for term in terms {
        hasher.update(term.as_bytes());
        hasher.update([TERM_SEPARATOR]);
    }
    truncated(&hasher.finalize().into())
}

/// SHA-1 over text in which [`TERM_SEPARATOR`] follows each term.
pub(crate) fn sha1_of_separated(text: &[u8]) -> TermDigest {
    truncated(&Sha1::digest(text).into())
}

fn truncated(digest: &[u8; 20]) -> TermDigest {
    let word = |bytes: &[u8]| bytes.iter().fold(0, |word, &byte| word << 8 | u64::from(byte));
    [word(&digest[..8]), word(&digest[8..16])]
}

/// What one term adds to a sum.
#[inline]
pub(crate) fn summand(term: u64) -> TermDigest {
    // Two words from one hash: the constants only make the two mixings unlike.
    [mix64(term ^ 0x243f_6a88_85a3_08d3), mix64(term ^ 0x1319_8a2e_0370_7344)]
}

/// The sum of the terms with these hashes, in any order.
pub(crate) fn sum_of_terms(terms: impl Iterator<Item = u64>) -> TermDigest {
    terms
        .map(summand)
        .fold([0, 0], |sum, word| [sum[0].wrapping_add(word[0]), sum[1].wrapping_add(word[1])])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sha1_is_that_of_the_terms_with_their_separator() {
        // printf 'ferry\x1fharbor\x1f' | sha1sum
        let digest = sha1_of_terms(["ferry", "harbor"].into_iter());
        assert_eq!(digest, sha1_of_separated(b"ferry\x1fharbor\x1f"));
        assert_eq!(digest, SHA1_OF_FERRY_HARBOR);
    }

    const SHA1_OF_FERRY_HARBOR: TermDigest = [0x4908_df85_4b9b_7d39, 0x1da7_dfe9_4ed8_2f81];

    #[test]
    fn sums_do_not_depend_on_order_but_on_every_term() {
        let sum = |terms: &[u64]| sum_of_terms(terms.iter().copied());
        assert_eq!(sum(&[1, 2, 3]), sum(&[3, 1, 2]));
        assert_ne!(sum(&[1, 2, 3]), sum(&[1, 2]));
        assert_ne!(sum(&[1, 2, 3]), sum(&[1, 2, 4]));
    }
}
