//! Exact comparison of features, one file a measure.

mod aligned;
mod all_pairs;
mod alone;
mod coverage;
mod equal_weights;
mod intersection;
mod outline;
mod overlap;
mod paragraph_count;
mod paragraphs;
mod part_lengths;
mod repeated;
mod run_filter;
mod similarity;
mod vector_measures;

pub use aligned::{aligned_outline_words, near_rows, push_aligned_bytes, push_aligned_outline};
pub use all_pairs::{AllPairs, Common};
pub use alone::Alone;
pub use coverage::Coverage;
pub use coverage::RunsThatStay;
pub(crate) use coverage::is_framed;
pub use equal_weights::EqualWeights;
pub use intersection::{intersection_plain, intersection_reaching, intersection_size};
pub(crate) use outline::glance;
pub use outline::{Glance, differing_bits};
pub use overlap::SetMeasure;
pub use paragraphs::{MatchedParagraphs, ParagraphMatch};
pub use repeated::RepeatedRuns;
pub use run_filter::RunFilter;
pub use similarity::{Similarity, squared_length};
pub use vector_measures::{SimilarityVector, VectorMeasure};
