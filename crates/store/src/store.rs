//! The one writer of an index.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread::JoinHandle;

use crate::batch::{Batch, Committed};
use crate::error::{Result, StoreError};
use crate::files::{Kind, LOCK, NEW_MANIFEST, io, number_of_own};
use crate::load::{Loaded, apply, load};
use crate::log::{LogPosition, LogRecord, LogWriter};
use crate::manifest::{AttachmentEntry, Manifest, Swap};
use crate::merging::merge_in_memory;
use crate::resolve::resolve;
use crate::rotate::{delete_remains, write_blocks};
use crate::snapshot::State;
use crate::{LockGuard, Snapshot, Storage};

/// A log that cannot be made a segment may still grow so many times beyond its limit.
const MOST_OVERDUE: u64 = 8;

/// How a store behaves; nothing of it is stored.
#[derive(Clone, Debug)]
pub struct Options {
    /// The log becomes a segment when it has so many bytes; it is held in memory meanwhile.
    pub log_bytes: u64,
    /// The log becomes a segment when it has so many records.
    pub log_records: usize,
    /// How many bytes of directories may stay in memory.
    pub cache_bytes: usize,
    /// Whether merging happens on a thread of its own; otherwise it happens within commits.
    pub background: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { log_bytes: 16 << 20, log_records: 4096, cache_bytes: 64 << 20, background: true }
    }
}

/// The one writer of an index.
#[derive(Debug)]
pub struct Store {
    shared: Arc<Shared>,
    merger: Option<JoinHandle<()>>,
    _lock: LockGuard,
}

#[derive(Debug)]
pub(crate) struct Shared {
    pub storage: Arc<dyn Storage>,
    pub options: Options,
    pub writer: Mutex<Writer>,
    /// What new snapshots see; held only to copy or replace it.
    current: RwLock<Arc<State>>,
    /// Woken when there may be something to merge, and when something was merged.
    pub merging: Condvar,
    pub stop: AtomicBool,
}

#[derive(Debug)]
pub(crate) struct Writer {
    pub manifest: Manifest,
    pub log: LogWriter,
    /// Whether nobody knows which manifest is in force.
    pub failed: bool,
    /// The number of the file that a merge is writing.
    pub merging: Option<u32>,
    /// Why the last merge in the background failed.
    pub merge_error: Option<StoreError>,
}

impl Writer {
    /// Whether a failure left the state of the files unknown.
    pub fn is_unknown(&self) -> bool {
        self.failed || self.log.failed
    }
}

impl Store {
    /// Creates an index in an empty folder; `metadata` and `attachments` stay with it unchanged.
    ///
    /// # Errors
    /// The folder is not empty, or cannot be written.
    pub fn create(
        storage: Arc<dyn Storage>,
        metadata: Vec<u8>,
        attachments: &[(&str, &[u8])],
        options: Options,
    ) -> Result<Self> {
        let folder = storage.describe("");
        // What an interrupted creation left behind is nobody's.
        let remains = |name: &String| {
            name == NEW_MANIFEST || number_of_own(storage.as_ref(), name, None).is_some()
        };
        let list = || {
            let files = storage.list().map_err(io("list", &folder))?;
            if files.iter().any(|name| name != LOCK && !remains(name)) {
                return Err(StoreError::Exists(folder.clone()));
            }
            Ok(files)
        };
        // Asking first leaves no lock behind in a folder that is something else.
        list()?;
        let lock = take_lock(storage.as_ref())?;
        let files = list()?;
        for name in files.iter().filter(|name| remains(name)) {
            storage.remove(name).map_err(io("delete", &storage.describe(name)))?;
        }
        let mut manifest =
            Manifest { index: new_identity(), free: 1, metadata, ..Manifest::default() };
        for (name, bytes) in attachments {
            let number = manifest.new_number();
            write_blocks(storage.as_ref(), &manifest.identity(Kind::Attachment, number), bytes)?;
            let (name, length) = ((*name).to_owned(), bytes.len() as u64);
            manifest.attachments.push(AttachmentEntry { number, length, name });
        }
        manifest.log = manifest.new_number();
        LogWriter::create(storage.as_ref(), &manifest.identity(Kind::Log, manifest.log))?;
        match manifest.swap(storage.as_ref()) {
            Ok(()) => Self::start(storage, options, lock),
            Err(Swap::Refused(error) | Swap::Unknown(error)) => Err(error),
        }
    }

    /// Opens an index for writing.
    ///
    /// # Errors
    /// There is none, another process writes it, or one of its files is damaged or missing.
    pub fn open(storage: Arc<dyn Storage>, options: Options) -> Result<Self> {
        // Asking first leaves no lock behind in a folder that is something else.
        Manifest::read(storage.as_ref())?;
        let lock = take_lock(storage.as_ref())?;
        Self::start(storage, options, lock)
    }

