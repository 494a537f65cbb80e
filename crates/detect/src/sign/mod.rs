//! Features → signature and bucket keys, one file a scheme.

mod bags;
mod bands;
mod coordinates;
mod digest;
mod fused_terms;
mod hamming;
mod minwise;
mod projected;
mod set_prefix;
mod term_digest;

pub use bags::{BagRule, Bags};
pub use bands::{Banding, detection_curve};
pub use coordinates::{Coordinates, SignatureLimits};
pub use digest::WholeDigest;
pub use fused_terms::{FusedTerms, TermScratch};
pub use hamming::{HammingTables, hamming_distance};
pub(crate) use minwise::CHANCE;
pub use minwise::{BandedMinwise, MinwiseBins};
pub use projected::Projected;
pub use set_prefix::SetPrefix;
pub use term_digest::DigestRule;
