//! How large the pages of a Parquet file are, before any of them is unpacked.
//!
//! A page says how many bytes it will have, and whoever reads it allocates them: a file of a few
//! kilobytes may ask for gigabytes. Only the headers are looked at, a few bytes each.

use std::fs::File;
use std::ops::Range;

use parquet::arrow::ProjectionMask;
use parquet::basic::Compression;
use parquet::file::metadata::ParquetMetaData;

use super::parquet_thrift::{Thrift, Unread};
use crate::source::read_at;

/// The most bytes a page may have when unpacked; writers aim at one megabyte.
const MAX_PAGE_BYTES: u64 = 128 << 20;
/// The most bytes of a page that may be held: as it is in the file, and unpacked.
pub(super) const MAX_HELD_BYTES: u64 = 160 << 20;
/// What a page has besides its values, at most, where it has one.
const AROUND_BYTES: u64 = 1 << 10;
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
    /// Why it is not to be read, if so.
    pub refused: Option<Refusal>,
}

/// Why rows are not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Refusal {
    /// A text that is alone in its page has about so many bytes, which is more than it may have.
    Text(u64),
    /// So many bytes of a page would be held, packed and unpacked.
    Page(u64),
}

/// The texts of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Texts<'a> {
    /// The column they are in.
    pub key: &'a str,
    /// The most bytes one may have; a longer one is not read.
    pub max_bytes: usize,
}

/// Looks at every page of the columns that will be read; returns the large ones of each row group.
///
/// # Errors
/// A column that makes no sense; in words.
pub(super) fn check(
    file: &File,
    metadata: &ParquetMetaData,
    columns: &ProjectionMask,
    texts: Texts<'_>,
) -> Result<Vec<Vec<LargePage>>, String> {
    let mut large = Vec::new();
    for group in metadata.row_groups() {
        let mut of_group = Vec::new();
        let n_rows = usize::try_from(group.num_rows()).unwrap_or(0);
        for (place, column) in group.columns().iter().enumerate() {
            let start = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
            let range = (u64::try_from(start), u64::try_from(column.compressed_size()));
            // Whoever reads such a column panics.
            let (Ok(start), Ok(length)) = range else {
                return Err("not a complete Parquet file: a column begins before it".into());
            };
            if columns.leaf_included(place) {
                let is_packed = column.compression() != Compression::UNCOMPRESSED;
                let is_text = column.column_path().string() == texts.key;
                let is_list = column.column_descr().max_rep_level() > 0;
                let max_value = (is_text && !is_list).then_some(texts.max_bytes);
                let limits = PageLimits { is_packed, max_value, is_one_row: n_rows == 1 };
                let mut of_column = large_pages(file, start..start + length, limits)?;
                for page in &mut of_column {
                    // A page of lists does not say how many rows it has, and a dictionary is for all.
                    if is_list || page.rows.is_empty() {
                        page.rows = 0..n_rows;
                    }
                }
                of_group.append(&mut of_column);
            }
        }
        large.push(of_group);
    }
    Ok(large)
}

/// The large pages of a column, by the rows of its group; a dictionary has none of its own.
fn large_pages(
    file: &File,
    Range { start: mut at, end }: Range<u64>,
    limits: PageLimits,
) -> Result<Vec<LargePage>, String> {
    let mut large = Vec::new();
    let mut head = vec![0; 256];
    let mut first_row = 0;
    while at < end {
        let got = read_at(file, &mut head, at).map_err(|error| error.to_string())?;
        match PageSizes::parse(&head[..got]) {
            Ok(sizes) if sizes.packed >= 0 && sizes.unpacked >= 0 => {
                at += sizes.header_bytes as u64 + sizes.packed as u64;
                let n_rows = usize::try_from(sizes.values).unwrap_or(0);
                let row_bytes = sizes.unpacked / sizes.values.max(1);
                let refused = sizes.refusal(limits);
                if refused.is_some() || n_rows > 0 && row_bytes > LARGE_ROW_BYTES {
                    let rows = first_row..first_row + n_rows;
                    large.push(LargePage { rows, row_bytes: row_bytes as usize, refused });
                }
                first_row += n_rows;
            }
            Err(Unread::Cut) if head.len() < MAX_HEADER_BYTES && got == head.len() => {
                head.resize(head.len() * 4, 0);
            }
            Err(Unread::Endless) => {
                return Err("not a complete Parquet file: a page's header is damaged".into());
            }
            // The reader knows better what is wrong with a damaged page.
            _ => break,
        }
    }
    Ok(large)
}

/// What the pages of a column may have.
#[derive(Clone, Copy, Debug)]
struct PageLimits {
    is_packed: bool,
    /// The bytes of a single value.
    max_value: Option<usize>,
    /// Whether the row group has one row.
    is_one_row: bool,
}

