//! `lookalike serve`: an index over HTTP.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use clap::{Args, ValueEnum};
use lookalike::ByteSize;
use lookalike_service::{
    DEFAULT_PORT, Limits, LogFormat, ServiceError, Settings, start, start_logs,
};

use crate::configuration::Usage;
use crate::{INTERRUPT, display};

/// How often the end is looked for.
const PATIENCE: Duration = Duration::from_millis(50);

/// What `lookalike serve` takes.
#[derive(Debug, Args)]
pub struct ServeArguments {
    /// The index, as `lookalike index create` made it; this process is its one writer
    #[arg(long, value_name = "DIR")]
    index: PathBuf,
    /// Where to listen; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value_t = SocketAddr::from(([127, 0, 0, 1], DEFAULT_PORT)))]
    listen: SocketAddr,
    /// A file of tokens, a line each: ROLES TOKEN [NAME], of the roles read,write,judge; needed
    /// anywhere but on a loopback address
    #[arg(long, value_name = "FILE")]
    tokens: Option<PathBuf>,
    /// The certificate chain for TLS, PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The private key for TLS, PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// A name by which clients call the service, as a proxy hands it on; may be repeated
    #[arg(long = "host", value_name = "NAME")]
    hosts: Vec<String>,
    /// Memory for the index, and again for a run over all of it
    #[arg(long, value_name = "SIZE", default_value_t = ByteSize(512 << 20))]
    memory: ByteSize,
    /// Where working files go [default: the system's folder]
    #[arg(long, value_name = "DIR")]
    temp_dir: Option<PathBuf>,
    /// How the log on standard error looks
    #[arg(long, value_enum, value_name = "HOW", default_value_t = Log::Text)]
    log: Log,
    /// Log nothing but warnings and errors
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    limits: LimitArguments,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Limits")]
struct LimitArguments {
    /// Bytes of a body, and of a line of NDJSON
    #[arg(long, value_name = "SIZE", default_value_t = ByteSize(DEFAULTS.body_bytes as u64))]
    max_body: ByteSize,
    /// Bytes of a text
    #[arg(long, value_name = "SIZE", default_value_t = ByteSize(DEFAULTS.text_bytes as u64))]
    max_text: ByteSize,
    /// Bytes of all bodies that are held at once
    #[arg(long, value_name = "SIZE", default_value_t = ByteSize(DEFAULTS.buffered_bytes as u64))]
    max_buffered: ByteSize,
    /// Documents of one JSON array
    #[arg(long, value_name = "N", default_value_t = DEFAULTS.documents)]
    max_documents: usize,
    /// Lines of one stream of NDJSON
    #[arg(long, value_name = "N", default_value_t = DEFAULTS.stream_documents)]
    max_stream: usize,
    /// Requests at once; those beyond are answered 429
    #[arg(long, value_name = "N", default_value_t = DEFAULTS.concurrency)]
    concurrency: usize,
    /// Connections at once; those beyond wait
    #[arg(long, value_name = "N", default_value_t = DEFAULTS.connections)]
    connections: usize,
    /// Seconds for a request
    #[arg(long, value_name = "S", default_value_t = DEFAULTS.request.as_secs_f64())]
    request_timeout: f64,
    /// Seconds for the head of a request
    #[arg(long, value_name = "S", default_value_t = DEFAULTS.header.as_secs_f64())]
    header_timeout: f64,
    /// Seconds that a body may pause
    #[arg(long, value_name = "S", default_value_t = DEFAULTS.idle.as_secs_f64())]
    idle_timeout: f64,
    /// Seconds that an answer may stay unread
    #[arg(long, value_name = "S", default_value_t = DEFAULTS.write.as_secs_f64())]
    write_timeout: f64,
    /// Seconds that accepted requests are waited for at the end
    #[arg(long, value_name = "S", default_value_t = DEFAULTS.shutdown.as_secs_f64())]
    shutdown_timeout: f64,
}

static DEFAULTS: std::sync::LazyLock<Limits> = std::sync::LazyLock::new(Limits::default);

/// How the log looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Log {
    /// For people
    Text,
    /// One JSON object a line
    Json,
}

impl LimitArguments {
    fn limits(&self) -> Result<Limits, Usage> {
        let seconds = |name: &str, seconds: f64| {
            let span = Duration::try_from_secs_f64(seconds).ok().filter(|span| !span.is_zero());
            span.ok_or_else(|| Usage(format!("--{name} {seconds}: expected seconds above 0")))
        };
        Ok(Limits {
            body_bytes: self.max_body.bytes(),
            text_bytes: self.max_text.bytes(),
            buffered_bytes: self.max_buffered.bytes(),
            documents: self.max_documents,
            stream_documents: self.max_stream,
            concurrency: self.concurrency,
            connections: self.connections,
            request: seconds("request-timeout", self.request_timeout)?,
            header: seconds("header-timeout", self.header_timeout)?,
            idle: seconds("idle-timeout", self.idle_timeout)?,
            write: seconds("write-timeout", self.write_timeout)?,
            shutdown: seconds("shutdown-timeout", self.shutdown_timeout)?,
            ..*DEFAULTS
        })
    }
}

/// Runs the command: serves until a signal ends it.
pub fn run(arguments: &ServeArguments) -> Result<()> {
    let tls = arguments.tls_cert.clone().zip(arguments.tls_key.clone());
    let scheme = if tls.is_some() { "https" } else { "http" };
    let settings = Settings {
        listen: arguments.listen,
        tokens: arguments.tokens.clone(),
        tls,
        hosts: arguments.hosts.clone(),
        memory: arguments.memory,
        temp_dir: arguments.temp_dir.clone().unwrap_or_else(std::env::temp_dir),
        limits: arguments.limits.limits()?,
        ..Settings::new(arguments.index.clone())
    };
    let format = match arguments.log {
        Log::Text => LogFormat::Text,
        Log::Json => LogFormat::Json,
    };
    start_logs(format, !arguments.quiet);
    let running = start(&settings).map_err(|error| match error {
        ServiceError::NoTokens(_) => Usage(error.to_string()).into(),
        error => anyhow::Error::from(error),
    })?;
    display::line(format_args!("listening on {scheme}://{}", running.address()))?;
    while !INTERRUPT.is_set() && !running.has_ended() {
        std::thread::sleep(PATIENCE);
    }
    // Whatever was accepted is answered and on disk when this returns.
    running.end();
    Ok(())
}
