//! The rows of a run that could not be read, however many there are.

use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use tempfile::SpooledTempFile;

/// A row of the input that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnreadableRow {
    /// File and row.
    pub place: String,
    /// What is wrong with it.
    pub reason: String,
    /// How the row begins, of the first such rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Whether the rest of its file is missing too.
    #[serde(skip)]
    pub incomplete: bool,
}

/// A file that could not be read, or not to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct IncompleteFile {
    /// The file, with the row from which on it could not be read.
    pub place: String,
    /// Why.
    pub reason: String,
}

/// Rows that a report shows.
const EXAMPLES: usize = 3;
/// Files that are listed one by one; a summary is for people.
const MOST_FILES: usize = 1000;
/// Rows kept in memory before they go to disk.
const MEMORY_BYTES: usize = 1 << 20;

/// Rows that could not be read, in reading order.
#[derive(Debug)]
pub struct UnreadableRows {
    count: u64,
    examples: Vec<UnreadableRow>,
    incomplete: Vec<IncompleteFile>,
    n_incomplete: u64,
    lines: Mutex<SpooledTempFile>,
}

impl UnreadableRows {
    /// No rows so far; many will be in a file without a name in `temp_dir`.
    pub fn new(temp_dir: &Path) -> Self {
        Self {
            count: 0,
            examples: Vec::new(),
            incomplete: Vec::new(),
            n_incomplete: 0,
            lines: Mutex::new(tempfile::spooled_tempfile_in(MEMORY_BYTES, temp_dir)),
        }
    }

    /// Adds the next row.
    ///
    /// # Errors
    /// The working file cannot be written.
    pub fn push(&mut self, row: UnreadableRow) -> io::Result<()> {
        let mut line = serde_json::to_vec(&row)?;
        line.push(b'\n');
        self.lines.get_mut().unwrap_or_else(PoisonError::into_inner).write_all(&line)?;
        self.count += 1;
        if row.incomplete {
            self.n_incomplete += 1;
            if self.incomplete.len() < MOST_FILES {
                let (place, reason) = (row.place.clone(), row.reason.clone());
                self.incomplete.push(IncompleteFile { place, reason });
            }
        }
        if self.examples.len() < EXAMPLES {
            self.examples.push(row);
        }
        Ok(())
    }

    /// How many there are.
    pub fn len(&self) -> u64 {
        self.count
    }

    /// Whether all rows could be read.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The first few.
    pub fn examples(&self) -> &[UnreadableRow] {
        &self.examples
    }

    /// The files that could not be read to their end: the first thousand of them.
    pub fn incomplete(&self) -> &[IncompleteFile] {
        &self.incomplete
    }

    /// How many files could not be read to their end.
    pub fn n_incomplete(&self) -> u64 {
        self.n_incomplete
    }

    /// Writes all rows, one JSON object a line.
    ///
    /// # Errors
    /// The working file cannot be read, or `out` not be written.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.seek(SeekFrom::Start(0))?;
        io::copy(&mut *lines, out)?;
        lines.seek(SeekFrom::End(0))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_rows_are_on_disk_and_come_back_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let mut rows = UnreadableRows::new(folder.path());
        let row = |number: u64| UnreadableRow {
            place: format!("a.jsonl:{number}"),
            reason: "the row is not a JSON object".into(),
            content: None,
            incomplete: number == 19_999,
        };
        (0..20_000).for_each(|number| rows.push(row(number)).unwrap());
        assert!(rows.lines.get_mut().unwrap().is_rolled());
        assert_eq!((rows.len(), rows.examples().len(), rows.n_incomplete()), (20_000, 3, 1));
        assert_eq!(rows.incomplete()[0].place, "a.jsonl:19999");
        let mut written = Vec::new();
        rows.write(&mut written).unwrap();
        let lines: Vec<&[u8]> = written.split_inclusive(|byte| *byte == b'\n').collect();
        assert_eq!(lines.len(), 20_000);
        let last: serde_json::Value = serde_json::from_slice(lines[19_999]).unwrap();
        assert_eq!(last["place"], "a.jsonl:19999");
        assert_eq!(last.as_object().unwrap().len(), 2);
    }
}
