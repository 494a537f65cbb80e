//! Large buffers that are used again: fresh memory costs more than what is written into it.

use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

/// Smaller ones come from memory that the process has already.
const LARGE_BYTES: usize = 1 << 20;
/// Room that lies here at most; what was never written to takes no memory.
const MOST_BYTES: usize = 64 << 20;

/// Buffers that nobody uses at the moment.
#[derive(Debug, Default)]
pub(crate) struct Shelf {
    free: Mutex<Vec<Vec<u8>>>,
}

impl Shelf {
    /// An empty buffer with room for so many bytes.
    pub fn take(&self, capacity: usize) -> Vec<u8> {
        if capacity >= LARGE_BYTES {
            let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(at) = free.iter().position(|buffer| buffer.capacity() >= capacity) {
                return free.swap_remove(at);
            }
        }
        Vec::with_capacity(capacity)
    }

    /// Bytes whose buffer comes back when nobody needs them any more.
    pub fn lend(self: &Arc<Self>, mut bytes: Vec<u8>) -> Lent {
        let large = bytes.capacity() >= LARGE_BYTES;
        if !large {
            bytes.shrink_to_fit();
        }
        Lent { bytes, shelf: large.then(|| Arc::clone(self)) }
    }

    fn put_back(&self, mut buffer: Vec<u8>) {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let lying: usize = free.iter().map(Vec::capacity).sum();
        if lying + buffer.capacity() <= MOST_BYTES {
            buffer.clear();
            free.push(buffer);
        }
    }
}

/// Bytes, in a buffer of a shelf or in one of their own.
#[derive(Debug, Default)]
pub(crate) struct Lent {
    bytes: Vec<u8>,
    shelf: Option<Arc<Shelf>>,
}

impl From<Vec<u8>> for Lent {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, shelf: None }
    }
}

impl Deref for Lent {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(shelf) = self.shelf.take() {
            shelf.put_back(std::mem::take(&mut self.bytes));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_buffer_comes_back_empty_once_its_bytes_are_let_go() {
        let shelf = Arc::new(Shelf::default());
        let mut buffer = shelf.take(LARGE_BYTES);
        buffer.extend_from_slice(b"some bytes");
        let place = buffer.as_ptr();
        let lent = shelf.lend(buffer);
        assert_eq!(&*lent, b"some bytes");
        let other = shelf.take(LARGE_BYTES);
        assert_ne!(other.as_ptr(), place, "it is still in use");
        drop(lent);
        let again = shelf.take(LARGE_BYTES);
        assert!(again.as_ptr() == place && again.is_empty());
    }

    #[test]
    fn small_ones_are_cut_to_size_and_not_kept() {
        let shelf = Arc::new(Shelf::default());
        let mut buffer = shelf.take(1000);
        buffer.push(1);
        let lent = shelf.lend(buffer);
        assert!(lent.bytes.capacity() < 1000);
        drop(lent);
        assert!(shelf.free.lock().unwrap().is_empty());
    }

    #[test]
    fn no_more_lies_there_than_is_said() {
        let shelf = Arc::new(Shelf::default());
        let lent: Vec<Lent> = (0..20).map(|_| shelf.lend(shelf.take(MOST_BYTES / 8))).collect();
        drop(lent);
        assert_eq!(shelf.free.lock().unwrap().len(), 8);
    }
}
