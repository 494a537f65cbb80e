//! What pairs are judged on, kept by document: signatures or features as 64-bit words.

use std::path::Path;

use crate::array::{ArrayBuilder, SpillArray};
use crate::{DocumentId, IndexError};

/// Takes the words of documents, in the order of their ids.
#[derive(Debug)]
pub struct WordStoreBuilder {
    words: ArrayBuilder<u64>,
    /// Where the words of each document begin; one entry for each document up to the last put.
    starts: Vec<u64>,
}

impl WordStoreBuilder {
    /// A store that holds at most about `memory_bytes` of words, and the rest in a file in
    /// `temporary_folder`.
    pub fn new(memory_bytes: usize, temporary_folder: &Path) -> Self {
        Self { words: ArrayBuilder::new(memory_bytes, temporary_folder), starts: Vec::new() }
    }

    /// Stores the words of a document; documents may be left out, but must come in order.
    pub fn put(&mut self, document: DocumentId, words: &[u64]) -> Result<(), IndexError> {
        if (document.0 as usize) < self.starts.len() {
            let last = DocumentId(self.starts.len() as u32 - 1);
            return Err(IndexError::OutOfOrder { document, last });
        }
        self.starts.resize(document.0 as usize + 1, self.words.length());
        self.words.append(words)
    }

    /// The store, ready to be read.
    pub fn finish(mut self) -> Result<WordStore, IndexError> {
        self.starts.push(self.words.length());
        self.starts.shrink_to_fit();
        Ok(WordStore { words: self.words.finish()?, starts: self.starts })
    }
}

/// The words of documents, in memory as far as they fit, the rest in a file.
#[derive(Debug)]
pub struct WordStore {
    words: SpillArray<u64>,
    starts: Vec<u64>,
}

impl WordStore {
    /// The words of a document: borrowed where they are in memory, else read into `buffer`.
    ///
    /// `None` where no words, or an empty list of them, were put.
    pub fn read<'a>(
        &'a self,
        document: DocumentId,
        buffer: &'a mut Vec<u64>,
    ) -> Result<Option<&'a [u64]>, IndexError> {
        let place = document.0 as usize;
        match self.starts.get(place..place + 2) {
            Some(&[start, end]) if start < end => {
                self.words.read(start, (end - start) as usize, buffer).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Whether words of a document were put.
    pub fn contains(&self, document: DocumentId) -> bool {
        let place = document.0 as usize;
        matches!(self.starts.get(place..place + 2), Some(&[start, end]) if start < end)
    }

    /// How many words of a document were put.
    pub fn n_words(&self, document: DocumentId) -> usize {
        let place = document.0 as usize;
        match self.starts.get(place..place + 2) {
            Some(&[start, end]) => (end - start) as usize,
            _ => 0,
        }
    }

    /// All documents up to the last that was put, those without words among them.
    pub fn documents(&self) -> impl Iterator<Item = DocumentId> + use<> {
        (0..self.starts.len() as u32 - 1).map(DocumentId)
    }

    /// Bytes held in memory.
    pub fn memory_bytes(&self) -> usize {
        self.words.memory_bytes() + self.starts.len() * 8
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn words_come_back_whatever_the_limit(
            words in prop::collection::vec(
                prop::option::of(prop::collection::vec(any::<u64>(), 0..20)),
                0..60,
            ),
            memory_bytes in 0..4000_usize,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let mut builder = WordStoreBuilder::new(memory_bytes, folder.path());
            for (document, words) in words.iter().enumerate() {
                if let Some(words) = words {
                    builder.put(DocumentId(document as u32), words).unwrap();
                }
            }
            let store = builder.finish().unwrap();
            let mut buffer = Vec::new();
            for (document, words) in words.iter().enumerate() {
                let read = store.read(DocumentId(document as u32), &mut buffer).unwrap();
                prop_assert_eq!(read, words.as_deref().filter(|words| !words.is_empty()));
                prop_assert_eq!(read.is_some(), store.contains(DocumentId(document as u32)));
                let n_words = store.n_words(DocumentId(document as u32));
                prop_assert_eq!(n_words, words.as_ref().map_or(0, Vec::len));
            }
            prop_assert_eq!(store.read(DocumentId(words.len() as u32), &mut buffer).unwrap(), None);
        }
    }

    #[test]
    fn a_document_larger_than_one_read_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let mut builder = WordStoreBuilder::new(0, folder.path());
        let words: Vec<u64> =
            (0..10_001).map(|word: u64| word.wrapping_mul(0x0123_4567_89ab_cdef)).collect();
        builder.put(DocumentId(1), &words).unwrap();
        builder.put(DocumentId(2), &[5]).unwrap();
        let store = builder.finish().unwrap();
        assert_eq!(store.memory_bytes(), 4 * 8);
        let mut buffer = Vec::new();
        assert_eq!(store.read(DocumentId(1), &mut buffer).unwrap(), Some(words.as_slice()));
        assert_eq!(store.read(DocumentId(2), &mut buffer).unwrap(), Some([5].as_slice()));
    }

    #[test]
    fn documents_out_of_order_are_an_error() {
        let mut builder = WordStoreBuilder::new(100, Path::new("unused"));
        builder.put(DocumentId(4), &[1]).unwrap();
        let error = builder.put(DocumentId(4), &[2]).unwrap_err();
        assert!(matches!(error, IndexError::OutOfOrder { .. }));
    }
}
