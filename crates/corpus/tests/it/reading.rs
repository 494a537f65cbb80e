//! The rows of a corpus in a form that tests can compare.

use std::fs;
use std::path::{Path, PathBuf};

use lookalike_corpus::{Corpus, InputOptions};
use tempfile::TempDir;

/// A row, owned.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    pub ordinal: u64,
    pub place: String,
    pub content: Result<Document, String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    pub id: String,
    pub text: String,
    pub title: Option<String>,
    pub url: Option<String>,
}

pub fn open(input: &Path) -> Corpus {
    open_with(input, InputOptions::default())
}

pub fn open_with(input: &Path, options: InputOptions) -> Corpus {
    Corpus::open(&[input.display().to_string()], options, &std::env::temp_dir()).unwrap()
}

pub fn rows(corpus: &Corpus) -> Vec<Read> {
    let mut rows = Vec::new();
    for block in corpus.blocks() {
        assert_eq!(block.first_ordinal(), rows.len() as u64);
        block.visit(|row| {
            rows.push(Read {
                ordinal: row.ordinal,
                place: row.place.to_string(),
                content: row.content.map_err(|unreadable| unreadable.reason).map(|document| {
                    Document {
                        id: document.id.to_string(),
                        text: document.text.to_string(),
                        title: document.title.as_deref().map(str::to_owned),
                        url: document.url.as_deref().map(str::to_owned),
                    }
                }),
            });
        });
        assert_eq!(block.first_ordinal() + block.n_rows() as u64, rows.len() as u64);
    }
    assert!(rows.iter().enumerate().all(|(place, row)| row.ordinal == place as u64));
    rows
}

/// The readable rows.
pub fn documents(corpus: &Corpus) -> Vec<Document> {
    rows(corpus).into_iter().map(|row| row.content.unwrap()).collect()
}

/// The ids of the readable rows and the reasons of the others, in order.
pub fn outcomes(corpus: &Corpus) -> Vec<String> {
    rows(corpus)
        .into_iter()
        .map(|row| row.content.map_or_else(|reason| format!("! {reason}"), |found| found.id))
        .collect()
}

/// The rows after which something of a file is missing.
pub fn incomplete(corpus: &Corpus) -> Vec<usize> {
    let mut places = Vec::new();
    for block in corpus.blocks() {
        block.visit(|row| {
            if row.content.is_err_and(|unreadable| unreadable.incomplete) {
                places.push(row.ordinal as usize);
            }
        });
    }
    places
}

/// A folder with one file in it.
pub fn file(name: &str, content: impl AsRef<[u8]>) -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, content).unwrap();
    (folder, path)
}

pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/fixtures").join(name)
}
