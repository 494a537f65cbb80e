//! The file of a set of boilerplate paragraphs.
//!
//! Version 1, all numbers little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `LOOKBOIL` |
//! | 4 | format version |
//! | 4 | 0 |
//! | 8 | paragraphs, n |
//! | 8 n | hashes of the paragraphs ([`super::paragraph_hash`]), ascending, each once |
//! | 8 | XXH3-64 of all bytes before |

use xxhash_rust::xxh3::xxh3_64;

use super::BoilerplateSet;

/// The version of the file format that this program writes and reads.
pub const BOILERPLATE_FORMAT_VERSION: u32 = 1;

const MAGIC: &[u8; 8] = b"LOOKBOIL";
const HEADER_LENGTH: usize = 24;
const CHECKSUM_LENGTH: usize = 8;

/// Bytes that are not a boilerplate file this program can use, in a sentence that says what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BoilerplateError {
    /// The bytes are of another kind.
    #[error(
        "this is not a boilerplate file; a run with `ignore-boilerplate` and `write-artifacts` \
         makes one"
    )]
    NotBoilerplate,
    /// The file was written by another release.
    #[error(
        "the boilerplate file has format version {found}, this program reads version {expected}; \
         make it again with this release, or use the release that wrote it"
    )]
    Version {
        /// The version in the file.
        found: u32,
        /// The version this program reads.
        expected: u32,
    },
    /// The file ends too early or goes on too long.
    #[error(
        "the boilerplate file is {found} bytes long where its header says {expected}; copy it \
         again, or make it again"
    )]
    Length {
        /// The bytes there are.
        found: u64,
        /// The bytes there should be.
        expected: u64,
    },
    /// The bytes are not those that were written.
    #[error(
        "the boilerplate file is damaged (its checksum does not fit); copy it again, or make it \
         again"
    )]
    Checksum,
    /// The content contradicts itself.
    #[error("the boilerplate file cannot be understood ({0}); make it again")]
    Content(&'static str),
}

impl BoilerplateSet {
    /// The set as the bytes of a file; the same content gives the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let hashes = self.hashes();
        let mut bytes = Vec::with_capacity(HEADER_LENGTH + 8 * hashes.len() + CHECKSUM_LENGTH);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&BOILERPLATE_FORMAT_VERSION.to_le_bytes());
        bytes.extend_from_slice(&[0; 4]);
        bytes.extend_from_slice(&(hashes.len() as u64).to_le_bytes());
        for hash in hashes {
            bytes.extend_from_slice(&hash.to_le_bytes());
        }
        let checksum = xxh3_64(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads the bytes that [`BoilerplateSet::to_bytes`] wrote.
    ///
    /// # Errors
    /// Bytes of another kind or version, cut short, or changed since they were written.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BoilerplateError> {
        if !bytes.starts_with(MAGIC) {
            return Err(BoilerplateError::NotBoilerplate);
        }
        let number = |from: usize| {
            let chunk = bytes.get(from..)?.first_chunk()?;
            Some(u64::from_le_bytes(*chunk))
        };
        let found = bytes.len() as u64;
        let shortest = (HEADER_LENGTH + CHECKSUM_LENGTH) as u64;
        let too_short = BoilerplateError::Length { found, expected: shortest };
        let version = number(8).ok_or(too_short.clone())? as u32;
        if version != BOILERPLATE_FORMAT_VERSION {
            return Err(BoilerplateError::Version {
                found: version,
                expected: BOILERPLATE_FORMAT_VERSION,
            });
        }
        let n_paragraphs = number(16).ok_or(too_short)?;
        let expected = n_paragraphs.saturating_mul(8).saturating_add(shortest);
        if found != expected {
            return Err(BoilerplateError::Length { found, expected });
        }
        let (content, checksum) = bytes.split_at(bytes.len() - CHECKSUM_LENGTH);
        if xxh3_64(content).to_le_bytes() != checksum {
            return Err(BoilerplateError::Checksum);
        }
        let hashes = content[HEADER_LENGTH..].as_chunks().0;
        let hashes: Vec<u64> = hashes.iter().map(|hash| u64::from_le_bytes(*hash)).collect();
        if !hashes.is_sorted_by(|left, right| left < right) {
            return Err(BoilerplateError::Content("its paragraphs are out of order"));
        }
        Ok(hashes.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_survives_its_file() {
        for hashes in [vec![], vec![3, u64::MAX, 1, 3]] {
            let set: BoilerplateSet = hashes.into_iter().collect();
            let read = BoilerplateSet::from_bytes(&set.to_bytes()).unwrap();
            assert_eq!(read, set);
            assert_eq!(read.fingerprint(), set.fingerprint());
        }
    }

    #[test]
    fn every_cut_and_every_changed_byte_is_refused() {
        let bytes = [1, 2, 3].into_iter().collect::<BoilerplateSet>().to_bytes();
        for place in 0..bytes.len() {
            assert!(BoilerplateSet::from_bytes(&bytes[..place]).is_err(), "cut at {place}");
            let mut changed = bytes.clone();
            changed[place] ^= 0x10;
            assert!(BoilerplateSet::from_bytes(&changed).is_err(), "changed at {place}");
        }
        let mut longer = bytes;
        longer.push(0);
        assert!(matches!(
            BoilerplateSet::from_bytes(&longer),
            Err(BoilerplateError::Length { found: 57, expected: 56 })
        ));
    }
}
