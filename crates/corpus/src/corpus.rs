//! The input as a whole, which can be read as often as needed.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use crate::blocks::Blocks;
use crate::memory::{Memory, MemoryRows, OwnedDocument};
use crate::read::buffers::Buffers;
use crate::read::reader::Projection;
use crate::resolve::{self, Ignored, resolve};
use crate::row::Incomplete;
use crate::source::Source;
use crate::{CorpusError, InputOptions, Stop, Unreadable};

/// Read at a time, so that blocks are big enough to share out and small enough to keep many.
const BLOCK_BYTES: usize = 1 << 20;

/// The files that the inputs name, or documents in memory, ready for any number of passes.
#[derive(Debug)]
pub struct Corpus {
    shared: Arc<Shared>,
    ignored: Vec<Ignored>,
}

/// What a pass needs; it may outlive the [`Corpus`] value on its own thread.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    pub sources: Vec<Arc<Source>>,
    pub options: Arc<InputOptions>,
    pub block_bytes: usize,
    /// What files may take that are read before their turn.
    pub read_ahead_bytes: usize,
    pub buffers: Arc<Buffers>,
    /// Rows that are read from memory; then there is no source.
    pub memory: Option<Memory>,
    pub stop: Stop,
    pub incomplete: Arc<Incomplete>,
}

impl Shared {
    fn new(
        sources: Vec<Source>,
        memory: Option<Memory>,
        options: InputOptions,
        stop: &Stop,
    ) -> Self {
        Self {
            sources: sources.into_iter().map(Arc::new).collect(),
            options: Arc::new(options),
            block_bytes: BLOCK_BYTES,
            read_ahead_bytes: 0,
            buffers: Buffers::new(BLOCK_BYTES),
            memory,
            stop: stop.clone(),
            incomplete: Arc::default(),
        }
    }
}

impl Corpus {
    /// Finds the files; reads nothing but folders and, for `-`, standard input.
    ///
    /// Standard input is copied into `temp_dir` so that it can be read again.
    ///
    /// # Errors
    /// An input that does not exist, whose extension is unknown, or that leads to no file.
    pub fn open(
        inputs: &[impl AsRef<OsStr>],
        options: InputOptions,
        temp_dir: &Path,
    ) -> Result<Self, CorpusError> {
        Self::open_until(inputs, options, temp_dir, &Stop::new())
    }

    /// As [`Corpus::open`]; when `stop` is set, standard input and every pass end where they are.
    ///
    /// # Errors
    /// As [`Corpus::open`], and [`CorpusError::Stopped`].
    pub fn open_until(
        inputs: &[impl AsRef<OsStr>],
        options: InputOptions,
        temp_dir: &Path,
        stop: &Stop,
    ) -> Result<Self, CorpusError> {
        let resolved = resolve(inputs, &options, temp_dir, stop)?;
        let (sources, ignored) = (resolved.sources, resolved.ignored);
        let shared = Shared::new(sources, None, options, stop);
        Ok(Self { shared: Arc::new(shared), ignored })
    }

    /// A file of this name whose bytes are in memory; its name tells its format and compression,
    /// unless `options` does.
    ///
    /// ```
    /// # use lookalike_corpus::{Corpus, InputOptions};
    /// let bytes = "id,text\n1,fog\n2,calm\n";
    /// let corpus = Corpus::from_bytes("weather.csv", bytes.as_bytes(), InputOptions::default())?;
    /// assert_eq!(corpus.blocks().map(|block| block.n_rows()).sum::<usize>(), 2);
    /// # Ok::<(), lookalike_corpus::CorpusError>(())
    /// ```
    ///
    /// # Errors
    /// A name whose extension is unknown, or that of a Parquet file.
    pub fn from_bytes(
        name: &str,
        bytes: impl Into<Arc<[u8]>>,
        options: InputOptions,
    ) -> Result<Self, CorpusError> {
        let source = resolve::in_memory(name, bytes.into(), &options)?;
        let shared = Shared::new(vec![source], None, options, &Stop::new());
        Ok(Self { shared: Arc::new(shared), ignored: Vec::new() })
    }

