//! A sequence of blocks in ascending order with the directory that finds them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use crate::block::{Buffers, Packing, Source, put_block, put_stored};
use crate::bytes::{Put, Take};
use crate::error::Result;
use crate::files::damaged;

/// Blocks that one block of a directory lists.
const ENTRIES: usize = 256;

/// Where written bytes go.
pub(crate) trait Sink {
    /// What the next bytes are appended to, so that nobody copies them from elsewhere.
    fn end(&mut self) -> &mut Vec<u8>;

    /// To be called when some were appended.
    fn appended(&mut self) -> Result<()>;
}

impl Sink for Vec<u8> {
    fn end(&mut self) -> &mut Vec<u8> {
        self
    }

    fn appended(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Appends a block, which `put` is told the place of, to a sink that stands at `place`.
pub(super) fn append(
    sink: &mut dyn Sink,
    place: &mut u64,
    put: impl FnOnce(&mut Vec<u8>, u64),
) -> Result<()> {
    let end = sink.end();
    let before = end.len();
    put(end, *place);
    *place += (end.len() - before) as u64;
    sink.appended()
}

/// Writes blocks and notes where they stand.
pub(crate) struct SectionWriter<'a> {
    sink: &'a mut dyn Sink,
    place: &'a mut u64,
    seed: u64,
    /// First word and place of each block.
    blocks: Vec<(u64, u64)>,
}

impl<'a> SectionWriter<'a> {
    pub fn new(sink: &'a mut dyn Sink, place: &'a mut u64, seed: u64) -> Self {
        Self { sink, place, seed, blocks: Vec::new() }
    }

    pub fn push(&mut self, first: u64, payload: &[u8], packing: Packing) -> Result<()> {
        self.blocks.push((first, *self.place));
        self.write(|buffer, seed, place| put_block(buffer, payload, packing, seed, place))
    }

    /// A block that is packed already.
    pub fn push_stored(&mut self, first: u64, stored: &[u8], raw: usize) -> Result<()> {
        self.blocks.push((first, *self.place));
        self.write(|buffer, seed, place| put_stored(buffer, stored, raw, seed, place))
    }

    fn write(&mut self, put: impl FnOnce(&mut Vec<u8>, u64, u64)) -> Result<()> {
        append(self.sink, self.place, |end, place| put(end, self.seed, place))
    }

    /// Writes the directory; what the footer says of it goes to `footer`.
    pub fn finish(mut self, footer: &mut Vec<u8>) -> Result<()> {
        let blocks = std::mem::take(&mut self.blocks);
        let end = *self.place;
        footer.put_u32(blocks.len().div_ceil(ENTRIES) as u32);
        for (at, page) in blocks.chunks(ENTRIES).enumerate() {
            let mut payload = Vec::with_capacity(page.len() * 16 + 8);
            for (first, place) in page {
                payload.put_u64(*first);
                payload.put_u64(*place);
            }
            payload.put_u64(blocks.get((at + 1) * ENTRIES).map_or(end, |(_, place)| *place));
            footer.put_u64(page[0].0);
            footer.put_u64(*self.place);
            self.write(|out, seed, place| put_block(out, &payload, Packing::Never, seed, place))?;
        }
        footer.put_u64(*self.place);
        Ok(())
    }
}

/// A directory's block: where blocks stand and what they begin with.
#[derive(Debug)]
pub(crate) struct Page {
    firsts: Vec<u64>,
    /// One more than blocks: where the last one ends.
    places: Vec<u64>,
}

/// A block of a section.
#[derive(Clone, Debug)]
pub(crate) struct Position {
    page: Arc<Page>,
    page_number: usize,
    slot: usize,
}

impl Position {
    pub fn first(&self) -> u64 {
        self.page.firsts[self.slot]
    }

