//! Writing the corpus back without its copies, each row as it came in.
//!
//! One file comes out as `kept.jsonl.zst` and `removed.jsonl.zst`, `kept.csv` and `removed.csv`, and so
//! on; several come out as `kept/` and `removed/` with files of the same names. Files that are one
//! document each are copied below `kept/`, and `removed.jsonl` names those that were not. Rows that
//! could not be read are put aside as they are. Nothing has its final name before everything is
//! written, and every row is held against what was read when its fate was decided.

mod evidence;
mod fields;
mod folder;
mod outputs;
#[cfg(feature = "parquet")]
mod parquet;
mod pipe;
mod records;
mod shards;
mod shelf;
mod sink;

use std::borrow::Cow;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::block::{Block, Content, RecordKind};
use crate::read::jsonl::FieldLookup;
use crate::row::digest;
use crate::{Corpus, CorpusError};
pub use evidence::EvidenceNames;
use outputs::Outputs;
use pipe::Pipe;
pub use pipe::check_pipe;

/// What becomes of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Fate {
    /// It stays in the corpus.
    Kept,
    /// It is a copy of a document that stays.
    Removed {
        /// The id of the document that stays.
        duplicate_of: KeeperId,
        /// How alike the two are; not a number where they were never confirmed.
        score: f64,
    },
    /// It holds no document; it is put aside.
    Unreadable,
}

/// The id of a document that stays, as its row has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeeperId {
    /// The id, or the spelling of the number or truth value that it is.
    pub text: String,
    /// Whether it is a number or truth value.
    pub is_literal: bool,
}

impl KeeperId {
    /// The id as JSON.
    fn json(&self) -> Cow<'_, str> {
        let text = self.text.as_str();
        if self.is_literal { text.into() } else { Value::from(text).to_string().into() }
    }
}

impl From<&str> for KeeperId {
    fn from(text: &str) -> Self {
        Self { text: text.to_owned(), is_literal: false }
    }
}

/// What was decided about the rows of a corpus, and what they were then.
pub trait Decisions {
    /// How many rows there were.
    fn n_rows(&self) -> u64;
    /// What [`Row::digest`](crate::Row::digest) said of a row.
    fn digest(&self, ordinal: u64) -> u64;
    /// What becomes of it.
    fn fate(&self, ordinal: u64) -> Fate;
}

/// Where rows are written to.
#[derive(Default)]
pub struct Destination<'f, 'p> {
    /// The folder for everything, or for everything but kept rows; nothing else is written without.
    pub folder: Option<&'f Path>,
    /// Where kept rows go instead, as one stream. See [`check_pipe`].
    pub pipe: Option<&'p mut (dyn Write + Send)>,
}

impl<'f> Destination<'f, '_> {
    /// Everything into one folder.
    pub fn folder(folder: &'f Path) -> Self {
        Self { folder: Some(folder), pipe: None }
    }
}

/// What [`split`] has written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The files and folders, by name.
    pub paths: Vec<PathBuf>,
    /// Rows that stay.
    pub kept: u64,
    /// Rows that are copies.
    pub removed: u64,
    /// Rows that could not be read.
    pub unreadable: u64,
    /// The names of the fields that removed rows were given.
    pub evidence: EvidenceNames,
}

/// Why a pass ends before the last row.
enum Stop {
    /// It cannot go on.
    Failed(CorpusError),
    /// A row has a field of a name that was to be given; these are free as far as is known.
    Taken(EvidenceNames),
    /// An id does not fit the type of the id column.
    #[cfg(feature = "parquet")]
    IdsAreText,
}

impl From<CorpusError> for Stop {
    fn from(error: CorpusError) -> Self {
        Self::Failed(error)
    }
}

/// Writes what stays and what goes, row by row, in the input's own formats.
///
/// # Errors
/// A file that cannot be written completely, or a row that is not the one that was read when its
/// fate was decided; the error names the file, and nothing is left in the folder.
pub fn split(
    corpus: &Corpus,
    mut destination: Destination<'_, '_>,
    decisions: &impl Decisions,
) -> Result<Written, CorpusError> {
    let mut names = EvidenceNames::default();
    #[cfg_attr(not(feature = "parquet"), expect(unused_mut, reason = "only columns have types"))]
    let mut ids_are_text = false;
    let mut pipe = destination.pipe.take().map(Pipe::new);
    loop {
        let staging = destination.folder.map(staging_folder).transpose()?;
        let staged = staging.as_ref().map(TempDir::path);
        let outputs = Outputs::new(corpus, staged, pipe.is_some(), &names, ids_are_text);
        match write_rows(corpus, decisions, outputs, pipe.as_mut()) {
            Ok(mut written) => {
                if let (Some(staging), Some(folder)) = (&staging, destination.folder) {
                    written.paths = move_into(staging.path(), folder)?;
                }
                written.evidence = names;
                return Ok(written);
            }
            Err(Stop::Failed(error)) => return Err(named_after(error, staged, destination.folder)),
            // Rare, and mostly known from the first row on: all removed rows get the same names.
            Err(Stop::Taken(free)) => names = free,
            #[cfg(feature = "parquet")]
            Err(Stop::IdsAreText) => ids_are_text = true,
        }
        if let Some(pipe) = &mut pipe {
            pipe.begin_again();
        }
    }
}

