//! One segment of several neighbours, without the documents that are gone.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use super::postings::{PostingsCursor, PostingsWriter};
use super::section::{Section, SectionWriter, Sink};
use super::spread::sort_postings;
use super::write::{TableWriter, write_footer};
use super::{BODY_BLOCK_BYTES, Segment};
use crate::block::Buffers;
use crate::dead::Dead;
use crate::error::Result;
use crate::records::HeadView;

/// Blocks of bodies at least this large when unpacked are taken over as they are.
const GOOD_BLOCK_BYTES: usize = BODY_BLOCK_BYTES / 2;

/// What a merge left out, and where its footer stands.
#[derive(Debug)]
pub(crate) struct Merged {
    /// The documents that were left out: dead or expired.
    pub dropped: Dead,
    pub documents: u64,
    pub footer: u64,
    pub length: u64,
}

/// What becomes of the bodies in a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bodies {
    Merged,
    /// They stay where they are, in memory.
    Left,
}

/// Merges neighbours, in the order of their numbers, into a sink that stands at `place`.
///
/// Leaves out what is in `dead` and what has expired at `time`. `keep_going` is asked now and
/// then; once it says no, `None` is returned.
pub(crate) fn merge(
    segments: &[&Segment],
    dead: &Dead,
    time: u64,
    bodies: Bodies,
    (sink, mut place, seed): (&mut dyn Sink, u64, u64),
    keep_going: &dyn Fn() -> bool,
) -> Result<Option<Merged>> {
    let mut footer = Vec::new();
    let section = SectionWriter::new(sink, &mut place, seed);
    let Some((dropped, documents)) =
        merge_heads(segments, dead, time, section, &mut footer, keep_going)?
    else {
        return Ok(None);
    };
    let section = SectionWriter::new(sink, &mut place, seed);
    let with_bodies: Vec<&Segment> = match bodies {
        Bodies::Merged => segments.iter().flat_map(|segment| segment.with_bodies()).collect(),
        Bodies::Left => Vec::new(),
    };
    if !merge_bodies(&with_bodies, &dropped, section, &mut footer, keep_going)? {
        return Ok(None);
    }
    let mut n_postings = 0;
    let sections: [fn(&Segment) -> &Section; 2] = [|segment| &segment.ids, |segment| &segment.keys];
    for of in sections {
        let section = SectionWriter::new(sink, &mut place, seed);
        let in_memory = segments.iter().all(|segment| segment.file.is_none());
        let merged = if in_memory {
            Some(sort_in_memory(segments, of, &dropped, section, &mut footer)?)
        } else {
            merge_postings(segments, of, &dropped, section, &mut footer, keep_going)?
        };
        let Some(count) = merged else { return Ok(None) };
        n_postings = count;
    }
    let footer = write_footer(sink, &mut place, seed, (documents, n_postings), &footer)?;
    Ok(Some(Merged { dropped, documents, footer, length: place }))
}

fn merge_heads(
    segments: &[&Segment],
    dead: &Dead,
    time: u64,
    section: SectionWriter<'_>,
    footer: &mut Vec<u8>,
    keep_going: &dyn Fn() -> bool,
) -> Result<Option<(Dead, u64)>> {
    let mut writer = TableWriter::heads(section);
    let mut dropped = Dead::default();
    let mut documents = 0;
    let mut buffers = Buffers::default();
    for segment in segments {
        let mut position = segment.heads.start(&segment.source)?;
        while let Some(current) = position {
            if !keep_going() {
                return Ok(None);
            }
            let table = segment.table_at(&current, &mut buffers)?;
            for at in 0..table.len() {
                let (number, entry) = table.entry(at).ok_or_else(|| segment.no_head(0))?;
                let head = HeadView::decode(entry).ok_or_else(|| segment.no_head(number))?;
                if dead.contains(number) || head.expires <= time {
                    dropped.insert(number);
                } else {
                    writer.push(number, |bytes| bytes.extend_from_slice(entry))?;
                    documents += 1;
                }
            }
            position = segment.heads.next(&segment.source, &current)?;
        }
    }
    writer.finish(footer)?;
    Ok(Some((dropped, documents)))
}

