//! Random hyperplanes: on which side of each a weighted vector lies, one bit a plane.
//!
//! The angle θ between two vectors is the share of planes that separate them: P(bits differ) =
//! θ/π (Charikar 2002), so cos(π · differing/m) estimates the cosine.
//!
//! No matrix is stored. The entry of a plane for a feature is a pure function of (seed, bit,
//! feature): the sum of four random digits 0..=3, a good enough bell (its fourth moment is 2.66 of
//! a Gaussian's 3), and eight of them come out of one 64-bit product. Weights are rounded to 7
//! bits, so that all sums are of whole numbers: exact, and the same on every machine.

use crate::measure::squared_length;
use crate::random::SplitMix64;
use crate::{BucketKey, Comparison, Features, Rejection, Sign, Signature, WeightedFeature};

/// Entries computed from one random word.
const LANES: usize = 8;
/// The most an entry can be, and twice its mean.
const HIGHEST: u32 = 12;
/// The rounded weight of a document's heaviest feature.
const HEAVIEST: f32 = 127.0;

/// A family of random planes.
#[derive(Clone, Debug)]
pub struct Hyperplanes {
    keys: Vec<(u64, u64)>,
    seed: u64,
}

impl Hyperplanes {
    /// So many bits, a multiple of 64, under a seed.
    pub fn new(n_bits: usize, seed: u64) -> Self {
        let mut generator = SplitMix64::new(seed);
        let mut key = || (generator.next_u64(), generator.next_u64() | 1);
        Self { keys: (0..n_bits.div_ceil(64) * 64 / LANES).map(|_| key()).collect(), seed }
    }

    /// The number of planes.
    pub fn n_bits(&self) -> usize {
        self.keys.len() * LANES
    }

    /// The bits of a vector without negative weights.
    pub fn bits(&self, entries: &[WeightedFeature]) -> Vec<u64> {
        let heaviest = entries.iter().map(|entry| entry.weight).fold(0.0, f32::max);
        let mut sums = Sums::new(self.n_bits());
        for entry in entries {
            let weight = (HEAVIEST * entry.weight / heaviest).round() as u16;
            if weight > 0 {
                sums.add(entry.feature ^ self.seed, &self.keys, weight);
            }
        }
        sums.signs()
    }
}

/// Running sums of one document: 16 bits wide as long as that is enough.
struct Sums {
    narrow: Vec<[u16; LANES]>,
    wide: Vec<[u32; LANES]>,
    weight: u32,
    total: u32,
}

impl Sums {
    fn new(n_bits: usize) -> Self {
        let n_words = n_bits / LANES;
        let (narrow, wide) = (vec![[0; LANES]; n_words], vec![[0; LANES]; n_words]);
        Self { narrow, wide, weight: 0, total: 0 }
    }

    fn add(&mut self, feature: u64, keys: &[(u64, u64)], weight: u16) {
        if (self.weight + u32::from(weight)) * HIGHEST > u32::from(u16::MAX) {
            self.widen();
        }
        self.weight += u32::from(weight);
        for (sums, &(key, factor)) in self.narrow.iter_mut().zip(keys) {
            let entries = bell(feature ^ key, factor).to_le_bytes();
            for (sum, entry) in sums.iter_mut().zip(entries) {
                *sum = sum.wrapping_add(weight.wrapping_mul(u16::from(entry)));
            }
        }
    }

    fn widen(&mut self) {
        for (narrow, wide) in self.narrow.iter_mut().zip(&mut self.wide) {
            for (n, w) in narrow.iter_mut().zip(wide) {
                *w += u32::from(std::mem::take(n));
            }
        }
        self.total += std::mem::take(&mut self.weight);
    }

    /// A bit is set where the sum lies above its mean.
    fn signs(mut self) -> Vec<u64> {
        self.widen();
        let mean = self.total * (HIGHEST / 2);
        let sign = |words: &[[u32; LANES]]| {
            let sums = words.iter().flatten().enumerate();
            sums.fold(0, |bits, (i, &sum)| bits | u64::from(sum > mean) << i)
        };
        self.wide.chunks(64 / LANES).map(sign).collect()
    }
}