/// What a page header says of the page's size.
#[derive(Debug, PartialEq)]
struct PageSizes {
    header_bytes: usize,
    unpacked: i64,
    packed: i64,
    /// Values of a data page, nulls among them; a dictionary's are no rows.
    values: i64,
    /// Values of a dictionary.
    entries: i64,
}

impl PageSizes {
    /// Reads a header.
    fn parse(bytes: &[u8]) -> Result<Self, Unread> {
        let mut thrift = Thrift::new(bytes);
        let mut sizes = Self { header_bytes: 0, unpacked: 0, packed: 0, values: 0, entries: 0 };
        let mut id = 0;
        while let Some(kind) = thrift.field(&mut id)? {
            match (id, kind) {
                (2, 5) => sizes.unpacked = thrift.number()?,
                (3, 5) => sizes.packed = thrift.number()?,
                // The header of a data page, in its first or its second version.
                (5 | 8, 12) => sizes.values = thrift.first_number()?,
                (7, 12) => sizes.entries = thrift.first_number()?,
                _ => thrift.skip(kind, 0)?,
            }
        }
        sizes.header_bytes = thrift.at();
        Ok(sizes)
    }

    /// Why the page is not to be read, if so.
    fn refusal(&self, limits: PageLimits) -> Option<Refusal> {
        let PageLimits { is_packed, max_value, is_one_row } = limits;
        let [packed, unpacked] = [self.packed, self.unpacked].map(|bytes| bytes.max(0) as u64);
        let held = if is_packed { packed + unpacked } else { unpacked };
        // A dictionary of one text may be that of many rows.
        let is_one = self.values == 1 || is_one_row && self.entries == 1;
        let is_long = |most: usize| is_one && unpacked > most as u64 + AROUND_BYTES;
        if max_value.is_some_and(is_long) {
            return Some(Refusal::Text(unpacked));
        }
        (unpacked > MAX_PAGE_BYTES || held > MAX_HELD_BYTES).then_some(Refusal::Page(held))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_be_held_of_a_page_is_what_it_has_packed_and_unpacked() {
        let held = |packed: i64, unpacked: i64, is_packed| {
            let [packed, unpacked] = [packed, unpacked].map(|megabytes| megabytes << 20);
            let sizes = PageSizes { header_bytes: 9, unpacked, packed, values: 1, entries: 0 };
            let limits = PageLimits { is_packed, max_value: None, is_one_row: true };
            match sizes.refusal(limits)? {
                Refusal::Page(bytes) => Some(bytes >> 20),
                Refusal::Text(_) => panic!("texts may have any length here"),
            }
        };
        assert_eq!(held(60, 100, true), None);
        assert_eq!(held(61, 100, true), Some(161));
        assert_eq!(held(120, 120, false), None);
        assert_eq!(held(1, 129, true), Some(130));
    }

    #[test]
    fn a_page_of_one_text_that_is_too_long_is_refused_and_one_of_several_is_not() {
        let refused = |unpacked: i64, [values, entries]: [i64; 2], max_value, is_one_row| {
            let sizes = PageSizes { header_bytes: 9, unpacked, packed: 100, values, entries };
            let limits = PageLimits { is_packed: false, max_value, is_one_row };
            sizes.refusal(limits) == Some(Refusal::Text(5000))
        };
        assert!(refused(5000, [1, 0], Some(1000), true));
        assert!(refused(5000, [1, 0], Some(1000), false));
        // As long as allowed, and a little around it.
        assert!(!refused(1020, [1, 0], Some(1000), true));
        assert!(!refused(5000, [5, 0], Some(1000), true));
        assert!(!refused(5000, [1, 0], None, true));
        // A dictionary.
        assert!(refused(5000, [0, 1], Some(1000), true));
        assert!(!refused(5000, [0, 1], Some(1000), false));
        assert!(!refused(5000, [0, 2], Some(1000), true));
    }

    #[test]
    fn sizes_are_read_from_a_header_and_a_cut_one_is_known() {
        // Type 0, unpacked 300, packed 20, then the header of a data page with 3 values and a string.
        let header = [0x15, 0, 0x15, 0xD8, 4, 0x15, 40, 0x2C, 0x15, 6, 0x18, 2, b'a', b'b', 0, 0];
        let sizes = PageSizes {
            header_bytes: header.len(),
            unpacked: 300,
            packed: 20,
            values: 3,
            entries: 0,
        };
        assert_eq!(PageSizes::parse(&header), Ok(sizes));
        for length in 0..header.len() {
            assert_eq!(PageSizes::parse(&header[..length]), Err(Unread::Cut), "{length}");
        }
    }
}
