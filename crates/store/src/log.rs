//! The log: batches that are not in a segment yet, each durable before it is acknowledged.

use xxhash_rust::xxh3::{Xxh3, xxh3_64_with_seed};

use crate::bytes::{Piece, Put, Take};
use crate::error::{Result, StoreError};
use crate::files::{FileIdentity, HEADER_BYTES, damaged, io, read};
use crate::{Judgment, ReadFile, Storage, WriteFile};

const SECTOR: usize = 512;
const PREFIX_BYTES: usize = 8;
/// The length and the checksum around a payload.
const RECORD_BYTES: usize = PREFIX_BYTES + 8;

/// One batch as it stands in the log.
#[derive(Debug, Default)]
pub(crate) struct LogRecord {
    pub time: u64,
    /// The number that the next new document gets.
    pub next: u32,
    pub removed: Vec<u32>,
    pub judgments: Vec<Judgment>,
    /// A segment in memory, or nothing.
    pub segment: Piece,
}

impl LogRecord {
    /// The payload in two pieces between which the segment stands: it is large, and is not copied.
    pub fn encode(&self) -> [Vec<u8>; 2] {
        let mut bytes = Vec::with_capacity(64 + self.removed.len() * 4);
        bytes.put_u64(self.time);
        bytes.put_u32(self.next);
        bytes.put_u32(self.removed.len() as u32);
        self.removed.iter().for_each(|number| bytes.put_u32(*number));
        bytes.put_u32(self.judgments.len() as u32);
        self.judgments.iter().for_each(|judgment| judgment.encode(&mut bytes));
        bytes.put_u32(self.segment.len() as u32);
        // Whole words, so that a sector that was never written shows at least one of them as zero.
        let length = bytes.len() + self.segment.len();
        [bytes, vec![0; length.next_multiple_of(8) - length]]
    }

    pub fn decode(payload: &Piece) -> Option<Self> {
        let mut take = Take(payload);
        let (time, next) = (take.u64()?, take.u32()?);
        let count = take.u32()? as usize;
        let removed = take.u32s(count)?.iter().map(|n| u32::from_le_bytes(*n)).collect();
        let judgments =
            (0..take.u32()?).map(|_| Judgment::decode(&mut take)).collect::<Option<Vec<_>>>()?;
        let length = take.bytes()?.len();
        let segment = payload.last(length + take.0.len()).first(length);
        (take.0.len() < 8).then_some(Self { time, next, removed, judgments, segment })
    }
}

/// How far a log is read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LogPosition {
    pub length: u64,
    /// That of the last record.
    checksum: u64,
    pub records: usize,
}

impl LogPosition {
    pub fn start(identity: &FileIdentity) -> Self {
        Self { length: HEADER_BYTES as u64, checksum: identity.checksum(), records: 0 }
    }
}

/// The end of the log that the writer appends to.
#[derive(Debug)]
pub(crate) struct LogWriter {
    file: Box<dyn WriteFile>,
    name: String,
    pub position: LogPosition,
    /// Whether the state of the file is unknown.
    pub failed: bool,
}

impl LogWriter {
    /// Creates an empty log; it is durable once the folder is synchronized.
    pub fn create(storage: &dyn Storage, identity: &FileIdentity) -> Result<Self> {
        let file_name = identity.kind.name(identity.number);
        let name = storage.describe(&file_name);
        let mut file = storage.create(&file_name).map_err(io("create", &name))?;
        let written = file.append(&identity.header()).and_then(|()| file.sync());
        written.map_err(io("write", &name))?;
        Ok(Self { file, name, position: LogPosition::start(identity), failed: false })
    }

    /// Goes on after what was replayed; a torn record is cut off.
    pub fn resume(
        storage: &dyn Storage,
        identity: &FileIdentity,
        position: LogPosition,
    ) -> Result<Self> {
        let file_name = identity.kind.name(identity.number);
        let name = storage.describe(&file_name);
        let file = storage.append(&file_name, position.length).map_err(io("write", &name))?;
        Ok(Self { file, name, position, failed: false })
    }

