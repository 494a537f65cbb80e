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
mod layout;
mod outputs;
mod pack;
#[cfg(feature = "parquet")]
mod parquet;
mod pipe;
mod records;
mod render;
mod rows;
mod shards;
mod shelf;
mod sink;

use std::borrow::Cow;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::pass::{Watch, over_blocks};
use crate::{Corpus, CorpusError};
pub use evidence::EvidenceNames;
use outputs::Outputs;
use pipe::Pipe;
pub use pipe::check_pipe;
use render::Rendering;

/// What becomes of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Fate {
    /// It stays in the corpus.
    Kept,
    /// It is a copy of a document that stays.
    Removed(Removal),
    /// It holds no document; it is put aside.
    Unreadable,
}

/// Why a row goes.
#[derive(Clone, Debug, PartialEq)]
pub struct Removal {
    /// The id of the document that stays.
    pub duplicate_of: KeeperId,
    /// How alike the two are; not a number where they were never confirmed.
    pub score: f64,
    /// The share of its words that stand in the document that stays; not a number where nobody asked.
    pub accounted: f64,
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
    /// Whether removed rows tell how much of them stands in the document that stays.
    fn tells_accounted(&self) -> bool {
        false
    }
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

/// Writes what stays and what goes, row by row, in the input's own formats, on all threads of the
/// current pool.
///
/// # Errors
/// [`CorpusError::Stopped`], a file that cannot be written completely, or a row that is not the one that was read when its
/// fate was decided; the error names the file, and nothing is left in the folder.
pub fn split(
    corpus: &Corpus,
    mut destination: Destination<'_, '_>,
    decisions: &(impl Decisions + Sync),
    watch: Watch<'_>,
) -> Result<Written, CorpusError> {
    let mut names = EvidenceNames::new(decisions.tells_accounted());
    #[cfg_attr(not(feature = "parquet"), expect(unused_mut, reason = "only columns have types"))]
    let mut ids_are_text = false;
    let mut pipe = destination.pipe.take().map(Pipe::new);
    loop {
        let staging = destination.folder.map(staging_folder).transpose()?;
        let staged = staging.as_ref().map(TempDir::path);
        let outputs = Outputs::new(corpus, staged, pipe.is_some(), &names, ids_are_text);
        let rendering = Rendering {
            decisions,
            names: &names,
            keeps_in_pipe: pipe.is_some(),
            has_folder: staged.is_some(),
        };
        match write_rows(corpus, outputs, pipe.as_mut(), &rendering, watch) {
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
    mut outputs: Outputs<'_>,
    mut pipe: Option<&mut Pipe<'_>>,
    rendering: &Rendering<'_, impl Decisions + Sync>,
    watch: Watch<'_>,
) -> Result<Written, Stop> {
    let mut written = Written::default();
    let mut n_rows = 0;
    // A file without rows comes out as one without rows: whoever takes the results counts on it.
    let blocks = corpus.blocks_with_all_columns().with_empty_files();
    let render = |block| rendering.render(block);
    over_blocks(corpus, blocks, "writing", watch, render, |piece| {
        let piece = piece?;
        n_rows = piece.n_rows;
        written.add(&piece.written);
        outputs.write(piece.content, pipe.as_deref_mut())
    })?;
    if n_rows != rendering.decisions.n_rows() {
        let last = corpus.sources().last().map(|source| source.path.clone());
        return Err(CorpusError::Changed(last.unwrap_or_default()).into());
    }
    outputs.finish()?;
    if let Some(pipe) = pipe {
        pipe.finish()?;
    }
    Ok(written)
}

impl Written {
    fn count(&mut self, fate: &Fate) {
        match fate {
            Fate::Kept => self.kept += 1,
            Fate::Removed(_) => self.removed += 1,
            Fate::Unreadable => self.unreadable += 1,
        }
    }

    fn add(&mut self, other: &Self) {
        self.kept += other.kept;
        self.removed += other.removed;
        self.unreadable += other.unreadable;
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
