//! What the fuzz targets share: bytes become a file, the file is read in several ways, and all of
//! them must agree.

pub mod index;

use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

use lookalike_corpus::{Corpus, InputOptions, Row};
use tempfile::TempDir;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// A block that holds all of most files. A megabyte, as a run has it, would be cleared for each of
/// them, which takes longer than everything else.
const LARGE_BLOCK: usize = 1 << 15;

/// The blocks that a file is read in again. Every place of a short file is the end of one; of a long
/// one this would take most of the time, so that its bytes decide which places are.
fn small_blocks(bytes: &[u8]) -> [usize; 2] {
    let least = if bytes.len() <= 64 { 1 } else { 2 + xxh3_64(bytes) as usize % 14 };
    [least, 64]
}

/// A folder for the files of this process, in memory where the system has that.
fn folder() -> &'static TempDir {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let memory = PathBuf::from("/dev/shm");
        let place = if memory.is_dir() { memory } else { std::env::temp_dir() };
        tempfile::tempdir_in(place).expect("a folder for the files to read")
    })
}

/// Writes a file of this name.
pub fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder().path().join(name);
    fs::write(&path, bytes).expect("space for the file to read");
    path
}

/// The bytes with the checksum at their end that they need, so that what it protects is reached.
pub fn with_checksum(bytes: &[u8]) -> Vec<u8> {
    let content = &bytes[..bytes.len().saturating_sub(8)];
    [content, &xxh3_64(content).to_le_bytes()].concat()
}

/// Reads bytes as a compressed file of this name. How much is unpacked before damage shows depends
/// on how much is asked for at once; what is read by then must be the same.
pub fn read_compressed(name: &str, bytes: &[u8]) {
    let corpus = in_memory(name, bytes);
    let whole = Rows::of(&corpus.with_block_bytes(LARGE_BLOCK));
    for block_bytes in small_blocks(bytes) {
        let again = Rows::of(&corpus.with_block_bytes(block_bytes));
        assert_eq!(whole.is_cut, again.is_cut, "blocks of {block_bytes}");
        let length = whole.n_readable().min(again.n_readable());
        assert_eq!(whole.digests[..length], again.digests[..length], "blocks of {block_bytes}");
        assert!(whole.is_cut || whole.digests.len() == again.digests.len());
    }
}

/// Reads bytes as a file of this name, in blocks of several sizes.
pub fn read(name: &str, bytes: &[u8]) {
    read_in_blocks(&in_memory(name, bytes), bytes);
}

/// Reads bytes as a file of this name that is one document.
pub fn read_document(name: &str, bytes: &[u8]) {
    assert_eq!(Rows::of(&in_memory(name, bytes)).digests.len(), 1);
}

/// The same for a format that is read from files only.
pub fn read_from_disk(name: &str, bytes: &[u8]) {
    let inputs = [file(name, bytes).display().to_string()];
    let corpus = Corpus::open(&inputs, options(), folder().path()).expect("a known format");
    read_in_blocks(&corpus, bytes);
}

fn read_in_blocks(corpus: &Corpus, bytes: &[u8]) {
    let whole = Rows::of(&corpus.with_block_bytes(LARGE_BLOCK));
    for block_bytes in small_blocks(bytes) {
        let again = Rows::of(&corpus.with_block_bytes(block_bytes));
        assert_eq!(again, whole, "blocks of {block_bytes}");
    }
}

fn in_memory(name: &str, bytes: &[u8]) -> Corpus {
    Corpus::from_bytes(name, bytes, options()).expect("a known format")
}

fn options() -> InputOptions {
    InputOptions { max_row_bytes: 4096, ..InputOptions::default() }
}

/// What a pass gave, row by row: digests, since most rows are the same in every pass.
#[derive(Debug, Default, PartialEq)]
struct Rows {
    digests: Vec<u64>,
    /// Whether the rest of the file could not be read.
    is_cut: bool,
}

impl Rows {
    fn of(corpus: &Corpus) -> Self {
        let mut rows = Self::default();
        for block in corpus.blocks() {
            assert_eq!(block.first_ordinal(), rows.digests.len() as u64);
            block.visit(|row| rows.add(&row));
            let n_rows = block.first_ordinal() + block.n_rows() as u64;
            assert_eq!(n_rows, rows.digests.len() as u64);
        }
        rows
    }

    fn add(&mut self, row: &Row<'_>) {
        let mut digest = row.digest();
        let mut add = |text: &str| digest = xxh3_64_with_seed(text.as_bytes(), digest);
        match &row.content {
            Ok(document) => {
                assert!(!document.id.is_empty());
                add(&document.id);
                add(&document.text);
                add(document.title.as_deref().unwrap_or("\0"));
                add(document.url.as_deref().unwrap_or("\0"));
                let field = document.field("a.b");
                add(&field.map_or_else(String::new, |field| field.to_string()));
            }
            Err(unreadable) => {
                assert!(!unreadable.reason.is_empty());
                self.is_cut |= unreadable.reason.contains("cannot be read");
                add(&unreadable.to_string());
            }
        }
        self.digests.push(digest);
    }

    fn n_readable(&self) -> usize {
        self.digests.len() - usize::from(self.is_cut)
    }
}
