//! Document → features, one file a representation.

mod term_set;
mod text;

pub use term_set::TermSet;
pub use text::NormalizedText;
