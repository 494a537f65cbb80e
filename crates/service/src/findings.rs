//! Clusters and pairs of the whole index: a run in the background, made anew when somebody asks after
//! changes.

use std::path::PathBuf;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use lookalike::{Context, Index, IndexError, Interrupt, RunConfig, RunError, Silent};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::app::App;
use crate::clock::now;
use crate::metrics::Metrics;
use crate::problem::{Problem, with_reasons};
use crate::settings::Settings;
use crate::view::View;

/// Where documents expire, a run is out of date after this time even without changes.
const FRESH: Duration = Duration::from_mins(10);

/// What the last run came to.
#[derive(Clone)]
enum Last {
    None,
    Made(Arc<View>),
    Failed(u64, String),
}

/// The runs over the whole index.
pub struct Findings {
    wake: SyncSender<u64>,
    last: watch::Receiver<Last>,
    interrupt: Arc<Interrupt>,
    thread: Mutex<Option<JoinHandle<()>>>,
    expires: bool,
}

/// A view, and whether something has changed since.
pub struct Seen {
    pub view: Arc<View>,
    pub stale: bool,
}

impl Seen {
    /// What every answer says of the run behind it.
    pub fn told(&self) -> Value {
        json!({"sequence": self.view.sequence, "made": self.view.made, "stale": self.stale})
    }
}

impl Findings {
    /// Starts the thread, which sleeps until somebody asks.
    pub fn start(
        index: Arc<Index>,
        settings: &Settings,
        metrics: Arc<Metrics>,
    ) -> std::io::Result<Self> {
        let (wake, woken) = sync_channel::<u64>(1);
        let (told, last) = watch::channel(Last::None);
        let interrupt = Arc::new(Interrupt::new());
        let runner = Runner {
            run: RunConfig { memory: settings.memory, ..index.config().run.clone() },
            temp_dir: settings.temp_dir.clone(),
            interrupt: Arc::clone(&interrupt),
            expires: index.options().time_to_live.is_some(),
            index,
        };
        let expires = runner.expires;
        let thread = std::thread::Builder::new().name("findings".into()).spawn(move || {
            let mut rest = Duration::ZERO;
            while let Ok(mut sequence) = woken.recv() {
                // Not more than half of the time, however fast changes come.
                let rested = Instant::now();
                while rested.elapsed() < rest {
                    if runner.interrupt.is_set() {
                        return;
                    }
                    std::thread::sleep(rest.min(Duration::from_millis(50)));
                }
                while let Ok(later) = woken.recv_timeout(Duration::ZERO) {
                    sequence = later;
                }
                if !runner.is_wanted(&told.borrow(), sequence) {
                    continue;
                }
                let start = Instant::now();
                let made = match runner.make(sequence) {
                    Ok(view) => Last::Made(Arc::new(view)),
                    Err(IndexError::Run(RunError::Interrupted)) => return,
                    Err(error) => {
                        let reason = with_reasons(&error);
                        tracing::error!(reason, "the run over the index failed");
                        Last::Failed(sequence, reason)
                    }
                };
                rest = start.elapsed().min(Duration::from_mins(5));
                metrics.runs.inc();
                told.send_replace(made);
            }
        })?;
        let thread = Mutex::new(Some(thread));
        Ok(Self { wake, last, interrupt, thread, expires })
    }

    /// The view as of now, or after some time the one that there is.
    pub async fn view(&self, app: &App, longest: Duration) -> Result<Seen, Problem> {
        let wanted = app.writer.sequence();
        let mut last = self.last.clone();
        let is_fresh = |last: &Last| match last {
            Last::None => false,
            Last::Made(view) => view.sequence >= wanted && !self.is_old(view),
            Last::Failed(sequence, _) => *sequence >= wanted,
        };
        let asked = Instant::now();
        while !is_fresh(&last.borrow_and_update()) {
            if let Err(TrySendError::Disconnected(_)) = self.wake.try_send(wanted) {
                return Err(Problem::not_ready("the service is ending"));
            }
            let left = longest.saturating_sub(asked.elapsed());
            // Woken again and again, since a wish may have come while the thread was busy.
            let changed = timeout(left.min(Duration::from_millis(500)), last.changed()).await;
            if changed.is_err() && asked.elapsed() >= longest {
                break;
            }
        }
        let found = last.borrow().clone();
        match found {
            Last::None => Err(Problem::not_ready("clusters are being looked for; ask again")),
            Last::Failed(_, reason) => {
                Err(Problem::not_ready(format!("clusters could not be looked for: {reason}")))
            }
            Last::Made(view) => {
                let stale = view.sequence < app.writer.sequence() || self.is_old(&view);
                Ok(Seen { view, stale })
            }
        }
    }

    /// The view as of now for those who wait for one, and the one that there is for all others, for whom
    /// nothing is started: who only looks must not keep the machine busy.
    pub async fn if_wanted(&self, app: &App, longest: Option<Duration>) -> Option<Seen> {
        if let Some(longest) = longest {
            return self.view(app, longest).await.ok();
        }
        let Last::Made(view) = &*self.last.borrow() else { return None };
        let stale = view.sequence < app.writer.sequence() || self.is_old(view);
        Some(Seen { view: Arc::clone(view), stale })
    }

    fn is_old(&self, view: &View) -> bool {
        self.expires && now().saturating_sub(view.made) > FRESH.as_millis() as u64
    }

    /// Stops a run that is under way.
    pub fn stop(&self) {
        self.interrupt.stop();
    }

    /// Ends the thread.
    pub fn join(self) {
        let Self { wake, interrupt, thread, .. } = self;
        interrupt.stop();
        drop(wake);
        let thread = thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        // A run in vain is only lost work, and so is one that panicked.
        let _ = thread.map(JoinHandle::join);
    }
}

struct Runner {
    index: Arc<Index>,
    run: RunConfig,
    temp_dir: PathBuf,
    interrupt: Arc<Interrupt>,
    expires: bool,
}

impl Runner {
    fn is_wanted(&self, last: &Last, sequence: u64) -> bool {
        match last {
            Last::None => true,
            Last::Made(view) => view.sequence < sequence || self.expires,
            Last::Failed(failed, _) => *failed < sequence,
        }
    }

    fn make(&self, sequence: u64) -> Result<View, IndexError> {
        let start = Instant::now();
        let made = now();
        let context =
            Context { progress: &Silent, interrupt: &self.interrupt, temp_dir: &self.temp_dir };
        let snapshot = self.index.snapshot(made);
        if snapshot.outlines().next().is_none() {
            return Ok(View { sequence, made, ..View::default() });
        }
        let findings = snapshot.find(&self.run, &context)?;
        let seconds = start.elapsed().as_secs_f64();
        Ok(View { sequence, made, seconds, ..View::of(&findings)? })
    }
}
