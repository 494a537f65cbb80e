//! Ascending pairs of a 64-bit word and a document number: bucket keys, and hashes of ids.

use crate::block::{Buffers, Packing, Source};
use crate::bytes::{Put, Take};
use crate::error::Result;
use crate::files::damaged;

use super::section::{Position, Section, SectionWriter};

/// Pairs in a block, so that it just fits into a page of 4 KiB.
const PAIRS: usize = 340;

/// A word and a document number.
pub(crate) type Posting = (u64, u32);

/// Writes pairs that come in ascending order.
pub(crate) struct PostingsWriter<'a> {
    section: SectionWriter<'a>,
    pairs: Vec<Posting>,
    payload: Vec<u8>,
    count: u64,
}

impl<'a> PostingsWriter<'a> {
    pub fn new(section: SectionWriter<'a>) -> Self {
        Self { section, pairs: Vec::with_capacity(PAIRS), payload: Vec::new(), count: 0 }
    }

    pub fn push(&mut self, pair: Posting) -> Result<()> {
        self.pairs.push(pair);
        if self.pairs.len() == PAIRS { self.close() } else { Ok(()) }
    }

    fn close(&mut self) -> Result<()> {
        let Some((first, _)) = self.pairs.first().copied() else { return Ok(()) };
        self.payload.clear();
        self.pairs.iter().for_each(|(word, _)| self.payload.put_u64(*word));
        self.pairs.iter().for_each(|(_, number)| self.payload.put_u32(*number));
        self.count += self.pairs.len() as u64;
        self.pairs.clear();
        self.section.push(first, &self.payload, Packing::Never)
    }

    /// Writes the rest and the directory; returns the number of pairs.
    pub fn finish(mut self, footer: &mut Vec<u8>) -> Result<u64> {
        self.close()?;
        self.section.finish(footer)?;
        Ok(self.count)
    }
}

/// The pairs of one block.
struct Pairs<'a> {
    words: &'a [[u8; 8]],
    numbers: &'a [[u8; 4]],
}

impl<'a> Pairs<'a> {
    fn decode(payload: &'a [u8]) -> Option<Self> {
        let count = payload.len() / 12;
        let mut take = Take(payload);
        let (words, numbers) = (take.u64s(count)?, take.u32s(count)?);
        (take.0.is_empty() && count > 0).then_some(Self { words, numbers })
    }

    fn word(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.words[at])
    }

    fn pair(&self, at: usize) -> Posting {
        (self.word(at), u32::from_le_bytes(self.numbers[at]))
    }
}

/// Goes forward through the pairs of a section.
pub(crate) struct PostingsCursor<'a> {
    section: &'a Section,
    source: &'a Source,
    position: Option<Position>,
    /// What the following block begins with, as far as is known.
    pairs: Vec<Posting>,
    at: usize,
    buffers: Buffers,
}

impl<'a> PostingsCursor<'a> {
    /// At the first pair.
    pub fn new(section: &'a Section, source: &'a Source) -> Self {
        let buffers = Buffers::default();
        Self { section, source, position: None, pairs: Vec::new(), at: 0, buffers }
    }

    fn load(&mut self, position: Option<Position>) -> Result<()> {
        self.pairs.clear();
        self.at = 0;
        if let Some(position) = &position {
            let (from, to) = position.places();
            let payload = self.source.block(from, to, &mut self.buffers)?;
            let pairs = Pairs::decode(payload).ok_or_else(|| {
                damaged(&self.source.name, format!("the postings at byte {from} are none"))
            })?;
            self.pairs.extend((0..pairs.words.len()).map(|at| pairs.pair(at)));
        }
        self.position = position;
        Ok(())
    }

    /// Goes to the first pair, and reads it.
    pub fn start(&mut self) -> Result<()> {
        let start = self.section.start(self.source)?;
        self.load(start)
    }

    /// The pair it stands at; `None` at the end.
    pub fn pair(&self) -> Option<Posting> {
        self.pairs.get(self.at).copied()
    }

    /// Goes to the next pair.
    pub fn advance(&mut self) -> Result<()> {
        self.at += 1;
        if self.at >= self.pairs.len()
            && let Some(position) = &self.position
        {
            let next = self.section.next(self.source, position)?;
            self.load(next)?;
        }
        Ok(())
    }

    /// Appends the pairs of the block it stands in from there on, and goes to the next block; false at the end.
    pub fn take_block(&mut self, pairs: &mut Vec<Posting>) -> Result<bool> {
        pairs.extend_from_slice(&self.pairs[self.at..]);
        let Some(position) = &self.position else { return Ok(false) };
        let next = self.section.next(self.source, position)?;
        self.load(next)?;
        Ok(true)
    }

    /// Goes to the first pair whose word is at least this; words must not descend from call to call.
    pub fn seek(&mut self, word: u64) -> Result<()> {
        let beyond = self.pairs.last().is_none_or(|(last, _)| *last < word);
        if beyond {
            let position = self.section.seek(self.source, |first| first < word)?;
            self.load(position)?;
        }
        self.at += first_from(&self.pairs[self.at..], word);
        if self.at >= self.pairs.len() && !self.pairs.is_empty() {
            // Every pair of the block is smaller: the next block begins with at least this word.
            self.at = self.pairs.len() - 1;
            self.advance()?;
        }
        Ok(())
    }
}

/// Where the first pair stands whose word is at least this, of ascending pairs. Looked for near the
/// beginning first: of many words each is near the one before.
fn first_from(pairs: &[Posting], word: u64) -> usize {
    let mut end = 1;
    while pairs.get(end).is_some_and(|(found, _)| *found < word) {
        end *= 2;
    }
    let start = end / 2;
    let near = &pairs[start..end.min(pairs.len())];
    start + near.partition_point(|(found, _)| *found < word)
}

/// Calls `visit` with the numbers of documents that have a word, until it returns false.
pub(crate) fn look_up(
    section: &Section,
    source: &Source,
    word: u64,
    buffers: &mut Buffers,
    mut visit: impl FnMut(u32) -> bool,
) -> Result<()> {
    let mut position = section.seek(source, |first| first < word)?;
    while let Some(current) = position {
        if current.first() > word {
            return Ok(());
        }
        let (from, to) = current.places();
        let payload = source.block(from, to, buffers)?;
        let pairs = Pairs::decode(payload).ok_or_else(|| {
            damaged(&source.name, format!("the postings at byte {from} are none"))
        })?;
        let start = pairs.words.partition_point(|found| u64::from_le_bytes(*found) < word);
        for at in start..pairs.words.len() {
            let (found, number) = pairs.pair(at);
            if found != word || !visit(number) {
                return Ok(());
            }
        }
        position = section.next(source, &current)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_looked_for_near_the_beginning_and_found_anywhere() {
        for length in 0..70_u64 {
            let pairs: Vec<Posting> = (0..length).map(|at| (at / 2 * 10, at as u32)).collect();
            for word in 0..=length * 5 + 1 {
                let expected = pairs.partition_point(|(found, _)| *found < word);
                assert_eq!(first_from(&pairs, word), expected, "{word} of {length}");
            }
        }
    }
}
