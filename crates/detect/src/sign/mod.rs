//! Features → signature and bucket keys, one file a scheme.

mod bags;
mod bands;
mod coordinates;
mod digest;
mod fused_learned;
mod fused_shingles;
mod fused_terms;
mod fused_text;
mod gaussian;
mod hamming;
mod hyperplanes;
mod majority;
mod minwise;
mod paragraphs;
mod planes;
mod prefix;
mod prefix_paths;
mod projected;
mod set_prefix;
mod super_shingles;
mod term_digest;
mod weighted_minwise;

pub use bags::{BagRule, Bags};
pub use bands::Banding;
pub use coordinates::{Coordinates, SignatureLimits};
pub use digest::WholeDigest;
pub use fused_learned::FusedLearned;
pub use fused_shingles::{FusedShingles, SignElements};
pub use fused_terms::{FusedTerms, TermObserver, TermScratch};
pub use fused_text::FusedText;
pub use hamming::{HammingTables, hamming_distance};
pub use hyperplanes::{Hyperplanes, PlaneEntries, SignByHyperplanes, estimated_cosine};
pub(crate) use minwise::CHANCE;
pub use minwise::{BandedMinwise, MinwiseBins, unlike_bytes};
pub use paragraphs::{ParagraphKeys, SignParagraphs};
pub use prefix::PrefixKeys;
pub use projected::Projected;
pub use set_prefix::SetPrefix;
pub use super_shingles::{Groups, Minima, Runs};
pub use term_digest::{DigestRule, sha1_of_terms};
pub use weighted_minwise::{
    MinimaOf, SignByWeightedMinwise, StoredMinima, WeightedMinwise, WeightedScheme, squared,
};
