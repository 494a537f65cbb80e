//! One consistent state of the index, which does not change while it is held.

use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use crate::block::{Buffers, Source, SourceBytes};
use crate::dead::Dead;
use crate::error::Result;
use crate::files::{HEADER_BYTES, Kind, damaged, open};
use crate::manifest::AttachmentEntry;
use crate::segment::{CacheBudget, PostingsCursor, Segment, look_up};
use crate::shelf::Shelf;
use crate::{Head, Judgments, Scan, Storage};

/// What stays the same as long as an index exists.
#[derive(Debug)]
pub(crate) struct Base {
    pub storage: Arc<dyn Storage>,
    pub index: u128,
    pub metadata: Vec<u8>,
    pub attachments: Vec<AttachmentEntry>,
    pub budget: CacheBudget,
    /// For batches that are held in memory.
    pub shelf: Arc<Shelf>,
}

/// What a snapshot holds on to.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub base: Arc<Base>,
    /// Those of the disk before those of the log, in the order of their numbers.
    pub segments: Vec<Arc<Segment>>,
    pub dead: Dead,
    pub judgments: Arc<Judgments>,
    pub time: u64,
    pub live: u64,
    pub next: u32,
    pub sequence: u64,
}

impl State {
    /// The documents that stand in segments, whether they are still there or not.
    pub fn n_stored(&self) -> u64 {
        self.segments.iter().map(|segment| segment.documents).sum()
    }

    /// The segment that may hold a document.
    fn segment(&self, number: u32) -> Option<&Segment> {
        let at = self.segments.partition_point(|segment| segment.last < number);
        self.segments.get(at).map(AsRef::as_ref).filter(|segment| segment.holds(number))
    }
}

/// One consistent state of the index.
///
/// Expired documents are invisible: whoever asks says what time it is, and [`Snapshot::now`] sees to
/// it that a clock that goes back does not bring them back.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub(crate) state: Arc<State>,
}

/// Sizes and counts of an index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoreStat {
    /// Documents that are there, those included that have expired and were not reclaimed yet.
    pub documents: u64,
    /// Removed documents that still take up room.
    pub tombstones: u64,
    /// Segments on disk.
    pub segments: usize,
    /// Batches in memory that the log holds, as merged segments.
    pub segments_in_log: usize,
    /// Pairs of key and document in all segments.
    pub postings: u64,
    /// Bytes of all segments on disk.
    pub segment_bytes: u64,
    /// Bytes of what the log holds.
    pub log_bytes: u64,
    /// Pairs that people have judged.
    pub judgments: usize,
    /// Additions so far, replaced and removed ones included.
    pub additions: u32,
}

impl Snapshot {
    /// The time to ask with: the clock's, unless the index has seen a later one.
    pub fn now(&self, clock: u64) -> u64 {
        self.state.time.max(clock)
    }

    /// Documents that are there, those included that have expired and were not reclaimed yet.
    pub fn len(&self) -> u64 {
        self.state.live
    }

    /// Whether no document is there.
    pub fn is_empty(&self) -> bool {
        self.state.live == 0
    }

    /// The number that the next new document gets: larger than that of any document.
    pub fn next_number(&self) -> u32 {
        self.state.next
    }

    /// What the index was created with.
    pub fn metadata(&self) -> &[u8] {
        &self.state.base.metadata
    }

    /// What people said about pairs.
    pub fn judgments(&self) -> &Judgments {
        &self.state.judgments
    }

    /// Bytes that were handed over at creation under this name.
    ///
    /// # Errors
    /// The file is damaged or missing.
    pub fn attachment(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let base = &self.state.base;
        let Some(entry) = base.attachments.iter().find(|entry| entry.name == name) else {
            return Ok(None);
        };
        read_attachment(base.storage.as_ref(), base.index, entry).map(Some)
    }

    /// The document with an id.
    ///
    /// # Errors
    /// A damaged file.
    pub fn find(&self, id: &str, now: u64) -> Result<Option<Head>> {
        let hash = xxh3_64(id.as_bytes());
        let mut buffers = Buffers::default();
        let mut numbers = Vec::new();
        for segment in self.state.segments.iter().rev() {
            numbers.clear();
            let visit = |number| {
                numbers.push(number);
                true
            };
            look_up(&segment.ids, &segment.source, hash, &mut buffers, visit)?;
            for number in numbers.drain(..).filter(|number| !self.state.dead.contains(*number)) {
                let head = segment.head(number, &mut buffers, |head| {
                    (head.id == id && head.expires > now).then(|| head.to_head(number))
                })?;
                if let Some(Some(head)) = head {
                    return Ok(Some(head));
                }
            }
        }
        Ok(None)
    }

    /// The head of a document, if it is there.
    ///
    /// # Errors
    /// A damaged file.
    pub fn head(&self, number: u32, now: u64) -> Result<Option<Head>> {
        let Some(segment) = self.state.segment(number) else { return Ok(None) };
        if self.state.dead.contains(number) {
            return Ok(None);
        }
        let mut buffers = Buffers::default();
        let head = segment.head(number, &mut buffers, |head| {
            (head.expires > now).then(|| head.to_head(number))
        })?;
        Ok(head.flatten())
    }

    /// The body of a document, if it is in a segment.
    ///
    /// # Errors
    /// A damaged file.
    pub fn body(&self, number: u32) -> Result<Option<Vec<u8>>> {
        let Some(segment) = self.state.segment(number) else { return Ok(None) };
        segment.body(number, &mut Buffers::default())
    }

