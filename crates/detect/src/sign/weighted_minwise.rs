//! Minima of weighted sets: P(agree) = Σ min(v, w) / Σ max(v, w), the weighted Jaccard.
//!
//! Two schemes. *Unary* (Gionis, Indyk, Motwani 1999; the 2010 paper): a weight of n levels
//! becomes n elements of a plain set, whose minima are taken. *Consistent* weighted sampling (Ioffe
//! 2010) needs no levels and no scale, at many times the cost.
//!
//! Both estimate the *weighted* Jaccard, not the extended one that weights are learned for. But the
//! extended Jaccard is the weighted one of the squares wherever a feature weighs the same in both
//! documents: so signatures, which must say how alike documents are, are minima of [`squared`]
//! weights. Keys, which must only find them, are minima of the weights.

use serde::{Deserialize, Serialize};

use super::{Banding, MinwiseBins};
use crate::random::{mix64, unit_interval};
use crate::{
    BucketKey, Comparison, FeatureKind, Features, Rejection, Sign, Signature, WeightedFeature,
};

/// How a weighted set is sampled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WeightedScheme {
    /// Weights as levels, plain minima.
    #[default]
    Unary,
    /// Consistent weighted sampling.
    Consistent,
}

/// So many samples of a weighted set.
#[derive(Clone, Debug)]
pub struct WeightedMinwise {
    scheme: WeightedScheme,
    bins: MinwiseBins,
    n_samples: usize,
    levels_per_weight: f32,
    seed: u64,
}

/// A weight has at most so many levels: beyond, one feature would outweigh a document.
const MOST_LEVELS: u64 = 256;

/// From the start of one level's hash to the next: that of `SplitMix64`.
const LEVEL_STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl WeightedMinwise {
    /// A family of samples; a weight of 1 has `levels_per_weight` levels.
    pub fn new(
        scheme: WeightedScheme,
        n_samples: usize,
        levels_per_weight: f32,
        seed: u64,
    ) -> Self {
        let bins = MinwiseBins::new(n_samples, seed);
        Self { scheme, bins, n_samples, levels_per_weight, seed }
    }

    /// The samples of a vector without negative weights.
    pub fn samples(&self, entries: &[WeightedFeature]) -> Vec<u64> {
        match self.scheme {
            WeightedScheme::Unary => self.unary(entries),
            WeightedScheme::Consistent => {
                (0..self.n_samples as u64).map(|i| self.consistent(i, entries)).collect()
            }
        }
    }

    /// Minima over the levels of all features.
    fn unary(&self, entries: &[WeightedFeature]) -> Vec<u64> {
        let mut samples = Vec::new();
        if entries.is_empty() {
            self.bins.fill(&[], &mut samples);
            return samples;
        }
        let levels = |entry: &WeightedFeature| {
            // Adding a half and cutting off rounds without a call into the system's library. A
            // feature that is there has a level, so that no document is empty.
            ((entry.weight * self.levels_per_weight + 0.5) as u64).clamp(1, MOST_LEVELS)
        };
        self.bins.fill_from(&mut samples, |key| {
            entries.iter().flat_map(move |entry| {
                let start = entry.feature ^ key;
                (0..levels(entry))
                    .map(move |level| mix64(start.wrapping_add(level.wrapping_mul(LEVEL_STEP))))
            })
        });
        samples
    }

    /// One consistent sample: the feature and level of the least value (Ioffe, algorithm 1).
    fn consistent(&self, sample: u64, entries: &[WeightedFeature]) -> u64 {
        let mut least = (f64::INFINITY, 0);
        for entry in entries.iter().filter(|entry| entry.weight > 0.0) {
            let state = mix64(entry.feature ^ mix64(self.seed ^ mix64(sample + 1)));
            let uniform = |n: u64| 1.0 - unit_interval(mix64(state ^ n.rotate_right(8)));
            let rate = -(uniform(1) * uniform(2)).ln();
            let offset = uniform(3);
            let level = (f64::from(entry.weight).ln() / rate + offset).floor();
            let numerator = -(uniform(4) * uniform(5)).ln();
            let value = numerator.ln() - rate * (level - offset) - rate;
            if value < least.0 {
                least = (value, mix64(entry.feature ^ (level as i64 as u64).rotate_right(16)));
            }
        }
        least.1
    }
}