    fn start(storage: Arc<dyn Storage>, options: Options, lock: LockGuard) -> Result<Self> {
        let Loaded { manifest, state, log: _, position } =
            load(&storage, options.cache_bytes, None)?;
        let identity = manifest.identity(Kind::Log, manifest.log);
        let log = LogWriter::resume(storage.as_ref(), &identity, position)?;
        // The manifest may be there by a rename whose synchronizing failed: what is acknowledged from
        // now on must not depend on it.
        storage.sync().map_err(io("synchronize", &storage.describe("")))?;
        delete_remains(storage.as_ref(), &manifest, None)?;
        let background = options.background;
        let writer = Writer { manifest, log, failed: false, merging: None, merge_error: None };
        let shared = Arc::new(Shared {
            storage,
            options,
            writer: Mutex::new(writer),
            current: RwLock::new(Arc::new(state)),
            merging: Condvar::new(),
            stop: AtomicBool::new(false),
        });
        let merger = background.then(|| {
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || shared.merge_in_background())
        });
        Ok(Self { shared, merger, _lock: lock })
    }

    /// The state as of the last commit.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { state: self.shared.state() }
    }

    /// Makes a batch durable; all of it, or on an error nothing.
    ///
    /// After [`StoreError::Failed`], or an error of synchronizing, the batch may or may not be
    /// there when the index is opened again.
    ///
    /// # Errors
    /// The disk refuses, a document is too large, or an id is there already and that was declared
    /// an error.
    pub fn commit(&self, batch: Batch<'_>) -> Result<Committed> {
        let mut writer = self.shared.writer()?;
        let state = self.shared.state();
        let (record, committed) = resolve(&Snapshot { state: Arc::clone(&state) }, batch)?;
        let Some(record) = record else { return Ok(committed) };
        let most = self.shared.options.log_bytes.saturating_mul(MOST_OVERDUE);
        if writer.log.position.length > most {
            self.shared.rotate(&mut writer)?;
        }
        writer.log.append(&record)?;
        let mut state = (*state).clone();
        state.sequence = writer.manifest.sequence;
        apply(&mut state, record)?;
        merge_in_memory(&mut state)?;
        self.shared.publish(state);
        let options = &self.shared.options;
        let LogPosition { length, records, .. } = writer.log.position;
        if length >= options.log_bytes || records >= options.log_records {
            // The batch is durable whether this works or not; a later commit tries again.
            let rotated = self.shared.rotate(&mut writer);
            if !options.background && rotated.is_ok() {
                while let Some(task) = self.shared.begin_merge(&mut writer) {
                    drop(writer);
                    let merged = self.shared.run_merge(&task);
                    let locked = self.shared.writer.lock();
                    writer = locked.unwrap_or_else(PoisonError::into_inner);
                    if let Err(error) = merged {
                        writer.merge_error = Some(error);
                        break;
                    }
                }
                return Ok(committed);
            }
            self.shared.merging.notify_all();
            self.shared.wait_for_merger(writer);
        }
        Ok(committed)
    }

    /// Writes what the log holds into a segment.
    ///
    /// # Errors
    /// The disk refuses; nothing is lost.
    pub fn flush(&self) -> Result<()> {
        let mut writer = self.shared.writer()?;
        self.shared.rotate(&mut writer)
    }

    /// Makes one segment of all, without what was removed or has expired at `time`.
    ///
    /// # Errors
    /// The disk refuses; nothing is lost.
    pub fn compact(&self, time: u64) -> Result<()> {
        let mut writer = self.shared.writer()?;
        let state = self.shared.state();
        if state.time < time {
            // What has expired must not come back when the clock does.
            let record = LogRecord { time, next: state.next, ..LogRecord::default() };
            writer.log.append(&record)?;
            let mut state = (*state).clone();
            apply(&mut state, record)?;
            self.shared.publish(state);
        }
        self.shared.rotate(&mut writer)?;
        while writer.merging.is_some() {
            writer = self.shared.merging.wait(writer).unwrap_or_else(PoisonError::into_inner);
        }
        let task = self.shared.begin_compaction(&mut writer)?;
        drop(writer);
        task.map_or(Ok(()), |task| self.shared.run_merge(&task))
    }

    /// Why merging in the background last failed, if it did; asking clears it.
    pub fn merge_error(&self) -> Option<StoreError> {
        let mut writer = self.shared.writer.lock().unwrap_or_else(PoisonError::into_inner);
        writer.merge_error.take()
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        // Under the lock, so that the merger is either waiting or has seen it.
        drop(self.shared.writer.lock().unwrap_or_else(PoisonError::into_inner));
        self.shared.merging.notify_all();
        if let Some(merger) = self.merger.take() {
            // A merge in vain is only lost work, and so is one that panicked.
            let _ = merger.join();
        }
    }
}

impl Shared {
    pub fn state(&self) -> Arc<State> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn publish(&self, state: State) {
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(state);
    }

    /// The writer, unless an earlier failure left its files unknown.
    fn writer(&self) -> Result<MutexGuard<'_, Writer>> {
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if writer.is_unknown() {
            return Err(StoreError::Failed(self.storage.describe("")));
        }
        Ok(writer)
    }
}

/// Bytes of the name of who writes that are read.
const LONGEST_HOLDER: u64 = 300;

fn take_lock(storage: &dyn Storage) -> Result<LockGuard> {
    let lock = storage.lock(LOCK).map_err(io("lock", &storage.describe(LOCK)))?;
    lock.ok_or_else(|| {
        let holder = holder(storage).filter(|holder| !holder.is_empty());
        let holder = holder.unwrap_or_else(|| "another process".into());
        StoreError::Locked { folder: storage.describe(""), holder }
    })
}

/// Who has announced that it writes the index; some systems let nobody read a locked file.
fn holder(storage: &dyn Storage) -> Option<String> {
    let file = storage.open(LOCK).ok()?;
    let mut bytes = vec![0; file.length().ok()?.min(LONGEST_HOLDER) as usize];
    file.read_at(0, &mut bytes).ok()?;
    let line = String::from_utf8_lossy(&bytes);
    Some(line.lines().next()?.to_owned())
}

/// A number that no other index has.
fn new_identity() -> u128 {
    use xxhash_rust::xxh3::xxh3_128;
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let place = Box::new(0_u8);
    let seed = format!("{now:?} {} {:p}", std::process::id(), &raw const *place);
    xxh3_128(seed.as_bytes())
}
