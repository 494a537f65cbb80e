//! Document → features, one file a representation.

mod shingles;
mod term_set;
mod text;

pub use shingles::{WordShingles, shingle_hash, shingle_in_place, word_hashes};
pub use term_set::TermSet;
pub use text::NormalizedText;
