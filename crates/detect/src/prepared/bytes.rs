//! A prepared document as bytes that any later run of the same method reads: `docs/formats.md`.

use xxhash_rust::xxh3::xxh3_64;

use super::{Evidence, Prepared};
use crate::{BucketKey, Features, Signature};

/// The version of the bytes that this program writes and reads; in version 1 the identity was a
/// digest of the text alone.
pub const PREPARED_FORMAT_VERSION: u16 = 2;

const MAGIC: &[u8; 4] = b"LKPD";
const HEADER_LENGTH: usize = 64;
const CHECKSUM_LENGTH: usize = 8;

/// Bytes that are not a prepared document that a method can use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PreparedError {
    /// Something else altogether.
    #[error("these bytes are not a prepared document")]
    NotPrepared,
    /// Written by another release.
    #[error(
        "the prepared document has format version {found}, this program reads version {expected}; \
         prepare the document again, or use the release that wrote it"
    )]
    Version {
        /// The version in the bytes.
        found: u16,
        /// The version this program reads.
        expected: u16,
    },
    /// Prepared by another method, with other parameters or with other artefacts.
    #[error(
        "the document was prepared by a method with fingerprint {found:032x}, this one has \
         {expected:032x}: configuration, statistics, model and boilerplate must be the same; \
         prepare the document again"
    )]
    Method {
        /// The fingerprint in the bytes.
        found: u128,
        /// The fingerprint of the method that reads them.
        expected: u128,
    },
    /// The bytes end too early or go on too long.
    #[error(
        "the prepared document is {found} bytes long where its header says {expected}; read it \
         again from where it was stored, or prepare it again"
    )]
    Length {
        /// The bytes there are.
        found: u64,
        /// The bytes there should be.
        expected: u64,
    },
    /// The bytes are not those that were written.
    #[error(
        "the prepared document is damaged (its checksum does not fit); read it again from where it \
         was stored, or prepare it again"
    )]
    Checksum,
    /// Intact, but not what the method prepares.
    #[error("the prepared document cannot be understood: {0}")]
    Content(&'static str),
}

