//! A Parquet file in parts that are read one after the other.
//!
//! A reader makes batches of so many rows, whatever their size, and holds the pages it is in. Rows
//! of many megabytes are therefore read few at a time, and by a reader that ends with their page.

use std::collections::VecDeque;
use std::ops::Range;

use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::ChunkReader;

use super::parquet_pages::{LargePage, Refusal};

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
    /// Why these are not read, if so.
    pub(super) refused: Option<Refusal>,
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
    let is_text = |page: &LargePage| matches!(page.refused, Some(Refusal::Text(_)));
    let (texts, pages) = large.into_iter().partition(is_text);
    let large = around(apart(texts, n_rows), merged(pages, n_rows));
    if large.len() > MAX_PARTS_OF_GROUP {
        let row_bytes = large.iter().map(|page| page.row_bytes).max().unwrap_or(0);
        // Texts that are too long can be read one by one, and are told as such after that.
        let refused = large.iter().filter(|page| !is_text(page)).filter_map(|page| page.refused);
        let refused = refused.max();
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

/// Texts that are not read in the order of their rows, each row once; a damaged file may say anything.
fn apart(mut texts: Vec<LargePage>, n_rows: usize) -> Vec<LargePage> {
    texts.retain(|text| text.rows.end <= n_rows);
    texts.sort_by_key(|text| text.rows.start);
    texts.dedup_by_key(|text| text.rows.start);
    texts
}

/// Pages with the texts between them that are not read, of which each stands alone in its row: what
/// other columns have for that row is not read either, but for the other rows of their pages.
fn around(texts: Vec<LargePage>, pages: Vec<LargePage>) -> Vec<LargePage> {
    let mut texts = texts.into_iter().peekable();
    let mut all = Vec::new();
    for page in pages {
        let Range { mut start, end } = page.rows;
        while let Some(text) = texts.next_if(|text| text.rows.start < end) {
            if start < text.rows.start {
                all.push(LargePage { rows: start..text.rows.start, ..page });
            }
            start = start.max(text.rows.end);
            all.push(text);
        }
        if start < end {
            all.push(LargePage { rows: start..end, ..page });
        }
    }
    all.extend(texts);
    all
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
            refused: (megabytes > 100).then_some(Refusal::Page(megabytes as u64)),
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
        let refused = Part { refused: Some(Refusal::Page(120)), ..part(4..5, 1) };
        let parts = parts_of_group(3, 9, vec![page(4..5, 120)]);
        assert_eq!(parts, [usual(0..4), refused, usual(5..9)]);
    }
    #[test]
    fn a_text_that_is_not_read_leaves_the_other_rows_of_its_group_to_be_read() {
        let page = |rows, refused| LargePage { rows, row_bytes: 4 << 20, refused };
        let text = |row| page(row..row + 1, Some(Refusal::Text(9)));
        // Texts before, inside, at the end of and behind a large page of another column.
        // Texts twice and texts behind the last row are those of damaged files.
        let large = vec![text(1), text(4), text(7), text(9), page(3..8, None), text(1), text(10)];
        let parts = parts_of_group(0, 10, large);
        let rows = |part: &Part| (part.rows.clone().unwrap(), part.refused.is_some());
        let read = |rows| (rows, false);
        let refused = |row| (row..row + 1, true);
        let wanted = [
            read(0..1),
            refused(1),
            read(2..3),
            read(3..4),
            refused(4),
            read(5..7),
            refused(7),
            read(8..9),
            refused(9),
        ];
        assert_eq!(parts.iter().map(rows).collect::<Vec<_>>(), wanted);
        // What cannot be held stays so, and a text in it is told as what it is.
        let large = vec![text(1), page(0..3, Some(Refusal::Page(9)))];
        let parts = parts_of_group(0, 3, large);
        let reasons: Vec<_> = parts.iter().map(|part| part.refused).collect();
        let page = Some(Refusal::Page(9));
        assert_eq!(reasons, [page, Some(Refusal::Text(9)), page]);
    }

    #[test]
    fn too_many_texts_to_leave_out_one_by_one_do_not_hide_the_rows_between_them() {
        let text = |row| LargePage {
            rows: row..row + 1,
            row_bytes: 9 << 20,
            refused: Some(Refusal::Text(9)),
        };
        let n_texts = MAX_PARTS_OF_GROUP + 1;
        let large = (0..n_texts).map(|number| text(number * 2)).collect();
        let whole = Part { groups: 0..1, rows: Some(0..n_texts * 2), batch_rows: 1, refused: None };
        assert_eq!(parts_of_group(0, n_texts * 2, large), [whole]);
    }
}