fn write_rows(
    corpus: &Corpus,
    decisions: &impl Decisions,
    mut outputs: Outputs<'_>,
    mut pipe: Option<&mut Pipe<'_>>,
) -> Result<Written, Stop> {
    let mut written = Written::default();
    let mut n_rows = 0;
    // A file without rows comes out as one without rows: whoever takes the results counts on it.
    for block in corpus.blocks_with_all_columns().with_empty_files() {
        let first = block.first_ordinal;
        n_rows = first + block.n_rows() as u64;
        if n_rows > decisions.n_rows() {
            return Err(CorpusError::Changed(path_of(&block)).into());
        }
        let fates: Vec<Fate> = (first..n_rows).map(|row| decisions.fate(row)).collect();
        for fate in &fates {
            written.count(fate);
        }
        #[cfg(feature = "parquet")]
        if matches!(block.content, Content::Batch { .. }) {
            write_batch(block, &fates, decisions, &mut outputs)?;
            continue;
        }
        write_block(&block, &fates, decisions, &mut outputs, pipe.as_deref_mut())?;
    }
    if n_rows != decisions.n_rows() {
        let last = corpus.sources().last().map(|source| source.path.clone());
        return Err(CorpusError::Changed(last.unwrap_or_default()).into());
    }
    outputs.finish()?;
    if let Some(pipe) = pipe {
        pipe.finish()?;
    }
    Ok(written)
}

/// Writes the rows of a block after making sure that they are those that were judged.
fn write_block(
    block: &Block,
    fates: &[Fate],
    decisions: &impl Decisions,
    outputs: &mut Outputs<'_>,
    mut pipe: Option<&mut Pipe<'_>>,
) -> Result<(), Stop> {
    let changed = || Stop::Failed(CorpusError::Changed(path_of(block)));
    let ordinals = block.first_ordinal..;
    match &block.content {
        Content::Records { source, kind, bytes, rows } => {
            let (output, is_new) = outputs.records(source, kind)?;
            if let Some(pipe) = pipe.as_deref_mut().filter(|_| is_new) {
                pipe.begin_file(source, kind)?;
            }
            let header = block.header_digest();
            for ((row, fate), ordinal) in rows.iter().zip(fates).zip(ordinals) {
                let record = &bytes[row.start..row.end];
                if digest(record, header) != decisions.digest(ordinal) {
                    return Err(changed());
                }
                output.write(record, fate, pipe.as_deref_mut())?;
            }
        }
        #[cfg(feature = "parquet")]
        Content::Batch { .. } => {}
        Content::Documents { source, documents, rows } => {
            let kind = RecordKind::Json(FieldLookup::choose(&block.options));
            let (output, _) = outputs.records(source, &kind)?;
            for ((document, fate), ordinal) in
                documents[rows.clone()].iter().zip(fates).zip(ordinals)
            {
                output.write(&document.to_json(ordinal), fate, pipe.as_deref_mut())?;
            }
        }
        Content::Files(sources) => {
            for ((source, fate), ordinal) in sources.iter().zip(fates).zip(ordinals) {
                outputs.folder()?.write(source, fate, decisions.digest(ordinal))?;
            }
        }
        Content::Problem { .. } => {
            if fates[0] != Fate::Unreadable {
                return Err(changed());
            }
        }
    }
    Ok(())
}

/// Does the same for columns, and gives them back as soon as they can be: a row may be long.
#[cfg(feature = "parquet")]
fn write_batch(
    block: Block,
    fates: &[Fate],
    decisions: &impl Decisions,
    outputs: &mut Outputs<'_>,
) -> Result<(), Stop> {
    let mut is_same = true;
    block.visit(|row| is_same &= row.digest() == decisions.digest(row.ordinal));
    match block.content {
        Content::Batch { source, batch, .. } if is_same => {
            outputs.parquet(&source, &batch)?.write(batch, fates)
        }
        _ => Err(Stop::Failed(CorpusError::Changed(path_of(&block)))),
    }
}

/// The file a block was read from.
fn path_of(block: &Block) -> PathBuf {
    match &block.content {
        Content::Records { source, .. }
        | Content::Documents { source, .. }
        | Content::Problem { source, .. } => source.path.clone(),
        #[cfg(feature = "parquet")]
        Content::Batch { source, .. } => source.path.clone(),
        Content::Files(sources) => {
            sources.first().map(|source| source.path.clone()).unwrap_or_default()
        }
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

/// A folder inside `folder` in which everything is made ready.
fn staging_folder(folder: &Path) -> Result<TempDir, CorpusError> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".partial-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any program would create it; the user's mask still applies.
        builder.permissions(fs::Permissions::from_mode(0o777));
    }
    builder
        .tempdir_in(folder)
        .map_err(|source| CorpusError::Write { path: folder.to_owned(), source })
}

/// Gives everything its final name; files of the same name are replaced.
fn move_into(staging: &Path, folder: &Path) -> Result<Vec<PathBuf>, CorpusError> {
    let list = || {
        let entries = fs::read_dir(staging)?;
        entries.map(|entry| Ok(entry?.file_name())).collect::<std::io::Result<Vec<_>>>()
    };
    let mut names =
        list().map_err(|source| CorpusError::Write { path: folder.to_owned(), source })?;
    names.sort();
    let rename = |name| {
        let path = folder.join(&name);
        match fs::rename(staging.join(&name), &path) {
            Ok(()) => Ok(path),
            Err(source) => Err(CorpusError::Write { path, source }),
        }
    };
    names.into_iter().map(rename).collect()
}

/// The error, naming a file as it would have been called in the end.
fn named_after(error: CorpusError, staging: Option<&Path>, folder: Option<&Path>) -> CorpusError {
    match (error, staging, folder) {
        (CorpusError::Write { path, source }, Some(staging), Some(folder)) => {
            let path = path.strip_prefix(staging).map_or(path.clone(), |name| folder.join(name));
            CorpusError::Write { path, source }
        }
        (error, _, _) => error,
    }
}
