//! What makes two documents copies of each other.

use lookalike_text::Document;
use sha2::{Digest, Sha256};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128_with_seed};

use crate::{BucketKey, confirmed_identity};

/// A digest of what a method can see of a document: of its text, and of title and address where
/// the method reads them.
pub fn identity(document: &Document<'_>, reads_metadata: bool) -> u128 {
    let metadata = if reads_metadata {
        let title = document.title.unwrap_or_default();
        let url = document.url.unwrap_or_default();
        xxh3_64(format!("{title}\u{1f}{url}").as_bytes())
    } else {
        0
    };
    xxh3_128_with_seed(document.text.as_bytes(), metadata)
}

/// The identity of a document that has no keys to confirm it by: another text that was written to have
/// the same digest has another one.
pub fn identity_without_keys(identity: u128, text: &str) -> u128 {
    let digest = Sha256::digest(text);
    let (keys, _) = digest.as_chunks::<8>();
    let keys: Vec<BucketKey> = keys.iter().map(|key| BucketKey(u64::from_le_bytes(*key))).collect();
    confirmed_identity(identity, &keys)
}
