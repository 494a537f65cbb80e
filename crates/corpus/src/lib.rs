//! Many documents: reading what people have, writing it back in its own format.
//!
//! A [`Corpus`] is opened from files, folders, patterns or standard input, or made from documents or
//! Arrow record batches in memory, and can be read any number of times. Each pass yields [`Block`]s in the same order; a block is cheap to make on the
//! reading thread and is parsed into [`Row`]s on whichever thread uses it. Every row has an ordinal
//! that is the same in every pass, and a row that cannot be read says why instead of vanishing.

mod block;
mod blocks;
mod compression;
mod corpus;
mod error;
mod memory;
mod open_file;
mod options;
pub mod pass;
mod read;
mod read_ahead;
mod resolve;
mod row;
mod source;
mod stop;
mod text_key;
mod write;

pub use block::Block;
pub use blocks::Blocks;
pub use corpus::Corpus;
pub use error::CorpusError;
pub use memory::OwnedDocument;
pub use options::{IdKey, InputOptions};
pub use read::guarded::keep_quiet_about_caught_panics;
pub use read::jsonl::parse_json_row;
#[cfg(feature = "parquet")]
pub use read::parquet::PROBLEM_COLUMN;
#[cfg(feature = "documents")]
pub use read::pdf_process::document_process;
pub use read_ahead::ReadAhead;
pub use resolve::{Ignored, Reason};
pub use row::{Row, RowDocument, RowPlace, Unreadable};
pub use source::{Compression, Format, Source, read_text};
pub use stop::Stop;
pub use text_key::{composed_text, text_fields};
/// Builds without the feature `documents` read no PDF.
#[cfg(not(feature = "documents"))]
pub fn document_process() -> Option<std::process::ExitCode> {
    None
}
pub use write::{
    Decisions, Destination, EvidenceNames, Fate, KeeperId, Removal, Written, check_pipe, split,
};