    /// Appends a record and makes it durable.
    pub fn append(&mut self, record: &LogRecord) -> Result<()> {
        if self.failed {
            return Err(StoreError::Failed(self.name.clone()));
        }
        let seed = self.position.checksum;
        let [front, padding] = record.encode();
        let payload = [&front[..], &record.segment, &padding];
        let length: usize = payload.iter().map(|piece| piece.len()).sum();
        let length_bytes = (length as u32).to_le_bytes();
        let mut begin = Vec::with_capacity(PREFIX_BYTES + front.len());
        begin.extend_from_slice(&length_bytes);
        begin.put_u32(xxh3_64_with_seed(&length_bytes, seed) as u32);
        begin.extend_from_slice(&front);
        let mut hasher = Xxh3::with_seed(seed);
        for piece in payload {
            hasher.update(piece);
        }
        let checksum = hasher.digest();
        let mut end = padding;
        end.put_u64(checksum);
        let pieces = [&begin[..], &record.segment, &end];
        if let Err(error) = pieces.iter().try_for_each(|piece| self.file.append(piece)) {
            // What was written of the record must not be taken for damage later.
            let length = self.position.length;
            self.failed = self.file.truncate(length).and_then(|()| self.file.sync()).is_err();
            return Err(io("write", &self.name)(error));
        }
        if let Err(error) = self.file.sync() {
            // After a failed sync nobody knows what is on disk; readers at least should not see it.
            self.failed = true;
            let _ = self.file.truncate(self.position.length);
            return Err(io("synchronize", &self.name)(error));
        }
        self.position.length += (length + RECORD_BYTES) as u64;
        self.position.checksum = checksum;
        self.position.records += 1;
        Ok(())
    }
}

/// Hands over the payloads of all whole records after a position; returns where they end.
pub(crate) fn replay(
    file: &dyn ReadFile,
    name: &str,
    mut position: LogPosition,
    mut visit: impl FnMut(&Piece) -> Result<()>,
) -> Result<LogPosition> {
    let length = file.length().map_err(io("read", name))?;
    let Some(unread) = length.checked_sub(position.length) else {
        return Err(damaged(name, format!("it ends before byte {}", position.length)));
    };
    let mut bytes = vec![0; unread as usize];
    read(file, position.length, &mut bytes, name)?;
    let bytes = Piece::from(bytes);
    let mut rest = &bytes[..];
    while rest.len() >= PREFIX_BYTES {
        let seed = position.checksum;
        let place = position.length;
        let wrong = |what: &str| damaged(name, format!("the record at byte {place} {what}"));
        let mut take = Take(rest);
        let (length, check) = (take.u32().unwrap_or(0), take.u32().unwrap_or(0));
        if xxh3_64_with_seed(&length.to_le_bytes(), seed) as u32 != check {
            let sector_end = SECTOR - (place as usize % SECTOR);
            if rest[..sector_end.min(rest.len())].iter().all(|byte| *byte == 0) {
                break;
            }
            return Err(wrong("has a length that does not fit its checksum"));
        }
        let (Some(payload), Some(checksum)) = (take.slice(length as usize), take.u64()) else {
            break;
        };
        if xxh3_64_with_seed(payload, seed) != checksum {
            if take.0.is_empty() && has_unwritten_sector(rest, place) {
                break;
            }
            return Err(wrong("does not fit its checksum"));
        }
        visit(&bytes.last(payload.len() + 8 + take.0.len()).first(payload.len()))?;
        position.length += (payload.len() + RECORD_BYTES) as u64;
        position.checksum = checksum;
        position.records += 1;
        rest = take.0;
    }
    Ok(position)
}

/// Whether the bytes, which stand at this place of a file, hold a sector's worth of zeros.
fn has_unwritten_sector(bytes: &[u8], place: u64) -> bool {
    let first = (SECTOR - place as usize % SECTOR).min(bytes.len());
    let (first, rest) = bytes.split_at(first);
    let zeros = |piece: &[u8]| !piece.is_empty() && piece.iter().all(|byte| *byte == 0);
    zeros(first) || rest.chunks(SECTOR).any(zeros)
}
