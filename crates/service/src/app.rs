//! What all requests share.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use lookalike::{ByteSize, Index, IndexSnapshot, Interrupt};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::clock::now;
use crate::findings::Findings;
use crate::long_texts::LongTexts;
use crate::maintenance::Maintenance;
use crate::metrics::Metrics;
use crate::problem::Problem;
use crate::questions::QuestionBook;
use crate::rows::RowReader;
use crate::settings::{Limits, Settings};
use crate::stat::Counts;
use crate::tokens::{Client, Roles, Tokens};
use crate::tune::TuneDesk;
use crate::writer::Writer;

/// Stops what is computed for somebody who has gone.
struct StopOnDrop(Arc<Interrupt>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// What all requests share.
pub struct App {
    pub index: Arc<Index>,
    pub writer: Writer,
    pub rows: RowReader,
    pub limits: Limits,
    /// Who may do what; anybody everything where there are none. Exchanged when their file changes.
    pub tokens: Option<RwLock<Tokens>>,
    /// Names by which the service may be called; any where there are none.
    pub hosts: Option<Vec<String>>,
    pub metrics: Arc<Metrics>,
    pub findings: Findings,
    pub questions: QuestionBook,
    pub tune: TuneDesk,
    pub maintenance: Maintenance,
    pub temp_dir: PathBuf,
    /// Memory for a run over the index.
    pub memory: ByteSize,
    /// Sizes and counts.
    pub counts: Counts,
    /// Room for requests.
    pub requests: Arc<Semaphore>,
    /// Room for streams, half of that for requests: who sends a line now and then holds a place for
    /// hours, and must not keep out those who ask once.
    streams: Arc<Semaphore>,
    /// Room for calls that compute.
    workers: Arc<Semaphore>,
    /// The turn of long texts.
    long_texts: LongTexts,
    /// Room for bodies, in kilobytes.
    buffered: Arc<Semaphore>,
    /// True once the service ends.
    pub ending: watch::Receiver<bool>,
}

impl App {
    /// Puts everything together.
    pub fn new(
        settings: &Settings,
        index: Arc<Index>,
        (writer, metrics): (Writer, Arc<Metrics>),
        (tokens, hosts): (Option<Tokens>, Option<Vec<String>>),
        ending: watch::Receiver<bool>,
    ) -> std::io::Result<Self> {
        let limits = settings.limits;
        let buffered = (limits.buffered_bytes >> 10).min(Semaphore::MAX_PERMITS);
        Ok(Self {
            rows: RowReader::new(index.config(), &limits),
            findings: Findings::start(Arc::clone(&index), settings, Arc::clone(&metrics))?,
            questions: QuestionBook::new(),
            tune: TuneDesk::new(),
            maintenance: Maintenance::new(),
            temp_dir: settings.temp_dir.clone(),
            memory: settings.memory,
            counts: Counts::default(),
            requests: Arc::new(Semaphore::new(limits.concurrency.max(1))),
            streams: Arc::new(Semaphore::new(limits.concurrency.div_ceil(2))),
            workers: Arc::new(Semaphore::new(limits.workers.max(1))),
            long_texts: LongTexts::new(settings.memory)?,
            buffered: Arc::new(Semaphore::new(buffered)),
            index,
            writer,
            limits,
            tokens: tokens.map(RwLock::new),
            hosts,
            metrics,
            ending,
        })
    }

    /// Whose token it is, if it is one.
    pub fn client(&self, token: Option<&str>) -> Option<Client> {
        let Some(tokens) = &self.tokens else {
            return Some(Client { roles: Roles::ALL, name: Arc::default() });
        };
        tokens.read().unwrap_or_else(PoisonError::into_inner).client(token?).cloned()
    }

    /// The state of the index as it is now.
    pub fn snapshot(&self) -> IndexSnapshot {
        self.index.snapshot(now())
    }

    /// Computes something on a thread of its own, when there is room.
    pub async fn compute<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let ending = |_| Problem::not_ready("the service is ending");
        let permit = Arc::clone(&self.workers).acquire_owned().await.map_err(ending)?;
        let app = Arc::clone(self);
        let computed = tokio::task::spawn_blocking(move || {
            // Held until the work ends, not until somebody stops waiting for it.
            let _permit = permit;
            work(&app)
        });
        computed.await.map_err(|error| Problem::internal(&error))?
    }

    /// Judges documents with so many bytes of text, on threads that long texts do not keep from short
    /// ones. The interrupt is set when nobody waits for the answer any more.
    pub async fn judge<T: Send + 'static>(
        self: &Arc<Self>,
        bytes: usize,
        work: impl FnOnce(&Self, &Interrupt) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let interrupt = Arc::new(Interrupt::new());
        let _waiting = StopOnDrop(Arc::clone(&interrupt));
        let Some(turn) = self.long_texts.turn(bytes).await? else {
            return self.compute(move |app| work(app, &interrupt)).await;
        };
        let app = Arc::clone(self);
        let computed = tokio::task::spawn_blocking(move || turn.work(|| work(&app, &interrupt)));
        computed.await.map_err(|error| Problem::internal(&error))?
    }

    /// A place among the streams.
    pub fn stream_place(&self) -> Result<OwnedSemaphorePermit, Problem> {
        Arc::clone(&self.streams)
            .try_acquire_owned()
            .map_err(|_| Problem::busy("too many streams at once; try again"))
    }

    /// Room for some bytes of a body.
    pub fn room(&self, bytes: usize) -> Result<OwnedSemaphorePermit, Problem> {
        let kilobytes = u32::try_from(bytes.div_ceil(1 << 10)).unwrap_or(u32::MAX);
        Arc::clone(&self.buffered).try_acquire_many_owned(kilobytes).map_err(|_| {
            Problem::busy("there is no room for further bodies now; send less at once, or later")
        })
    }
}
