//! The HTTP service over a durable index: `lookalike serve`.
//!
//! One process is the index's one writer. Requests are read within limits and answered from
//! snapshots, on a bounded number of threads; additions go through one thread, which makes durable
//! together what queued up meanwhile.

mod app;
mod body;
mod clock;
mod clusters;
mod documents;
mod evidence;
mod filter;
mod findings;
mod guard;
mod judgments;
mod listen;
mod logs;
mod long_texts;
mod maintenance;
mod metrics;
mod open_files;
mod page;
mod pairs;
mod parameters;
mod problem;
mod questions;
mod router;
mod rows;
mod service;
mod settings;
mod stat;
mod stream;
mod tls;
mod tokens;
mod tune;
mod view;
mod writer;

pub use logs::{LogFormat, start_logs};
pub use service::{Running, ServiceError, start};
pub use settings::{DEFAULT_PORT, Limits, Settings};