/// The same features, each with the square of its weight.
pub fn squared(entries: &[WeightedFeature]) -> Vec<WeightedFeature> {
    let square =
        |entry: &WeightedFeature| WeightedFeature { weight: entry.weight * entry.weight, ..*entry };
    entries.iter().map(square).collect()
}

/// What the minima of a signature are taken of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MinimaOf {
    /// The squares of the weights: near the extended Jaccard.
    #[default]
    Squares,
    /// The weights themselves, as in the 2010 paper: the weighted Jaccard.
    Weights,
}

impl MinimaOf {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// The minima that are kept as a signature.
#[derive(Clone, Debug)]
pub struct StoredMinima {
    /// The family.
    pub minima: WeightedMinwise,
    /// What they are taken of.
    pub of: MinimaOf,
    /// Bits kept of each, 1 to 64.
    pub bits: u32,
}

impl StoredMinima {
    /// The minima of a vector, cut to their bits, one after the other in words.
    pub fn pack(&self, entries: &[WeightedFeature]) -> Vec<u64> {
        let samples = match self.of {
            MinimaOf::Squares => self.minima.samples(&squared(entries)),
            MinimaOf::Weights => self.minima.samples(entries),
        };
        let mut words = vec![0; (samples.len() * self.bits as usize).div_ceil(64)];
        for (place, sample) in samples.iter().enumerate() {
            let value = mix64(*sample) & self.mask();
            let (word, shift) = self.place(place);
            words[word] |= value << shift;
            if shift + self.bits > 64 {
                words[word + 1] |= value >> (64 - shift);
            }
        }
        words
    }

    /// How many minima of two signatures agree.
    pub fn agreeing(&self, left: &[u64], right: &[u64]) -> usize {
        let value = |words: &[u64], place: usize| {
            let (word, shift) = self.place(place);
            let mut value = words.get(word)? >> shift;
            if shift + self.bits > 64 {
                value |= words.get(word + 1)? << (64 - shift);
            }
            Some(value & self.mask())
        };
        let agrees = |place: &usize| {
            value(left, *place).is_some_and(|left| Some(left) == value(right, *place))
        };
        (0..self.minima.n_samples).filter(agrees).count()
    }

    fn mask(&self) -> u64 {
        u64::MAX >> (64 - self.bits.clamp(1, 64))
    }

    /// The word and the bit in it at which a value starts.
    fn place(&self, place: usize) -> (usize, u32) {
        let bit = place * self.bits as usize;
        (bit / 64, (bit % 64) as u32)
    }
}

/// Minima as the signature, and bands of further ones as bucket keys.
#[derive(Clone, Debug)]
pub struct SignByWeightedMinwise {
    samples: Option<StoredMinima>,
    keys: WeightedMinwise,
    banding: Banding,
    seed: u64,
}

impl SignByWeightedMinwise {
    /// `samples` makes the signature (none: keys only); keys are unary samples in bands.
    pub fn new(
        samples: Option<StoredMinima>,
        banding: Banding,
        levels_per_weight: f32,
        seed: u64,
    ) -> Self {
        let n_samples = banding.permutations();
        let key_seed = mix64(seed ^ 0x6b65_7973);
        let unary = WeightedScheme::Unary;
        let keys = WeightedMinwise::new(unary, n_samples, levels_per_weight, key_seed);
        Self { samples, keys, banding, seed }
    }
}

impl Sign for SignByWeightedMinwise {
    fn accepts(&self, kind: &FeatureKind) -> bool {
        *kind == FeatureKind::Weighted
    }

    fn sign(&self, features: &Features) -> Result<Signature, Rejection> {
        let entries = features.as_weighted();
        if entries.is_empty() {
            return Err(Rejection::NothingRetained);
        }
        let words = self.samples.as_ref().map(|samples| samples.pack(entries));
        Ok(Signature(words.unwrap_or_default()))
    }

    fn bucket_keys(&self, features: &Features, _: &Signature, keys: &mut Vec<BucketKey>) {
        self.banding.keys(self.seed, &self.keys.samples(features.as_weighted()), keys);
    }

    fn keys_alone(&self, features: &Features, keys: &mut Vec<BucketKey>) -> Result<(), Rejection> {
        if features.as_weighted().is_empty() {
            return Err(Rejection::NothingRetained);
        }
        self.bucket_keys(features, &Signature::default(), keys);
        Ok(())
    }

