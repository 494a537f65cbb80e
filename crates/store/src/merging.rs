//! Which neighbours are merged when, and the writing of a merged segment.

use std::ops::Range;
use std::sync::Arc;

use crate::dead::Dead;
use crate::error::Result;
use crate::files::{FileIdentity, io};
use crate::segment::{Bodies, Merged, Segment, Sink, merge};
use crate::snapshot::State;
use crate::{Storage, WriteFile};

/// Neighbours of about one size that are merged into one.
pub(crate) const FAN_OUT: usize = 4;
/// Batches are merged in memory from this size on; smaller ones count as equal.
const SMALL_BYTES: u64 = 16 << 10;
const WRITE_BYTES: usize = 1 << 20;

/// The neighbours to merge next, smallest first: enough of one size, and what is smaller among them.
pub(crate) fn plan(sizes: &[u64], small: u64) -> Option<Range<usize>> {
    let tier = |size: u64| (size / small.max(1)).checked_ilog(FAN_OUT as u64).map_or(0, |t| t + 1);
    let tiers: Vec<u32> = sizes.iter().map(|size| tier(*size)).collect();
    let mut levels = tiers.clone();
    levels.sort_unstable();
    levels.dedup();
    for level in levels {
        let (mut start, mut equal) = (0, 0);
        for end in 0..=tiers.len() {
            if end == tiers.len() || tiers[end] > level {
                if equal >= FAN_OUT {
                    return Some(start..end);
                }
                (start, equal) = (end + 1, 0);
            } else {
                equal += usize::from(tiers[end] == level);
            }
        }
    }
    None
}

/// Merges the batches of the log among themselves, so that a look-up asks few of them.
pub(crate) fn merge_in_memory(state: &mut State) -> Result<()> {
    let on_disk = state.segments.iter().filter(|segment| segment.file.is_some()).count();
    loop {
        let sizes: Vec<u64> = state.segments[on_disk..].iter().map(|s| s.size).collect();
        let Some(range) = plan(&sizes, SMALL_BYTES) else { return Ok(()) };
        let range = range.start + on_disk..range.end + on_disk;
        let neighbours: Vec<&Segment> =
            state.segments[range.clone()].iter().map(AsRef::as_ref).collect();
        let numbers = (neighbours[0].first, neighbours[neighbours.len() - 1].last);
        let mut bytes = Vec::new();
        let sink = (&mut bytes as &mut dyn Sink, 0, 0);
        // Nothing is left out here: what the log says must come out the same however it is read.
        let merged = merge(&neighbours, &Dead::default(), 0, Bodies::Left, sink, &|| true)?;
        let footer = merged.map_or(0, |merged| merged.footer);
        bytes.extend_from_slice(&footer.to_le_bytes());
        let mut segment = Segment::in_memory(bytes.into(), numbers, &state.base.budget)?;
        // Texts are most of it and are found by number: they need not be copied again and again.
        segment.size = neighbours.iter().map(|neighbour| neighbour.size).sum();
        for neighbour in &state.segments[range.clone()] {
            if neighbour.parts.is_empty() {
                segment.parts.push(Arc::clone(neighbour));
            } else {
                segment.parts.extend_from_slice(&neighbour.parts);
            }
        }
        state.segments.splice(range, [Arc::new(segment)]);
    }
}

/// A file that is written in large pieces.
struct FileSink {
    file: Box<dyn WriteFile>,
    name: String,
    buffer: Vec<u8>,
}

impl FileSink {
    fn flush(&mut self) -> Result<()> {
        self.file.append(&self.buffer).map_err(io("write", &self.name))?;
        self.buffer.clear();
        Ok(())
    }
}

impl Sink for FileSink {
    fn end(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    fn appended(&mut self) -> Result<()> {
        if self.buffer.len() >= WRITE_BYTES { self.flush() } else { Ok(()) }
    }
}

/// Merges segments into a new file, which is durable once the folder is synchronized; `None` where it was
/// told to stop. A file that was begun in vain is deleted.
pub(crate) fn merge_to_file(
    storage: &dyn Storage,
    identity: &FileIdentity,
    segments: &[&Segment],
    dead: &Dead,
    time: u64,
    keep_going: &dyn Fn() -> bool,
) -> Result<Option<Merged>> {
    let file_name = identity.kind.name(identity.number);
    let name = storage.describe(&file_name);
    let file = storage.create(&file_name).map_err(io("create", &name))?;
    let write = || -> Result<Option<Merged>> {
        let header = identity.header();
        let place = header.len() as u64;
        let mut sink = FileSink { file, name, buffer: header };
        let output = (&mut sink as &mut dyn Sink, place, identity.seed());
        let merged = merge(segments, dead, time, Bodies::Merged, output, keep_going)?;
        if merged.is_some() {
            sink.flush()?;
            sink.file.sync().map_err(io("synchronize", &sink.name))?;
        }
        Ok(merged)
    };
    let merged = write();
    if !matches!(merged, Ok(Some(_))) {
        let _ = storage.remove(&file_name);
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_of_one_size_are_merged_and_larger_ones_left_alone() {
        assert_eq!(plan(&[], 10), None);
        assert_eq!(plan(&[1000, 10, 11, 12], 10), None);
        assert_eq!(plan(&[1000, 10, 11, 12, 13], 10), Some(1..5));
        assert_eq!(plan(&[100, 100, 1000, 100, 100], 10), None);
        assert_eq!(plan(&[100, 110, 120, 130, 9], 10), Some(0..5));
        assert_eq!(plan(&[5; 100], 10), Some(0..100));
    }

    #[test]
    fn few_segments_are_left_however_many_come() {
        let mut sizes: Vec<u64> = Vec::new();
        let mut written = 0;
        for _ in 0..10_000 {
            sizes.push(10);
            while let Some(range) = plan(&sizes, 10) {
                let merged = sizes[range.clone()].iter().sum();
                written += merged;
                sizes.splice(range, [merged]);
            }
            assert!(sizes.len() <= 3 * 7, "{sizes:?}");
        }
        assert!(written < 10_000 * 10 * 8, "{written}");
    }
}