    /// Documents that are in memory already.
    ///
    /// An empty id becomes the document's position in the list, counted from 0; two documents of
    /// one id are refused by whoever needs ids to be unique. Their `fields` are what keep rules
    /// and labels look at.
    ///
    /// ```
    /// # use lookalike_corpus::Corpus;
    /// let corpus = Corpus::from_documents(["a text", "another"]);
    /// assert_eq!(corpus.blocks().map(|block| block.n_rows()).sum::<usize>(), 2);
    /// ```
    pub fn from_documents<D: Into<OwnedDocument>>(documents: impl IntoIterator<Item = D>) -> Self {
        let documents = documents.into_iter().map(Into::into).collect();
        let rows = MemoryRows::Documents(Arc::new(documents));
        Self::from_memory(rows, InputOptions::default())
    }

    /// The rows of Arrow record batches; `options` names their columns as it names those of files.
    ///
    /// The text column is a column of strings (`Utf8`, `LargeUtf8`, `Utf8View`, or a dictionary of
    /// them), which are read where they are and never copied. Ids are strings or integers; a row
    /// without one is known by its position, counted from 0. All other columns are carried along,
    /// for keep rules and for what [`split`](crate::split) writes.
    ///
    /// # Errors
    /// A batch without the text column, or one whose text column holds no strings.
    #[cfg(feature = "parquet")]
    pub fn from_batches(
        batches: impl IntoIterator<Item = arrow_array::RecordBatch>,
        options: InputOptions,
    ) -> Result<Self, CorpusError> {
        let batches: Vec<_> = batches.into_iter().filter(|batch| batch.num_rows() > 0).collect();
        for batch in &batches {
            crate::read::parquet::check_text(batch.schema_ref(), &options.text_key)
                .map_err(CorpusError::NoTextColumn)?;
        }
        Ok(Self::from_memory(MemoryRows::Batches(Arc::new(batches)), options))
    }

    fn from_memory(rows: MemoryRows, options: InputOptions) -> Self {
        let shared = Shared::new(Vec::new(), Some(Memory::new(rows)), options, &Stop::new());
        Self { shared: Arc::new(shared), ignored: Vec::new() }
    }

    /// The same rows, read in blocks of about so many bytes.
    pub fn with_block_bytes(&self, block_bytes: usize) -> Self {
        let (block_bytes, buffers) = (block_bytes.max(1), Buffers::new(block_bytes));
        self.with(|shared| Shared { block_bytes, buffers, ..shared })
    }

    /// The same rows; where a pass has several threads, compressed files may be read before their
    /// turn, which takes at most about so many bytes. None are without this.
    #[must_use]
    pub fn with_read_ahead(&self, read_ahead_bytes: usize) -> Self {
        self.with(|shared| Shared { read_ahead_bytes, ..shared })
    }

    fn with(&self, change: impl FnOnce(Shared) -> Shared) -> Self {
        let shared = change(Shared::clone(&self.shared));
        Self { shared: Arc::new(shared), ignored: self.ignored.clone() }
    }

    /// One pass over all rows, in an order that never changes.
    pub fn blocks(&self) -> Blocks {
        Blocks::new(Arc::clone(&self.shared), Projection::Needed)
    }

    /// One pass with every column of columnar files, to write rows again.
    pub fn blocks_with_all_columns(&self) -> Blocks {
        Blocks::new(Arc::clone(&self.shared), Projection::All)
    }

    /// The size of all files on disk, or of all texts in memory, for progress.
    pub fn size_bytes(&self) -> u64 {
        if let Some(memory) = &self.shared.memory {
            return memory.text_bytes(&self.shared.options.text_key);
        }
        self.shared.sources.iter().map(|source| source.size_bytes).sum()
    }

    /// Checks that the files are as they were, so that rows still have the same ordinals.
    ///
    /// # Errors
    /// A file that was written to or removed since the corpus was opened.
    pub fn check_unchanged(&self) -> Result<(), CorpusError> {
        match self.sources().find(|source| !source.is_unchanged()) {
            Some(source) => Err(CorpusError::Changed(source.path.clone())),
            None => Ok(()),
        }
    }

    /// The files, in reading order; none where the rows are in memory.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        self.shared.sources.iter().map(AsRef::as_ref)
    }

    /// The files of which some pass so far could not read all, by the row that says why; the first
    /// thousand of them.
    pub fn incomplete(&self) -> Vec<Unreadable> {
        self.shared.incomplete.files()
    }

    /// Files and folders that were found and are not read.
    pub fn ignored(&self) -> &[Ignored] {
        &self.ignored
    }

    /// How many files were found and are not read, by extension or else by the reason.
    pub fn passed_over(&self) -> BTreeMap<String, u64> {
        resolve::counts(&self.ignored)
    }

    /// How rows are read.
    pub fn options(&self) -> &InputOptions {
        &self.shared.options
    }
}
