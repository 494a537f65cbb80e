//! Long work without the interpreter's lock: it runs on a thread of its own, while the caller's
//! thread listens to signals and shows the progress.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use lookalike::{Context, Interrupt, Progress, RunError};
use pyo3::prelude::*;

use crate::errors::{LookalikeError, failed_run};

/// How long a signal waits at most before it is heard.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The progress as the working thread leaves it and the waiting one reads it.
#[derive(Default)]
struct Watched {
    stage: Mutex<&'static str>,
    done: AtomicU64,
    total: AtomicU64,
}

impl Progress for Watched {
    fn begin(&self, stage: &'static str, total: u64) {
        self.done.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
        if let Ok(mut current) = self.stage.lock() {
            *current = stage;
        }
    }

    fn advance(&self, amount: u64) {
        self.done.fetch_add(amount, Ordering::Relaxed);
    }

    fn end(&self) {}
}

/// Runs `work`; signals stop it, `report` is called with stage, done and total.
pub fn wait_for<T: Send>(
    py: Python<'_>,
    report: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Context<'_>) -> Result<T, RunError> + Send,
) -> PyResult<T> {
    let watched = Watched::default();
    let interrupt = Interrupt::new();
    let folder = std::env::temp_dir();
    let context = Context { progress: &watched, interrupt: &interrupt, temp_dir: &folder };
    let (send, mut receive) = sync_channel(1);
    let (outcome, signal) = thread::scope(|scope| {
        scope.spawn(|| {
            // Nobody listens any more only if the caller is gone, and then nobody misses it.
            let _ = send.send(work(&context));
            drop(send);
        });
        let mut signal = None;
        loop {
            let heard;
            (receive, heard) = hear(py, receive);
            match heard {
                Ok(outcome) => return (Some(outcome), signal),
                Err(RecvTimeoutError::Disconnected) => return (None, signal),
                Err(RecvTimeoutError::Timeout) if signal.is_some() => {}
                Err(RecvTimeoutError::Timeout) => signal = look(py, report, &watched).err(),
            }
            if signal.is_some() {
                interrupt.stop();
            }
        }
    });
    if let Some(signal) = signal {
        return Err(signal);
    }
    if let Some(report) = report {
        report.call1(("", 0_u64, 0_u64))?;
    }
    outcome.ok_or_else(broke_off)?.map_err(failed_run)
}

/// Waits for the work, but not longer than a signal may; other Python threads go on meanwhile.
fn hear<T: Send>(
    py: Python<'_>,
    receive: Receiver<T>,
) -> (Receiver<T>, Result<T, RecvTimeoutError>) {
    py.detach(move || {
        let heard = receive.recv_timeout(LOOK_EVERY);
        (receive, heard)
    })
}

/// Runs work that has no place to stop at; a signal is heard at once, and leaves the work to end
/// unheard.
pub fn wait_or_leave<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, RunError> + Send + 'static,
) -> PyResult<T> {
    let (send, mut receive) = sync_channel(1);
    thread::spawn(move || {
        // Whoever asked may be gone after a signal.
        let _ = send.send(work());
    });
    loop {
        let heard;
        (receive, heard) = hear(py, receive);
        match heard {
            Ok(outcome) => return outcome.map_err(failed_run),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => return Err(broke_off()),
        }
    }
}

fn broke_off() -> PyErr {
    LookalikeError::new_err("the run broke off; this is a defect of lookalike")
}

/// Hears signals and shows the progress.
fn look(py: Python<'_>, report: Option<&Bound<'_, PyAny>>, watched: &Watched) -> PyResult<()> {
    py.check_signals()?;
    let Some(report) = report else { return Ok(()) };
    let stage = watched.stage.lock().map_or("", |stage| *stage);
    let done = watched.done.load(Ordering::Relaxed);
    let total = watched.total.load(Ordering::Relaxed);
    report.call1((stage, done, total)).map(|_| ())
}
