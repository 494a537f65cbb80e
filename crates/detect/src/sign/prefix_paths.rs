//! Keys of short documents whose rarest words are frequent: several words together.
//!
//! In a million titles even the rarest word of one is in thousands of others, and the buckets of
//! single words hold a number of pairs that grows with the square of the collection. So a word that
//! is too frequent to be a key is extended to a *path*: the word and the next ones, in the order of
//! rarity, until together they are expected in few documents.
//!
//! No pair is lost. Of n words, all weighing the same, a document shares at least c²n with any
//! duplicate, where c is the least cosine: at most d = ⌊(1-c²)n⌋ are missing there. Take what two
//! duplicates share, in order: it is a path through each of the two that leaves out at most d words
//! of its own, and whether it goes on after a word is decided by the words on it alone. So a document
//! has a key for every path that leaves out at most d of its words, and both have that one.
//!
//! There may be many paths where d is large. Long documents therefore have plain prefix keys, and so
//! have short ones that are long enough to be duplicates of a long one (n ≥ c²m).

use lookalike_statistics::Statistics;

use crate::BucketKey;
use crate::random::mix64;

/// Documents with a path up to which it needs no further word.
const FEW_DOCUMENTS: f64 = if cfg!(test) { 2.0 } else { 32.0 };
/// Words on a path, at most.
const LONGEST_PATH: usize = 3;
/// How many words may be missing from the duplicates of a short document: at most 455 paths.
const MOST_MISSING: usize = if cfg!(test) { 2 } else { 12 };
/// Words stand together in phrases: a further one is not expected to be rarer than this.
const LEAST_SHARE: f64 = 1.0 / 64.0;
/// Tells a path that ends with its document from one that is long enough.
const END: u64 = 0x656e_645f_6f66_5f61;

/// Which documents are short, and the paths through them.
#[derive(Clone, Copy, Debug)]
pub(super) struct PrefixPaths<'a> {
    /// The square of the least cosine, positive.
    pub(super) squared_cosine: f64,
    pub(super) statistics: &'a Statistics,
    pub(super) seed: u64,
}

impl PrefixPaths<'_> {
    /// How many of so many features may be missing from a duplicate.
    fn most_missing(&self, n_features: usize) -> usize {
        ((1.0 - self.squared_cosine).max(0.0) * n_features as f64) as usize
    }

    /// Whether a document of so many features has paths as keys.
    pub(super) fn is_short(&self, n_features: usize) -> bool {
        self.most_missing(n_features) <= MOST_MISSING
    }

    /// Whether a document of so many features may be a duplicate of one that is not short.
    pub(super) fn meets_long(&self, n_features: usize) -> bool {
        // The first that is long, or one less by rounding.
        let long = (MOST_MISSING + 1) as f64 / (1.0 - self.squared_cosine) - 1.0;
        n_features as f64 >= self.squared_cosine * long - 1.0
    }

    /// Adds a key for each path through the features, which stand in order with their frequencies.
    pub(super) fn push_keys(&self, ordered: &[(u32, u64)], keys: &mut Vec<BucketKey>) {
        self.walk(&Path::default(), ordered, self.most_missing(ordered.len()), keys);
    }

    /// Adds the keys of all paths that go on from this one, leaving out at most `missing` features.
    fn walk(&self, path: &Path, rest: &[(u32, u64)], missing: usize, keys: &mut Vec<BucketKey>) {
        if rest.len() <= missing && path.length > 0 {
            keys.push(BucketKey(mix64(path.key ^ END)));
        }
        for (left_out, &(frequency, feature)) in rest.iter().enumerate().take(missing + 1) {
            let longer = self.extended(path, frequency, feature);
            if longer.length == LONGEST_PATH || longer.expected <= FEW_DOCUMENTS {
                keys.push(BucketKey(longer.key));
            } else {
                self.walk(&longer, &rest[left_out + 1..], missing - left_out, keys);
            }
        }
    }

    fn extended(&self, path: &Path, frequency: u32, feature: u64) -> Path {
        let frequency = f64::from(frequency);
        if path.length == 0 {
            // A feature by itself is the key that it is in a plain prefix.
            return Path { key: plain_key(feature, self.seed), expected: frequency, length: 1 };
        }
        let share = frequency / self.statistics.n_documents().max(1) as f64;
        Path {
            key: mix64(path.key ^ feature),
            expected: path.expected * share.clamp(LEAST_SHARE, 1.0),
            length: path.length + 1,
        }
    }
}