    fn compare(&self, left: &Signature, right: &Signature) -> Comparison {
        let Some(samples) = &self.samples else { return Comparison::resemblance(0.0) };
        let agreeing = samples.agreeing(&left.0, &right.0);
        Comparison::resemblance(agreeing as f64 / samples.minima.n_samples.max(1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Similarity;
    use crate::random::SplitMix64;

    fn pair(seed: u64) -> [Vec<WeightedFeature>; 2] {
        let mut generator = SplitMix64::new(seed);
        let mut left = Vec::new();
        let mut right = Vec::new();
        for _ in 0..60 {
            let feature = generator.next_u64();
            for side in [&mut left, &mut right] {
                let weight = (1 + generator.next_below(8)) as f32;
                if generator.next_below(4) > 0 {
                    side.push(WeightedFeature { feature, weight });
                }
            }
        }
        [left, right].map(|mut side| {
            side.sort_by_key(|entry| entry.feature);
            side
        })
    }

    #[test]
    fn both_schemes_estimate_the_jaccard_of_what_they_sample() {
        for scheme in [WeightedScheme::Unary, WeightedScheme::Consistent] {
            let (mut estimate, mut exact) = (0.0, 0.0);
            let trials = 60;
            for seed in 0..trials {
                let minwise = WeightedMinwise::new(scheme, 128, 1.0, seed);
                let [left, right] = pair(seed);
                let (l, r) = (minwise.samples(&squared(&left)), minwise.samples(&squared(&right)));
                estimate += l.iter().zip(&r).filter(|(l, r)| l == r).count() as f64 / 128.0;
                exact += Similarity::SquaredJaccard.of(&left, &right);
            }
            let error = (estimate - exact) / trials as f64;
            assert!(error.abs() < 0.02, "{scheme:?}: {error}");
        }
    }

    #[test]
    fn a_signature_is_like_itself_and_half_a_word_a_sample() {
        let minima = WeightedMinwise::new(WeightedScheme::Unary, 81, 2.0, 5);
        let samples = StoredMinima { minima, of: MinimaOf::Squares, bits: 32 };
        let sign = SignByWeightedMinwise::new(Some(samples), Banding { bands: 4, rows: 2 }, 2.0, 5);
        let [left, right] = pair(1).map(Features::Weighted);
        let signature = sign.sign(&left).unwrap();
        assert_eq!(signature.0.len(), 41);
        assert_eq!(sign.compare(&signature, &signature).resemblance, 1.0);
        assert!(sign.compare(&signature, &sign.sign(&right).unwrap()).resemblance < 0.9);
        assert_eq!(sign.sign(&Features::Weighted(Vec::new())), Err(Rejection::NothingRetained));
    }

    /// The paper's: minima of the weights estimate the weighted Jaccard, which is the Jaccard of the
    /// squares of their roots, and 80 of 20 bits are 200 bytes.
    #[test]
    fn minima_of_weights_estimate_the_weighted_jaccard_in_two_hundred_bytes() {
        let root = |entries: &[WeightedFeature]| -> Vec<WeightedFeature> {
            let root = |e: &WeightedFeature| WeightedFeature { weight: e.weight.sqrt(), ..*e };
            entries.iter().map(root).collect()
        };
        let (mut estimate, mut exact, mut squares) = (0.0, 0.0, 0.0);
        let trials = 100;
        for seed in 0..trials {
            let minima = WeightedMinwise::new(WeightedScheme::Unary, 80, 1.0, seed);
            let samples = StoredMinima { minima, of: MinimaOf::Weights, bits: 20 };
            let banding = Banding { bands: 4, rows: 2 };
            let sign = SignByWeightedMinwise::new(Some(samples), banding, 2.0, seed);
            let [left, right] = pair(seed);
            exact += Similarity::SquaredJaccard.of(&root(&left), &root(&right));
            squares += Similarity::SquaredJaccard.of(&left, &right);
            let [left, right] = [left, right].map(|v| sign.sign(&Features::Weighted(v)).unwrap());
            assert_eq!(left.0.len() * 8, 200);
            estimate += sign.compare(&left, &right).resemblance;
        }
        let error = (estimate - exact) / trials as f64;
        assert!(error.abs() < 0.02, "{error}");
        assert!(exact - squares > 0.05 * trials as f64, "the two are told apart");
    }
}
