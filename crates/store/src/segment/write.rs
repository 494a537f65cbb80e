//! From documents to a small segment in memory.

use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use super::postings::{Posting, PostingsWriter};
use super::section::{SectionWriter, Sink, append};
use super::spread::sort_postings;
use super::{BODY_BLOCK_BYTES, HEAD_BLOCK_BYTES};
use crate::Document;
use crate::block::{Packing, put_block};
use crate::bytes::Put;
use crate::error::Result;
use crate::records::{HeadView, TableBuilder};
use crate::shelf::{Lent, Shelf};

/// Closes tables that pass a size.
pub(crate) struct TableWriter<'a> {
    pub section: SectionWriter<'a>,
    table: TableBuilder,
    payload: Vec<u8>,
    block_bytes: usize,
    packing: Packing,
}

impl<'a> TableWriter<'a> {
    /// Digests and signatures hardly get smaller, and every candidate's head is read: not packed.
    pub fn heads(section: SectionWriter<'a>) -> Self {
        Self::new(section, HEAD_BLOCK_BYTES, Packing::Never)
    }

    pub fn bodies(section: SectionWriter<'a>) -> Self {
        Self::new(section, BODY_BLOCK_BYTES, Packing::IfSmaller)
    }

    fn new(section: SectionWriter<'a>, block_bytes: usize, packing: Packing) -> Self {
        Self { section, table: TableBuilder::default(), payload: Vec::new(), block_bytes, packing }
    }

    pub fn push(&mut self, number: u32, write: impl FnOnce(&mut Vec<u8>)) -> Result<()> {
        self.table.push(number, write);
        if self.table.size() >= self.block_bytes { self.close() } else { Ok(()) }
    }

    /// Ends the block at hand.
    pub fn close(&mut self) -> Result<()> {
        let Some(first) = self.table.first() else { return Ok(()) };
        self.table.finish(&mut self.payload);
        self.section.push(u64::from(first), &self.payload, self.packing)
    }

    pub fn finish(mut self, footer: &mut Vec<u8>) -> Result<()> {
        self.close()?;
        self.section.finish(footer)
    }
}

/// Writes the footer; `counts` are documents and postings, `sections` what the sections said.
pub(crate) fn write_footer(
    sink: &mut dyn Sink,
    place: &mut u64,
    seed: u64,
    counts: (u64, u64),
    sections: &[u8],
) -> Result<u64> {
    let mut payload = Vec::with_capacity(16 + sections.len());
    payload.put_u64(counts.0);
    payload.put_u64(counts.1);
    payload.extend_from_slice(sections);
    let footer = *place;
    append(sink, place, |end, place| put_block(end, &payload, Packing::Never, seed, place))?;
    Ok(footer)
}

/// The documents of a batch as a segment in memory; they get the numbers from `first` on, and these
/// keys besides their own.
pub(crate) fn encode_batch(
    documents: &[Document<'_>],
    mut keys: Vec<Posting>,
    first: u32,
    time: u64,
    shelf: &Arc<Shelf>,
) -> Result<Lent> {
    // Room for all of it unpacked: to grow would be to copy again and again.
    let mut bytes = shelf.take(documents.iter().map(unpacked_bytes).sum());
    let mut place = 0;
    let mut footer = Vec::new();
    let numbered = || (first..).zip(documents);

    let section = SectionWriter::new(&mut bytes, &mut place, 0);
    let mut heads = TableWriter::heads(section);
    for (number, document) in numbered() {
        let Document { id, added, expires, head, .. } = document;
        let added = added.map_or(time, |added| added.min(time));
        let head = HeadView { added, expires: *expires, id, bytes: head };
        heads.push(number, |entry| head.encode(entry))?;
    }
    heads.finish(&mut footer)?;

    let section = SectionWriter::new(&mut bytes, &mut place, 0);
    let mut bodies = TableWriter::bodies(section);
    for (number, document) in numbered() {
        bodies.push(number, |entry| {
            entry.extend_from_slice(&document.body);
            entry.extend_from_slice(document.rest_of_body);
        })?;
    }
    bodies.finish(&mut footer)?;

    let ids = numbered().map(|(number, document)| (xxh3_64(document.id.as_bytes()), number));
    keys.extend(numbered().flat_map(|(number, d)| d.keys.iter().map(move |key| (*key, number))));
    let mut counts = [0; 2];
    for (count, mut pairs) in counts.iter_mut().zip([ids.collect::<Vec<Posting>>(), keys]) {
        if !pairs.is_sorted() {
            pairs = sort_postings(pairs);
        }
        pairs.dedup();
        let section = SectionWriter::new(&mut bytes, &mut place, 0);
        let mut writer = PostingsWriter::new(section);
        pairs.into_iter().try_for_each(|pair| writer.push(pair))?;
        *count = writer.finish(&mut footer)?;
    }
    let counts = (documents.len() as u64, counts[1]);
    let footer = write_footer(&mut bytes, &mut place, 0, counts, &footer)?;
    bytes.put_u64(footer);
    Ok(shelf.lend(bytes))
}

/// About what a document takes in a segment, nothing packed.
fn unpacked_bytes(document: &Document<'_>) -> usize {
    /// Numbers, ends, times and what blocks have around them.
    const AROUND: usize = 64;
    const POSTING: usize = 12;
    let Document { id, head, body, rest_of_body, keys, .. } = document;
    let entries = id.len() + head.len() + body.len() + rest_of_body.len();
    AROUND + entries + (keys.len() + 1) * POSTING
}
