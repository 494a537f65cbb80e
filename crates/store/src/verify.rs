//! Reads every byte of an index and says what is wrong with it.

use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use crate::block::Buffers;
use crate::error::Result;
use crate::files::damaged;
use crate::records::HeadView;
use crate::segment::{PostingsCursor, Section, Segment};
use crate::snapshot::read_attachment;
use crate::{Snapshot, StoreError};

impl Snapshot {
    /// Reads every block of every file and checks that it fits its checksum, stands in order, and
    /// that each document has its head, its body and its id, and each key a document.
    ///
    /// # Errors
    /// None: what is wrong is returned as a list, one entry for each file.
    pub fn verify(&self) -> Vec<StoreError> {
        let state = &self.state;
        let mut errors: Vec<StoreError> = Vec::new();
        for segment in &state.segments {
            errors.extend(verify_segment(segment).err());
        }
        let ends = state.segments.windows(2).all(|pair| pair[0].last < pair[1].first);
        if !ends || state.segments.last().is_some_and(|segment| segment.last >= state.next) {
            let name = state.base.storage.describe(crate::files::MANIFEST);
            errors.push(damaged(&name, "its segments overlap".into()));
        }
        for entry in &state.base.attachments {
            let read = read_attachment(state.base.storage.as_ref(), state.base.index, entry);
            errors.extend(read.err());
        }
        errors
    }
}

fn verify_segment(segment: &Arc<Segment>) -> Result<()> {
    let wrong = |what: String| damaged(&segment.source.name, what);
    let numbers = heads(segment)?;
    if numbers.len() as u64 != segment.documents {
        return Err(wrong(format!("{} of {} heads are there", numbers.len(), segment.documents)));
    }
    if bodies(segment)? != numbers {
        return Err(wrong("heads and bodies are not of the same documents".into()));
    }
    let n_ids = postings(segment, &segment.ids, &numbers)?;
    if n_ids != segment.documents {
        return Err(wrong(format!("{n_ids} ids for {} documents", segment.documents)));
    }
    let n_postings = postings(segment, &segment.keys, &numbers)?;
    if n_postings != segment.postings {
        return Err(wrong(format!("{n_postings} of {} keys are there", segment.postings)));
    }
    Ok(())
}

/// The numbers of all heads, each of which is found by its id.
fn heads(segment: &Segment) -> Result<Vec<u32>> {
    let mut hashed = Vec::new();
    let mut numbers = Vec::new();
    let mut buffers = Buffers::default();
    let mut position = segment.heads.start(&segment.source)?;
    while let Some(current) = position {
        let table = segment.table_at(&current, &mut buffers)?;
        for at in 0..table.len() {
            let (number, entry) = table.entry(at).ok_or_else(|| segment.no_head(0))?;
            let head = HeadView::decode(entry).ok_or_else(|| segment.no_head(number))?;
            let ascending = numbers.last().is_none_or(|last| *last < number);
            if !ascending || !segment.holds(number) {
                let what = format!("document {number} stands in the wrong place");
                return Err(damaged(&segment.source.name, what));
            }
            numbers.push(number);
            hashed.push((xxh3_64(head.id.as_bytes()), number));
        }
        position = segment.heads.next(&segment.source, &current)?;
    }
    hashed.sort_unstable();
    let mut cursor = PostingsCursor::new(&segment.ids, &segment.source);
    cursor.start()?;
    for (hash, number) in hashed {
        if cursor.pair() != Some((hash, number)) {
            let what = format!("document {number} cannot be found by its id");
            return Err(damaged(&segment.source.name, what));
        }
        cursor.advance()?;
    }
    Ok(numbers)
}

fn bodies(segment: &Segment) -> Result<Vec<u32>> {
    let mut numbers = Vec::new();
    let mut buffers = Buffers::default();
    for part in segment.with_bodies() {
        let mut position = part.bodies.start(&part.source)?;
        while let Some(current) = position {
            let table = part.table_at(&current, &mut buffers)?;
            for at in 0..table.len() {
                numbers.push(table.entry(at).ok_or_else(|| part.no_head(0))?.0);
            }
            position = part.bodies.next(&part.source, &current)?;
        }
    }
    Ok(numbers)
}

/// Checks that pairs ascend and are of documents that are there; returns their number.
fn postings(segment: &Segment, section: &Section, numbers: &[u32]) -> Result<u64> {
    let mut cursor = PostingsCursor::new(section, &segment.source);
    cursor.start()?;
    let mut count = 0;
    let mut last = None;
    while let Some(pair) = cursor.pair() {
        if last.is_some_and(|last| last >= pair) || numbers.binary_search(&pair.1).is_err() {
            let what = format!("a key of document {} stands in the wrong place", pair.1);
            return Err(damaged(&segment.source.name, what));
        }
        last = Some(pair);
        count += 1;
        cursor.advance()?;
    }
    Ok(count)
}
