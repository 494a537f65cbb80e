//! One document: bytes in, tokens out. No I/O, no clock, no threads.
//!
//! A [`Document`] is what a reader hands over; an [`Analyzer`], built from an
//! [`AnalyzerConfig`], turns it into a [`TokenizedDocument`] whose tokens know their term, the
//! term's hash and where they stand in the original text.

pub mod segment;

mod analyzer;
mod document;
mod tokenized;

pub use analyzer::{
    Analyzer, AnalyzerConfig, AnalyzerError, Normalization, SyntacticFilters, WordRule,
};
pub use document::Document;
pub use tokenized::{Token, TokenizedDocument, term_hash};
