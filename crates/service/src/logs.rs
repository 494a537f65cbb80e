//! Structured logs on standard error: what was asked and how it went, never ids, texts or tokens.

use tracing::level_filters::LevelFilter;

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// Starts logging; `requests` also logs every request. Only the first call of a process counts.
pub fn start_logs(format: LogFormat, requests: bool) {
    let level = if requests { LevelFilter::INFO } else { LevelFilter::WARN };
    let lines = tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_max_level(level)
        .with_target(false);
    // Whoever has set up logging already keeps it.
    let _ = match format {
        LogFormat::Text => lines.with_ansi(false).try_init(),
        LogFormat::Json => lines.json().flatten_event(true).try_init(),
    };
}
