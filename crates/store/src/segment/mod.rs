//! Documents of a range of numbers, immutable: heads, bodies, ids and keys.
//!
//! The same bytes stand in a file, or in memory as part of the log: a batch is a small segment, and
//! merging makes one segment of several neighbours.

mod merge;
mod postings;
mod section;
mod spread;
mod write;

use std::sync::Arc;

pub(crate) use merge::{Bodies, Merged, merge};
pub(crate) use postings::{PostingsCursor, look_up};
pub(crate) use section::{CacheBudget, Position, Section, Sink};
pub use spread::sort_postings;
pub(crate) use write::encode_batch;

use crate::block::{Buffers, FRAME_BYTES, Source, SourceBytes};
use crate::bytes::{Piece, Take};
use crate::error::Result;
use crate::files::damaged;
use crate::records::{HeadView, Table};

/// Sizes at which blocks are closed.
pub(crate) const HEAD_BLOCK_BYTES: usize = 4 << 10;
pub(crate) const BODY_BLOCK_BYTES: usize = 32 << 10;

/// A segment, ready to be read.
#[derive(Debug)]
pub(crate) struct Segment {
    pub source: Source,
    pub heads: Section,
    pub bodies: Section,
    pub ids: Section,
    pub keys: Section,
    pub documents: u64,
    pub postings: u64,
    /// The first and the last number it may hold.
    pub first: u32,
    pub last: u32,
    /// The file's number; `None` in memory.
    pub file: Option<u32>,
    pub size: u64,
    /// Neighbours in memory that hold its bodies, in the order of their numbers; none where it
    /// holds them itself.
    pub parts: Vec<Arc<Segment>>,
}

impl Segment {
    /// Reads the footer between two places.
    pub fn open(
        source: Source,
        footer: (u64, u64),
        range: (u32, u32),
        file: Option<u32>,
        budget: &CacheBudget,
    ) -> Result<Self> {
        let mut buffers = Buffers::default();
        let payload = source.block(footer.0, footer.1, &mut buffers)?;
        let mut take = Take(payload);
        let decode = || {
            let (documents, postings) = (take.u64()?, take.u64()?);
            let sections = [(); 4].map(|()| Section::decode(&mut take, budget));
            let [heads, bodies, ids, keys] = sections;
            let parts = (heads?, bodies?, ids?, keys?, documents, postings);
            take.0.is_empty().then_some(parts)
        };
        let decoded = { decode }();
        let Some((heads, bodies, ids, keys, documents, postings)) = decoded else {
            return Err(damaged(&source.name, "its footer is none".into()));
        };
        let (first, last) = range;
        let most = (u64::from(last) + 1).saturating_sub(u64::from(first));
        if documents > most {
            let what =
                format!("its footer says {documents} documents where there is room for {most}");
            return Err(damaged(&source.name, what));
        }
        Ok(Self {
            source,
            heads,
            bodies,
            ids,
            keys,
            documents,
            postings,
            first,
            last,
            file,
            size: footer.1,
            parts: Vec::new(),
        })
    }

    /// A segment in memory, as [`encode_batch`] makes it.
    pub fn in_memory(bytes: Piece, range: (u32, u32), budget: &CacheBudget) -> Result<Self> {
        let name = Arc::from("a segment in the log");
        let length = bytes.len() as u64;
        let footer = bytes.last_chunk::<8>().map(|place| u64::from_le_bytes(*place));
        let footer = footer
            .filter(|place| place.saturating_add(FRAME_BYTES as u64 + 8) <= length)
            .ok_or_else(|| damaged(&name, "it has no footer".into()))?;
        let source = Source { bytes: SourceBytes::Memory(bytes), seed: 0, name };
        let mut segment = Self::open(source, (footer, length - 8), range, None, budget)?;
        segment.size = length;
        Ok(segment)
    }

    pub fn holds(&self, number: u32) -> bool {
        (self.first..=self.last).contains(&number)
    }

    /// Calls `look` with the table that may hold a document, in its heads or bodies.
    fn table<T>(
        &self,
        section: &Section,
        number: u32,
        buffers: &mut Buffers,
        look: impl FnOnce(&Table<'_>) -> Option<T>,
    ) -> Result<Option<T>> {
        let before = |first| first <= u64::from(number);
        let Some(position) = section.seek(&self.source, before)? else { return Ok(None) };
        Ok(look(&self.table_at(&position, buffers)?))
    }

    /// The table at a position.
    pub fn table_at<'a>(
        &'a self,
        position: &Position,
        buffers: &'a mut Buffers,
    ) -> Result<Table<'a>> {
        let (from, to) = position.places();
        let payload = self.source.block(from, to, buffers)?;
        Table::decode(payload)
            .ok_or_else(|| damaged(&self.source.name, format!("the table at byte {from} is none")))
    }

    /// Calls `look` with the head of a document.
    pub fn head<T>(
        &self,
        number: u32,
        buffers: &mut Buffers,
        look: impl FnOnce(&HeadView<'_>) -> T,
    ) -> Result<Option<T>> {
        let entry = |table: &Table<'_>| {
            table.find(number).map(|entry| HeadView::decode(entry).map(|head| look(&head)))
        };
        match self.table(&self.heads, number, buffers, entry)? {
            None => Ok(None),
            Some(Some(seen)) => Ok(Some(seen)),
            Some(None) => Err(self.no_head(number)),
        }
    }

    pub fn no_head(&self, number: u32) -> crate::StoreError {
        damaged(&self.source.name, format!("the head of document {number} is none"))
    }

    /// The segments that hold the bodies, in the order of their numbers.
    pub fn with_bodies(&self) -> impl Iterator<Item = &Self> {
        let itself = self.parts.is_empty().then_some(self);
        self.parts.iter().map(AsRef::as_ref).chain(itself)
    }

    /// The segment that holds the body of a document, if any does.
    pub fn with_body(&self, number: u32) -> &Self {
        let at = self.parts.partition_point(|part| part.last < number);
        self.parts.get(at).map_or(self, AsRef::as_ref)
    }

    /// The body of a document.
    pub fn body(&self, number: u32, buffers: &mut Buffers) -> Result<Option<Vec<u8>>> {
        let part = self.with_body(number);
        let copy = |table: &Table<'_>| table.find(number).map(<[u8]>::to_vec);
        part.table(&part.bodies, number, buffers, copy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Document, NEVER};

    #[test]
    fn a_footer_with_more_documents_than_numbers_is_refused() {
        let document = Document {
            id: "a".into(),
            added: None,
            expires: NEVER,
            head: Vec::new(),
            body: Vec::new(),
            rest_of_body: b"fog",
            keys: vec![7],
        };
        let mut bytes =
            encode_batch(&[document], Vec::new(), 5, 0, &Arc::default()).unwrap().to_vec();
        let open = |bytes: &[u8], range| {
            let opened = Segment::in_memory(bytes.to_vec().into(), range, &CacheBudget::default());
            opened.map(|segment| segment.documents)
        };
        assert_eq!(open(&bytes, (5, 5)).unwrap(), 1);
        // Numbers that go back, as those of a damaged record.
        assert!(open(&bytes, (5, 4)).is_err());
        let footer = u64::from_le_bytes(*bytes.last_chunk().unwrap()) as usize;
        bytes[footer + 8..footer + 16].copy_from_slice(&u64::MAX.to_le_bytes());
        let error = open(&bytes, (5, 5)).unwrap_err().to_string();
        assert!(
            error.contains("18446744073709551615 documents where there is room for 1"),
            "{error}"
        );
    }
}
