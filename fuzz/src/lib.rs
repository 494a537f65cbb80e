//! What the fuzz targets share: bytes become a file, the file is read in several ways, and all of
//! them must agree.

use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

use lookalike_corpus::{Corpus, InputOptions};
use tempfile::TempDir;

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

/// Reads bytes as a file of this name, in blocks of several sizes; returns the rows.
pub fn read(name: &str, bytes: &[u8]) -> Vec<String> {
    let path = file(name, bytes);
    let options = InputOptions { max_row_bytes: 4096, ..InputOptions::default() };
    let inputs = [path.display().to_string()];
    let corpus = Corpus::open(&inputs, options, folder().path()).expect("a known format");
    let whole = rows(&corpus);
    for block_bytes in [1, 64] {
        assert_eq!(rows(&corpus.with_block_bytes(block_bytes)), whole, "blocks of {block_bytes}");
    }
    whole
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
