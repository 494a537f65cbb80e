//! From files to a state: the manifest, what it names, and the log on top.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use crate::block::{Buffers, Source, SourceBytes};
use crate::dead::Dead;
use crate::error::{Result, StoreError};
use crate::files::{FileIdentity, HEADER_BYTES, Kind, damaged, open};
use crate::log::{LogPosition, LogRecord, replay};
use crate::manifest::{Manifest, SegmentEntry};
use crate::merging::merge_in_memory;
use crate::segment::Segment;
use crate::snapshot::{Base, State};
use crate::{Judgments, ReadFile, Storage};

/// An index as its files say it is.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub manifest: Manifest,
    pub state: State,
    pub log: Arc<dyn ReadFile>,
    pub position: LogPosition,
}

/// Reads the state of an index; segments that `earlier` has open already are not opened again.
pub(crate) fn load(
    storage: &Arc<dyn Storage>,
    cache_bytes: usize,
    earlier: Option<&State>,
) -> Result<Loaded> {
    let manifest = Manifest::read(storage.as_ref())?;
    match load_files(storage, &manifest, cache_bytes, earlier) {
        // A writer may have replaced the manifest and deleted what the old one named.
        Err(StoreError::Missing { file }) => {
            let again = Manifest::read(storage.as_ref())?;
            if again == manifest {
                return Err(StoreError::Missing { file });
            }
            load(storage, cache_bytes, earlier)
        }
        other => other,
    }
}

fn load_files(
    storage: &Arc<dyn Storage>,
    manifest: &Manifest,
    cache_bytes: usize,
    earlier: Option<&State>,
) -> Result<Loaded> {
    let earlier = earlier.filter(|state| state.base.index == manifest.index);
    let base = earlier.map_or_else(
        || {
            Arc::new(Base {
                storage: Arc::clone(storage),
                index: manifest.index,
                metadata: manifest.metadata.clone(),
                attachments: manifest.attachments.clone(),
                budget: Arc::new(AtomicUsize::new(cache_bytes)),
                shelf: Arc::default(),
            })
        },
        |state| Arc::clone(&state.base),
    );
    let mut segments = Vec::with_capacity(manifest.segments.len());
    for entry in &manifest.segments {
        let known = earlier.iter().flat_map(|state| &state.segments);
        let known = known.clone().find(|segment| segment.file == Some(entry.number));
        segments.push(match known {
            Some(segment) => Arc::clone(segment),
            None => Arc::new(open_segment(&base, entry)?),
        });
    }
    let dead = read_dead(&base, manifest)?;
    let judgments = match manifest.judgments {
        0 => Judgments::default(),
        number => read_one(&base, Kind::Judgments, number, Judgments::decode)?,
    };
    let mut state = State {
        base,
        segments,
        dead,
        judgments: Arc::new(judgments),
        time: manifest.time,
        live: manifest.live,
        next: manifest.next,
        sequence: manifest.sequence,
    };
    let identity = manifest.identity(Kind::Log, manifest.log);
    let file_name = Kind::Log.name(manifest.log);
    let log = open(storage.as_ref(), &file_name)?;
    identity.check(log.as_ref(), &storage.describe(&file_name))?;
    let position = read_log(&mut state, log.as_ref(), manifest.log, LogPosition::start(&identity))?;
    Ok(Loaded { manifest: manifest.clone(), state, log, position })
}

/// Applies the records of a log after a position to a state.
pub(crate) fn read_log(
    state: &mut State,
    log: &dyn ReadFile,
    number: u32,
    position: LogPosition,
) -> Result<LogPosition> {
    let name = state.base.storage.describe(&Kind::Log.name(number));
    let end = replay(log, &name, position, |payload| {
        let record = LogRecord::decode(payload)
            .ok_or_else(|| damaged(&name, "a record that fits its checksum is none".into()))?;
        apply(state, record)
    })?;
    merge_in_memory(state)?;
    Ok(end)
}

/// Applies a batch to a state.
pub(crate) fn apply(state: &mut State, record: LogRecord) -> Result<()> {
    let LogRecord { time, next, removed, judgments, segment } = record;
    if !segment.is_empty() {
        let range = (state.next, next.wrapping_sub(1));
        let segment = Segment::in_memory(segment, range, &state.base.budget)?;
        state.live = state.live.saturating_add(segment.documents);
        state.segments.push(Arc::new(segment));
    }
    for number in removed {
        if state.dead.insert(number) {
            state.live = state.live.saturating_sub(1);
        }
    }
    if !judgments.is_empty() {
        let known = Arc::make_mut(&mut state.judgments);
        for judgment in &judgments {
            known.apply(judgment);
        }
    }
    state.time = state.time.max(time);
    state.next = next;
    Ok(())
}

/// Opens a segment's file.
pub(crate) fn open_segment(base: &Base, entry: &SegmentEntry) -> Result<Segment> {
    let source = open_source(base, Kind::Segment, entry.number)?;
    if source.length()? != entry.length {
        let what = format!("it has {} bytes instead of {}", source.length()?, entry.length);
        return Err(damaged(&source.name, what));
    }
    let footer = (entry.footer, entry.length);
    let range = (entry.first, entry.last);
    let segment = Segment::open(source, footer, range, Some(entry.number), &base.budget)?;
    if segment.documents != u64::from(entry.documents) {
        return Err(damaged(
            &segment.source.name,
            "it holds other documents than it should".into(),
        ));
    }
    Ok(segment)
}

fn open_source(base: &Base, kind: Kind, number: u32) -> Result<Source> {
    let file_name = kind.name(number);
    let name = base.storage.describe(&file_name);
    let file = open(base.storage.as_ref(), &file_name)?;
    let identity = FileIdentity { kind, number, index: base.index };
    identity.check(file.as_ref(), &name)?;
    Ok(Source { bytes: SourceBytes::File(file), seed: identity.seed(), name: name.as_str().into() })
}

/// The removed documents that a manifest names; the log may name more.
pub(crate) fn read_dead(base: &Base, manifest: &Manifest) -> Result<Dead> {
    match manifest.dead {
        0 => Ok(Dead::default()),
        number => read_one(base, Kind::Dead, number, Dead::decode),
    }
}

/// Reads a file of one block.
fn read_one<T>(
    base: &Base,
    kind: Kind,
    number: u32,
    decode: impl FnOnce(&[u8]) -> Option<T>,
) -> Result<T> {
    let source = open_source(base, kind, number)?;
    let mut buffers = Buffers::default();
    let payload = source.block(HEADER_BYTES as u64, source.length()?, &mut buffers)?;
    decode(payload).ok_or_else(|| damaged(&source.name, "its content is of another kind".into()))
}
