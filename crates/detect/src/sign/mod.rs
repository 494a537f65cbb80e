//! Features → signature and bucket keys, one file a scheme.

mod digest;

pub use digest::WholeDigest;
