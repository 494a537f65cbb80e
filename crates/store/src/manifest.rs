//! The one file that says which files make up the index; it is replaced as a whole.

use crate::Storage;
use crate::block::{FRAME_BYTES, Packing, Source, SourceBytes, put_block};
use crate::bytes::{Put, Take};
use crate::error::{Result, StoreError};
use crate::files::{
    FileIdentity, HEADER_BYTES, Kind, MANIFEST, NEW_MANIFEST, check_header, damaged, io, read,
};

/// A segment's entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SegmentEntry {
    pub number: u32,
    pub documents: u32,
    pub first: u32,
    pub last: u32,
    pub footer: u64,
    pub length: u64,
}

/// An attachment's entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AttachmentEntry {
    pub number: u32,
    pub length: u64,
    pub name: String,
}

/// Which files make up the index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Manifest {
    pub index: u128,
    pub sequence: u64,
    pub time: u64,
    /// Documents that are there when the log begins, expired ones that were not reclaimed included.
    pub live: u64,
    pub next: u32,
    pub log: u32,
    pub dead: u32,
    pub judgments: u32,
    /// The number of the next file.
    pub free: u32,
    pub segments: Vec<SegmentEntry>,
    pub attachments: Vec<AttachmentEntry>,
    pub metadata: Vec<u8>,
}

/// How far the replacement of the manifest came.
pub(crate) enum Swap {
    /// The old one is in force.
    Refused(StoreError),
    /// One of both is in force, and nobody knows which.
    Unknown(StoreError),
}

impl Manifest {
    pub fn identity(&self, kind: Kind, number: u32) -> FileIdentity {
        FileIdentity { kind, number, index: self.index }
    }

    /// A number for a new file.
    pub fn new_number(&mut self) -> u32 {
        self.free += 1;
        self.free - 1
    }

    /// The names of all files that it speaks of.
    pub fn files(&self) -> Vec<String> {
        let mut files = vec![Kind::Log.name(self.log)];
        files.extend(self.segments.iter().map(|segment| Kind::Segment.name(segment.number)));
        let attachments = self.attachments.iter();
        files.extend(attachments.map(|attachment| Kind::Attachment.name(attachment.number)));
        let optional = [(Kind::Dead, self.dead), (Kind::Judgments, self.judgments)];
        files.extend(optional.iter().filter(|(_, n)| *n != 0).map(|(kind, n)| kind.name(*n)));
        files
    }

    fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.put_u64(self.sequence);
        bytes.put_u64(self.time);
        bytes.put_u64(self.live);
        for number in [self.next, self.log, self.dead, self.judgments, self.free] {
            bytes.put_u32(number);
        }
        bytes.put_u32(self.segments.len() as u32);
        for segment in &self.segments {
            bytes.put_u32(segment.number);
            bytes.put_u32(segment.documents);
            bytes.put_u32(segment.first);
            bytes.put_u32(segment.last);
            bytes.put_u64(segment.footer);
            bytes.put_u64(segment.length);
        }
        bytes.put_u32(self.attachments.len() as u32);
        for attachment in &self.attachments {
            bytes.put_u32(attachment.number);
            bytes.put_u64(attachment.length);
            bytes.put_bytes(attachment.name.as_bytes());
        }
        bytes.put_bytes(&self.metadata);
        bytes
    }

    fn decode(payload: &[u8], index: u128) -> Option<Self> {
        let mut take = Take(payload);
        let mut manifest = Self {
            index,
            sequence: take.u64()?,
            time: take.u64()?,
            live: take.u64()?,
            next: take.u32()?,
            log: take.u32()?,
            dead: take.u32()?,
            judgments: take.u32()?,
            free: take.u32()?,
            ..Self::default()
        };
        for _ in 0..take.u32()? {
            manifest.segments.push(SegmentEntry {
                number: take.u32()?,
                documents: take.u32()?,
                first: take.u32()?,
                last: take.u32()?,
                footer: take.u64()?,
                length: take.u64()?,
            });
        }
        for _ in 0..take.u32()? {
            let (number, length) = (take.u32()?, take.u64()?);
            let name = take.text()?.to_owned();
            manifest.attachments.push(AttachmentEntry { number, length, name });
        }
        manifest.metadata = take.bytes()?.to_vec();
        take.0.is_empty().then_some(manifest)
    }

    /// Reads the manifest in force.
    pub fn read(storage: &dyn Storage) -> Result<Self> {
        let name = storage.describe(MANIFEST);
        let file = storage.open(MANIFEST).map_err(|source| match source.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
                StoreError::NotAnIndex(storage.describe(""))
            }
            _ => io("open", &name)(source),
        })?;
        let mut header = [0; HEADER_BYTES];
        read(file.as_ref(), 0, &mut header, &name)?;
        let index = check_header(&header, Kind::Manifest, &name)?;
        let identity = FileIdentity { kind: Kind::Manifest, number: 0, index };
        identity.check(file.as_ref(), &name)?;
        let length = file.length().map_err(io("read", &name))?;
        let source = Source {
            bytes: SourceBytes::File(file),
            seed: identity.seed(),
            name: name.as_str().into(),
        };
        let mut buffers = crate::block::Buffers::default();
        let payload = source.block(HEADER_BYTES as u64, length, &mut buffers)?;
        Self::decode(payload, index).ok_or_else(|| damaged(&name, "it is no manifest".into()))
    }

    /// Puts this manifest in force.
    pub fn swap(&self, storage: &dyn Storage) -> std::result::Result<(), Swap> {
        let name = storage.describe(NEW_MANIFEST);
        let identity = self.identity(Kind::Manifest, 0);
        let mut bytes = identity.header();
        let place = bytes.len() as u64;
        bytes.reserve(self.metadata.len() + FRAME_BYTES);
        put_block(&mut bytes, &self.encode(), Packing::IfSmaller, identity.seed(), place);
        // One may be left from a swap that failed.
        let _ = storage.remove(NEW_MANIFEST);
        let write = || {
            let mut file = storage.create(NEW_MANIFEST)?;
            file.append(&bytes)?;
            file.sync()?;
            storage.sync()?;
            storage.rename(NEW_MANIFEST, MANIFEST)
        };
        write().map_err(|source| Swap::Refused(io("write", &name)(source)))?;
        let folder = storage.describe("");
        storage.sync().map_err(|source| Swap::Unknown(io("synchronize", &folder)(source)))
    }
}
