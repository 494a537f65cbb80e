//! Names, headers and errors of files.

use xxhash_rust::xxh3::xxh3_64;

use crate::bytes::{Put, Take};
use crate::error::{Result, StoreError};
use crate::{ReadFile, Storage};

pub(crate) const VERSION: u32 = 2;
pub(crate) const HEADER_BYTES: usize = 40;
/// Where a header names its index.
const INDEX_AT: usize = 16;
pub(crate) const MANIFEST: &str = "MANIFEST";
pub(crate) const NEW_MANIFEST: &str = "MANIFEST.new";
pub(crate) const LOCK: &str = "LOCK";

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Manifest,
    Log,
    Segment,
    Dead,
    Judgments,
    Attachment,
}

impl Kind {
    const NUMBERED: [Self; 5] =
        [Self::Log, Self::Segment, Self::Dead, Self::Judgments, Self::Attachment];

    fn magic(self) -> &'static [u8; 8] {
        match self {
            Self::Manifest => b"LKLKMANI",
            Self::Log => b"LKLKLOG_",
            Self::Segment => b"LKLKSEGM",
            Self::Dead => b"LKLKDEAD",
            Self::Judgments => b"LKLKJUDG",
            Self::Attachment => b"LKLKATTA",
        }
    }

    fn stem(self) -> &'static str {
        match self {
            Self::Manifest => MANIFEST,
            Self::Log => "log",
            Self::Segment => "segment",
            Self::Dead => "dead",
            Self::Judgments => "judgments",
            Self::Attachment => "attachment",
        }
    }

    /// The name of a numbered file.
    pub fn name(self, number: u32) -> String {
        format!("{}-{number}", self.stem())
    }
}

/// The kind and the number that the name of a numbered file says.
fn named(name: &str) -> Option<(Kind, u32)> {
    let (stem, number) = name.rsplit_once('-')?;
    let kind = Kind::NUMBERED.into_iter().find(|kind| kind.stem() == stem)?;
    Some((kind, number.parse().ok()?))
}

/// The number of a file that a writer may delete when no manifest names it: one that a writer of this index
/// has begun, of any index where none is given. A file that only has such a name is somebody's.
pub(crate) fn number_of_own(storage: &dyn Storage, name: &str, index: Option<u128>) -> Option<u32> {
    let (kind, number) = named(name)?;
    let file = storage.open(name).ok()?;
    let mut found = [0; HEADER_BYTES];
    let length = file.length().ok()?.min(HEADER_BYTES as u64) as usize;
    file.read_at(0, &mut found[..length]).ok()?;
    let found = &found[..length];
    // A crash may leave a header short, or a sector that was never written.
    let known = if index.is_some() { HEADER_BYTES } else { INDEX_AT };
    let header = FileIdentity { kind, number, index: index.unwrap_or_default() }.header();
    let begins = found[..length.min(known)] == header[..length.min(known)];
    (begins || found.iter().all(|byte| *byte == 0)).then_some(number)
}

/// Which index a file belongs to, and which of its files it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileIdentity {
    pub kind: Kind,
    pub number: u32,
    pub index: u128,
}

impl FileIdentity {
    pub fn header(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER_BYTES);
        bytes.extend_from_slice(self.kind.magic());
        bytes.put_u32(VERSION);
        bytes.put_u32(self.number);
        bytes.extend_from_slice(&self.index.to_le_bytes());
        let checksum = xxh3_64(&bytes);
        bytes.put_u64(checksum);
        bytes
    }

    /// The checksum at the end of the header.
    pub fn checksum(&self) -> u64 {
        xxh3_64(&self.header()[..HEADER_BYTES - 8])
    }

    /// What blocks of the file are seeded with, apart from their place.
    pub fn seed(&self) -> u64 {
        self.index as u64 ^ u64::from(self.number) << 40
    }

    /// Checks a file's header against what it must be.
    pub fn check(&self, file: &dyn ReadFile, name: &str) -> Result<()> {
        let mut found = [0; HEADER_BYTES];
        read(file, 0, &mut found, name)?;
        if found[..] == self.header()[..] {
            return Ok(());
        }
        let index = check_header(&found, self.kind, name)?;
        let what =
            if index == self.index { "is another file of it" } else { "is of another index" };
        Err(damaged(name, format!("by its header it {what}")))
    }
}

/// Checks a header whose index is not known yet; returns the index's identity.
pub(crate) fn check_header(found: &[u8; HEADER_BYTES], kind: Kind, name: &str) -> Result<u128> {
    let mut take = Take(found);
    let magic = take.slice(8);
    let (version, _) = (take.u32().unwrap_or_default(), take.u32());
    let index = take.slice(16).and_then(|bytes| bytes.try_into().ok()).map(u128::from_le_bytes);
    if magic != Some(kind.magic()) {
        return Err(damaged(name, "it does not begin as such a file does".into()));
    }
    if take.u64() != Some(xxh3_64(&found[..HEADER_BYTES - 8])) {
        return Err(damaged(name, "the checksum of its header does not fit".into()));
    }
    if version != VERSION {
        return Err(StoreError::Version { file: name.into(), found: version, expected: VERSION });
    }
    Ok(index.unwrap_or_default())
}

pub(crate) fn damaged(file: &str, what: String) -> StoreError {
    StoreError::Damaged { file: file.to_owned(), what }
}

pub(crate) fn io(action: &'static str, file: &str) -> impl FnOnce(std::io::Error) -> StoreError {
    let file = file.to_owned();
    move |source| StoreError::Io { action, file, source }
}

/// Reads exactly; a file that ends too early is damaged.
pub(crate) fn read(file: &dyn ReadFile, place: u64, buffer: &mut [u8], name: &str) -> Result<()> {
    file.read_at(place, buffer).map_err(|source| match source.kind() {
        std::io::ErrorKind::UnexpectedEof => {
            damaged(name, format!("it ends before byte {}", place + buffer.len() as u64))
        }
        _ => io("read", name)(source),
    })
}

/// Opens a file that the manifest names.
pub(crate) fn open(storage: &dyn Storage, name: &str) -> Result<std::sync::Arc<dyn ReadFile>> {
    let described = storage.describe(name);
    storage.open(name).map_err(|source| match source.kind() {
        std::io::ErrorKind::NotFound => StoreError::Missing { file: described },
        _ => io("open", &described)(source),
    })
}
