//! A long array of small values, in memory up to a limit and on disk past it.

use std::path::{Path, PathBuf};

use crate::IndexError;
use crate::spill::SpillFile;

const WRITE_BYTES: usize = 1 << 18;
/// What one positioned read takes at most; small enough for the stack.
const LONG_READ_BYTES: usize = 1 << 14;
const SHORT_READ_BYTES: usize = 1 << 9;

/// A value with a fixed little-endian form.
pub(crate) trait Fixed: Copy {
    /// Bytes of the form; a divisor of what is read at a time.
    const WIDTH: usize;
    fn write(self, bytes: &mut Vec<u8>);
    /// Reads exactly [`Fixed::WIDTH`] bytes.
    fn read(bytes: &[u8]) -> Self;
}

impl Fixed for u64 {
    const WIDTH: usize = 8;

    fn write(self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.to_le_bytes());
    }

    fn read(bytes: &[u8]) -> Self {
        bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
    }
}

/// Takes slices one after the other; a slice is never split between memory and disk.
#[derive(Debug)]
pub(crate) struct ArrayBuilder<T> {
    memory: Vec<T>,
    memory_values: usize,
    folder: PathBuf,
    spill: Option<SpillFile>,
    unwritten: Vec<u8>,
    length: u64,
}

impl<T: Fixed> ArrayBuilder<T> {
    pub(crate) fn new(memory_bytes: usize, folder: &Path) -> Self {
        Self {
            memory: Vec::new(),
            memory_values: memory_bytes / size_of::<T>(),
            folder: folder.to_owned(),
            spill: None,
            unwritten: Vec::new(),
            length: 0,
        }
    }

    /// Values appended so far.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    pub(crate) fn append(&mut self, values: &[T]) -> Result<(), IndexError> {
        self.length += values.len() as u64;
        let fits = self.memory.len() + values.len() <= self.memory_values;
        let spill = match &mut self.spill {
            None if fits => {
                self.memory.extend_from_slice(values);
                return Ok(());
            }
            None => self.spill.insert(SpillFile::create(&self.folder)?),
            Some(spill) => spill,
        };
        for value in values {
            value.write(&mut self.unwritten);
            if self.unwritten.len() >= WRITE_BYTES {
                spill.append(&self.unwritten)?;
                self.unwritten.clear();
            }
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<SpillArray<T>, IndexError> {
        if let Some(spill) = &mut self.spill {
            spill.append(&self.unwritten)?;
        }
        self.memory.shrink_to_fit();
        Ok(SpillArray { memory: self.memory, spill: self.spill })
    }
}

/// The finished array: its first slices in memory, the rest read by position.
#[derive(Debug)]
pub(crate) struct SpillArray<T> {
    memory: Vec<T>,
    spill: Option<SpillFile>,
}

impl<T: Fixed> SpillArray<T> {
    /// Bytes held in memory.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.memory.len() * size_of::<T>()
    }

    /// Values of any number of appended slices, owned.
    pub(crate) fn read_across(&self, start: u64, length: usize) -> Result<Vec<T>, IndexError> {
        let in_memory = (self.memory.len() as u64).saturating_sub(start).min(length as u64);
        let mut values = Vec::with_capacity(length);
        if in_memory > 0 {
            values.extend_from_slice(&self.memory[start as usize..][..in_memory as usize]);
        }
        let rest = length - in_memory as usize;
        if rest > 0 {
            values.extend_from_slice(self.read(start + in_memory, rest, &mut Vec::new())?);
        }
        Ok(values)
    }

    /// Values within one appended slice, borrowed where they are in memory, else in `buffer`.
    pub(crate) fn read<'a>(
        &'a self,
        start: u64,
        length: usize,
        buffer: &'a mut Vec<T>,
    ) -> Result<&'a [T], IndexError> {
        let in_memory = self.memory.len() as u64;
        let Some(spill) = self.spill.as_ref().filter(|_| start >= in_memory) else {
            return Ok(&self.memory[start as usize..start as usize + length]);
        };
        buffer.clear();
        buffer.reserve(length);
        let offset = (start - in_memory) * T::WIDTH as u64;
        // Most reads are short; a long piece on the stack costs as much to clear as to read.
        if length * T::WIDTH <= SHORT_READ_BYTES {
            read_pieces::<T, SHORT_READ_BYTES>(spill, offset, length, buffer)?;
        } else {
            read_pieces::<T, LONG_READ_BYTES>(spill, offset, length, buffer)?;
        }
        Ok(buffer)
    }
}

fn read_pieces<T: Fixed, const BYTES: usize>(
    spill: &SpillFile,
    mut offset: u64,
    length: usize,
    buffer: &mut Vec<T>,
) -> Result<(), IndexError> {
    let mut bytes = [0; BYTES];
    let mut left = length * T::WIDTH;
    while left > 0 {
        let piece = &mut bytes[..left.min(BYTES)];
        spill.read_at(offset, piece)?;
        buffer.extend(piece.chunks_exact(T::WIDTH).map(T::read));
        offset += piece.len() as u64;
        left -= piece.len();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spilling_into_a_missing_folder_is_an_error() {
        let mut array = ArrayBuilder::new(16, Path::new("no/such/folder"));
        array.append(&[1_u64, 2]).unwrap();
        assert!(matches!(array.append(&[3]), Err(IndexError::Create { .. })));
    }

    #[test]
    fn short_and_long_slices_come_back_from_disk() {
        let folder = tempfile::tempdir().unwrap();
        let mut array = ArrayBuilder::new(0, folder.path());
        let values: Vec<u64> = (0..50_000).collect();
        array.append(&values).unwrap();
        let array = array.finish().unwrap();
        let mut buffer = Vec::new();
        for (start, length) in [(0, 1), (17, 64), (17, 65), (3, 49_997)] {
            let read = array.read(start as u64, length, &mut buffer).unwrap();
            assert_eq!(read, &values[start..start + length]);
        }
    }
}
