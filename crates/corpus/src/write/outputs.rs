//! What has been begun so far: the outputs of the file at hand, and the folder of copied files.

use std::path::{Path, PathBuf};

use super::Stop;
use super::evidence::EvidenceNames;
use super::folder::FolderOutput;
#[cfg(feature = "parquet")]
use super::parquet::ParquetOutput;
use super::pipe::Pipe;
use super::records::{RecordOutput, RecordPaths};
use super::render::PieceContent;
use super::shards::Shards;
use crate::block::RecordKind;
use crate::source::Source;
use crate::{Corpus, CorpusError, InputOptions};

/// What removed rows are given, and how.
pub(crate) struct Evidence<'a> {
    /// The names of the fields.
    pub names: &'a EvidenceNames,
    /// The field whose type the id has.
    #[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "only columns have types"))]
    pub id_key: Option<&'a str>,
    /// Whether an id has been seen that does not fit the type of its column.
    #[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "only columns have types"))]
    pub ids_are_text: bool,
}

/// The outputs of a pass. Files come one after the other, so that only those of one are open.
pub(crate) struct Outputs<'o> {
    staging: Option<&'o Path>,
    keeps_in_pipe: bool,
    options: &'o InputOptions,
    evidence: Evidence<'o>,
    shards: Shards,
    records: Option<(PathBuf, RecordOutput)>,
    #[cfg(feature = "parquet")]
    parquet: Option<(PathBuf, ParquetOutput)>,
    folder: Option<FolderOutput>,
}

impl<'o> Outputs<'o> {
    /// Outputs below `staging`, if anything is to be written there at all.
    pub(crate) fn new(
        corpus: &'o Corpus,
        staging: Option<&'o Path>,
        keeps_in_pipe: bool,
        names: &'o EvidenceNames,
        ids_are_text: bool,
    ) -> Self {
        let options = corpus.options();
        Self {
            staging,
            keeps_in_pipe,
            options,
            evidence: Evidence { names, id_key: options.id_key.field(), ids_are_text },
            shards: Shards::new(corpus.sources()),
            records: None,
            #[cfg(feature = "parquet")]
            parquet: None,
            folder: None,
        }
    }

    /// Writes a block that is ready.
    pub(crate) fn write(
        &mut self,
        content: PieceContent,
        mut pipe: Option<&mut Pipe<'_>>,
    ) -> Result<(), Stop> {
        match content {
            PieceContent::Records { source, kind, bytes, rows } => {
                let (output, is_new) = self.records(&source, &kind)?;
                if let Some(pipe) = pipe.as_deref_mut().filter(|_| is_new) {
                    pipe.begin_file(&source, &kind)?;
                }
                output.write(&rows, bytes.as_deref().unwrap_or_default(), pipe)?;
            }
            #[cfg(feature = "parquet")]
            PieceContent::Batch { source, batch, fates } => {
                self.parquet(&source, &batch)?.write(batch, &fates)?;
            }
            PieceContent::Files(files) => {
                for (source, fate, digest) in files {
                    self.folder()?.write(&source, &fate, digest)?;
                }
            }
            PieceContent::Nothing => {}
        }
        Ok(())
    }

    /// The outputs of a file of records; true if they have just been begun.
    fn records(
        &mut self,
        source: &Source,
        kind: &RecordKind,
    ) -> Result<(&mut RecordOutput, bool), Stop> {
        if self.records.as_ref().is_some_and(|(path, _)| *path != source.path) {
            self.finish_file()?;
        }
        let is_new = self.records.is_none();
        let output = if let Some((_, output)) = self.records.take() {
            output
        } else {
            self.finish_file()?;
            let path = |kind: &str| Some(self.shards.path(self.staging?, kind, source));
            let paths = RecordPaths {
                kept: path("kept").filter(|_| !self.keeps_in_pipe),
                removed: path("removed"),
                unreadable: path("unreadable"),
            };
            RecordOutput::create(paths, kind, source.compression, self.evidence.names)?
        };
        let (_, output) = self.records.insert((source.path.clone(), output));
        Ok((output, is_new))
    }

    #[cfg(feature = "parquet")]
    fn parquet(
        &mut self,
        source: &Source,
        batch: &arrow_array::RecordBatch,
    ) -> Result<&mut ParquetOutput, Stop> {
        if self.parquet.as_ref().is_some_and(|(path, _)| *path != source.path) {
            self.finish_file()?;
        }
        let output = if let Some((_, output)) = self.parquet.take() {
            output
        } else {
            self.finish_file()?;
            let staging = self.staging.ok_or_else(no_folder)?;
            let path = |kind: &str| self.shards.path(staging, kind, source);
            ParquetOutput::create(path, source, batch, &self.evidence, &self.options.text_key)?
        };
        let (_, output) = self.parquet.insert((source.path.clone(), output));
        Ok(output)
    }

    fn folder(&mut self) -> Result<&mut FolderOutput, CorpusError> {
        let folder = if let Some(folder) = self.folder.take() {
            folder
        } else {
            let staging = self.staging.ok_or_else(no_folder)?;
            let list = self.shards.list(staging);
            let tells_accounted = self.evidence.names.accounted.is_some();
            let kept = staging.join("kept");
            FolderOutput::create(kept, &list, tells_accounted, self.options.max_row_bytes)?
        };
        Ok(self.folder.insert(folder))
    }

    /// Completes everything.
    pub(crate) fn finish(mut self) -> Result<(), CorpusError> {
        self.finish_file()?;
        self.folder.map_or(Ok(()), FolderOutput::finish)
    }

    /// Completes the outputs of the file that has just ended.
    fn finish_file(&mut self) -> Result<(), CorpusError> {
        if let Some((_, output)) = self.records.take() {
            output.finish()?;
        }
        #[cfg(feature = "parquet")]
        if let Some((_, output)) = self.parquet.take() {
            output.finish()?;
        }
        Ok(())
    }
}

fn no_folder() -> CorpusError {
    CorpusError::NoPipe("these rows need a folder".into())
}
