//! How the service is started, and what it allows.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use lookalike::ByteSize;

/// How the service is started.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The index: this process is its one writer.
    pub index: PathBuf,
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// The file of tokens; anywhere but on a loopback address there must be one.
    pub tokens: Option<PathBuf>,
    /// Certificate chain and private key, as PEM files.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// Names besides the loopback's own by which the service may be called.
    pub hosts: Vec<String>,
    /// Memory for the index, and again for a run over all of it.
    pub memory: ByteSize,
    /// Where working files go.
    pub temp_dir: PathBuf,
    /// What is allowed.
    pub limits: Limits,
}

impl Settings {
    /// An index on the loopback address, with everything else as it is by default.
    pub fn new(index: PathBuf) -> Self {
        Self {
            index,
            listen: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), DEFAULT_PORT),
            tokens: None,
            tls: None,
            hosts: Vec::new(),
            memory: ByteSize(512 << 20),
            temp_dir: std::env::temp_dir(),
            limits: Limits::default(),
        }
    }
}

/// The port where no other is named.
pub const DEFAULT_PORT: u16 = 7878;

/// What clients may ask for.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of a body, and of one line of NDJSON.
    pub body_bytes: usize,
    /// Documents of one JSON array.
    pub documents: usize,
    /// Documents of one stream of NDJSON.
    pub stream_documents: usize,
    /// Bytes of a text.
    pub text_bytes: usize,
    /// Bytes of an id.
    pub id_bytes: usize,
    /// Bytes of all bodies that are held at once.
    pub buffered_bytes: usize,
    /// Requests that are worked on at once; those beyond are answered 429.
    pub concurrency: usize,
    /// Connections at once; those beyond wait to be accepted.
    pub connections: usize,
    /// Calls that compute at once; those beyond wait.
    pub workers: usize,
    /// How long a request may take.
    pub request: Duration,
    /// How long a client may take for the head of a request.
    pub header: Duration,
    /// How long a client may pause within a body.
    pub idle: Duration,
    /// How long a client may leave an answer unread.
    pub write: Duration,
    /// How long accepted requests are waited for at the end.
    pub shutdown: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Self {
            body_bytes: 32 << 20,
            documents: 1000,
            stream_documents: 10_000_000,
            text_bytes: 16 << 20,
            id_bytes: 4096,
            buffered_bytes: 256 << 20,
            concurrency: 128,
            connections: 2048,
            workers: 2 * cores,
            request: Duration::from_mins(1),
            header: Duration::from_secs(10),
            idle: Duration::from_secs(30),
            write: Duration::from_secs(30),
            shutdown: Duration::from_secs(30),
        }
    }
}
