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
use crate::read::records::RawRow;
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
    /// The files and folders, in the order in which their formats were met.
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
    let mut outputs = Outputs { out_dir, list: Vec::new(), written: Written::default() };
    for block in corpus.blocks_with_all_columns() {
        let first = block.first_ordinal;
        let fates: Vec<Fate> = (first..first + block.n_rows() as u64).map(&fate).collect();
        match &block.content {
            Content::Records { source, kind, bytes, rows } => {
                outputs.add_records(source, kind, bytes, rows.iter().zip(&fates))?;
            }
            #[cfg(feature = "parquet")]
            Content::Batch { source, batch, .. } => outputs.add_batch(source, batch, &fates)?,
            Content::Files(sources) => {
                for (source, fate) in sources.iter().zip(&fates) {
                    outputs.add_file(source, fate)?;
                }
            }
            Content::Problem { .. } => outputs.written.unreadable += 1,
        }
    }
    outputs.finish()
}

struct Outputs<'o> {
    out_dir: &'o Path,
    list: Vec<Output>,
    written: Written,
}

enum Output {
    Records(RecordOutput),
    Folder(FolderOutput),
    #[cfg(feature = "parquet")]
    Parquet(parquet::ParquetOutput),
}

impl Outputs<'_> {
    fn add_records<'r>(
        &mut self,
        source: &Source,
        kind: &RecordKind,
        bytes: &[u8],
        rows: impl Iterator<Item = (&'r RawRow, &'r Fate)>,
    ) -> Result<(), CorpusError> {
        let known = self.list.iter().position(|output| match output {
            Output::Records(output) => output.takes(kind, source.compression),
            _ => false,
        });
        let place = match known {
            Some(place) => place,
            None => {
                let name = self.free_name(extension(source.format), source.compression.extension());
                let output = RecordOutput::create(self.out_dir, &name, kind, source.compression)?;
                self.list.push(Output::Records(output));
                self.list.len() - 1
            }
        };
        let Output::Records(output) = &mut self.list[place] else { return Ok(()) };
        for (row, fate) in rows {
            let fate = if row.problem.is_some() { &Fate::Unreadable } else { fate };
            self.written.count(fate);
            output.write(&bytes[row.start..row.end], fate)?;
        }
        Ok(())
    }

    #[cfg(feature = "parquet")]
    fn add_batch(
        &mut self,
        source: &Source,
        batch: &arrow_array::RecordBatch,
        fates: &[Fate],
    ) -> Result<(), CorpusError> {
        let known = self.list.iter().position(|output| match output {
            Output::Parquet(output) => output.takes(batch),
            _ => false,
        });
        let place = match known {
            Some(place) => place,
            None => {
                let name = self.free_name("parquet", "");
                let output = parquet::ParquetOutput::create(self.out_dir, &name, source, batch)?;
                self.list.push(Output::Parquet(output));
                self.list.len() - 1
            }
        };
        let Output::Parquet(output) = &mut self.list[place] else { return Ok(()) };
        fates.iter().for_each(|fate| self.written.count(fate));
        output.write(batch, fates)
    }

    fn add_file(&mut self, source: &Source, fate: &Fate) -> Result<(), CorpusError> {
        let fate = if source.problem.is_some() { &Fate::Unreadable } else { fate };
        self.written.count(fate);
        let known = self.list.iter().position(|output| matches!(output, Output::Folder(_)));
        let place = match known {
            Some(place) => place,
            None => {
                let name = self.free_name("jsonl", "");
                self.list.push(Output::Folder(FolderOutput::create(self.out_dir, &name)?));
                self.list.len() - 1
            }
        };
        let Output::Folder(output) = &mut self.list[place] else { return Ok(()) };
        output.write(source, fate)
    }

    /// The part of the name after `kept`: `.csv`, or `-2.csv` where that is taken.
    fn free_name(&self, extension: &str, compression: &str) -> String {
        let taken = |name: &str| {
            self.list.iter().any(|output| match output {
                Output::Records(output) => output.name == name,
                Output::Folder(output) => output.name == name,
                #[cfg(feature = "parquet")]
                Output::Parquet(output) => output.name == name,
            })
        };
        let mut name = format!(".{extension}{compression}");
        let mut number = 2;
        while taken(&name) {
            name = format!("-{number}.{extension}{compression}");
            number += 1;
        }
        name
    }

    fn finish(mut self) -> Result<Written, CorpusError> {
        let mut complete = Vec::new();
        for output in self.list {
            match output {
                Output::Records(output) => output.finish(&mut complete)?,
                Output::Folder(output) => output.finish(&mut complete)?,
                #[cfg(feature = "parquet")]
                Output::Parquet(output) => output.finish(&mut complete)?,
            }
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
}

fn extension(format: Format) -> &'static str {
    match format {
        Format::Csv => "csv",
        Format::Tsv => "tsv",
        Format::Mbox => "mbox",
        _ => "jsonl",
    }
}