    /// Calls `visit` with each document that has a key, in the order of adding, until it returns
    /// false; documents that have expired are among them.
    ///
    /// # Errors
    /// A damaged file.
    pub fn look_up(&self, key: u64, mut visit: impl FnMut(u32) -> bool) -> Result<()> {
        let mut buffers = Buffers::default();
        let mut going = true;
        for segment in &self.state.segments {
            look_up(&segment.keys, &segment.source, key, &mut buffers, |number| {
                going = self.state.dead.contains(number) || visit(number);
                going
            })?;
            if !going {
                break;
            }
        }
        Ok(())
    }

    /// [`Snapshot::look_up`] of many keys, which must ascend: `visit` gets the key's place among
    /// them. Reads no block twice, so that a batch costs far less than its keys one by one.
    ///
    /// Documents come in the order of adding for each key, but keys come again for each segment;
    /// `visit` returns false to pass over the rest of a key in the segment at hand.
    ///
    /// # Errors
    /// A damaged file.
    pub fn look_up_all(
        &self,
        keys: &[u64],
        mut visit: impl FnMut(usize, u32) -> bool,
    ) -> Result<()> {
        debug_assert!(keys.is_sorted());
        for segment in &self.state.segments {
            let mut cursor = PostingsCursor::new(&segment.keys, &segment.source);
            for (place, key) in keys.iter().enumerate() {
                cursor.seek(*key)?;
                while let Some((found, number)) = cursor.pair() {
                    let wanted = found == *key;
                    if !wanted || !(self.state.dead.contains(number) || visit(place, number)) {
                        break;
                    }
                    cursor.advance()?;
                }
            }
        }
        Ok(())
    }

    /// For each of some ids, in any order, the number of the document that has it.
    ///
    /// # Errors
    /// A damaged file.
    pub fn find_all(&self, ids: &[&str], now: u64) -> Result<Vec<Option<u32>>> {
        let mut hashed: Vec<(u64, usize)> =
            ids.iter().enumerate().map(|(at, id)| (xxh3_64(id.as_bytes()), at)).collect();
        hashed.sort_unstable();
        let mut found = vec![None; ids.len()];
        let mut buffers = Buffers::default();
        for segment in &self.state.segments {
            let mut cursor = PostingsCursor::new(&segment.ids, &segment.source);
            for same in hashed.chunk_by(|left, right| left.0 == right.0) {
                cursor.seek(same[0].0)?;
                while let Some((hash, number)) = cursor.pair().filter(|pair| pair.0 == same[0].0) {
                    debug_assert_eq!(hash, same[0].0);
                    if !self.state.dead.contains(number) {
                        segment.head(number, &mut buffers, |head| {
                            let here = head.expires > now;
                            for (_, at) in same.iter().filter(|(_, at)| here && ids[*at] == head.id)
                            {
                                found[*at] = Some(number);
                            }
                        })?;
                    }
                    cursor.advance()?;
                }
            }
        }
        Ok(found)
    }

    /// All documents that are there, in the order of adding.
    pub fn scan(&self, now: u64, bodies: bool) -> Scan<'_> {
        Scan::new(&self.state, now, bodies)
    }

    /// Sizes and counts.
    pub fn stat(&self) -> StoreStat {
        let state = &self.state;
        let (disk, log): (Vec<_>, Vec<_>) =
            state.segments.iter().partition(|segment| segment.file.is_some());
        StoreStat {
            documents: state.live,
            tombstones: state.n_stored().saturating_sub(state.live),
            segments: disk.len(),
            segments_in_log: log.len(),
            // A damaged footer may say anything.
            postings: state.segments.iter().fold(0, |n, s| n.saturating_add(s.postings)),
            segment_bytes: disk.iter().map(|segment| segment.size).sum(),
            log_bytes: log.iter().map(|segment| segment.size).sum(),
            judgments: state.judgments.len(),
            additions: state.next,
        }
    }
}

/// Reads an attachment as a whole.
pub(crate) fn read_attachment(
    storage: &dyn Storage,
    index: u128,
    entry: &AttachmentEntry,
) -> Result<Vec<u8>> {
    let file_name = Kind::Attachment.name(entry.number);
    let name = storage.describe(&file_name);
    let file = open(storage, &file_name)?;
    let identity =
        crate::files::FileIdentity { kind: Kind::Attachment, number: entry.number, index };
    identity.check(file.as_ref(), &name)?;
    let source = Source {
        bytes: SourceBytes::File(file),
        seed: identity.seed(),
        name: name.as_str().into(),
    };
    let length = source.length()?;
    let mut bytes = Vec::new();
    let mut place = HEADER_BYTES as u64;
    let mut buffers = Buffers::default();
    while place < length {
        let SourceBytes::File(file) = &source.bytes else { break };
        let mut stored = [0; 4];
        crate::files::read(file.as_ref(), place, &mut stored, &name)?;
        let end = place + u64::from(u32::from_le_bytes(stored)) + crate::block::FRAME_BYTES as u64;
        bytes.extend_from_slice(source.block(place, end, &mut buffers)?);
        place = end;
    }
    if bytes.len() as u64 != entry.length {
        return Err(damaged(
            &name,
            format!("it has {} bytes instead of {}", bytes.len(), entry.length),
        ));
    }
    Ok(bytes)
}
