//! The score of every pair of test documents, by an inverted index.

use lookalike_detect::measure::{AllPairs, Common, Similarity};
use lookalike_detect::{Features, WeightedFeature};
use rayon::prelude::*;

use lookalike_learn::evaluate::{MaxF1, max_f1};

/// The documents of a test half: a vector each, and which cluster each is in.
pub(super) struct TestHalf<'a> {
    pub(super) vectors: Vec<Vec<WeightedFeature>>,
    pub(super) clusters: &'a [u32],
}

/// A feature set as a vector of ones.
pub(super) fn as_vector(features: Features) -> Vec<WeightedFeature> {
    match features {
        Features::Weighted(entries) => entries,
        other => {
            other.as_set().iter().map(|&feature| WeightedFeature { feature, weight: 1.0 }).collect()
        }
    }
}

/// Whether a document has a signature: without a weight it has none, as in `find`, and two of these
/// are not alike for having nothing.
pub(super) fn weighs_something(vector: &[WeightedFeature]) -> bool {
    vector.iter().any(|entry| entry.weight.abs() > 0.0)
}

impl TestHalf<'_> {
    /// Max F1 of a similarity over all pairs.
    pub(super) fn max_f1(&self, similarity: Similarity) -> Option<MaxF1> {
        let all = AllPairs::new(&self.vectors);
        self.max_f1_by(&all, |left, right, common| all.similarity(similarity, left, right, common))
    }

    /// Max F1 of any score of pairs that share a feature; the others are taken to be unlike.
    pub(super) fn max_f1_by(
        &self,
        all: &AllPairs<'_>,
        score: impl Fn(usize, usize, Common) -> f64 + Sync,
    ) -> Option<MaxF1> {
        let of_document = |right: usize| {
            let scored = |(left, common): (usize, Common)| {
                let is_true = self.clusters[left] == self.clusters[right];
                (common.minima > 0.0).then(|| (score(left, right, common), is_true))
            };
            all.with_earlier(right).into_iter().enumerate().filter_map(scored).collect::<Vec<_>>()
        };
        let scored: Vec<(f64, bool)> =
            (0..self.vectors.len()).into_par_iter().flat_map_iter(of_document).collect();
        max_f1(&scored, true_pairs(self.clusters))
    }
}

/// Max F1 of scores of all pairs, given by a function of two documents; pairs that score 0 are unlike at
/// every threshold.
pub(super) fn max_f1_of_all(
    clusters: &[u32],
    score: impl Fn(usize, usize) -> f64 + Sync,
) -> Option<MaxF1> {
    let of_document = |right: usize| {
        let scored = |left: usize| (score(left, right), clusters[left] == clusters[right]);
        (0..right).map(scored).filter(|(score, _)| *score > 0.0).collect::<Vec<_>>()
    };
    let scored: Vec<(f64, bool)> =
        (0..clusters.len()).into_par_iter().flat_map_iter(of_document).collect();
    max_f1(&scored, true_pairs(clusters))
}

fn true_pairs(clusters: &[u32]) -> u64 {
    let mut sorted = clusters.to_vec();
    sorted.sort_unstable();
    let pairs = |cluster: &[u32]| (cluster.len() * (cluster.len() - 1) / 2) as u64;
    sorted.chunk_by(|left, right| left == right).map(pairs).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_threshold_calls_pairs_alike_that_have_nothing_in_common() {
        // Four documents of one cluster, of which only two share something.
        let score = |left: usize, right: usize| f64::from(u8::from((left, right) == (0, 1)));
        let found = max_f1_of_all(&[0; 4], score).unwrap();
        assert!((found.recall - 1.0 / 6.0).abs() < 1e-12, "{found:?}");
        assert_eq!(max_f1_of_all(&[0; 4], |_, _| 0.0), None);
    }

    #[test]
    fn a_document_without_weights_has_no_signature() {
        let entry = |weight: f32| WeightedFeature { feature: 1, weight };
        assert!(!weighs_something(&[]));
        assert!(!weighs_something(&[entry(0.0)]));
        assert!(weighs_something(&[entry(0.0), entry(-1.0)]));
    }

    #[test]
    fn the_inverted_index_gives_what_comparing_each_pair_gives() {
        let vector = |seed: u64| -> Vec<WeightedFeature> {
            let weight = |feature: u64| ((feature * 7 + seed * 3) % 5) as f32;
            (0..20)
                .map(|feature| WeightedFeature { feature, weight: weight(feature) })
                .filter(|entry| entry.weight > 0.0 && !(entry.feature + seed).is_multiple_of(3))
                .collect()
        };
        let clusters: Vec<u32> = (0..12).map(|i| i % 5).collect();
        let vectors: Vec<_> = (0..12).map(vector).collect();
        let half = TestHalf { vectors: vectors.clone(), clusters: &clusters };
        for similarity in
            [Similarity::Cosine, Similarity::ExtendedJaccard, Similarity::SquaredJaccard]
        {
            let plain =
                max_f1_of_all(&clusters, |l, r| similarity.of(&vectors[l], &vectors[r])).unwrap();
            let fast = half.max_f1(similarity).unwrap();
            assert!((plain.f1 - fast.f1).abs() < 1e-12, "{similarity:?}");
            assert!((plain.threshold - fast.threshold).abs() < 1e-9, "{similarity:?}");
        }
    }
}
