//! An index in memory whose files a target has changed, with the checksums that they need.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;

use lookalike_store::{LockGuard, ReadFile, Reader, Storage, WriteFile};
use xxhash_rust::xxh3::xxh3_64_with_seed;

const HEADER_BYTES: usize = 40;

macro_rules! golden_files {
    ($($name:literal),+) => {
        [$(($name, include_bytes!(concat!("../../testdata/golden/index/", $name)).as_slice())),+]
    };
}

/// The files of the index that is kept among the tests.
const GOLDEN: [(&str, &[u8]); 4] = golden_files!("MANIFEST", "judgments-3", "log-4", "segment-2");

/// One of the files of the index that is kept among the tests.
pub fn golden(name: &str) -> &'static [u8] {
    GOLDEN.iter().find(|(known, _)| *known == name).expect("a file of the index").1
}

/// Gives the blocks that stand one after the other from `start` on the checksums that they need.
pub fn fix_blocks(bytes: &mut [u8], start: usize, seed: u64) {
    let mut place = start;
    while let Some(length) = bytes.get(place..).and_then(<[u8]>::first_chunk::<4>) {
        let end = place + 8 + u32::from_le_bytes(*length) as usize;
        let Some(block) = bytes.get(place..end) else { return };
        let checksum = xxh3_64_with_seed(block, seed ^ place as u64);
        let Some(room) = bytes.get_mut(end..end + 8) else { return };
        room.copy_from_slice(&checksum.to_le_bytes());
        place = end + 8;
    }
}

/// What the blocks of a file are seeded with, by its header.
pub fn seed(file: &[u8]) -> u64 {
    let word = |at: usize| u64::from_le_bytes(file[at..at + 8].try_into().expect("eight bytes"));
    word(16) ^ (word(8) >> 32) << 40
}

/// The golden log's header with one record of this payload behind it.
pub fn log_of(payload: &[u8]) -> Vec<u8> {
    let mut log = golden("log-4")[..HEADER_BYTES].to_vec();
    let last: [u8; 8] = log[HEADER_BYTES - 8..].try_into().expect("eight bytes");
    let seed = u64::from_le_bytes(last);
    let length = (payload.len() as u32).to_le_bytes();
    log.extend_from_slice(&length);
    log.extend_from_slice(&(xxh3_64_with_seed(&length, seed) as u32).to_le_bytes());
    log.extend_from_slice(payload);
    log.extend_from_slice(&xxh3_64_with_seed(payload, seed).to_le_bytes());
    log
}

/// Reads all of an index, of which one file is another, in every way there is; whatever is wrong
/// must come out as a sentence.
pub fn read_all(changed: &'static str, bytes: Vec<u8>) {
    let files = Files { changed, bytes: Arc::new(Bytes(Cow::Owned(bytes))) };
    let snapshot = match Reader::open(Arc::new(files), 1 << 16) {
        Ok(reader) => reader.snapshot(),
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let damage = snapshot.verify();
    let mut n_documents = 0;
    for document in snapshot.scan(0, true) {
        let Ok(document) = document else { break };
        n_documents += 1;
        let number = document.head.number;
        let _ =
            (snapshot.head(number, 0), snapshot.body(number), snapshot.find(&document.head.id, 0));
    }
    for key in [0, 1, u64::MAX] {
        let _ = snapshot.look_up(key, |_| true);
    }
    let _ = snapshot.look_up_all(&[0, 1 << 62, u64::MAX], |_, _| true);
    let _ = snapshot.find_all(&["one", "two"], 0);
    let _ = (snapshot.stat(), snapshot.judgments(), snapshot.attachment("statistics"));
    assert!(n_documents <= 1 << 20 || !damage.is_empty());
}

/// The golden files, one of them changed, which can only be read.
#[derive(Debug)]
struct Files {
    changed: &'static str,
    bytes: Arc<Bytes>,
}

#[derive(Debug)]
struct Bytes(Cow<'static, [u8]>);

impl ReadFile for Bytes {
    fn length(&self) -> io::Result<u64> {
        Ok(self.0.len() as u64)
    }

    fn read_at(&self, place: u64, buffer: &mut [u8]) -> io::Result<()> {
        let found = usize::try_from(place).ok().and_then(|place| self.0.get(place..));
        let found = found.and_then(|bytes| bytes.get(..buffer.len()));
        buffer.copy_from_slice(found.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

fn read_only<T>() -> io::Result<T> {
    Err(io::ErrorKind::ReadOnlyFilesystem.into())
}

impl Storage for Files {
    fn open(&self, name: &str) -> io::Result<Arc<dyn ReadFile>> {
        if name == self.changed {
            return Ok(Arc::clone(&self.bytes) as Arc<dyn ReadFile>);
        }
        let (_, bytes) =
            GOLDEN.iter().find(|(known, _)| *known == name).ok_or(io::ErrorKind::NotFound)?;
        Ok(Arc::new(Bytes(Cow::Borrowed(bytes))))
    }

    fn create(&self, _: &str) -> io::Result<Box<dyn WriteFile>> {
        read_only()
    }

    fn append(&self, _: &str, _: u64) -> io::Result<Box<dyn WriteFile>> {
        read_only()
    }

    fn rename(&self, _: &str, _: &str) -> io::Result<()> {
        read_only()
    }

    fn remove(&self, _: &str) -> io::Result<()> {
        read_only()
    }

    fn sync(&self) -> io::Result<()> {
        read_only()
    }

    fn list(&self) -> io::Result<Vec<String>> {
        Ok(GOLDEN.iter().map(|(name, _)| (*name).to_owned()).collect())
    }

    fn lock(&self, _: &str) -> io::Result<Option<LockGuard>> {
        read_only()
    }

    fn describe(&self, name: &str) -> String {
        name.to_owned()
    }
}
