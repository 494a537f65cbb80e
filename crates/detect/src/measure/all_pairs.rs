//! Similarities of all pairs of some vectors, by an inverted index: work only where two share a
//! feature.

use hashbrown::HashMap;

use super::similarity::{Similarity, square, squared_length};
use crate::WeightedFeature;

/// Vectors, and which of them have each feature.
pub struct AllPairs<'a> {
    vectors: &'a [Vec<WeightedFeature>],
    postings: HashMap<u64, Vec<(u32, f32)>>,
    squares: Vec<f64>,
}

/// What two vectors have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Common {
    /// The sum of the products of weights.
    pub product: f64,
    /// The sum of the squares of the smaller weights; above 0 where the vectors share a feature.
    pub minima: f64,
}

impl<'a> AllPairs<'a> {
    /// Indexes vectors without negative weights.
    pub fn new(vectors: &'a [Vec<WeightedFeature>]) -> Self {
        let mut postings: HashMap<u64, Vec<(u32, f32)>> = HashMap::new();
        for (number, vector) in vectors.iter().enumerate() {
            for entry in vector {
                postings.entry(entry.feature).or_default().push((number as u32, entry.weight));
            }
        }
        let squares = vectors.iter().map(|vector| squared_length(vector)).collect();
        Self { vectors, postings, squares }
    }

    /// What a vector has in common with each one of a lower number.
    pub fn with_earlier(&self, right: usize) -> Vec<Common> {
        let mut common = vec![Common::default(); right];
        for entry in &self.vectors[right] {
            let list = self.postings.get(&entry.feature).map_or(&[][..], Vec::as_slice);
            for &(left, weight) in list.iter().take_while(|(left, _)| (*left as usize) < right) {
                let sum = &mut common[left as usize];
                sum.product += f64::from(weight) * f64::from(entry.weight);
                sum.minima += square(weight.min(entry.weight));
            }
        }
        common
    }

    /// The similarity of two vectors that have this in common.
    pub fn similarity(&self, of: Similarity, left: usize, right: usize, common: Common) -> f64 {
        let (left, right) = (self.squares[left], self.squares[right]);
        let (part, whole) = match of {
            Similarity::Cosine => (common.product, (left * right).sqrt()),
            Similarity::ExtendedJaccard => (common.product, left + right - common.product),
            Similarity::SquaredJaccard => (common.minima, left + right - common.minima),
        };
        if whole > 0.0 { (part / whole).clamp(0.0, 1.0) } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverted_index_gives_what_comparing_each_pair_gives() {
        let vector = |seed: u64| -> Vec<WeightedFeature> {
            let weight = |feature: u64| ((feature * 7 + seed * 3) % 5) as f32;
            (0..20)
                .map(|feature| WeightedFeature { feature, weight: weight(feature) })
                .filter(|entry| entry.weight > 0.0 && !(entry.feature + seed).is_multiple_of(3))
                .collect()
        };
        let vectors: Vec<_> = (0..12).map(vector).collect();
        let all = AllPairs::new(&vectors);
        for similarity in
            [Similarity::Cosine, Similarity::ExtendedJaccard, Similarity::SquaredJaccard]
        {
            for right in 0..vectors.len() {
                for (left, common) in all.with_earlier(right).into_iter().enumerate() {
                    let plain = similarity.of(&vectors[left], &vectors[right]);
                    let fast = all.similarity(similarity, left, right, common);
                    assert!((plain - fast).abs() < 1e-12, "{similarity:?} {left} {right}");
                }
            }
        }
    }
}
