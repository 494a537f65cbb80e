//! Features → signature and bucket keys, one file a scheme.

mod bands;
mod digest;
mod minwise;

pub use bands::{Banding, detection_curve};
pub use digest::WholeDigest;
pub use minwise::{BandedMinwise, MinwiseBins};
