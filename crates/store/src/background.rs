//! Merging of segments on disk, beside the writer and the readers.

use std::ops::Range;
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError};

use crate::Snapshot;
use crate::dead::Dead;
use crate::error::Result;
use crate::files::{FileIdentity, Kind};
use crate::load::{open_segment, read_dead};
use crate::manifest::{Manifest, SegmentEntry};
use crate::merging::{merge_to_file, plan};
use crate::rotate::{delete_remains, segment_entry, write_dead};
use crate::segment::{Merged, Segment};
use crate::snapshot::State;
use crate::store::{Shared, Writer};

/// A segment is rewritten when more than one document in so many is gone.
const MOST_DEAD: u64 = 4;
/// Past so many segments on disk the writer waits for the merger.
const MOST_SEGMENTS: usize = 40;

/// What is to be merged, and what was known when that was decided.
pub(crate) struct Task {
    identity: FileIdentity,
    sources: Vec<Arc<Segment>>,
    planned: Arc<State>,
    /// Whether a person waits for it, so that closing the index does not stop it.
    awaited: bool,
}

impl Shared {
    /// Waits while there are too many segments.
    pub fn wait_for_merger(&self, mut writer: MutexGuard<'_, Writer>) {
        while self.options.background
            && writer.manifest.segments.len() > MOST_SEGMENTS
            && writer.merge_error.is_none()
            && !self.stop.load(Ordering::Relaxed)
        {
            writer = self.merging.wait(writer).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The merger's thread.
    pub fn merge_in_background(&self) {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.stop.load(Ordering::Relaxed) {
            let task = self.begin_merge(&mut writer);
            writer = if let Some(task) = task {
                drop(writer);
                let merged = self.run_merge(&task);
                let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
                if let Err(error) = merged {
                    // The next segment is a reason to try again.
                    writer.merge_error = Some(error);
                    self.merging.notify_all();
                    self.merging.wait(writer).unwrap_or_else(PoisonError::into_inner)
                } else {
                    writer
                }
            } else {
                self.merging.wait(writer).unwrap_or_else(PoisonError::into_inner)
            };
        }
    }

    /// Which neighbours are to be merged: too many of one size, or one with too many gone.
    fn plan(&self, manifest: &Manifest, dead: &Dead) -> Option<std::ops::Range<usize>> {
        let sizes: Vec<u64> = manifest.segments.iter().map(|segment| segment.length).collect();
        let crowded = plan(&sizes, self.options.log_bytes / 2);
        crowded.or_else(|| {
            let gone = |entry: &SegmentEntry| {
                let gone = dead.within(entry.first..=entry.last).count() as u64;
                gone * MOST_DEAD > u64::from(entry.documents)
            };
            manifest.segments.iter().position(gone).map(|at| at..at + 1)
        })
    }

    /// Decides what to merge next, unless a merge is under way.
    pub fn begin_merge(&self, writer: &mut Writer) -> Option<Task> {
        if writer.merging.is_some() || writer.is_unknown() {
            return None;
        }
        let range = self.plan(&writer.manifest, &self.state().dead)?;
        Some(self.task(writer, range, false))
    }

    /// Merges all segments into one, if that would change anything.
    pub fn begin_compaction(&self, writer: &mut Writer) -> Result<Option<Task>> {
        let state = self.state();
        let count = writer.manifest.segments.len();
        let changes = match count {
            0 => false,
            1 => state.n_stored() > state.live || has_expired(&state)?,
            _ => true,
        };
        Ok(changes.then(|| self.task(writer, 0..count, true)))
    }

    fn task(&self, writer: &mut Writer, range: Range<usize>, awaited: bool) -> Task {
        let planned = self.state();
        let number = writer.manifest.new_number();
        writer.merging = Some(number);
        let identity = writer.manifest.identity(Kind::Segment, number);
        Task { identity, sources: planned.segments[range].to_vec(), planned, awaited }
    }

    /// Writes the merged segment without a lock, and puts it in its place under the writer's.
    pub fn run_merge(&self, task: &Task) -> Result<()> {
        let Task { identity, sources, planned, awaited } = task;
        let neighbours: Vec<&Segment> = sources.iter().map(AsRef::as_ref).collect();
        let keep_going = || *awaited || !self.stop.load(Ordering::Relaxed);
        let (storage, dead) = (self.storage.as_ref(), &planned.dead);
        let merged = merge_to_file(storage, identity, &neighbours, dead, planned.time, &keep_going);
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        writer.merging = None;
        let installed = match merged {
            Ok(Some(merged)) if !writer.is_unknown() => self.install(&mut writer, task, &merged),
            Ok(_) => Ok(()),
            Err(error) => Err(error),
        };
        if installed.is_err() && !writer.is_unknown() {
            let _ = self.storage.remove(&Kind::Segment.name(identity.number));
        }
        self.merging.notify_all();
        installed
    }

    /// Puts a merged segment in the place of those that it was made of.
    fn install(&self, writer: &mut Writer, task: &Task, merged: &Merged) -> Result<()> {
        let Task { identity, sources, planned, .. } = task;
        let number = identity.number;
        let mut state = (*self.state()).clone();
        let mut manifest = writer.manifest.clone();
        let (first, last) = (sources[0].first, sources[sources.len() - 1].last);
        let at = state.segments.partition_point(|segment| segment.last < first);
        let range = at..at + sources.len();
        // What expired was still counted as there.
        let expired = merged.dropped.iter().filter(|gone| !state.dead.contains(*gone)).count();
        state.live = state.live.saturating_sub(expired as u64);
        manifest.live = manifest.live.saturating_sub(expired as u64);
        let planned: Vec<u32> = planned.dead.within(first..=last).collect();
        // On disk too, or those that are no longer there would be dead again when it is opened.
        let mut dead_on_disk = read_dead(&state.base, &manifest)?;
        let n_dead = dead_on_disk.len();
        for gone in planned.into_iter().chain(merged.dropped.iter()) {
            state.dead.remove(gone);
            dead_on_disk.remove(gone);
        }
        if dead_on_disk.len() < n_dead {
            let written = write_dead(self.storage.as_ref(), &mut manifest, &dead_on_disk);
            // Numbers of files that were begun are not used again.
            writer.manifest.free = manifest.free;
            written?;
        }
        manifest.time = manifest.time.max(state.time);
        let (entries, segments) = if merged.documents == 0 {
            (Vec::new(), Vec::new())
        } else {
            let entry = segment_entry(number, merged, (first, last));
            let segment = open_segment(&state.base, &entry)?;
            (vec![entry], vec![Arc::new(segment)])
        };
        manifest.segments.splice(range.clone(), entries);
        state.segments.splice(range, segments);
        self.swap(writer, manifest)?;
        state.sequence = writer.manifest.sequence;
        self.publish(state);
        delete_remains(self.storage.as_ref(), &writer.manifest, writer.merging).ok();
        Ok(())
    }
}

/// Whether any document has expired.
fn has_expired(state: &State) -> Result<bool> {
    let snapshot = Snapshot { state: Arc::new(state.clone()) };
    let mut there = 0;
    for scanned in snapshot.scan(state.time, false) {
        scanned?;
        there += 1;
    }
    Ok(there < state.live)
}
