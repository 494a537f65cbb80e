//! Random hyperplanes: on which side of each a weighted vector lies, one bit a plane.
//!
//! The angle θ between two vectors is the share of planes that separate them: P(bits differ) =
//! θ/π (Charikar 2002), so cos(π · differing/m) estimates the cosine.
//!
//! No matrix is stored. The entry of a plane for a feature is +1 or -1, a pure function of (seed, bit, feature), as
//! in `simhash`: with the weights of a document, some dozens at least, the sums are as good as Gaussian.
//! Weights are rounded to 5 bits, so that all sums are of whole numbers: exact, the same on every
//! machine and in every order. The 2010 paper's own planes have [`PlaneEntries::Gaussian`] entries.

use lookalike_text::by_register_width;
use serde::{Deserialize, Serialize};

use super::gaussian;
use super::planes::Planes;
use crate::measure::squared_length;
use crate::random::mix64;
use crate::{
    BucketKey, Comparison, FeatureKind, Features, Rejection, Sign, Signature, WeightedFeature,
};

/// Bits of a rounded weight.
const LEVEL_BITS: u32 = 5;
/// The rounded weight of a document's heaviest feature.
const HEAVIEST: u32 = (1 << LEVEL_BITS) - 1;
/// Words that are added at once.
const AT_ONCE: usize = 8;

/// What the entries of a plane are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlaneEntries {
    /// +1 or -1, each as likely.
    #[default]
    Signs,
    /// Normally distributed, as in the 2010 paper: many times the cost.
    Gaussian,
}

