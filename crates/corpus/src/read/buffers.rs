//! Buffers that go round between reading and parsing.
//!
//! A fresh megabyte for every block costs more than reading into it: the system hands out pages one
//! fault at a time and clears each of them. A block that has been parsed gives its buffer back.

use std::io::{self, Read};
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

/// Buffers that wait to be used again.
#[derive(Debug)]
pub(crate) struct Buffers {
    free: Mutex<Vec<Vec<u8>>>,
    /// Buffers that one long row has made bigger than this are not kept.
    max_bytes: usize,
}

/// More blocks than this are hardly ever under way at once.
const MAX_FREE: usize = 64;

impl Buffers {
    /// A pool for blocks of about so many bytes.
    pub(crate) fn new(block_bytes: usize) -> Arc<Self> {
        Arc::new(Self { free: Mutex::default(), max_bytes: block_bytes.saturating_mul(4) })
    }

    /// An empty buffer.
    pub(crate) fn take(self: &Arc<Self>) -> Buffer {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let memory = free.pop().unwrap_or_default();
        Buffer { memory, filled: 0, home: Arc::clone(self) }
    }
}

/// Bytes in borrowed memory.
#[derive(Debug)]
pub(crate) struct Buffer {
    /// Cleared once and then written over; only the first `filled` bytes mean anything.
    memory: Vec<u8>,
    filled: usize,
    home: Arc<Buffers>,
}

impl Buffer {
    /// Reads `wanted` bytes, or fewer where the input ends or fails.
    pub(crate) fn read(&mut self, input: &mut dyn Read, wanted: usize) -> io::Result<usize> {
        let (start, end) = (self.filled, self.filled + wanted);
        if self.memory.len() < end {
            self.memory.reserve_exact(end - self.memory.len());
            self.memory.resize(end, 0);
        }
        while self.filled < end {
            match input.read(&mut self.memory[self.filled..end]) {
                Ok(0) => break,
                Ok(got) => self.filled += got,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(self.filled - start)
    }

    /// Appends bytes.
    pub(crate) fn append(&mut self, bytes: &[u8]) {
        let end = self.filled + bytes.len();
        if self.memory.len() < end {
            self.memory.resize(end, 0);
        }
        self.memory[self.filled..end].copy_from_slice(bytes);
        self.filled = end;
    }

    /// Forgets the bytes between two places.
    pub(crate) fn remove(&mut self, from: usize, to: usize) {
        self.memory.copy_within(to..self.filled, from);
        self.filled -= to - from;
    }

    /// Forgets the bytes from `length` on.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.filled = self.filled.min(length);
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.memory[..self.filled]
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let mut free = self.home.free.lock().unwrap_or_else(PoisonError::into_inner);
        if free.len() < MAX_FREE && self.memory.len() <= self.home.max_bytes {
            free.push(std::mem::take(&mut self.memory));
        }
    }
}