/// Eight bytes, each the sum of four random digits 0..=3.
#[inline]
fn bell(value: u64, factor: u64) -> u64 {
    let product = u128::from(value.wrapping_mul(0x9e37_79b9_7f4a_7c15)) * u128::from(factor);
    let random = (product >> 64) as u64 ^ product as u64;
    let pairs = (random & 0x3333_3333_3333_3333) + ((random >> 2) & 0x3333_3333_3333_3333);
    (pairs & 0x0f0f_0f0f_0f0f_0f0f) + ((pairs >> 4) & 0x0f0f_0f0f_0f0f_0f0f)
}

/// The cosine that the share of differing bits stands for, never below 0.
pub fn estimated_cosine(left: &[u64], right: &[u64]) -> f64 {
    let differing: u32 = left.iter().zip(right).map(|(l, r)| (l ^ r).count_ones()).sum();
    let n_bits = (64 * left.len()).max(1) as f64;
    (std::f64::consts::PI * f64::from(differing) / n_bits).cos().max(0.0)
}

/// Hyperplane bits as the signature; bucket keys from another signer of the same features.
pub struct SignByHyperplanes {
    planes: Hyperplanes,
    keys: Box<dyn Sign>,
}

impl SignByHyperplanes {
    /// Bits from `planes`, bucket keys from `keys`.
    pub fn new(planes: Hyperplanes, keys: Box<dyn Sign>) -> Self {
        Self { planes, keys }
    }
}

impl Sign for SignByHyperplanes {
    fn sign(&self, features: &Features) -> Result<Signature, Rejection> {
        let entries = features.as_weighted();
        if squared_length(entries) <= 0.0 {
            return Err(Rejection::NothingRetained);
        }
        Ok(Signature(self.planes.bits(entries)))
    }

    fn bucket_keys(&self, features: &Features, signature: &Signature, keys: &mut Vec<BucketKey>) {
        self.keys.bucket_keys(features, signature, keys);
    }

    fn compare(&self, left: &Signature, right: &Signature) -> Comparison {
        Comparison::resemblance(estimated_cosine(&left.0, &right.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Similarity;

    /// Two vectors that share so many features, with random weights.
    fn pair(shared: usize, own: usize, seed: u64) -> [Vec<WeightedFeature>; 2] {
        let mut generator = SplitMix64::new(seed);
        let common: Vec<(u64, f32)> = (0..shared)
            .map(|_| (generator.next_u64(), generator.next_f64() as f32 + 0.1))
            .collect();
        [0, 1].map(|_| {
            let mut entries: Vec<(u64, f32)> = common.clone();
            entries.extend(
                (0..own).map(|_| (generator.next_u64(), generator.next_f64() as f32 + 0.1)),
            );
            entries.sort_by_key(|entry| entry.0);
            let entry = |(feature, weight)| WeightedFeature { feature, weight };
            entries.into_iter().map(entry).collect()
        })
    }

    #[test]
    fn bits_estimate_the_cosine_without_bias() {
        for (shared, own) in [(8, 2), (5, 5), (100, 20), (200, 200), (3000, 500)] {
            let (mut estimate, mut exact) = (0.0, 0.0);
            let trials = 40;
            for seed in 0..trials {
                let planes = Hyperplanes::new(1024, seed);
                let [left, right] = pair(shared, own, seed);
                estimate += estimated_cosine(&planes.bits(&left), &planes.bits(&right));
                exact += Similarity::Cosine.of(&left, &right);
            }
            let error = (estimate - exact) / trials as f64;
            // Four standard errors of 40 × 1024 bits at 90 degrees, and what 7-bit weights cost.
            assert!(error.abs() < 0.03, "{shared} {own}: {error}");
        }
    }

    #[test]
    fn long_vectors_do_not_overflow_the_narrow_sums() {
        let [left, _] = pair(20_000, 0, 3);
        let bits = Hyperplanes::new(384, 1).bits(&left);
        let ones: u32 = bits.iter().map(|word| word.count_ones()).sum();
        assert_eq!(bits.len(), 6);
        assert!((130..254).contains(&ones), "{ones}");
    }

    #[test]
    fn bits_do_not_depend_on_the_scale_of_the_weights() {
        let [left, _] = pair(50, 10, 4);
        let scaled: Vec<WeightedFeature> = left
            .iter()
            .map(|entry| WeightedFeature { weight: entry.weight * 4.0, ..*entry })
            .collect();
        let planes = Hyperplanes::new(384, 1);
        assert_eq!(planes.bits(&left), planes.bits(&scaled));
    }
}