impl PlaneEntries {
    /// Whether sums run over features in ascending order.
    pub fn needs_order(self) -> bool {
        self == Self::Gaussian
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// A family of random planes.
#[derive(Clone, Debug)]
pub struct Hyperplanes {
    /// One for each word of the signature.
    keys: Vec<u64>,
    entries: PlaneEntries,
}

impl Hyperplanes {
    /// So many bits, a multiple of 64, under a seed.
    pub fn new(n_bits: usize, seed: u64) -> Self {
        let key = |word: u64| mix64(seed ^ mix64(word));
        let keys = (0..n_bits.div_ceil(64) as u64).map(key).collect();
        Self { keys, entries: PlaneEntries::default() }
    }

    /// The same with other entries.
    #[must_use]
    pub fn with_entries(self, entries: PlaneEntries) -> Self {
        Self { entries, ..self }
    }

    /// The number of planes.
    pub fn n_bits(&self) -> usize {
        64 * self.keys.len()
    }

    /// The bits of a vector without negative weights, given in any order where entries are signs, in
    /// ascending order of features where they are Gaussian.
    ///
    /// Where both sides of a plane weigh the same, the heaviest feature decides.
    pub fn bits(&self, entries: &[WeightedFeature]) -> Vec<u64> {
        if self.entries == PlaneEntries::Gaussian {
            return gaussian::sides(entries, &self.keys);
        }
        match Rounded::new(entries) {
            Some(rounded) => all_sides(&rounded, &self.keys),
            None => vec![0; self.keys.len()],
        }
    }
}

/// A vector with rounded weights, laid out for adding.
struct Rounded {
    features: Vec<u64>,
    /// For each bit of a weight, the features whose weight has it, filled up to a multiple of
    /// [`AT_ONCE`] with the number after the last feature, which stands for a word of zeros.
    having: Vec<u32>,
    /// Where the features of each bit end.
    ends: [usize; LEVEL_BITS as usize],
    total: u64,
    heaviest: usize,
}

impl Rounded {
    /// `None` where nothing has a weight.
    fn new(entries: &[WeightedFeature]) -> Option<Self> {
        let highest = entries.iter().map(|entry| entry.weight).fold(0.0, f32::max);
        if highest <= 0.0 {
            return None;
        }
        let scale = HEAVIEST as f32 / highest;
        let mut features = vec![0; entries.len()];
        let mut levels = vec![0; entries.len()];
        let (mut n_features, mut total, mut heaviest) = (0, 0, (0, u64::MAX));
        for entry in entries {
            // Adding a half and cutting off rounds without a call into the system's library.
            let level = ((entry.weight * scale + 0.5) as u32).min(HEAVIEST);
            // Always written, counted where there is a level: a branch would be a coin toss.
            (features[n_features], levels[n_features]) = (entry.feature, level);
            if entry.weight == highest && entry.feature < heaviest.1 {
                heaviest = (n_features, entry.feature);
            }
            n_features += usize::from(level > 0);
            total += u64::from(level);
        }
        features.truncate(n_features);
        levels.truncate(n_features);
        let heaviest = heaviest.0;
        let mut having = vec![n_features as u32; (n_features + AT_ONCE) * LEVEL_BITS as usize];
        let mut ends = [0; LEVEL_BITS as usize];
        let mut end = 0;
        for (bit, last) in (0..).zip(&mut ends) {
            for (number, level) in (0..).zip(&levels) {
                having[end] = number;
                end += (level >> bit & 1) as usize;
            }
            let full = end.next_multiple_of(AT_ONCE);
            having[end..full].fill(n_features as u32);
            end = full;
            *last = end;
        }
        Some(Self { features, having, ends, total, heaviest })
    }

    /// The words of a signature, so many side by side.
    #[expect(clippy::inline_always, reason = "it is compiled for the processor of its caller")]
    #[inline(always)]
    fn sides_in_lanes<const LANES: usize>(&self, keys: &[u64]) -> Vec<u64> {
        let mut random = Vec::with_capacity(self.features.len() + 1);
        let mut sides = Vec::with_capacity(keys.len() + LANES);
        for keys in keys.chunks(LANES) {
            let mut lanes = [0; LANES];
            lanes[..keys.len()].copy_from_slice(keys);
            random.clear();
            for &feature in &self.features {
                let mut words = lanes;
                for word in &mut words {
                    *word = mix64(feature ^ *word);
                }
                random.push(words);
            }
            random.push([0; LANES]);
            sides.extend_from_slice(&self.sides(&random)[..keys.len()]);
        }
        sides
    }

    /// For each bit, whether the features whose random words have it weigh more than the others.
    #[expect(clippy::inline_always, reason = "it is compiled for the processor of its caller")]
    #[inline(always)]
    fn sides<const LANES: usize>(&self, random: &[[u64; LANES]]) -> [u64; LANES] {
        let mut planes = Planes::default();
        let mut start = 0;
        for (bit, &end) in self.ends.iter().enumerate() {
            let (chunks, _) = self.having[start..end].as_chunks::<AT_ONCE>();
            for chunk in chunks {
                let mut words = [[0; LANES]; AT_ONCE];
                for (word, number) in words.iter_mut().zip(chunk) {
                    *word = random[*number as usize];
                }
                planes.add_eight(words, bit);
            }
            start = end;
        }
        let is_even = self.total.is_multiple_of(2);
        let compared = planes.compare(self.total / 2);
        std::array::from_fn(|lane| {
            let (more, equal) = compared[lane];
            if is_even { more | equal & random[self.heaviest][lane] } else { more }
        })
    }
}

by_register_width! {
    /// The words of a signature, as many side by side as the processor has room for.
    fn all_sides(rounded: &Rounded, keys: &[u64]) -> Vec<u64> {
        512 => rounded.sides_in_lanes::<8>(keys),
        256 => rounded.sides_in_lanes::<4>(keys),
        _ => rounded.sides_in_lanes::<2>(keys),
    }
}

/// The cosine that the share of differing bits stands for, never below 0.
pub fn estimated_cosine(left: &[u64], right: &[u64]) -> f64 {
    let differing: u32 = left.iter().zip(right).map(|(l, r)| (l ^ r).count_ones()).sum();
    let n_bits = (64 * left.len()).max(1) as f64;
    (std::f64::consts::PI * f64::from(differing) / n_bits).cos().max(0.0)
}

/// Hyperplane bits as the signature; bucket keys from another signer of the same features.
#[derive(Clone, Debug)]
pub struct SignByHyperplanes<K> {
    planes: Hyperplanes,
    keys: K,
}

impl<K: Sign> SignByHyperplanes<K> {
    /// Bits from `planes`, bucket keys from `keys`.
    pub fn new(planes: Hyperplanes, keys: K) -> Self {
        Self { planes, keys }
    }
}

impl<K: Sign> Sign for SignByHyperplanes<K> {
    fn accepts(&self, kind: &FeatureKind) -> bool {
        *kind == FeatureKind::Weighted
    }

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

    fn keys_alone(&self, features: &Features, keys: &mut Vec<BucketKey>) -> Result<(), Rejection> {
        if squared_length(features.as_weighted()) <= 0.0 {
            return Err(Rejection::NothingRetained);
        }
        self.keys.keys_alone(features, keys)
    }

    fn compare(&self, left: &Signature, right: &Signature) -> Comparison {
        Comparison::resemblance(estimated_cosine(&left.0, &right.0))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::measure::Similarity;
    use crate::random::SplitMix64;

    /// The same bits from one signed sum each.
    fn plain_bits(planes: &Hyperplanes, entries: &[WeightedFeature]) -> Vec<u64> {
        let order = |l: &&WeightedFeature, r: &&WeightedFeature| {
            l.weight.total_cmp(&r.weight).then(r.feature.cmp(&l.feature))
        };
        let Some(heaviest) = entries.iter().max_by(order) else {
            return vec![0; planes.keys.len()];
        };
        let level =
            |entry: &WeightedFeature| (entry.weight * (31.0 / heaviest.weight) + 0.5) as i64;
        let side = |key: &u64, feature: u64, bit: u32| {
            if mix64(feature ^ key) >> bit & 1 == 1 { 1 } else { -1 }
        };
        let is_set = |key: &u64, bit: u32| {
            let sum: i64 = entries.iter().map(|e| level(e) * side(key, e.feature, bit)).sum();
            2 * sum + side(key, heaviest.feature, bit) > 0
        };
        let word = |key| (0..64).fold(0, |word, bit| word | u64::from(is_set(key, bit)) << bit);
        planes.keys.iter().map(word).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]
        #[test]
        fn counting_in_planes_equals_one_sum_a_bit(
            weights in proptest::collection::btree_map(any::<u64>(), 1u8..40, 0..200),
            n_bits in proptest::sample::select(vec![64, 128, 384, 448]),
        ) {
            let entry = |(&feature, &weight): (&u64, &u8)| {
                WeightedFeature { feature, weight: f32::from(weight) }
            };
            let mut entries: Vec<WeightedFeature> = weights.iter().map(entry).collect();
            let planes = Hyperplanes::new(n_bits, 7);
            let bits = planes.bits(&entries);
            prop_assert_eq!(&bits, &plain_bits(&planes, &entries));
            entries.reverse();
            prop_assert_eq!(&bits, &planes.bits(&entries));
            if let Some(rounded) = Rounded::new(&entries) {
                prop_assert_eq!(&bits, &rounded.sides_in_lanes::<1>(&planes.keys));
                prop_assert_eq!(&bits, &rounded.sides_in_lanes::<2>(&planes.keys));
            }
        }
    }

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
        let signs = [(8, 2), (5, 5), (100, 20), (200, 200), (3000, 500)];
        assert_estimates(PlaneEntries::Signs, &signs);
        assert_estimates(PlaneEntries::Gaussian, &[(1, 1), (5, 5), (30, 10)]);
    }

    #[test]
    fn gaussian_planes_take_the_weights_as_they_are() {
        // One feature outweighs 40 others by less than a rounded weight can say.
        let entry = |feature: u64| WeightedFeature {
            feature,
            weight: if feature == 1 { 100.0 } else { 1.5 },
        };
        let (whole, cut): (Vec<_>, Vec<_>) = ((1..41).map(entry).collect(), vec![entry(1)]);
        let signs = Hyperplanes::new(1024, 1);
        assert_eq!(signs.bits(&whole), signs.bits(&cut));
        let gaussian = signs.with_entries(PlaneEntries::Gaussian);
        assert_ne!(gaussian.bits(&whole), gaussian.bits(&cut));
    }

    fn assert_estimates(entries: PlaneEntries, cases: &[(usize, usize)]) {
        for &(shared, own) in cases {
            let (mut estimate, mut exact) = (0.0, 0.0);
            let trials = 40;
            for seed in 0..trials {
                let planes = Hyperplanes::new(1024, seed).with_entries(entries);
                let [left, right] = pair(shared, own, seed);
                estimate += estimated_cosine(&planes.bits(&left), &planes.bits(&right));
                exact += Similarity::Cosine.of(&left, &right);
            }
            let error = (estimate - exact) / trials as f64;
            // Four standard errors of 40 × 1024 bits at 90 degrees, and what 5-bit weights cost.
            assert!(error.abs() < 0.03, "{shared} {own}: {error}");
        }
    }

    #[test]
    fn long_vectors_have_as_many_ones_as_zeros() {
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
