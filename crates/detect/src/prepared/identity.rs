//! What makes two documents copies of each other.

use lookalike_text::Document;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128_with_seed};

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
