//! What stands around the pages of a Parquet file, in Thrift's compact protocol.
//!
//! The library skips what it does not know, and takes a list of truth values to have no bytes: seven
//! bytes that claim two billion of them keep it busy for a second, and a small file holds many; in the
//! header of a page it goes on behind the end of the file with values of a fixed length. So
//! everything that it will skip is skipped here before.

use std::fs::File;

use crate::source::read_at;

/// At the end of a file, behind the length of its footer.
const MAGIC: &[u8; 4] = b"PAR1";
/// Truth values of a list, which cost time and no bytes.
const MAX_TRUTH_VALUES: u64 = 64;
/// The library gives up at this depth.
const MAX_DEPTH: usize = 64;

/// Why a structure is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unread {
    /// It is not all there, or makes no sense.
    Cut,
    /// Skipping it takes endless time.
    Endless,
}

/// Looks through the footer of a file; what else is wrong with it the library knows better.
///
/// # Errors
/// A footer that takes endless time to be read; in words.
pub(super) fn check_footer(file: &File) -> Result<(), String> {
    let length = file.metadata().map_err(|error| error.to_string())?.len();
    let mut end = [0; 8];
    let Some(end_at) = length.checked_sub(8) else { return Ok(()) };
    let got = read_at(file, &mut end, end_at).map_err(|error| error.to_string())?;
    let ([l0, l1, l2, l3, magic @ ..], 8) = (end, got) else { return Ok(()) };
    let footer_bytes = u32::from_le_bytes([l0, l1, l2, l3]);
    let Some(at) = end_at.checked_sub(footer_bytes.into()).filter(|_| magic == *MAGIC) else {
        return Ok(());
    };
    let mut footer = vec![0; footer_bytes as usize];
    let mut filled = 0;
    while filled < footer.len() {
        match read_at(file, &mut footer[filled..], at + filled as u64) {
            Ok(0) => return Ok(()),
            Ok(got) => filled += got,
            Err(error) => return Err(error.to_string()),
        }
    }
    match Thrift::new(&footer).skip(Thrift::STRUCTURE, 0) {
        Err(Unread::Endless) => Err("not a complete Parquet file: its footer is damaged".into()),
        Ok(()) | Err(Unread::Cut) => Ok(()),
    }
}

