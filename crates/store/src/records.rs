//! Tables from document number to bytes, and what a head holds.

use crate::bytes::{Put, Take};

/// What is known of a document without reading its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its number in the order of adding.
    pub number: u32,
    /// When it was added, in milliseconds since 1970.
    pub added: u64,
    /// When it ceases to be there; [`crate::NEVER`] for never.
    pub expires: u64,
    /// The user's id.
    pub id: String,
    /// The layer above's bytes.
    pub bytes: Vec<u8>,
}

/// A head where it stands in a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeadView<'a> {
    pub added: u64,
    pub expires: u64,
    pub id: &'a str,
    pub bytes: &'a [u8],
}

impl<'a> HeadView<'a> {
    pub fn decode(entry: &'a [u8]) -> Option<Self> {
        let mut take = Take(entry);
        Some(Self { added: take.u64()?, expires: take.u64()?, id: take.text()?, bytes: take.0 })
    }

    pub fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.put_u64(self.added);
        bytes.put_u64(self.expires);
        bytes.put_bytes(self.id.as_bytes());
        bytes.extend_from_slice(self.bytes);
    }

    pub fn to_head(self, number: u32) -> Head {
        let Self { added, expires, id, bytes } = self;
        Head { number, added, expires, id: id.to_owned(), bytes: bytes.to_vec() }
    }
}

/// Entries of one block of a table, while it is written.
#[derive(Debug, Default)]
pub(crate) struct TableBuilder {
    numbers: Vec<u32>,
    ends: Vec<u32>,
    entries: Vec<u8>,
}

impl TableBuilder {
    pub fn push(&mut self, number: u32, write: impl FnOnce(&mut Vec<u8>)) {
        write(&mut self.entries);
        self.numbers.push(number);
        self.ends.push(self.entries.len() as u32);
    }

    pub fn size(&self) -> usize {
        4 + self.numbers.len() * 8 + self.entries.len()
    }

    pub fn first(&self) -> Option<u32> {
        self.numbers.first().copied()
    }

    /// Writes the payload; the builder is empty afterwards.
    pub fn finish(&mut self, payload: &mut Vec<u8>) {
        payload.clear();
        payload.reserve(self.size());
        payload.put_u32(self.numbers.len() as u32);
        self.numbers.drain(..).for_each(|number| payload.put_u32(number));
        self.ends.drain(..).for_each(|end| payload.put_u32(end));
        payload.append(&mut self.entries);
    }
}

/// The entries of one block of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table<'a> {
    numbers: &'a [[u8; 4]],
    ends: &'a [[u8; 4]],
    entries: &'a [u8],
}

impl<'a> Table<'a> {
    pub fn decode(payload: &'a [u8]) -> Option<Self> {
        let mut take = Take(payload);
        let count = take.u32()? as usize;
        let (numbers, ends) = (take.u32s(count)?, take.u32s(count)?);
        Some(Self { numbers, ends, entries: take.0 })
    }

    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// The number and the bytes of an entry.
    pub fn entry(&self, at: usize) -> Option<(u32, &'a [u8])> {
        let number = u32::from_le_bytes(*self.numbers.get(at)?);
        let start = if at == 0 { 0 } else { u32::from_le_bytes(self.ends[at - 1]) as usize };
        let end = u32::from_le_bytes(self.ends[at]) as usize;
        Some((number, self.entries.get(start..end)?))
    }

    /// The bytes of a document.
    pub fn find(&self, number: u32) -> Option<&'a [u8]> {
        let at = self.numbers.binary_search_by_key(&number, |n| u32::from_le_bytes(*n)).ok()?;
        self.entry(at).map(|(_, bytes)| bytes)
    }
}