    pub fn places(&self) -> (u64, u64) {
        (self.page.places[self.slot], self.page.places[self.slot + 1])
    }
}

/// How many bytes of directories may stay in memory, shared by all segments.
pub(crate) type CacheBudget = Arc<AtomicUsize>;

/// Finds the blocks of a section.
#[derive(Debug)]
pub(crate) struct Section {
    /// The first word and the place of each of the directory's blocks.
    tops: Vec<(u64, u64)>,
    end: u64,
    pages: Vec<OnceLock<Arc<Page>>>,
    budget: CacheBudget,
}

impl Section {
    /// Reads what the footer says of a section.
    pub fn decode(footer: &mut Take<'_>, budget: &CacheBudget) -> Option<Self> {
        let count = footer.u32()? as usize;
        let words = footer.u64s(count.checked_mul(2)?)?;
        let word = |at: usize| u64::from_le_bytes(words[at]);
        let tops: Vec<_> = (0..count).map(|at| (word(2 * at), word(2 * at + 1))).collect();
        let pages = (0..count).map(|_| OnceLock::new()).collect();
        Some(Self { tops, end: footer.u64()?, pages, budget: Arc::clone(budget) })
    }

    fn page(&self, source: &Source, number: usize) -> Result<Arc<Page>> {
        if let Some(page) = self.pages[number].get() {
            return Ok(Arc::clone(page));
        }
        let place = self.tops[number].1;
        let end = self.tops.get(number + 1).map_or(self.end, |(_, place)| *place);
        let mut buffers = Buffers::default();
        let page = Page::decode(source.block(place, end, &mut buffers)?).ok_or_else(|| {
            damaged(&source.name, format!("the directory at byte {place} is none"))
        })?;
        let page = Arc::new(page);
        let bytes = page.firsts.len() * 16;
        let spend = |left: usize| left.checked_sub(bytes);
        if self.budget.fetch_update(Ordering::Relaxed, Ordering::Relaxed, spend).is_ok()
            && self.pages[number].set(Arc::clone(&page)).is_err()
        {
            // Another thread was first and has paid as well.
            self.budget.fetch_add(bytes, Ordering::Relaxed);
        }
        Ok(page)
    }

    /// The first block.
    pub fn start(&self, source: &Source) -> Result<Option<Position>> {
        if self.tops.is_empty() {
            return Ok(None);
        }
        Ok(Some(Position { page: self.page(source, 0)?, page_number: 0, slot: 0 }))
    }

    /// The block after another one.
    pub fn next(&self, source: &Source, position: &Position) -> Result<Option<Position>> {
        let Position { page, page_number, slot } = position;
        if slot + 1 < page.firsts.len() {
            let page = Arc::clone(page);
            return Ok(Some(Position { page, page_number: *page_number, slot: slot + 1 }));
        }
        if page_number + 1 == self.tops.len() {
            return Ok(None);
        }
        let page = self.page(source, page_number + 1)?;
        Ok(Some(Position { page, page_number: page_number + 1, slot: 0 }))
    }

    /// The last block whose first word satisfies `before`, or else the first block.
    pub fn seek(&self, source: &Source, before: impl Fn(u64) -> bool) -> Result<Option<Position>> {
        if self.tops.is_empty() {
            return Ok(None);
        }
        let page_number = self.tops.partition_point(|(first, _)| before(*first)).saturating_sub(1);
        let page = self.page(source, page_number)?;
        let slot = page.firsts.partition_point(|first| before(*first)).saturating_sub(1);
        Ok(Some(Position { page, page_number, slot }))
    }
}

impl Drop for Section {
    fn drop(&mut self) {
        let cached = self.pages.iter().filter_map(OnceLock::get);
        let bytes = cached.map(|page| page.firsts.len() * 16).sum();
        self.budget.fetch_add(bytes, Ordering::Relaxed);
    }
}

impl Page {
    fn decode(payload: &[u8]) -> Option<Self> {
        let count = payload.len().checked_sub(8)? / 16;
        let mut take = Take(payload);
        let mut page = Self { firsts: Vec::with_capacity(count), places: Vec::new() };
        page.places.reserve(count + 1);
        for _ in 0..count {
            page.firsts.push(take.u64()?);
            page.places.push(take.u64()?);
        }
        page.places.push(take.u64()?);
        (take.0.is_empty() && count > 0).then_some(page)
    }
}