/// Bytes that are read from their beginning.
pub(super) struct Thrift<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Thrift<'a> {
    /// The kind of a structure.
    pub(super) const STRUCTURE: u8 = 12;

    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// How many bytes have been read.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    fn byte(&mut self) -> Result<u8, Unread> {
        let byte = *self.bytes.get(self.at).ok_or(Unread::Cut)?;
        self.at += 1;
        Ok(byte)
    }

    fn pass(&mut self, n_bytes: u64) -> Result<(), Unread> {
        let left = self.bytes.len() - self.at;
        match usize::try_from(n_bytes) {
            Ok(n_bytes) if n_bytes <= left => self.at += n_bytes,
            _ => return Err(Unread::Cut),
        }
        Ok(())
    }

    fn varint(&mut self) -> Result<u64, Unread> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Unread::Cut)
    }

    /// A signed number, written so that small ones are short.
    pub(super) fn number(&mut self) -> Result<i64, Unread> {
        let value = self.varint()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// The kind of the next field, whose number goes to `id`; `None` ends a structure.
    pub(super) fn field(&mut self, id: &mut i64) -> Result<Option<u8>, Unread> {
        let byte = self.byte()?;
        if byte == 0 {
            return Ok(None);
        }
        *id = match byte >> 4 {
            0 => self.number()?,
            step => id.checked_add(i64::from(step)).ok_or(Unread::Cut)?,
        };
        Ok(Some(byte & 0x0F))
    }

    /// The number in a structure's first field; the rest of it is skipped.
    pub(super) fn first_number(&mut self) -> Result<i64, Unread> {
        let (mut id, mut first) = (0, 0);
        while let Some(kind) = self.field(&mut id)? {
            match (id, kind) {
                (1, 5) => first = i64::from(self.number()? as i32),
                _ => self.skip(kind, 1)?,
            }
        }
        Ok(first)
    }

    /// Skips a value of this kind, as the library does.
    pub(super) fn skip(&mut self, kind: u8, depth: usize) -> Result<(), Unread> {
        match kind {
            1 | 2 => Ok(()),
            3 => self.pass(1),
            4..=6 => self.varint().map(|_| ()),
            7 => self.pass(8),
            8 => {
                let length = self.varint()?;
                self.pass(length)
            }
            9 | 10 if depth < MAX_DEPTH => {
                let head = self.byte()?;
                let count = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
                self.skip_all(count, &[head & 0x0F], depth)
            }
            11 if depth < MAX_DEPTH => match self.varint()? {
                0 => Ok(()),
                count => {
                    let kinds = self.byte()?;
                    self.skip_all(count, &[kinds >> 4, kinds & 0x0F], depth)
                }
            },
            Self::STRUCTURE if depth < MAX_DEPTH => {
                let mut id = 0;
                while let Some(inner) = self.field(&mut id)? {
                    // Numbers of fields mean nothing in what is skipped.
                    id = 0;
                    self.skip(inner, depth + 1)?;
                }
                Ok(())
            }
            13 => self.pass(16),
            _ => Err(Unread::Cut),
        }
    }

    /// Skips so many values, or pairs of them.
    fn skip_all(&mut self, count: u64, kinds: &[u8], depth: usize) -> Result<(), Unread> {
        // Others have bytes, which come to an end; but where the library has to read to skip, it does
        // not see the end in values of a fixed length.
        let most = match kinds.iter().max() {
            Some(1 | 2) => MAX_TRUTH_VALUES,
            _ if kinds.iter().all(|kind| matches!(kind, 1 | 2 | 7 | 13)) => {
                (self.bytes.len() - self.at) as u64
            }
            _ => u64::MAX,
        };
        if count > most {
            return Err(Unread::Endless);
        }
        for _ in 0..count {
            for kind in kinds {
                self.skip(*kind, depth + 1)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn skipped(bytes: &[u8]) -> (Result<(), Unread>, usize) {
        let mut thrift = Thrift::new(bytes);
        (thrift.skip(Thrift::STRUCTURE, 0), thrift.at())
    }

    #[test]
    fn every_kind_of_value_is_skipped_and_a_cut_one_is_known() {
        // Truth, byte, number, double, string, list of two numbers, map of a string to a truth value,
        // structure, universal identifier.
        let mut bytes = vec![0x11, 0x13, 9, 0x15, 0x80, 1, 0x17, 1, 2, 3, 4, 5, 6, 7, 8];
        bytes.extend([0x18, 2, b'a', b'b', 0x19, 0x25, 4, 6, 0x1B, 1, 0x81, 1, b'k']);
        bytes.extend([0x1C, 0x15, 2, 0, 0x1D]);
        bytes.extend([7; 16]);
        bytes.push(0);
        assert_eq!(skipped(&bytes), (Ok(()), bytes.len()));
        for length in 0..bytes.len() {
            assert_eq!(skipped(&bytes[..length]).0, Err(Unread::Cut), "{length}");
        }
    }

    #[test]
    fn lists_of_two_billion_values_without_an_end_are_endless() {
        let two_billion = [0xFF, 0xFF, 0xFF, 0xFF, 7];
        for head in [[0x19, 0xF1], [0x19, 0xF2], [0x1A, 0xF1], [0x19, 0xF7], [0x19, 0xFD]] {
            let bytes = [&head[..], &two_billion, &[0; 100]].concat();
            assert_eq!(skipped(&bytes).0, Err(Unread::Endless), "{head:?}");
        }
        let numbers = [&[0x19, 0xF5][..], &two_billion, &[0; 100]].concat();
        assert_eq!(skipped(&numbers).0, Err(Unread::Cut));
        let map = [&[0x1B][..], &two_billion, &[0x12], &[0; 100]].concat();
        assert_eq!(skipped(&map).0, Err(Unread::Endless));
        // A few truth values are none.
        assert_eq!(skipped(&[0x19, 0x21, 0]).0, Ok(()));
        // The largest number of a field, and one more.
        let beyond = [5, 0xFE, 255, 255, 255, 255, 255, 255, 255, 255, 1, 0, 0x15, 0, 0];
        let mut thrift = Thrift::new(&beyond);
        let mut id = 0;
        assert_eq!(thrift.field(&mut id), Ok(Some(5)));
        assert_eq!(thrift.number(), Ok(0));
        assert_eq!(thrift.field(&mut id), Err(Unread::Cut));
    }

    #[test]
    fn a_file_whose_footer_claims_endless_lists_is_refused_before_it_is_read() {
        let written = |footer: &[u8]| {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(MAGIC).unwrap();
            file.write_all(footer).unwrap();
            file.write_all(&(footer.len() as u32).to_le_bytes()).unwrap();
            file.write_all(MAGIC).unwrap();
            file
        };
        let endless = [0x19, 0xF1, 0xFF, 0xFF, 0xFF, 0xFF, 7].repeat(1000);
        assert!(check_footer(&written(&endless)).is_err());
        assert!(check_footer(&written(&[0x15, 2, 0])).is_ok());
        assert!(check_footer(&written(b"")).is_ok());
    }
}
