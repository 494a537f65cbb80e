//! The durable index: documents stay on disk, and each new one is checked against them.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{SystemTime, UNIX_EPOCH};

use lookalike::{
    Artifacts, ByteSize, Config, Context, Corpus, IndexError, IndexOptions, IndexReader,
    IndexSnapshot, Interrupt, Judgment, OnDuplicate, OwnedDocument, RunError, StoredParts, Word,
};
use pyo3::prelude::*;

use crate::config::parse;
use crate::errors::{
    ConfigError, IndexClosedError, LookalikeError, StoreError, of_index, wrong_config,
};
use crate::found::Found;
use crate::index_documents::{Answer, Counted, Naming, added, answers, checked};
use crate::learn::own_pool;
use crate::source::Source;
use crate::waiting::{wait_for, wait_or_leave};

/// Memory for the log, directories and features where nothing else is said.
const DEFAULT_MEMORY: ByteSize = ByteSize(512 << 20);

/// An index, open until it is closed.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub struct Index {
    handle: RwLock<Option<Arc<Handle>>>,
    path: String,
    /// The process that opened it: threads and locks of an index do not survive a fork.
    process: u32,
}

enum Handle {
    Writer(lookalike::Index),
    Reader(Box<IndexReader>),
}

impl Handle {
    fn config(&self) -> &Config {
        match self {
            Self::Writer(index) => index.config(),
            Self::Reader(reader) => reader.config(),
        }
    }

    fn snapshot(&self) -> Result<IndexSnapshot, RunError> {
        match self {
            Self::Writer(index) => Ok(index.snapshot(now())),
            Self::Reader(reader) => reader.snapshot(now()).map_err(of_index),
        }
    }

    fn writer(&self) -> PyResult<&lookalike::Index> {
        match self {
            Self::Writer(index) => Ok(index),
            Self::Reader(_) => Err(LookalikeError::new_err(
                "this index was opened for reading; open it with read_only=False to change it",
            )),
        }
    }
}

/// The clock, in milliseconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

impl Index {
    fn new(path: String, handle: Handle) -> Self {
        let handle = RwLock::new(Some(Arc::new(handle)));
        Self { handle, path, process: std::process::id() }
    }

    fn opened(&self) -> PyResult<Arc<Handle>> {
        if self.process != std::process::id() {
            return Err(LookalikeError::new_err(format!(
                "the index {} was opened before this process was forked; open it again here \
                 (one process writes, any number read with read_only=True)",
                self.path
            )));
        }
        let handle = self.handle.read().unwrap_or_else(PoisonError::into_inner);
        handle.clone().ok_or_else(|| {
            let path = &self.path;
            IndexClosedError::new_err(format!(
                "the index {path} is closed; open it again with Index.open"
            ))
        })
    }

    /// Changes the index on a thread of its own, so that a signal is heard.
    fn change<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&lookalike::Index) -> Result<T, IndexError> + Send + 'static,
    ) -> PyResult<T> {
        let handle = self.opened()?;
        handle.writer()?;
        wait_or_leave(py, move || match &*handle {
            Handle::Writer(index) => work(index).map_err(of_index),
            Handle::Reader(_) => Err(RunError::Interrupted),
        })
    }

    /// Asks one consistent state.
    fn ask<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&IndexSnapshot) -> Result<T, IndexError> + Send + 'static,
    ) -> PyResult<T> {
        let handle = self.opened()?;
        wait_or_leave(py, move || work(&handle.snapshot()?).map_err(of_index))
    }
}

impl Drop for Index {
    fn drop(&mut self) {
        // Closing would wait for a thread that only the parent has.
        if self.process != std::process::id() {
            let mut handle = self.handle.write().unwrap_or_else(PoisonError::into_inner);
            std::mem::forget(handle.take());
        }
    }
}

#[pymethods]
impl Index {
    /// Creates an empty index; statistics are counted in `counted`, where the method needs them.
    #[staticmethod]
    fn create(
        py: Python<'_>,
        path: String,
        settings: &str,
        counted: Option<Py<Source>>,
        store: &str,
        time_to_live: Option<u64>,
        report: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let config = parse(settings)?;
        let store: StoredParts = store
            .parse()
            .map_err(|reason: String| ConfigError::new_err(format!("store: {reason}")))?;
        refuse_uncounted(&config, counted.is_some())?;
        let corpus = counted.map_or_else(
            || Arc::new(Corpus::from_documents(Vec::<String>::new())),
            |source| Arc::clone(&source.get().corpus),
        );
        let options = IndexOptions { store, time_to_live };
        let folder = PathBuf::from(&path);
        let index = wait_for(py, report.as_ref(), |context| {
            let artifacts: Artifacts = lookalike::artifacts(&corpus, &config, context)?;
            lookalike::Index::create(&folder, &config, artifacts, options).map_err(of_index)
        })?;
        Ok(Self::new(path, Handle::Writer(index)))
    }

