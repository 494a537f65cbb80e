//! What the fuzz targets share: bytes become a file, the file is read in several ways, and all of
//! them must agree.

pub mod index;

use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

use lookalike_corpus::{Corpus, InputOptions};
use tempfile::TempDir;
use xxhash_rust::xxh3::xxh3_64;

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
    let corpus = open(name, bytes);
    let whole = rows(&corpus);
    for block_bytes in [1, 64] {
        let again = rows(&corpus.with_block_bytes(block_bytes));
        let is_cut = |rows: &[String]| rows.iter().any(|row| row.contains("cannot be read"));
        assert_eq!(is_cut(&whole), is_cut(&again));
        let readable = |rows: &[String]| rows.len() - usize::from(is_cut(rows));
        let length = readable(&whole).min(readable(&again));
        assert_eq!(whole[..length], again[..length], "blocks of {block_bytes}");
        assert!(is_cut(&whole) || whole.len() == again.len());
    }
}

/// Reads bytes as a file of this name, in blocks of several sizes.
pub fn read(name: &str, bytes: &[u8]) {
    let corpus = open(name, bytes);
    let whole = rows(&corpus);
    for block_bytes in [1, 64] {
        assert_eq!(rows(&corpus.with_block_bytes(block_bytes)), whole, "blocks of {block_bytes}");
    }
}

fn open(name: &str, bytes: &[u8]) -> Corpus {
    let path = file(name, bytes);
    let options = InputOptions { max_row_bytes: 4096, ..InputOptions::default() };
    let inputs = [path.display().to_string()];
    Corpus::open(&inputs, options, folder().path()).expect("a known format")
}

fn rows(corpus: &Corpus) -> Vec<String> {
    let mut rows = Vec::new();
    for block in corpus.blocks() {
        assert_eq!(block.first_ordinal(), rows.len() as u64);
        block.visit(|row| {
            rows.push(match row.content {
                Ok(document) => {
                    let field = document.field("a.b");
                    format!("{} {:?} {:?} {field:?}", document.id, document.text, document.title)
                }
                Err(unreadable) => format!("! {unreadable}"),
            });
        });
        assert_eq!(block.first_ordinal() + block.n_rows() as u64, rows.len() as u64);
    }
    rows
}
