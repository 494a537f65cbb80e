//! The log becomes a segment, and the manifest is replaced.

use std::sync::Arc;

use crate::Storage;
use crate::block::{Packing, put_block};
use crate::dead::Dead;
use crate::error::Result;
use crate::files::{FileIdentity, HEADER_BYTES, Kind, NEW_MANIFEST, io, number_of_own};
use crate::load::open_segment;
use crate::log::LogWriter;
use crate::manifest::{Manifest, SegmentEntry, Swap};
use crate::merging::merge_to_file;
use crate::segment::{Merged, Segment};
use crate::snapshot::State;
use crate::store::{Shared, Writer};

/// An attachment is cut into blocks of so many bytes.
const ATTACHMENT_BLOCK: usize = 1 << 20;

impl Shared {
    /// Puts a manifest in force.
    pub fn swap(&self, writer: &mut Writer, mut manifest: Manifest) -> Result<()> {
        manifest.sequence += 1;
        match manifest.swap(self.storage.as_ref()) {
            Ok(()) => {
                writer.manifest = manifest;
                Ok(())
            }
            Err(Swap::Refused(error)) => Err(error),
            Err(Swap::Unknown(error)) => {
                writer.failed = true;
                Err(error)
            }
        }
    }

    /// Makes a segment of the log's batches and begins a new log.
    pub fn rotate(&self, writer: &mut Writer) -> Result<()> {
        let state = self.state();
        if writer.log.position.records == 0 {
            return Ok(());
        }
        let mut manifest = writer.manifest.clone();
        let made = self.write_rotated(&mut manifest, &state);
        // Numbers of files that were begun are not used again.
        writer.manifest.free = manifest.free;
        let made = made.and_then(|(log, state)| {
            self.swap(writer, manifest.clone())?;
            Ok((log, state))
        });
        let (log, mut state) = match made {
            Ok(made) => made,
            Err(error) => {
                if !writer.failed {
                    delete_remains(self.storage.as_ref(), &writer.manifest, writer.merging).ok();
                }
                return Err(error);
            }
        };
        state.sequence = writer.manifest.sequence;
        writer.log = log;
        self.publish(state);
        delete_remains(self.storage.as_ref(), &writer.manifest, writer.merging).ok();
        Ok(())
    }

    /// Writes all files that a manifest without the present log needs.
    fn write_rotated(&self, manifest: &mut Manifest, state: &State) -> Result<(LogWriter, State)> {
        let storage = self.storage.as_ref();
        let mut state = state.clone();
        let on_disk = state.segments.iter().filter(|segment| segment.file.is_some()).count();
        let batches: Vec<Arc<Segment>> = state.segments.drain(on_disk..).collect();
        if let (Some(first), Some(last)) = (batches.first(), batches.last()) {
            let number = manifest.new_number();
            let identity = manifest.identity(Kind::Segment, number);
            let neighbours: Vec<&Segment> = batches.iter().map(AsRef::as_ref).collect();
            let (dead, time) = (&state.dead, state.time);
            let merged = merge_to_file(storage, &identity, &neighbours, dead, time, &|| true)?;
            if let Some(merged) = merged.filter(|merged| merged.documents > 0) {
                let range = (first.first, last.last);
                let entry = segment_entry(number, &merged, range);
                state.segments.push(Arc::new(open_segment(&state.base, &entry)?));
                manifest.segments.push(entry);
                forget_dropped(&mut state, &merged.dropped);
            } else {
                let _ = storage.remove(&Kind::Segment.name(number));
                let gone: Vec<u32> = state.dead.within(first.first..=last.last).collect();
                let n_documents: u64 = batches.iter().map(|batch| batch.documents).sum();
                state.live = state.live.saturating_sub(n_documents - gone.len() as u64);
                for number in gone {
                    state.dead.remove(number);
                }
            }
        }
        write_dead(storage, manifest, &state.dead)?;
        manifest.judgments = 0;
        if !state.judgments.is_empty() {
            manifest.judgments = manifest.new_number();
            let identity = manifest.identity(Kind::Judgments, manifest.judgments);
            write_one(storage, &identity, &state.judgments.encode())?;
        }
        manifest.log = manifest.new_number();
        let log = LogWriter::create(storage, &manifest.identity(Kind::Log, manifest.log))?;
        manifest.time = state.time;
        manifest.live = state.live;
        manifest.next = state.next;
        Ok((log, state))
    }
}

pub(crate) fn segment_entry(
    number: u32,
    merged: &Merged,
    (first, last): (u32, u32),
) -> SegmentEntry {
    let Merged { documents, footer, length, .. } = *merged;
    SegmentEntry { number, documents: documents as u32, first, last, footer, length }
}

/// Documents that a merge left out need no tombstone, and expired ones are no longer counted.
fn forget_dropped(state: &mut State, dropped: &Dead) {
    for number in dropped.iter() {
        if state.dead.contains(number) {
            state.dead.remove(number);
        } else {
            state.live = state.live.saturating_sub(1);
        }
    }
}

/// Deletes files of the index that no manifest names, apart from one that is just being written.
pub(crate) fn delete_remains(
    storage: &dyn Storage,
    manifest: &Manifest,
    merging: Option<u32>,
) -> Result<()> {
    let named = manifest.files();
    for name in storage.list().map_err(io("list", &storage.describe("")))? {
        let remains = || {
            let number = number_of_own(storage, &name, Some(manifest.index));
            number.is_some_and(|number| Some(number) != merging)
        };
        if name == NEW_MANIFEST || (!named.contains(&name) && remains()) {
            storage.remove(&name).map_err(io("delete", &storage.describe(&name)))?;
        }
    }
    Ok(())
}

/// Writes the numbers of removed documents that still stand in a segment, if there are any.
pub(crate) fn write_dead(
    storage: &dyn Storage,
    manifest: &mut Manifest,
    dead: &Dead,
) -> Result<()> {
    manifest.dead = 0;
    if dead.len() > 0 {
        manifest.dead = manifest.new_number();
        let identity = manifest.identity(Kind::Dead, manifest.dead);
        write_one(storage, &identity, &dead.encode())?;
    }
    Ok(())
}

/// Writes a file of one block.
fn write_one(storage: &dyn Storage, identity: &FileIdentity, payload: &[u8]) -> Result<()> {
    let mut bytes = identity.header();
    put_block(&mut bytes, payload, Packing::IfSmaller, identity.seed(), HEADER_BYTES as u64);
    write_file(storage, identity, &bytes)
}

/// Writes a file of as many blocks as needed.
pub(crate) fn write_blocks(
    storage: &dyn Storage,
    identity: &FileIdentity,
    content: &[u8],
) -> Result<()> {
    let mut bytes = identity.header();
    for piece in content.chunks(ATTACHMENT_BLOCK) {
        let place = bytes.len() as u64;
        put_block(&mut bytes, piece, Packing::IfSmaller, identity.seed(), place);
    }
    write_file(storage, identity, &bytes)
}

fn write_file(storage: &dyn Storage, identity: &FileIdentity, bytes: &[u8]) -> Result<()> {
    let file_name = identity.kind.name(identity.number);
    let write = || {
        let mut file = storage.create(&file_name)?;
        file.append(bytes)?;
        file.sync()
    };
    write().map_err(io("write", &storage.describe(&file_name)))
}