/// The key of a single feature.
pub(super) fn plain_key(feature: u64, seed: u64) -> u64 {
    mix64(feature ^ seed)
}

/// Features of a document, one after the other.
#[derive(Clone, Copy, Debug, Default)]
struct Path {
    key: u64,
    /// In how many documents they are expected together.
    expected: f64,
    length: usize,
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use lookalike_statistics::StatisticsBuilder;
    use lookalike_text::{Analyzer, AnalyzerConfig};
    use proptest::prelude::*;

    use super::*;
    use crate::measure::Similarity;
    use crate::sign::PrefixKeys;
    use crate::{Features, Sign, Signature, WeightedFeature};

    /// Statistics of a hundred documents in which the word numbered n of forty is one in n + 1.
    fn statistics() -> Arc<Statistics> {
        let analyzer = Analyzer::new(&AnalyzerConfig::default()).unwrap();
        let mut builder = StatisticsBuilder::new(AnalyzerConfig::default());
        for document in 0..100 {
            let words = (0..40).filter(|word| document % (word + 1) == 0);
            let text: Vec<String> = words.map(|word| format!("word{word}")).collect();
            builder.add(&analyzer.tokenize(&text.join(" ")));
        }
        builder.finish().into()
    }

    fn vector(words: impl IntoIterator<Item = usize>) -> Vec<WeightedFeature> {
        let feature = |word| lookalike_text::term_hash(&format!("word{word}"));
        let entry = |word| WeightedFeature { feature: feature(word), weight: 1.0 };
        let mut entries: Vec<_> = words.into_iter().map(entry).collect();
        entries.sort_by_key(|entry| entry.feature);
        entries.dedup();
        entries
    }

    fn keys(sign: &PrefixKeys, vector: &[WeightedFeature]) -> Vec<BucketKey> {
        let mut keys = Vec::new();
        sign.bucket_keys(&Features::Weighted(vector.to_vec()), &Signature::default(), &mut keys);
        keys
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

        /// The plain prefix keys find every pair; so must the paths, among short documents, long
        /// ones and both.
        #[test]
        fn no_pair_at_the_threshold_is_missed(
            shared in proptest::collection::btree_set(0usize..40, 1..30),
            own in [
                proptest::collection::btree_set(0usize..40, 0..4),
                proptest::collection::btree_set(0usize..40, 0..12),
            ],
        ) {
            let [left, right] = own.map(|own| vector(shared.iter().copied().chain(own)));
            let statistics = statistics();
            for similarity in [Similarity::Cosine, Similarity::ExtendedJaccard] {
                let exact = similarity.of(&left, &right);
                for threshold in [exact, exact * 0.97, exact * 0.8] {
                    let plain = PrefixKeys::new(similarity, threshold, Some(statistics.clone()), 1);
                    let paths = plain.clone().with_equal_weights();
                    for sign in [plain, paths] {
                        let (left, right) = (keys(&sign, &left), keys(&sign, &right));
                        prop_assert!(left.iter().any(|key| right.contains(key)), "{threshold}");
                    }
                }
            }
        }
    }

    #[test]
    fn documents_that_share_a_frequent_word_and_little_else_share_no_key() {
        let sign =
            |threshold| PrefixKeys::new(Similarity::Cosine, threshold, Some(statistics()), 1);
        let [left, right] = [[0, 1, 2, 3, 4], [0, 1, 2, 3, 5]].map(vector);
        let plain = sign(0.7);
        assert!(keys(&plain, &left).iter().any(|key| keys(&plain, &right).contains(key)));
        let paths = sign(0.9).with_equal_weights();
        assert!(keys(&paths, &left).iter().all(|key| !keys(&paths, &right).contains(key)));
    }

    #[test]
    fn no_document_has_more_paths_than_were_counted_on() {
        let statistics = statistics();
        for tenths in 1..=10 {
            let squared_cosine = f64::from(tenths * tenths) / 100.0;
            let paths = PrefixPaths { squared_cosine, statistics: &statistics, seed: 1 };
            for length in (1..2_000).filter(|length| paths.is_short(*length)) {
                let features: Vec<_> = (0..length as u64).map(|feature| (100, feature)).collect();
                let mut keys = Vec::new();
                paths.push_keys(&features, &mut keys);
                // As many as there are ways to leave out MOST_MISSING between LONGEST_PATH.
                assert!((1..=10).contains(&keys.len()), "{length}: {}", keys.len());
            }
        }
    }
}
