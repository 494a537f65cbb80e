//! Random parts of the input, each twice as large as the one before, as corpora of their own.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use lookalike_corpus::{Corpus, InputOptions};
use serde_json::json;
use tempfile::TempDir;

use crate::error::file_error;
use crate::{Context, RunError};

/// Text that the largest part holds at most.
const MOST_TEXT_BYTES: f64 = 128e6;
/// Bytes of input that are read at most; what comes after is taken to be like it.
const MOST_READ_BYTES: u64 = 1 << 30;
/// Of the smallest part, in text.
const LEAST_TEXT_BYTES: u64 = 500_000;

/// A random part of the rows, and parts of the part.
pub struct Sample {
    rows: Vec<SampledRow>,
    /// The rows themselves: in memory they would be counted as memory of the runs.
    file: PathBuf,
    folder: TempDir,
    /// Rows of the whole input, readable or not, as far as it was read.
    pub rows_read: u64,
    /// Of these, documents.
    pub documents_read: u64,
    /// Their text.
    pub text_bytes: u64,
    /// Their ids.
    pub id_bytes: u64,
    /// The share of the input that was read.
    pub share_read: f64,
    /// How long reading took.
    pub seconds: f64,
}

struct SampledRow {
    /// Uniform over all rows: a part holds the rows below some value.
    draw: f64,
    /// The length of its line; rows that were given up stand between the others, without a draw.
    line_bytes: u64,
    text_bytes: u64,
}

/// One part as a corpus.
pub struct Part {
    /// Its documents.
    pub corpus: Corpus,
    /// How many there are.
    pub n_documents: u64,
}

impl Sample {
    /// Reads the input, or its beginning, and keeps a random part.
    pub fn read(corpus: &Corpus, context: &Context<'_>) -> Result<Self, RunError> {
        let folder = tempfile::tempdir_in(context.temp_dir)
            .map_err(file_error("create a folder in", context.temp_dir))?;
        let file = folder.path().join("sample.jsonl");
        let mut written = BufWriter::new(File::create(&file).map_err(file_error("create", &file))?);
        let mut failed = None;
        let mut sample = Self {
            rows: Vec::new(),
            file,
            folder,
            rows_read: 0,
            documents_read: 0,
            text_bytes: 0,
            id_bytes: 0,
            share_read: 1.0,
            seconds: 0.0,
        };
        // Rows at or above this are not kept any more; it sinks when too much text is kept.
        let (mut limit, mut kept_bytes, mut file_bytes) = (1.0, 0.0, 0);
        let start = Instant::now();
        let mut keeping = 0.0;
        for block in corpus.blocks() {
            context.interrupt.check()?;
            if file_bytes >= MOST_READ_BYTES {
                let size = corpus.size_bytes().max(1) as f64;
                sample.share_read = (file_bytes as f64 / size).clamp(1e-9, 1.0);
                break;
            }
            file_bytes += block.consumed_bytes();
            block.visit(|row| {
                sample.rows_read += 1;
                let Ok(document) = &row.content else { return };
                sample.documents_read += 1;
                let text_bytes = document.text.len() as u64;
                sample.text_bytes += text_bytes;
                sample.id_bytes += document.id.len() as u64;
                let draw = draw(row.ordinal);
                if draw < limit {
                    let started = Instant::now();
                    let line = json!({"id": document.id, "text": document.text,
                        "title": document.title, "url": document.url})
                    .to_string()
                        + "\n";
                    failed = failed.take().or(written.write_all(line.as_bytes()).err());
                    sample.rows.push(SampledRow {
                        draw,
                        line_bytes: line.len() as u64,
                        text_bytes,
                    });
                    kept_bytes += text_bytes as f64;
                    keeping += started.elapsed().as_secs_f64();
                }
            });
            while kept_bytes > MOST_TEXT_BYTES {
                limit *= 0.75;
                let given_up = |row: &&mut SampledRow| row.draw >= limit;
                sample.rows.iter_mut().filter(given_up).for_each(|row| row.draw = f64::INFINITY);
                kept_bytes = sample.kept().map(|row| row.text_bytes as f64).sum();
            }
        }
        if let Some(error) = failed.or(written.flush().err()) {
            return Err(file_error("write", &sample.file)(error));
        }
        sample.seconds = (start.elapsed().as_secs_f64() - keeping).max(0.0);
        Ok(sample)
    }

    /// Documents of the whole input.
    pub fn documents(&self) -> f64 {
        self.documents_read as f64 / self.share_read
    }

    /// The rows that are kept.
    fn kept(&self) -> impl Iterator<Item = &SampledRow> {
        self.rows.iter().filter(|row| row.draw.is_finite())
    }

    /// The parts, the smallest first; the last one is all that was kept.
    pub fn parts(&self) -> impl Iterator<Item = Result<Part, RunError>> + '_ {
        let largest = self.kept().map(|row| row.draw).fold(0.0, f64::max);
        let kept: u64 = self.kept().map(|row| row.text_bytes).sum();
        let halvings = (kept as f64 / LEAST_TEXT_BYTES as f64).log2().clamp(0.0, 8.0) as i32;
        (0..=halvings).rev().map(move |halving| {
            self.part(if halving == 0 { 1.0 } else { largest * 0.5_f64.powi(halving) })
        })
    }

    fn part(&self, below: f64) -> Result<Part, RunError> {
        let path = self.folder.path().join(format!("{below}.jsonl"));
        let n_documents = self.write(below, &path).map_err(file_error("write", &path))?;
        let inputs = [path.to_string_lossy().into_owned()];
        let corpus = Corpus::open(&inputs, InputOptions::default(), self.folder.path())?;
        Ok(Part { corpus, n_documents })
    }

    fn write(&self, below: f64, path: &Path) -> std::io::Result<u64> {
        let mut rows = BufReader::new(File::open(&self.file)?);
        let mut file = BufWriter::new(File::create(path)?);
        let mut n_documents = 0;
        for row in &self.rows {
            if row.draw < below {
                std::io::copy(&mut (&mut rows).take(row.line_bytes), &mut file)?;
                n_documents += 1;
            } else {
                rows.seek_relative(row.line_bytes as i64)?;
            }
        }
        file.flush()?;
        Ok(n_documents)
    }
}

/// A number between 0 and 1 that looks random and is the same in every run.
fn draw(ordinal: u64) -> f64 {
    let hash = xxhash_rust::xxh3::xxh3_64_with_seed(&ordinal.to_le_bytes(), 1);
    (hash >> 11) as f64 / (1_u64 << 53) as f64
}
