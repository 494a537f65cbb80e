//! The rows of the join: a bucket key and a document that has it.

use std::path::Path;

use crate::sorter::{RecordSorter, SortedRecords};
use crate::{DocumentId, IndexError};

/// Sorts (bucket key, document) rows, in memory or in runs on disk.
#[derive(Debug)]
pub struct RowSorter(RecordSorter<3>);

impl RowSorter {
    /// A sorter that holds at most about `memory_bytes` and spills to `temporary_folder`.
    pub fn new(memory_bytes: usize, temporary_folder: &Path) -> Self {
        Self(RecordSorter::new(u32::MAX, memory_bytes, temporary_folder))
    }

    /// Adds one row.
    pub fn push(&mut self, key: u64, document: DocumentId) -> Result<(), IndexError> {
        self.0.push([(key >> 32) as u32, key as u32, document.0])
    }

    /// Adds the rows of one document.
    pub fn extend(
        &mut self,
        keys: impl IntoIterator<Item = u64>,
        document: DocumentId,
    ) -> Result<(), IndexError> {
        keys.into_iter().try_for_each(|key| self.push(key, document))
    }

    /// Sorts what was pushed.
    pub fn finish(self) -> Result<SortedRows, IndexError> {
        self.0.finish().map(SortedRows)
    }
}

/// Rows by ascending key, then document.
#[derive(Debug)]
pub struct SortedRows(pub(crate) SortedRecords<3>);

impl SortedRows {
    /// Calls `visitor` with key and document of every row in order.
    ///
    /// # Errors
    /// A working file cannot be read.
    pub fn visit(self, mut visitor: impl FnMut(u64, DocumentId) + Send) -> Result<(), IndexError> {
        self.0.visit(|batch| {
            for [upper, lower, document] in batch {
                visitor(u64::from(*upper) << 32 | u64::from(*lower), DocumentId(*document));
            }
            Ok(())
        })
    }

    /// Makes something of some rows at a time, on all threads of the current pool where they can be
    /// had, and hands that over in order. Rows whose keys agree in their upper half are together.
    ///
    /// # Errors
    /// A working file cannot be read, or what `take` says.
    pub fn visit_parts<T: Send, E: From<IndexError> + Send>(
        self,
        make: impl Fn(RowPart) -> T + Sync,
        take: impl FnMut(T) -> Result<(), E> + Send,
    ) -> Result<(), E> {
        self.0.visit_parts(|records| make(RowPart(records)), take)
    }
}

/// Some rows, by ascending key, then document.
#[derive(Debug)]
pub struct RowPart(Vec<[u32; 3]>);

impl RowPart {
    /// Key and document of each row.
    pub fn iter(&self) -> impl Iterator<Item = (u64, DocumentId)> {
        let key = |upper: u32, lower: u32| u64::from(upper) << 32 | u64::from(lower);
        self.0
            .iter()
            .map(move |&[upper, lower, document]| (key(upper, lower), DocumentId(document)))
    }
}
