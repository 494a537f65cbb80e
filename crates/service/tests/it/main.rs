//! The service from outside: requests over real connections.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod client;
mod hostile;
mod openapi;
mod review;
mod same_answers;
#[cfg(feature = "tls")]
mod tls;
mod tokens;
mod usual;
