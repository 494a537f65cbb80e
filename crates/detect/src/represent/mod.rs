//! Document → features, one file a representation.

mod text;

pub use text::NormalizedText;
