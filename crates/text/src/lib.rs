//! One document: bytes in, tokens out. No I/O, no clock, no threads.
//!
//! A [`Document`] is what a reader hands over; an [`Analyzer`], built from an
//! [`AnalyzerConfig`], turns it into a [`TokenizedDocument`] whose tokens know their term, the
//! term's hash and where they stand in the original text. [`extract`] comes before: character
//! encodings and HTML.

pub mod extract;
pub mod filters;
pub mod segment;

mod analyzer;
mod ascii_words;
mod byte_bits;
mod document;
mod hash;
mod hash_batch;
mod letters;
mod normalize;
mod separated;
#[cfg(test)]
mod stress;
mod tokenize;
mod tokenized;
mod visible;
mod wide;

pub use analyzer::{Analyzer, AnalyzerConfig, AnalyzerError, MAX_TEXT_BYTES, WordRule};
pub use ascii_words::{AsciiWord, room_for_ascii_words, visit_word_hashes, write_ascii_words};
pub use byte_bits::{bits_of_byte, byte_bits};
pub use document::Document;
pub use filters::SyntacticFilters;
pub use hash::term_hash;
pub use letters::{LetterKind, letter_kind};
pub use normalize::Normalization;
pub use tokenize::fold::folded;
#[cfg(feature = "reference")]
pub use tokenize::reference::terms as reference_terms;
pub use tokenized::{Token, TokenizedDocument};
pub use visible::{VisibleText, visible};
