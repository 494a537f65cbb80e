//! Sample data for `lookalike demo`: small stories and copies of them, of several kinds.

mod editing;
mod mail;
mod sample;
mod stories;
mod templates;

pub use sample::json_lines;
