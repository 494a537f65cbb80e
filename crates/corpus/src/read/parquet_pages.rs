//! How large the pages of a Parquet file are, before any of them is unpacked.
//!
//! A page says how many bytes it will have, and whoever reads it allocates them: a file of a few
//! kilobytes may ask for gigabytes. Only the headers are looked at, a few bytes each.

use std::fs::File;
use std::ops::Range;

use parquet::arrow::ProjectionMask;
use parquet::file::metadata::ParquetMetaData;

use crate::source::read_at;

/// The most bytes a page may have when unpacked; writers aim at one megabyte.
const MAX_PAGE_BYTES: i64 = 128 << 20;
/// A header of more bytes holds statistics of endless strings, or is none.
const MAX_HEADER_BYTES: usize = 1 << 16;

/// Rows of so many bytes are read few at a time.
const LARGE_ROW_BYTES: i64 = 2 << 20;

/// A page with large rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LargePage {
    /// Its rows, counted in its row group.
    pub rows: Range<usize>,
    /// What a row has on average.
    pub row_bytes: usize,
}

/// Looks at every page of the columns that will be read; returns the large ones of each row group.
///
/// # Errors
/// A page that would be too large, or a header that makes no sense; in words.
pub(super) fn check(
    file: &File,
    metadata: &ParquetMetaData,
    columns: &ProjectionMask,
) -> Result<Vec<Vec<LargePage>>, String> {
    let mut large = Vec::new();
    for group in metadata.row_groups() {
        let mut of_group = Vec::new();
        for (place, column) in group.columns().iter().enumerate() {
            let start = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
            let range = (u64::try_from(start), u64::try_from(column.compressed_size()));
            // Whoever reads such a column panics.
            let (Ok(start), Ok(length)) = range else {
                return Err("not a complete Parquet file: a column begins before it".into());
            };
            if columns.leaf_included(place) {
                let mut of_column = Vec::new();
                check_column(file, start, start + length, &mut of_column)?;
                // A page of lists does not say how many rows it has.
                if column.column_descr().max_rep_level() > 0 {
                    let whole = 0..usize::try_from(group.num_rows()).unwrap_or(0);
                    for page in &mut of_column {
                        page.rows = whole.clone();
                    }
                }
                of_group.append(&mut of_column);
            }
        }
        large.push(of_group);
    }
    Ok(large)
}

fn check_column(
    file: &File,
    mut at: u64,
    end: u64,
    large: &mut Vec<LargePage>,
) -> Result<(), String> {
    let mut head = vec![0; 256];
    let mut first_row = 0;
    while at < end {
        let got = read_at(file, &mut head, at).map_err(|error| error.to_string())?;
        match PageSizes::parse(&head[..got]) {
            Some(sizes) if sizes.unpacked > MAX_PAGE_BYTES => {
                return Err(format!(
                    "a page of {} bytes is more than the {MAX_PAGE_BYTES} allowed; write the file \
                     with smaller pages",
                    sizes.unpacked
                ));
            }
            Some(sizes) if sizes.packed >= 0 && sizes.unpacked >= 0 => {
                at += sizes.header_bytes as u64 + sizes.packed as u64;
                let n_rows = usize::try_from(sizes.values).unwrap_or(0);
                let row_bytes = sizes.unpacked / sizes.values.max(1);
                if n_rows > 0 && row_bytes > LARGE_ROW_BYTES {
                    let rows = first_row..first_row + n_rows;
                    large.push(LargePage { rows, row_bytes: row_bytes as usize });
                }
                first_row += n_rows;
            }
            None if head.len() < MAX_HEADER_BYTES && got == head.len() => {
                head.resize(head.len() * 4, 0);
            }
            // The reader knows better what is wrong with a damaged page.
            _ => return Ok(()),
        }
    }
    Ok(())
}

/// What a page header says of the page's size.
#[derive(Debug, PartialEq)]
struct PageSizes {
    header_bytes: usize,
    unpacked: i64,
    packed: i64,
    /// Values of a data page, nulls among them; a dictionary's are no rows.
    values: i64,
}

impl PageSizes {
    /// Reads a header in Thrift's compact protocol; `None` if it is not all there.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut thrift = Thrift { bytes, at: 0 };
        let mut sizes = Self { header_bytes: 0, unpacked: 0, packed: 0, values: 0 };
        let mut id = 0;
        while let Some(kind) = thrift.field(&mut id)? {
            match (id, kind) {
                (2, 5) => sizes.unpacked = thrift.number()?,
                (3, 5) => sizes.packed = thrift.number()?,
                // The header of a data page, in its first or its second version.
                (5 | 8, 12) => sizes.values = thrift.first_number()?,
                _ => thrift.skip(kind, 0)?,
            }
        }
        sizes.header_bytes = thrift.at;
        Some(sizes)
    }
}

struct Thrift<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Thrift<'_> {
    fn byte(&mut self) -> Option<u8> {
        let byte = self.bytes.get(self.at).copied();
        self.at += 1;
        byte
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// A signed number, written so that small ones are short.
    fn number(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// The kind of the next field, whose number goes to `id`; the inner `None` ends a structure.
    #[expect(clippy::option_option, reason = "cut off and finished are two answers")]
    fn field(&mut self, id: &mut i64) -> Option<Option<u8>> {
        let byte = self.byte()?;
        if byte == 0 {
            return Some(None);
        }
        *id = match byte >> 4 {
            0 => self.number()?,
            step => *id + i64::from(step),
        };
        Some(Some(byte & 0x0F))
    }

    /// The number in a structure's first field; the rest of it is skipped.
    fn first_number(&mut self) -> Option<i64> {
        let (mut id, mut first) = (0, 0);
        while let Some(kind) = self.field(&mut id)? {
            match (id, kind) {
                (1, 5) => first = i64::from(self.number()? as i32),
                _ => self.skip(kind, 1)?,
            }
        }
        Some(first)
    }

    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        match kind {
            1 | 2 => {}
            3 => self.at += 1,
            4..=6 => {
                self.varint()?;
            }
            7 => self.at += 8,
            8 => {
                let length = usize::try_from(self.varint()?).ok()?;
                self.at = self.at.checked_add(length)?;
            }
            // Headers hold one structure inside another and no more.
            12 if depth < 4 => {
                let mut id = 0;
                while let Some(inner) = self.field(&mut id)? {
                    self.skip(inner, depth + 1)?;
                }
            }
            _ => return None,
        }
        (self.at <= self.bytes.len()).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_from_a_header_and_a_cut_one_is_known() {
        // Type 0, unpacked 300, packed 20, then the header of a data page with 3 values and a string.
        let header = [0x15, 0, 0x15, 0xD8, 4, 0x15, 40, 0x2C, 0x15, 6, 0x18, 2, b'a', b'b', 0, 0];
        let sizes = PageSizes { header_bytes: header.len(), unpacked: 300, packed: 20, values: 3 };
        assert_eq!(PageSizes::parse(&header), Some(sizes));
        for length in 0..header.len() {
            assert_eq!(PageSizes::parse(&header[..length]), None, "{length}");
        }
    }
}
