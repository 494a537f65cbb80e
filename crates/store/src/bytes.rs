//! Little-endian integers and byte strings, written and read with bounds checked.

use std::ops::{Deref, Range};
use std::sync::Arc;

use crate::shelf::Lent;

/// A part of bytes that several hold: a batch on its way to the log, or where it stands in a log that was read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Piece {
    whole: Arc<Lent>,
    range: Range<usize>,
}

impl Piece {
    /// The end of this piece, of so many bytes, without a copy.
    pub fn last(&self, length: usize) -> Self {
        let start = self.range.end.saturating_sub(length).max(self.range.start);
        Self { whole: Arc::clone(&self.whole), range: start..self.range.end }
    }

    /// The beginning of this piece, of so many bytes, without a copy.
    pub fn first(&self, length: usize) -> Self {
        let end = self.range.start.saturating_add(length).min(self.range.end);
        Self { whole: Arc::clone(&self.whole), range: self.range.start..end }
    }
}

impl From<Vec<u8>> for Piece {
    fn from(bytes: Vec<u8>) -> Self {
        Lent::from(bytes).into()
    }
}

impl From<Lent> for Piece {
    fn from(bytes: Lent) -> Self {
        Self { range: 0..bytes.len(), whole: Arc::new(bytes) }
    }
}

impl Deref for Piece {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.whole[self.range.clone()]
    }
}

/// Appends to a byte vector.
pub(crate) trait Put {
    fn put_u32(&mut self, value: u32);
    fn put_u64(&mut self, value: u64);
    /// A length and the bytes.
    fn put_bytes(&mut self, value: &[u8]);
}

impl Put for Vec<u8> {
    fn put_u32(&mut self, value: u32) {
        self.extend_from_slice(&value.to_le_bytes());
    }

    fn put_u64(&mut self, value: u64) {
        self.extend_from_slice(&value.to_le_bytes());
    }

    fn put_bytes(&mut self, value: &[u8]) {
        self.put_u32(value.len() as u32);
        self.extend_from_slice(value);
    }
}

/// Takes from the front of bytes; `None` where they end too early.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Take<'a>(pub &'a [u8]);

impl<'a> Take<'a> {
    pub fn slice(&mut self, length: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.0.split_at_checked(length)?;
        self.0 = tail;
        Some(head)
    }

    pub fn u8(&mut self) -> Option<u8> {
        self.slice(1).map(|bytes| bytes[0])
    }

    pub fn u32(&mut self) -> Option<u32> {
        self.slice(4)?.try_into().ok().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Option<u64> {
        self.slice(8)?.try_into().ok().map(u64::from_le_bytes)
    }

    /// What [`Put::put_bytes`] wrote.
    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.u32()? as usize;
        self.slice(length)
    }

    /// A string that [`Put::put_bytes`] wrote.
    pub fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    /// So many 32-bit integers.
    pub fn u32s(&mut self, count: usize) -> Option<&'a [[u8; 4]]> {
        Some(self.slice(count.checked_mul(4)?)?.as_chunks().0)
    }

    /// So many 64-bit integers.
    pub fn u64s(&mut self, count: usize) -> Option<&'a [[u8; 8]]> {
        Some(self.slice(count.checked_mul(8)?)?.as_chunks().0)
    }
}