    #[staticmethod]
    fn open(py: Python<'_>, path: String, read_only: bool, memory: Option<&str>) -> PyResult<Self> {
        let memory = memory.map(str::parse).transpose().map_err(wrong_config)?;
        let memory = memory.unwrap_or(DEFAULT_MEMORY);
        let folder = PathBuf::from(&path);
        let handle = wait_or_leave(py, move || {
            let opened = if read_only {
                IndexReader::open(&folder, memory).map(|reader| Handle::Reader(Box::new(reader)))
            } else {
                lookalike::Index::open(&folder, memory).map(Handle::Writer)
            };
            opened.map_err(of_index)
        })?;
        Ok(Self::new(path, handle))
    }

    /// Closes it; what is running ends first.
    fn close(&self, py: Python<'_>) {
        if self.process != std::process::id() {
            return;
        }
        py.detach(|| {
            let taken = self.handle.write().unwrap_or_else(PoisonError::into_inner).take();
            drop(taken);
        });
    }

    fn closed(&self) -> bool {
        self.handle.read().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    fn read_only(&self) -> PyResult<bool> {
        Ok(matches!(*self.opened()?, Handle::Reader(_)))
    }

    /// The configuration that it was created with, as JSON.
    fn config(&self) -> PyResult<String> {
        let table = config_table(self.opened()?.config())?;
        serde_json::to_string(&table).map_err(|error| ConfigError::new_err(error.to_string()))
    }

    /// Adds documents in batches; those of a batch are on disk together, or none is.
    fn add(
        &self,
        py: Python<'_>,
        source: Py<Source>,
        on_id: &str,
        batch: Option<usize>,
        threads: usize,
        report: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Vec<Answer>> {
        let on_id = match on_id {
            "error" => OnDuplicate::Refuse,
            "skip" => OnDuplicate::Skip,
            "replace" => OnDuplicate::Replace,
            other => {
                let told = format!("on_id = `{other}`: expected error, skip or replace");
                return Err(ConfigError::new_err(told));
            }
        };
        let handle = self.opened()?;
        let index = handle.writer()?;
        let naming = Naming::of_stored(&source.get().ids)?;
        let corpus = Arc::clone(&source.get().corpus);
        let n_added = Counted::default();
        let rows = wait_for(py, report.as_ref(), |context| {
            let mut take = |documents: &[OwnedDocument]| {
                let rows = index.add(documents, on_id, now()).map_err(of_index)?;
                n_added.add(documents.len());
                Ok(rows.into_iter().map(added).collect())
            };
            own_pool(threads, || answers(&corpus, &naming, batch, context, &mut take))
        });
        rows.map_err(|error| n_added.told(py, error))
    }

    /// Says of documents what they duplicate, and adds nothing.
    fn check(
        &self,
        py: Python<'_>,
        source: Py<Source>,
        threads: usize,
        report: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Vec<Answer>> {
        let handle = self.opened()?;
        let naming = Naming::of_asked(&source.get().ids);
        let corpus = Arc::clone(&source.get().corpus);
        wait_for(py, report.as_ref(), |context| {
            let snapshot = handle.snapshot()?;
            let mut take = |documents: &[OwnedDocument]| {
                let rows = snapshot.check(documents).map_err(of_index)?;
                Ok(rows.into_iter().map(|row| checked(row, None)).collect())
            };
            own_pool(threads, || answers(&corpus, &naming, None, context, &mut take))
        })
    }

    fn remove(&self, py: Python<'_>, mut ids: Vec<String>) -> PyResult<usize> {
        ids.sort_unstable();
        ids.dedup();
        self.change(py, move |index| index.remove(ids, now()))
    }

    fn remove_before(&self, py: Python<'_>, before: u64) -> PyResult<usize> {
        self.change(py, move |index| index.remove_before(before, now()))
    }

    fn expire(&self, py: Python<'_>) -> PyResult<usize> {
        self.change(py, |index| index.expire(now()))
    }

    fn judge(
        &self,
        py: Python<'_>,
        left: String,
        right: String,
        duplicate: Option<bool>,
    ) -> PyResult<()> {
        self.change(py, move |index| {
            let word = duplicate.map_or(Word::Withdrawn, Word::of);
            let judgment = Judgment::new(&left, &right, word, now());
            index.judge_all(vec![Judgment { how: "python".into(), ..judgment }], now())
        })
    }

    fn compact(&self, py: Python<'_>) -> PyResult<()> {
        self.change(py, |index| index.compact(now()))
    }

    /// Clusters and pairs of what is in it; `settings` are keys beside those it was created with.
    fn find(
        &self,
        py: Python<'_>,
        settings: &str,
        report: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Found> {
        let handle = self.opened()?;
        let mut table = config_table(handle.config())?;
        let given: toml::Table = serde_json::from_str(settings)
            .map_err(|error| ConfigError::new_err(error.to_string()))?;
        table.extend(given);
        let config = Config::from_table(table).map_err(wrong_config)?;
        let findings = wait_for(py, report.as_ref(), |context| {
            handle.snapshot()?.find(&config.run, context).map_err(of_index)
        })?;
        let source = Py::new(py, Source::of_corpus(Corpus::from_documents(Vec::<String>::new())))?;
        Ok(Found::new(findings, config, source, None))
    }

    /// A document as JSON, if it is there.
    fn get(&self, py: Python<'_>, id: String) -> PyResult<Option<Vec<u8>>> {
        self.ask(py, move |snapshot| snapshot.row(&id))
    }

    fn contains(&self, py: Python<'_>, id: String) -> PyResult<bool> {
        self.ask(py, move |snapshot| Ok(snapshot.outline(&id)?.is_some()))
    }

    fn n_documents(&self, py: Python<'_>) -> PyResult<u64> {
        self.ask(py, IndexSnapshot::n_documents)
    }

    /// Sizes and counts, as JSON.
    fn stat(&self, py: Python<'_>) -> PyResult<String> {
        let stat = self.ask(py, IndexSnapshot::stat)?;
        serde_json::to_string(&stat).map_err(|error| LookalikeError::new_err(error.to_string()))
    }

    /// Reads every byte; returns how many documents and keys there are.
    fn verify(&self, py: Python<'_>) -> PyResult<(u64, u64)> {
        let found = self.ask(py, IndexSnapshot::verify)?;
        match found.errors.as_slice() {
            [] => Ok((found.documents, found.keys)),
            [only] => Err(StoreError::new_err(format!("the index is damaged: {only}"))),
            [first, others @ ..] => Err(StoreError::new_err(format!(
                "the index is damaged: {first}, and {} more",
                others.len()
            ))),
        }
    }

    /// Writes the documents, or people's words on pairs, to a file that appears whole or not at all.
    fn export(&self, py: Python<'_>, path: &str, judgments: bool) -> PyResult<u64> {
        let handle = self.opened()?;
        let path = Path::new(path);
        wait_for(py, None, |context| export(&handle.snapshot()?, path, judgments, context))
    }
}

/// Refuses what would have to be counted, where nothing is there to count it in.
fn refuse_uncounted(config: &Config, is_counted: bool) -> PyResult<()> {
    let run = &config.run;
    let name = config.detector.name();
    let told = if run.judgments.is_some() {
        "judgments: an index is told with Index.judge".to_owned()
    } else if is_counted {
        return Ok(());
    } else if run.ignore_boilerplate.is_some() && run.boilerplate.is_none() {
        "ignore_boilerplate counts what to leave out: say in which documents with stats_from=…"
            .to_owned()
    } else if config.detector.needs_statistics() && run.stats.is_none() {
        format!(
            "{name} needs collection statistics, which stay as they are in an index: give stats=FILE, \
             or stats_from=DATA to count them"
        )
    } else {
        return Ok(());
    };
    Err(ConfigError::new_err(told))
}

fn config_table(config: &Config) -> PyResult<toml::Table> {
    let text = config.to_toml().map_err(wrong_config)?;
    text.parse().map_err(|error: toml::de::Error| ConfigError::new_err(error.to_string()))
}

fn export(
    snapshot: &IndexSnapshot,
    path: &Path,
    judgments: bool,
    context: &Context<'_>,
) -> Result<u64, RunError> {
    let refused = |action: &'static str| {
        move |source: std::io::Error| RunError::File { action, path: path.to_owned(), source }
    };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let file = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new(".")));
    let file = file.map_err(refused("create"))?;
    let out = Stoppable { out: file.as_file(), interrupt: context.interrupt };
    let mut out = BufWriter::with_capacity(1 << 16, out);
    let count = if judgments {
        snapshot.export_judgments(&mut out).map(|count| count as u64)
    } else {
        snapshot.export(&mut out)
    };
    drop(out);
    let count = count.map_err(of_index)?;
    file.persist(path).map_err(|error| refused("write")(error.error))?;
    Ok(count)
}

/// A file whose writing ends when somebody interrupts.
struct Stoppable<'a> {
    out: &'a File,
    interrupt: &'a Interrupt,
}

impl Write for Stoppable<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.interrupt.is_set() {
            return Err(std::io::Error::other("interrupted"));
        }
        self.out.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}
