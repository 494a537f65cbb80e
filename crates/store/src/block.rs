//! Checksummed blocks: the only way bytes get into a file, apart from the log.

use std::cell::RefCell;
use std::io::Cursor;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64_with_seed;
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::{CParameter, ParamSwitch};

use crate::ReadFile;
use crate::bytes::{Piece, Put, Take};
use crate::error::Result;
use crate::files::{damaged, io, read};

/// Lengths before the payload and checksum after it.
pub(crate) const FRAME_BYTES: usize = LENGTHS_BYTES + 8;
const LENGTHS_BYTES: usize = 8;
/// Packing must save at least an eighth to be worth unpacking.
const LEAST_SAVING: usize = 8;
/// Fast, and on blocks of this size hardly larger than higher levels.
const LEVEL: i32 = 1;
/// Texts repeat words, and short matches cost more time than they save room: longer ones, fewer places
/// to look and larger steps between them take a fifth less time for an eighth more room.
const LEAST_MATCH: u32 = 7;
const HASH_BITS: u32 = 12;
const STEP: u32 = 3;
const LARGEST_BLOCK: usize = (1 << 30) + (1 << 26);

/// Whether a payload is worth packing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    Never,
    IfSmaller,
}

thread_local! {
    // Making the tables of a compressor anew costs more than packing a block.
    static PACKER: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static UNPACKER: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

fn new_packer() -> std::io::Result<Compressor<'static>> {
    let mut packer = Compressor::new(LEVEL)?;
    packer.set_parameter(CParameter::MinMatch(LEAST_MATCH))?;
    packer.set_parameter(CParameter::HashLog(HASH_BITS))?;
    packer.set_parameter(CParameter::TargetLength(STEP))?;
    // Larger steps alone would leave what does not repeat unpacked.
    packer.set_parameter(CParameter::LiteralCompressionMode(ParamSwitch::Enable))?;
    Ok(packer)
}

/// Appends a block of the packed payload, if that is smaller; it is packed where it will stand.
fn put_packed(out: &mut Vec<u8>, payload: &[u8], seed: u64, place: u64) -> Option<()> {
    let start = out.len();
    let packed = PACKER.with(|packer| {
        let mut packer = packer.borrow_mut();
        if packer.is_none() {
            *packer = Some(new_packer().ok()?);
        }
        out.reserve(FRAME_BYTES + zstd::zstd_safe::compress_bound(payload.len()));
        put_lengths(out, 0, payload.len());
        let mut end = Cursor::new(&mut *out);
        end.set_position((start + LENGTHS_BYTES) as u64);
        let packed = packer.as_mut()?.compress_to_buffer(payload, &mut end).ok()?;
        (packed + packed / LEAST_SAVING < payload.len()).then_some(packed)
    });
    let Some(packed) = packed else {
        out.truncate(start);
        return None;
    };
    out[start..start + 4].copy_from_slice(&(packed as u32).to_le_bytes());
    put_checksum(out, start, seed ^ place);
    Some(())
}

/// Appends a block that will stand at `place` of a file with this seed.
pub(crate) fn put_block(
    out: &mut Vec<u8>,
    payload: &[u8],
    packing: Packing,
    seed: u64,
    place: u64,
) {
    let packed = match packing {
        Packing::Never => None,
        Packing::IfSmaller => put_packed(out, payload, seed, place),
    };
    if packed.is_none() {
        put_stored(out, payload, payload.len(), seed, place);
    }
}

/// Appends a block whose payload is stored as given, of `raw` bytes when unpacked.
pub(crate) fn put_stored(out: &mut Vec<u8>, stored: &[u8], raw: usize, seed: u64, place: u64) {
    let start = out.len();
    put_lengths(out, stored.len(), raw);
    out.extend_from_slice(stored);
    put_checksum(out, start, seed ^ place);
}

fn put_lengths(out: &mut Vec<u8>, stored: usize, raw: usize) {
    out.put_u32(stored as u32);
    out.put_u32(raw as u32);
}

/// Ends the block that begins at `start`.
fn put_checksum(out: &mut Vec<u8>, start: usize, seed: u64) {
    let checksum = xxh3_64_with_seed(&out[start..], seed);
    out.put_u64(checksum);
}

/// Where blocks are read from: a file, or a segment in memory.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub bytes: SourceBytes,
    pub seed: u64,
    /// For messages.
    pub name: Arc<str>,
}

#[derive(Clone, Debug)]
pub(crate) enum SourceBytes {
    File(Arc<dyn ReadFile>),
    /// Checked already, as part of a record of the log.
    Memory(Piece),
}

