//! Starting and ending the service.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::thread::JoinHandle;

use lookalike::{Index, IndexError};
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::app::App;
use crate::listen::serve;
use crate::metrics::Metrics;
use crate::open_files::room_for;
use crate::router::router;
use crate::settings::Settings;
use crate::stat::count_ahead;
use crate::tls::Tls;
use crate::tokens::{Tokens, reload};
use crate::writer;

/// Why the service cannot start.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// The index.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// Anybody could read and write.
    #[error(
        "{0} is not a loopback address: give a file of tokens (--tokens FILE), or listen on 127.0.0.1"
    )]
    NoTokens(SocketAddr),
    /// The file of tokens.
    #[error("tokens: {0}")]
    Tokens(String),
    /// The certificate or its key.
    #[error("TLS: {0}")]
    Tls(String),
    /// The address.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
    /// Threads.
    #[error("cannot start: {0}")]
    Start(#[from] std::io::Error),
}

/// A service that runs.
#[derive(Debug)]
pub struct Running {
    address: SocketAddr,
    ending: watch::Sender<bool>,
    thread: JoinHandle<()>,
}

impl Running {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Whether it has ended by itself.
    pub fn has_ended(&self) -> bool {
        self.thread.is_finished()
    }

    /// Accepts nothing further, answers what was accepted, and closes the index.
    pub fn end(self) {
        self.ending.send_replace(true);
        // A panic has been told on standard error.
        let _ = self.thread.join();
    }
}

/// Opens the index and starts to serve it; returns once it listens.
///
/// # Errors
/// The index cannot be opened for writing, the address is taken, a file cannot be used, or there
/// are no tokens where there must be.
pub fn start(settings: &Settings) -> Result<Running, ServiceError> {
    let listen = settings.listen;
    if !listen.ip().is_loopback() && settings.tokens.is_none() {
        return Err(ServiceError::NoTokens(listen));
    }
    let tokens = settings.tokens.as_deref().map(Tokens::read).transpose();
    let tokens = tokens.map_err(ServiceError::Tokens)?;
    let tls = settings.tls.as_ref().map(|(chain, key)| Tls::read(chain, key)).transpose();
    let tls = tls.map_err(ServiceError::Tls)?;
    let mut settings = settings.clone();
    settings.limits.connections = room_for(settings.limits.connections);
    let settings = &settings;
    let index = Arc::new(Index::open(&settings.index, settings.memory)?);
    let metrics = Arc::new(Metrics::new());
    let (writer, writing) =
        writer::start(Arc::clone(&index), Arc::clone(&metrics), settings.limits.concurrency)?;
    let (ending, of_service) = watch::channel(false);
    let app = App::new(
        settings,
        index,
        (writer, metrics),
        (tokens, names(settings)),
        of_service.clone(),
    )?;
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(cores.clamp(2, 16))
        // Those that compute, those for long texts, and some that may be busy for long: questions,
        // trials, counting.
        .max_blocking_threads(settings.limits.workers.max(1) + cores + 4)
        .enable_io()
        .enable_time()
        .build()?;
    let listener = runtime
        .block_on(TcpListener::bind(listen))
        .map_err(|source| ServiceError::Listen { address: listen, source })?;
    let address = listener.local_addr()?;
    let scheme = if settings.tls.is_some() { "https" } else { "http" };
    let who = format!("the service at {scheme}://{address} (process {})", std::process::id());
    if let Err(error) = Index::announce(&settings.index, &who) {
        tracing::warn!(%error, "others are not told who writes the index");
    }
    let tokens_file = settings.tokens.clone();
    let thread = std::thread::Builder::new().name("service".into()).spawn(move || {
        let app = Arc::new(app);
        let router = router(&app);
        runtime.spawn(count_ahead(Arc::clone(&app)));
        if let Some(path) = tokens_file {
            runtime.spawn(reload(path, Arc::clone(&app)));
        }
        runtime.block_on(serve(listener, tls, router, Arc::clone(&app), of_service));
        app.findings.stop();
        app.questions.stop();
        app.tune.stop();
        // Waits for what computes, so that nobody but this thread holds the app.
        drop(runtime);
        if let Ok(app) = Arc::try_unwrap(app) {
            let App { writer, findings, .. } = app;
            drop(writer);
            findings.join();
        }
        // What was accepted is written; a panic of the thread has been told on standard error.
        let _ = writing.join();
    })?;
    Ok(Running { address, ending, thread })
}

/// Names by which the service may be called, so that no page can reach it under a name of its own
/// that leads to this machine; any where tokens protect it and none are given.
fn names(settings: &Settings) -> Option<Vec<String>> {
    let given = settings.hosts.iter().map(|name| name.to_ascii_lowercase());
    let is_loopback = settings.listen.ip().is_loopback();
    if !is_loopback && settings.hosts.is_empty() {
        return None;
    }
    let address = match settings.listen.ip() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    };
    let own = ["localhost", "127.0.0.1", "[::1]"].into_iter().filter(|_| is_loopback);
    Some(own.map(str::to_owned).chain([address]).chain(given).collect())
}
