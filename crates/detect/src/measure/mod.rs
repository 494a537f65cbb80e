//! Exact comparison of features, one file a measure.

mod all_pairs;
mod intersection;
mod outline;
mod overlap;
mod paragraph_count;
mod paragraphs;
mod similarity;
mod vector_measures;

pub use all_pairs::{AllPairs, Common};
pub use intersection::{intersection_plain, intersection_reaching, intersection_size};
pub use overlap::SetMeasure;
pub use paragraphs::{MatchedParagraphs, ParagraphMatch};
pub use similarity::{Similarity, squared_length};
pub use vector_measures::{SimilarityVector, VectorMeasure};