impl Prepared {
    /// The document as bytes; the same document gives the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let signature = self.evidence.signature().map_or(&[][..], |signature| &signature.0);
        let mut features = Vec::new();
        if let Some(found) = self.evidence.features() {
            found.encode(&mut features);
        }
        let n_words = self.keys.len() + signature.len() + features.len();
        let mut bytes = Vec::with_capacity(HEADER_LENGTH + 8 * n_words + CHECKSUM_LENGTH);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&PREPARED_FORMAT_VERSION.to_le_bytes());
        bytes.extend_from_slice(&[self.evidence.tag(), 0]);
        bytes.extend_from_slice(&self.method.to_le_bytes());
        bytes.extend_from_slice(&self.identity.to_le_bytes());
        for length in [self.keys.len(), signature.len(), features.len()] {
            bytes.extend_from_slice(&(length as u64).to_le_bytes());
        }
        let keys = self.keys.iter().map(|key| key.0);
        for word in keys.chain(signature.iter().copied()).chain(features) {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        let checksum = xxh3_64(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads the bytes that [`Prepared::to_bytes`] wrote, for the method that they name: for
    /// programs that hand prepared documents on, and compare them by a method of their own.
    ///
    /// # Errors
    /// Bytes of another kind or version, cut short, or changed since they were written.
    pub fn of_any_method(bytes: &[u8]) -> Result<Self, PreparedError> {
        Self::from_bytes(bytes, Header::read(bytes)?.method)
    }

    /// Reads the bytes that [`Prepared::to_bytes`] wrote for a method with this fingerprint.
    pub(crate) fn from_bytes(bytes: &[u8], method: u128) -> Result<Self, PreparedError> {
        let header = Header::read(bytes)?;
        if header.method != method {
            return Err(PreparedError::Method { found: header.method, expected: method });
        }
        let content = &bytes[HEADER_LENGTH..bytes.len() - CHECKSUM_LENGTH];
        let words: Vec<u64> =
            content.as_chunks().0.iter().map(|chunk| u64::from_le_bytes(*chunk)).collect();
        let (keys, rest) = words.split_at(header.n_keys);
        let (signature, mut features) = rest.split_at(header.n_signature_words);
        if !keys.is_sorted_by(|left, right| left < right) {
            return Err(PreparedError::Content("its keys are out of order"));
        }
        let fits = match header.tag {
            0 => rest.is_empty(),
            1 => features.is_empty(),
            2 => signature.is_empty(),
            _ => true,
        };
        if !fits || header.unused != 0 {
            return Err(PreparedError::Content("it has parts that it does not name"));
        }
        let mut read_features = || {
            let read = Features::decode(&mut features).filter(|_| features.is_empty());
            read.ok_or(PreparedError::Content("its features are cut wrongly"))
        };
        let signature = Signature(signature.to_vec());
        let evidence = match header.tag {
            0 => Evidence::Keys,
            1 => Evidence::Signature(signature),
            2 => Evidence::Features(read_features()?),
            3 => Evidence::Both(signature, read_features()?),
            _ => return Err(PreparedError::Content("it has parts of an unknown kind")),
        };
        let keys = keys.iter().map(|key| BucketKey(*key)).collect();
        Ok(Self { method, identity: header.identity, keys, evidence })
    }
}

struct Header {
    tag: u8,
    /// A byte that means nothing yet.
    unused: u8,
    method: u128,
    identity: u128,
    n_keys: usize,
    n_signature_words: usize,
}

impl Header {
    /// Reads the header and checks that what follows is as long as it says, and intact.
    fn read(bytes: &[u8]) -> Result<Self, PreparedError> {
        if !bytes.starts_with(MAGIC) {
            return Err(PreparedError::NotPrepared);
        }
        let found = bytes.len() as u64;
        let too_short =
            PreparedError::Length { found, expected: (HEADER_LENGTH + CHECKSUM_LENGTH) as u64 };
        let version = field(bytes, 4).map(u16::from_le_bytes).ok_or(too_short.clone())?;
        if version != PREPARED_FORMAT_VERSION {
            return Err(PreparedError::Version {
                found: version,
                expected: PREPARED_FORMAT_VERSION,
            });
        }
        let number = |from: usize| field(bytes, from).map(u64::from_le_bytes);
        let wide = |from: usize| field(bytes, from).map(u128::from_le_bytes);
        let read = || Some((wide(8)?, wide(24)?, [number(40)?, number(48)?, number(56)?]));
        let (method, identity, lengths) = read().ok_or(too_short)?;
        let n_words: u128 = lengths.iter().map(|length| u128::from(*length)).sum();
        let expected = 8 * n_words + (HEADER_LENGTH + CHECKSUM_LENGTH) as u128;
        if u128::from(found) != expected {
            let expected = u64::try_from(expected).unwrap_or(u64::MAX);
            return Err(PreparedError::Length { found, expected });
        }
        let (content, checksum) = bytes.split_at(bytes.len() - CHECKSUM_LENGTH);
        if xxh3_64(content).to_le_bytes() != checksum {
            return Err(PreparedError::Checksum);
        }
        let [n_keys, n_signature_words, _] = lengths.map(|length| length as usize);
        Ok(Self { tag: bytes[6], unused: bytes[7], method, identity, n_keys, n_signature_words })
    }
}

/// The bytes of a field of the header.
fn field<const LENGTH: usize>(bytes: &[u8], from: usize) -> Option<[u8; LENGTH]> {
    bytes.get(from..)?.first_chunk().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes with one changed, and the checksum that they need then.
    fn changed(mut bytes: Vec<u8>, place: usize, value: u8) -> Vec<u8> {
        bytes[place] = value;
        let end = bytes.len() - CHECKSUM_LENGTH;
        let checksum = xxh3_64(&bytes[..end]).to_le_bytes();
        bytes[end..].copy_from_slice(&checksum);
        bytes
    }

    #[test]
    fn bytes_that_are_not_written_so_are_refused() {
        let signature = Evidence::Signature(Signature(vec![3]));
        let prepared =
            Prepared { method: 7, identity: 9, keys: vec![BucketKey(1)], evidence: signature };
        let bytes = prepared.to_bytes();
        assert!(Prepared::from_bytes(&bytes, 7).is_ok());
        // A byte that is always 0, and a signature beside keys alone.
        for (place, value) in [(7, 128), (6, 0), (6, 2)] {
            let refused = Prepared::from_bytes(&changed(bytes.clone(), place, value), 7);
            assert!(matches!(refused, Err(PreparedError::Content(_))), "{place} {value}");
        }
    }
}
