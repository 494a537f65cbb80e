//! Writing the corpus back without its copies, each row as it came in.
//!
//! Every format of the input gets its own pair of outputs: `kept.jsonl.zst` and
//! `removed.jsonl.zst`, `kept.csv` and `removed.csv`, and so on; files that are one document each are
//! copied below `kept/`, and `removed.jsonl` names those that were not. Nothing has its final name
//! before everything is written.

mod fields;
mod folder;
#[cfg(feature = "parquet")]
mod parquet;
mod records;
mod sink;

use std::path::{Path, PathBuf};

use crate::block::{Content, RecordKind};
use crate::read::jsonl::Road;
use crate::source::{Format, Source};
use crate::{Corpus, CorpusError};
use folder::FolderOutput;
use records::RecordOutput;

/// What becomes of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Fate {
    /// It stays in the corpus.
    Kept,
    /// It is a copy of a document that stays.
    Removed {
        /// The id of the document that stays.
        duplicate_of: String,
        /// How alike the two are.
        score: f64,
    },
    /// It holds no document; it is written to neither side.
    Unreadable,
}

/// What [`split`] has written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The files and folders, one pair for each format.
    pub paths: Vec<PathBuf>,
    /// Rows that stay.
    pub kept: u64,
    /// Rows that are copies.
    pub removed: u64,
    /// Rows that could not be read.
    pub unreadable: u64,
}

/// Writes what stays and what goes, row by row, in the input's own formats.
///
/// # Errors
/// A file that cannot be written completely; the error names it, and no output is left behind.
pub fn split(
    corpus: &Corpus,
    out_dir: &Path,
    fate: impl Fn(u64) -> Fate,
) -> Result<Written, CorpusError> {
    let mut outputs = Outputs::new(out_dir);
    for block in corpus.blocks_with_all_columns() {
        let first = block.first_ordinal;
        let fates: Vec<Fate> = (first..first + block.n_rows() as u64).map(&fate).collect();
        match &block.content {
            Content::Records { source, kind, bytes, rows } => {
                let output = outputs.records(source, kind)?;
                let mut written = Written::default();
                for (row, fate) in rows.iter().zip(&fates) {
                    let fate = if row.problem.is_some() { &Fate::Unreadable } else { fate };
                    written.count(fate);
                    output.write(&bytes[row.start..row.end], fate)?;
                }
                outputs.written.add(&written);
            }
            #[cfg(feature = "parquet")]
            Content::Batch { source, batch, .. } => {
                outputs.parquet(source, batch)?.write(batch, &fates)?;
                for fate in &fates {
                    outputs.written.count(fate);
                }
            }
            Content::Documents { source, documents, rows } => {
                let output =
                    outputs.records(source, &RecordKind::Json(Road::choose(corpus.options())))?;
                let mut written = Written::default();
                for ((document, ordinal), fate) in
                    documents[rows.clone()].iter().zip(first..).zip(&fates)
                {
                    written.count(fate);
                    output.write(&document.to_json(ordinal), fate)?;
                }
                outputs.written.add(&written);
            }
            Content::Files(sources) => {
                for (source, fate) in sources.iter().zip(&fates) {
                    let fate = if source.problem.is_some() { &Fate::Unreadable } else { fate };
                    outputs.written.count(fate);
                    outputs.folder()?.write(source, fate)?;
                }
            }
            Content::Problem { .. } => outputs.written.unreadable += 1,
        }
    }
    outputs.finish()
}

/// What has been begun so far; most corpora have one format and need one output.
struct Outputs<'o> {
    out_dir: &'o Path,
    records: Vec<RecordOutput>,
    #[cfg(feature = "parquet")]
    parquet: Vec<parquet::ParquetOutput>,
    folder: Option<FolderOutput>,
    /// What follows `kept` and `removed` in the names given so far.
    names: Vec<String>,
    written: Written,
}

impl<'o> Outputs<'o> {
    fn new(out_dir: &'o Path) -> Self {
        Self {
            out_dir,
            records: Vec::new(),
            #[cfg(feature = "parquet")]
            parquet: Vec::new(),
            folder: None,
            names: Vec::new(),
            written: Written::default(),
        }
    }

    fn records(
        &mut self,
        source: &Source,
        kind: &RecordKind,
    ) -> Result<&mut RecordOutput, CorpusError> {
        let compression = source.compression;
        let known = self.records.iter().position(|output| output.takes(kind, compression));
        let place = known.unwrap_or(self.records.len());
        if known.is_none() {
            let name = self.free_name(extension(source.format), compression.extension());
            self.records.push(RecordOutput::create(self.out_dir, &name, kind, compression)?);
        }
        Ok(&mut self.records[place])
    }

    #[cfg(feature = "parquet")]
    fn parquet(
        &mut self,
        source: &Source,
        batch: &arrow_array::RecordBatch,
    ) -> Result<&mut parquet::ParquetOutput, CorpusError> {
        let known = self.parquet.iter().position(|output| output.takes(batch));
        let place = known.unwrap_or(self.parquet.len());
        if known.is_none() {
            let name = self.free_name("parquet", "");
            let output = parquet::ParquetOutput::create(self.out_dir, &name, source, batch)?;
            self.parquet.push(output);
        }
        Ok(&mut self.parquet[place])
    }

    fn folder(&mut self) -> Result<&mut FolderOutput, CorpusError> {
        let folder = match self.folder.take() {
            Some(folder) => folder,
            None => FolderOutput::create(self.out_dir, &self.free_name("jsonl", ""))?,
        };
        Ok(self.folder.insert(folder))
    }

    /// The part of a name after `kept`: `.csv`, or `-2.csv` where that is taken.
    fn free_name(&mut self, extension: &str, compression: &str) -> String {
        let mut name = format!(".{extension}{compression}");
        let mut number = 2;
        while self.names.contains(&name) {
            name = format!("-{number}.{extension}{compression}");
            number += 1;
        }
        self.names.push(name.clone());
        name
    }

    fn finish(mut self) -> Result<Written, CorpusError> {
        let mut complete = Vec::new();
        for output in self.records {
            output.finish(&mut complete)?;
        }
        #[cfg(feature = "parquet")]
        for output in self.parquet {
            output.finish(&mut complete)?;
        }
        if let Some(output) = self.folder {
            output.finish(&mut complete)?;
        }
        for finished in complete {
            self.written.paths.push(finished.rename()?);
        }
        Ok(self.written)
    }
}

impl Written {
    fn count(&mut self, fate: &Fate) {
        match fate {
            Fate::Kept => self.kept += 1,
            Fate::Removed { .. } => self.removed += 1,
            Fate::Unreadable => self.unreadable += 1,
        }
    }

    fn add(&mut self, other: &Self) {
        self.kept += other.kept;
        self.removed += other.removed;
        self.unreadable += other.unreadable;
    }
}

fn extension(format: Format) -> &'static str {
    match format {
        Format::Csv => "csv",
        Format::Tsv => "tsv",
        Format::Mbox => "mbox",
        _ => "jsonl",
    }
}
