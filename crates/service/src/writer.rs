//! The one thread that writes: what queued up while it wrote becomes durable together.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

use lookalike::{
    AddedDocument, Addition, Index, IndexError, Judgment, OnDuplicate, OnMatch, OwnedDocument,
};
use tokio::sync::{mpsc, oneshot};

use crate::clock::now;
use crate::metrics::Metrics;
use crate::problem::Problem;

/// Documents and bytes of texts that become durable together at most.
const MOST_DOCUMENTS: usize = 2000;
const MOST_BYTES: usize = 32 << 20;

/// What a request wants written.
pub enum Change {
    /// Documents to add.
    Add { documents: Vec<OwnedDocument>, on_id: OnDuplicate, on_match: OnMatch },
    /// Documents to remove.
    Remove(Removal),
    /// Verdicts of people on pairs of ids.
    Judge(Vec<Judgment>),
}

/// Which documents are removed.
pub enum Removal {
    /// Those with these ids.
    Ids(Vec<String>),
    /// Those with these numbers, see [`lookalike::IndexSnapshot::numbers`].
    Numbers(Vec<u32>),
    /// Those that have expired.
    Expired,
}

/// What came of it.
pub enum Changed {
    /// The documents, with what each duplicates.
    Added(Vec<OwnedDocument>, Vec<AddedDocument>),
    /// How many documents were removed.
    Removed(usize),
    /// All is said.
    Judged,
}

struct Job {
    change: Change,
    answer: oneshot::Sender<Result<Changed, Problem>>,
}

/// The way to the thread that writes.
#[derive(Debug)]
pub struct Writer {
    queue: mpsc::Sender<Job>,
    /// Changes so far: what was made of an earlier number is out of date.
    sequence: Arc<AtomicU64>,
    /// Whether the index could not be written.
    failed: Arc<AtomicBool>,
}

/// Changes to the index, and the thread that makes them; it ends when the writer is dropped.
pub fn start(
    index: Arc<Index>,
    metrics: Arc<Metrics>,
    queue: usize,
) -> std::io::Result<(Writer, JoinHandle<()>)> {
    let (sender, receiver) = mpsc::channel(queue.max(1));
    let sequence = Arc::new(AtomicU64::new(1));
    let failed = Arc::new(AtomicBool::new(false));
    let mut desk = WritingThread {
        index,
        sequence: Arc::clone(&sequence),
        failed: Arc::clone(&failed),
        metrics,
    };
    let thread =
        std::thread::Builder::new().name("writer".into()).spawn(move || desk.work(receiver))?;
    Ok((Writer { queue: sender, sequence, failed }, thread))
}

impl Writer {
    /// Has something written; when it returns without a problem, it is on disk.
    pub async fn write(&self, change: Change) -> Result<Changed, Problem> {
        let gone = || Problem::not_ready("the service is ending");
        let (answer, answered) = oneshot::channel();
        self.queue.send(Job { change, answer }).await.map_err(|_| gone())?;
        answered.await.map_err(|_| gone())?
    }

    /// How many changes there were.
    pub fn sequence(&self) -> u64 {
        self.sequence.load(Ordering::Acquire)
    }

    /// Whether the last change could not be written.
    pub fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Acquire)
    }

    /// Whether the thread is there.
    pub fn is_alive(&self) -> bool {
        !self.queue.is_closed()
    }
}

/// The thread that writes.
struct WritingThread {
    index: Arc<Index>,
    sequence: Arc<AtomicU64>,
    failed: Arc<AtomicBool>,
    metrics: Arc<Metrics>,
}

impl WritingThread {
    fn work(&mut self, mut queue: mpsc::Receiver<Job>) {
        let mut waiting: VecDeque<Job> = VecDeque::new();
        loop {
            if waiting.is_empty() {
                let Some(job) = queue.blocking_recv() else { return };
                waiting.push_back(job);
            }
            while waiting.len() < MOST_DOCUMENTS
                && let Ok(job) = queue.try_recv()
            {
                waiting.push_back(job);
            }
            let together = take_together(&mut waiting);
            if !together.is_empty() {
                self.add(together);
            } else if let Some(Job { change, answer }) = waiting.pop_front() {
                let changed = self.apply(change);
                self.count(changed.is_ok());
                // Whoever does not wait any more is not told; what was changed stays.
                let _ = answer.send(changed.map_err(Problem::from));
            }
        }
    }

    /// Notes that a batch was written, or was not.
    fn count(&self, is_written: bool) {
        self.sequence.fetch_add(1, Ordering::Release);
        self.failed.store(!is_written, Ordering::Release);
        self.metrics.commits.inc();
    }

    fn add(&self, together: Vec<Adding>) {
        let additions: Vec<Addition<'_>> = together
            .iter()
            .map(|(documents, on_id, on_match, _)| Addition {
                documents,
                added: &[],
                on_id: *on_id,
                on_match: *on_match,
            })
            .collect();
        let answers = self.index.add_together(&additions, now());
        self.count(answers.is_ok());
        self.metrics.additions_together.observe(together.len() as f64);
        match answers {
            Ok(answers) => {
                for ((documents, _, _, answer), told) in together.into_iter().zip(answers) {
                    let told = told.map_err(Problem::from);
                    let _ = answer.send(told.map(|rows| Changed::Added(documents, rows)));
                }
            }
            Err(error) => {
                let problem = Problem::from(error);
                for (_, _, _, answer) in together {
                    let _ = answer.send(Err(problem.clone()));
                }
            }
        }
    }

    fn apply(&self, change: Change) -> Result<Changed, IndexError> {
        match change {
            Change::Add { documents, on_id, .. } => {
                let rows = self.index.add(&documents, on_id, now())?;
                Ok(Changed::Added(documents, rows))
            }
            Change::Remove(removal) => Ok(Changed::Removed(match removal {
                Removal::Ids(ids) => self.index.remove(ids, now())?,
                Removal::Numbers(numbers) => self.index.remove_numbers(numbers, now())?,
                Removal::Expired => self.index.expire(now())?,
            })),
            Change::Judge(judgments) => {
                self.index.judge_all(judgments, now())?;
                Ok(Changed::Judged)
            }
        }
    }
}

type Adding = (Vec<OwnedDocument>, OnDuplicate, OnMatch, oneshot::Sender<Result<Changed, Problem>>);

/// Takes additions from the front, as many as fit into one batch.
fn take_together(waiting: &mut VecDeque<Job>) -> Vec<Adding> {
    let mut together: Vec<Adding> = Vec::new();
    let (mut n_documents, mut bytes) = (0, 0);
    while let Some(Job { change: Change::Add { documents, .. }, .. }) = waiting.front() {
        n_documents += documents.len();
        bytes += documents.iter().map(|document| document.text.len()).sum::<usize>();
        let is_full = n_documents > MOST_DOCUMENTS || bytes > MOST_BYTES;
        if is_full && !together.is_empty() {
            break;
        }
        if let Some(Job { change: Change::Add { documents, on_id, on_match }, answer }) =
            waiting.pop_front()
        {
            together.push((documents, on_id, on_match, answer));
        }
    }
    together
}