fn merge_bodies(
    segments: &[&Segment],
    dropped: &Dead,
    section: SectionWriter<'_>,
    footer: &mut Vec<u8>,
    keep_going: &dyn Fn() -> bool,
) -> Result<bool> {
    let mut writer = TableWriter::bodies(section);
    let (mut stored, mut buffers) = (Vec::new(), Buffers::default());
    for segment in segments {
        let mut position = segment.bodies.start(&segment.source)?;
        while let Some(current) = position {
            if !keep_going() {
                return Ok(false);
            }
            let next = segment.bodies.next(&segment.source, &current)?;
            let last = next.as_ref().map_or(segment.last, |next| next.first() as u32 - 1);
            let (from, to) = current.places();
            let untouched = !dropped.touches(current.first() as u32..=last);
            let block = segment.source.stored(from, to, &mut stored)?;
            if untouched && block.raw >= GOOD_BLOCK_BYTES {
                writer.close()?;
                writer.section.push_stored(current.first(), block.payload, block.raw)?;
            } else {
                let table = segment.table_at(&current, &mut buffers)?;
                for at in 0..table.len() {
                    let (number, entry) = table.entry(at).ok_or_else(|| segment.no_head(0))?;
                    if !dropped.contains(number) {
                        writer.push(number, |bytes| bytes.extend_from_slice(entry))?;
                    }
                }
            }
            position = next;
        }
    }
    writer.finish(footer)?;
    Ok(true)
}

/// What [`merge_postings`] does, faster, with all postings in memory: they are small parts of a log.
fn sort_in_memory(
    segments: &[&Segment],
    of: fn(&Segment) -> &Section,
    dropped: &Dead,
    section: SectionWriter<'_>,
    footer: &mut Vec<u8>,
) -> Result<u64> {
    let mut pairs = Vec::new();
    for segment in segments {
        let mut cursor = PostingsCursor::new(of(segment), &segment.source);
        cursor.start()?;
        while cursor.take_block(&mut pairs)? {}
    }
    if dropped.len() > 0 {
        pairs.retain(|(_, number)| !dropped.contains(*number));
    }
    let mut writer = PostingsWriter::new(section);
    sort_postings(pairs).into_iter().try_for_each(|pair| writer.push(pair))?;
    writer.finish(footer)
}

fn merge_postings(
    segments: &[&Segment],
    of: fn(&Segment) -> &Section,
    dropped: &Dead,
    section: SectionWriter<'_>,
    footer: &mut Vec<u8>,
    keep_going: &dyn Fn() -> bool,
) -> Result<Option<u64>> {
    /// Postings between two questions whether to go on.
    const STRIDE: u64 = 1 << 16;
    let mut writer = PostingsWriter::new(section);
    let mut cursors = Vec::with_capacity(segments.len());
    let mut heads = BinaryHeap::with_capacity(segments.len());
    for (number, segment) in segments.iter().enumerate() {
        let mut cursor = PostingsCursor::new(of(segment), &segment.source);
        cursor.start()?;
        heads.extend(cursor.pair().map(|pair| Reverse((pair, number))));
        cursors.push(cursor);
    }
    let mut seen = 0_u64;
    while let Some(mut head) = heads.peek_mut() {
        let Reverse((pair, number)) = *head;
        if !dropped.contains(pair.1) {
            writer.push(pair)?;
        }
        cursors[number].advance()?;
        match cursors[number].pair() {
            Some(following) => head.0.0 = following,
            None => drop(PeekMut::pop(head)),
        }
        seen += 1;
        if seen.is_multiple_of(STRIDE) && !keep_going() {
            return Ok(None);
        }
    }
    writer.finish(footer).map(Some)
}
