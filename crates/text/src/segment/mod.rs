//! A text cut into paragraphs and sentences, and the language it is written in.
//!
//! Everything here answers with byte ranges of the original text, so that whatever is found in a
//! paragraph or sentence can be shown where it stands.

mod abbreviations;
mod language;
mod latin;
mod numbering;
mod paragraphs;
mod sentences;
mod stop_words;
mod trigrams;

pub use language::{Language, LanguageChoice, UnknownLanguage};
pub use numbering::after_numbering;
pub use paragraphs::paragraphs;
pub use sentences::sentences;
pub use stop_words::{StopWords, stop_words};