/// A block as it is stored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stored<'a> {
    pub payload: &'a [u8],
    pub raw: usize,
}

impl Source {
    /// The block between two places; `buffer` is used where it has to be read.
    pub fn stored<'a>(&'a self, from: u64, to: u64, buffer: &'a mut Vec<u8>) -> Result<Stored<'a>> {
        let wrong = |what: &str| damaged(&self.name, format!("the block at byte {from} {what}"));
        let length = to.checked_sub(from).map_or(0, |length| length as usize);
        if !(FRAME_BYTES..=LARGEST_BLOCK).contains(&length) {
            return Err(wrong("has an impossible length"));
        }
        let bytes = match &self.bytes {
            SourceBytes::File(file) => {
                // A damaged place may claim a gigabyte of a small file.
                if length > buffer.capacity() && to > self.length()? {
                    return Err(damaged(&self.name, format!("it ends before byte {to}")));
                }
                buffer.resize(length, 0);
                read(file.as_ref(), from, buffer, &self.name)?;
                &buffer[..]
            }
            SourceBytes::Memory(bytes) => {
                bytes.get(from as usize..to as usize).ok_or_else(|| wrong("lies beyond the end"))?
            }
        };
        let (framed, checksum) = bytes.split_at(length - 8);
        if matches!(self.bytes, SourceBytes::File(_))
            && Take(checksum).u64() != Some(xxh3_64_with_seed(framed, self.seed ^ from))
        {
            return Err(wrong("does not fit its checksum"));
        }
        let mut take = Take(framed);
        let (stored, raw) = (take.u32().unwrap_or(0), take.u32().unwrap_or(0));
        if stored as usize != take.0.len() || raw < stored || raw as usize > LARGEST_BLOCK {
            return Err(wrong("has lengths that do not fit"));
        }
        Ok(Stored { payload: take.0, raw: raw as usize })
    }

    /// The unpacked payload of the block between two places.
    pub fn block<'a>(&'a self, from: u64, to: u64, buffers: &'a mut Buffers) -> Result<&'a [u8]> {
        let Buffers { stored, raw } = buffers;
        let block = self.stored(from, to, stored)?;
        if block.raw == block.payload.len() {
            return Ok(block.payload);
        }
        raw.clear();
        raw.reserve(block.raw);
        let unpack = |unpacker: &RefCell<Option<Decompressor<'static>>>| {
            let mut unpacker = unpacker.borrow_mut();
            if unpacker.is_none() {
                *unpacker = Some(Decompressor::new()?);
            }
            match unpacker.as_mut() {
                Some(unpacker) => unpacker.decompress_to_buffer(block.payload, raw),
                None => Ok(0),
            }
        };
        match UNPACKER.with(unpack) {
            Ok(length) if length == block.raw => Ok(&raw[..]),
            _ => Err(damaged(&self.name, format!("the block at byte {from} cannot be unpacked"))),
        }
    }

    /// The length of a file.
    pub fn length(&self) -> Result<u64> {
        match &self.bytes {
            SourceBytes::File(file) => file.length().map_err(io("read", &self.name)),
            SourceBytes::Memory(bytes) => Ok(bytes.len() as u64),
        }
    }
}

/// Room for a block as stored and unpacked.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    stored: Vec<u8>,
    raw: Vec<u8>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that is never asked for more than it has.
    #[derive(Debug)]
    struct Small(Vec<u8>);

    impl ReadFile for Small {
        fn length(&self) -> std::io::Result<u64> {
            Ok(self.0.len() as u64)
        }

        fn read_at(&self, place: u64, buffer: &mut [u8]) -> std::io::Result<()> {
            let found = &self.0[place as usize..place as usize + buffer.len()];
            buffer.copy_from_slice(found);
            Ok(())
        }
    }

    #[test]
    fn no_memory_is_taken_for_a_block_that_the_file_cannot_hold() {
        let mut bytes = Vec::new();
        put_block(&mut bytes, b"fog", Packing::Never, 7, 0);
        let end = bytes.len() as u64;
        let name = Arc::from("segment-2");
        let source = Source { bytes: SourceBytes::File(Arc::new(Small(bytes))), seed: 7, name };
        let mut buffer = Vec::new();
        let error = source.stored(0, 1 << 30, &mut buffer).unwrap_err();
        assert!(error.to_string().contains("ends before byte 1073741824"), "{error}");
        assert_eq!(buffer.capacity(), 0);
        assert_eq!(source.stored(0, end, &mut buffer).unwrap().payload, b"fog");
    }
}
