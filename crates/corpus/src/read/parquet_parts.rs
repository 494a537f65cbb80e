//! A Parquet file in parts that are read one after the other.
//!
//! A reader makes batches of so many rows, whatever their size, and holds the pages it is in. Rows
//! of many megabytes are therefore read few at a time, and by a reader that ends with their page.

use std::collections::VecDeque;
use std::ops::Range;

use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::ChunkReader;

use super::parquet_pages::LargePage;

/// Rows that are read at a time; their strings stay in the pages until few are handed out.
const BATCH_ROWS: usize = 8192;
/// What large rows may have together.
pub(super) const BATCH_BYTES: usize = 16 << 20;
/// Every part looks for its beginning from that of the row group on.
const MAX_PARTS_OF_GROUP: usize = 1000;

/// Consecutive rows.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Part {
    groups: Range<usize>,
    /// Which rows of a single group, where not all of them.
    rows: Option<Range<usize>>,
    batch_rows: usize,
    /// Why these are not read: the bytes that would be held of a page of theirs.
    pub(super) refused: Option<u64>,
}

impl Part {
    /// How many rows there are, where they are counted.
    pub(super) fn n_rows(&self) -> Option<usize> {
        self.rows.as_ref().map(Range::len)
    }

    /// What is left when so many rows have been read.
    pub(super) fn after(&self, n_read: usize, metadata: &ParquetMetaData) -> Vec<Self> {
        let rest = |groups, rows| Self { groups, rows, ..*self };
        let mut left = n_read;
        if let Some(rows) = &self.rows {
            let rows = (rows.start + left).min(rows.end)..rows.end;
            let some = (!rows.is_empty()).then(|| rest(self.groups.clone(), Some(rows)));
            return some.into_iter().collect();
        }
        for group in self.groups.clone() {
            let n_rows = usize::try_from(metadata.row_group(group).num_rows()).unwrap_or(0);
            if left < n_rows {
                let later = group + 1..self.groups.end;
                let later = (!later.is_empty()).then(|| rest(later, None));
                let this = rest(group..group + 1, Some(left..n_rows));
                return std::iter::once(this).chain(later).collect();
            }
            left -= n_rows;
        }
        Vec::new()
    }

    /// A reader for these rows alone.
    pub(super) fn select<T: ChunkReader + 'static>(
        &self,
        builder: ParquetRecordBatchReaderBuilder<T>,
    ) -> ParquetRecordBatchReaderBuilder<T> {
        let groups = self.groups.clone().collect();
        let builder = builder.with_row_groups(groups).with_batch_size(self.batch_rows);
        match &self.rows {
            Some(rows) => builder.with_offset(rows.start).with_limit(rows.len()),
            None => builder,
        }
    }
}

/// All rows of a file, given the large pages of each row group.
pub(super) fn parts(metadata: &ParquetMetaData, large: Vec<Vec<LargePage>>) -> VecDeque<Part> {
    let groups = metadata.row_groups().iter();
    let sizes = groups.map(|group| usize::try_from(group.num_rows()).unwrap_or(0));
    let (mut parts, mut usual) = (VecDeque::new(), None);
    for (group, (n_rows, large)) in sizes.zip(large).enumerate() {
        if large.is_empty() {
            // Groups of usual rows are read by one reader.
            let begin =
                || Part { groups: group..group, rows: None, batch_rows: BATCH_ROWS, refused: None };
            usual.get_or_insert_with(begin).groups.end = group + 1;
        } else {
            parts.extend(usual.take());
            parts.extend(parts_of_group(group, n_rows, large));
        }
    }
    parts.extend(usual);
    parts
}

fn parts_of_group(group: usize, n_rows: usize, large: Vec<LargePage>) -> Vec<Part> {
    let groups = group..group + 1;
    let large = merged(large, n_rows);
    if large.len() > MAX_PARTS_OF_GROUP {
        let row_bytes = large.iter().map(|page| page.row_bytes).max().unwrap_or(0);
        let refused = large.iter().filter_map(|page| page.refused).max();
        let rows = Some(0..n_rows);
        return vec![Part { groups, rows, batch_rows: batch_rows(row_bytes), refused }];
    }
    let part = |rows: Range<usize>, batch_rows, refused| {
        let groups = groups.clone();
        (!rows.is_empty()).then_some(Part { groups, rows: Some(rows), batch_rows, refused })
    };
    let (mut parts, mut done) = (Vec::new(), 0);
    for page in large {
        parts.extend(part(done..page.rows.start, BATCH_ROWS, None));
        done = page.rows.end;
        parts.extend(part(page.rows, batch_rows(page.row_bytes), page.refused));
    }
    parts.extend(part(done..n_rows, BATCH_ROWS, None));
    parts
}

fn batch_rows(row_bytes: usize) -> usize {
    (BATCH_BYTES / row_bytes.max(1)).clamp(1, BATCH_ROWS)
}

/// Pages of several columns in the order of their rows, those that share rows as one.
fn merged(mut pages: Vec<LargePage>, n_rows: usize) -> Vec<LargePage> {
    pages.sort_by_key(|page| page.rows.start);
    let mut merged: Vec<LargePage> = Vec::new();
    for mut page in pages {
        // A damaged header may say anything.
        page.rows = page.rows.start.min(n_rows)..page.rows.end.min(n_rows);
        match merged.last_mut() {
            Some(last) if page.rows.start < last.rows.end => {
                last.rows.end = last.rows.end.max(page.rows.end);
                last.row_bytes = last.row_bytes.saturating_add(page.row_bytes);
                last.refused = last.refused.max(page.refused);
            }
            _ => merged.push(page),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_of_a_large_page_are_a_part_of_their_own() {
        let page = |rows, megabytes: usize| LargePage {
            rows,
            row_bytes: megabytes << 20,
            refused: (megabytes > 100).then_some(megabytes as u64),
        };
        let large = vec![page(10..12, 60), page(20..24, 4), page(22..30, 4)];
        let part =
            |rows, batch_rows| Part { groups: 3..4, rows: Some(rows), batch_rows, refused: None };
        let parts = parts_of_group(3, 40, large);
        let usual = |rows| part(rows, BATCH_ROWS);
        let wanted = [usual(0..10), part(10..12, 1), usual(12..20), part(20..30, 2), usual(30..40)];
        assert_eq!(parts, wanted);
        assert_eq!(parts_of_group(3, 1, vec![page(0..2, 60)]), [part(0..1, 1)]);
        // Rows of a page that cannot be held are not read, and those around them are.
        let refused = Part { refused: Some(120), ..part(4..5, 1) };
        let parts = parts_of_group(3, 9, vec![page(4..5, 120)]);
        assert_eq!(parts, [usual(0..4), refused, usual(5..9)]);
    }
}
