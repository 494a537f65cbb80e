//! Minima of a set under many random orders, in one or few passes over the set.
//!
//! *Fast similarity sketching* (Dahlgaard, Knudsen, Thorup, 2017). In each round every element is
//! thrown into one bin, and a bin keeps the least value thrown into it; values of an earlier round
//! are less than those of a later one, so rounds are needed only until no bin is empty. What is
//! still empty after [`ROUNDS`] gets its own order of the whole set. A set much larger than the
//! number of bins costs one throw an element; a set of one element still fills every bin.
//!
//! Each bin holds a uniform sample of the set that is consistent between sets of any sizes:
//! P(bins agree) = Jaccard, without the bias or the copied bins of one-permutation hashing with
//! densification. `docs/decisions/` has the measurements.

use crate::random::mix64;
use crate::{BucketKey, Comparison, FeatureKind, Features, Rejection, Sign, Signature};

use super::Banding;

/// Rounds of throws before the bins that are left are filled one by one.
const ROUNDS: u64 = 16;

/// A bin no element was thrown into.
const EMPTY: u64 = u64::MAX;

/// A family of random orders, one a bin.
#[derive(Clone, Debug)]
pub struct MinwiseBins {
    n_bins: usize,
    seed: u64,
}

impl MinwiseBins {
    /// So many bins under a seed.
    pub fn new(n_bins: usize, seed: u64) -> Self {
        Self { n_bins, seed }
    }

    /// The bins of a set, given its elements in any order, repeated or not; they must be hashes.
    ///
    /// The bins of the empty set are all the same value, which no element gives.
    pub fn fill(&self, elements: &[u64], bins: &mut Vec<u64>) {
        if elements.is_empty() {
            bins.clear();
            return bins.resize(self.n_bins, EMPTY);
        }
        self.fill_from(bins, |key| elements.iter().map(move |element| mix64(element ^ key)));
    }

    /// The bins of a set that is not empty, given a way to hash all its elements under a key.
    pub(super) fn fill_from<I: Iterator<Item = u64>>(
        &self,
        bins: &mut Vec<u64>,
        hashes: impl Fn(u64) -> I,
    ) {
        bins.clear();
        bins.resize(self.n_bins, EMPTY);
        for round in 0..ROUNDS {
            self.throw(hashes(self.key(round)), round, bins);
            if !bins.contains(&EMPTY) {
                return;
            }
        }
        for (bin, minimum) in bins.iter_mut().enumerate().filter(|(_, value)| **value == EMPTY) {
            let least = hashes(self.key(ROUNDS + bin as u64)).map(|hash| hash as u32).min();
            *minimum = ROUNDS << 32 | u64::from(least.unwrap_or(u32::MAX));
        }
    }

    /// Throws every element once: the upper half of its hash is the bin, the lower the value.
    fn throw(&self, hashes: impl Iterator<Item = u64>, round: u64, bins: &mut [u64]) {
        let n_bins = self.n_bins as u64;
        hashes.for_each(|hash| {
            let bin = ((hash >> 32) * n_bins) >> 32;
            let value = round << 32 | hash & 0xffff_ffff;
            let minimum = &mut bins[bin as usize];
            *minimum = value.min(*minimum);
        });
    }

    fn key(&self, round: u64) -> u64 {
        mix64(self.seed ^ mix64(round))
    }
}

/// Bands of minima as bucket keys, and the last byte of each minimum as the signature.
///
/// A byte an order is enough to tell a hopeless candidate from a promising one (*b-bit minwise
/// hashing*, Li and König 2010): unlike minima agree in their last byte once in 256 times.
#[derive(Clone, Debug)]
pub struct BandedMinwise {
    bins: MinwiseBins,
    banding: Banding,
    seed: u64,
}

impl BandedMinwise {
    /// So many minima under a seed, and never fewer than the banding needs.
    pub fn new(permutations: usize, banding: Banding, seed: u64) -> Self {
        let n_bins = permutations.max(banding.permutations());
        Self { bins: MinwiseBins::new(n_bins, seed), banding, seed }
    }

    /// How many minima a signature has.
    pub fn n_bins(&self) -> usize {
        self.bins.n_bins
    }

    /// The signature of a set; its keys are appended to `keys`, `bins` is room for its minima.
    pub fn sign_set(
        &self,
        elements: &[u64],
        bins: &mut Vec<u64>,
        keys: &mut Vec<BucketKey>,
    ) -> Signature {
        self.bins.fill(elements, bins);
        self.banding.keys(self.seed, bins, keys);
        let last_bytes = |word: &[u64]| word.iter().rev().fold(0, |w, bin| w << 8 | bin & 0xff);
        Signature(bins.chunks(8).map(last_bytes).collect())
    }
}

impl Sign for BandedMinwise {
    fn accepts(&self, kind: &FeatureKind) -> bool {
        *kind == FeatureKind::Set
    }

    fn sign(&self, features: &Features) -> Result<Signature, Rejection> {
        match features.as_set() {
            [] => Err(Rejection::Empty),
            elements => Ok(self.sign_set(elements, &mut Vec::new(), &mut Vec::new())),
        }
    }

    fn bucket_keys(&self, features: &Features, _: &Signature, keys: &mut Vec<BucketKey>) {
        self.sign_set(features.as_set(), &mut Vec::new(), keys);
    }

    fn compare(&self, left: &Signature, right: &Signature) -> Comparison {
        if left.0.is_empty() || left.0.len() != right.0.len() {
            return Comparison::resemblance(0.0);
        }
        let unlike = unlike_bytes(&left.0, &right.0) as f64;
        let agreeing = 1.0 - unlike / self.n_bins() as f64;
        Comparison::resemblance(((agreeing - CHANCE) / (1.0 - CHANCE)).max(0.0))
    }
}

/// How often two unlike minima have the same last byte.
pub(crate) const CHANCE: f64 = 1.0 / 256.0;

/// How many bytes differ between two lists of words.
pub fn unlike_bytes(left: &[u64], right: &[u64]) -> u64 {
    const LOW_BITS: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    const ONES: u64 = 0x0101_0101_0101_0101;
    let mut unlike = 0;
    // Each byte of the sum counts one lane and must not overflow.
    for (left, right) in left.chunks(255).zip(right.chunks(255)) {
        let mut lanes = 0u64;
        for (l, r) in left.iter().zip(right) {
            let difference = l ^ r;
            let high_bits = ((difference & LOW_BITS) + LOW_BITS) | difference;
            lanes += (high_bits >> 7) & ONES;
        }
        unlike += lanes.to_le_bytes().iter().map(|lane| u64::from(*lane)).sum::<u64>();
    }
    unlike
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    /// Two sets that share so many elements and have so many of their own each.
    fn pair(shared: usize, own: usize, generator: &mut SplitMix64) -> (Vec<u64>, Vec<u64>) {
        let mut draw = |n: usize| (0..n).map(|_| generator.next_u64()).collect::<Vec<_>>();
        let (common, left, right) = (draw(shared), draw(own), draw(own));
        ([left, common.clone()].concat(), [common, right].concat())
    }

    fn filled(bins: &MinwiseBins, elements: &[u64]) -> Vec<u64> {
        let mut values = Vec::new();
        bins.fill(elements, &mut values);
        values
    }

    #[test]
    fn order_and_repetition_of_elements_do_not_matter() {
        let bins = MinwiseBins::new(64, 1);
        assert_eq!(filled(&bins, &[5, 6, 7]), filled(&bins, &[7, 5, 5, 6, 7]));
        assert!(!filled(&bins, &[5]).contains(&EMPTY));
    }

    #[test]
    fn agreeing_bins_estimate_jaccard_without_bias_for_sets_of_any_size() {
        let mut generator = SplitMix64::new(3);
        for (shared, own) in [(1, 1), (4, 1), (8, 2), (70, 30), (400, 50), (3000, 1000)] {
            let jaccard = shared as f64 / (shared + 2 * own) as f64;
            let trials = 400;
            let (mut sum, mut squares) = (0.0, 0.0);
            for seed in 0..trials {
                let bins = MinwiseBins::new(128, seed);
                let (left, right) = pair(shared, own, &mut generator);
                let (left, right) = (filled(&bins, &left), filled(&bins, &right));
                let agreeing = left.iter().zip(&right).filter(|(l, r)| l == r).count();
                let estimate = agreeing as f64 / 128.0;
                sum += estimate;
                squares += (estimate - jaccard).powi(2);
            }
            let (mean, variance) = (sum / trials as f64, squares / trials as f64);
            let classical = jaccard * (1.0 - jaccard) / 128.0;
            // Four standard errors of the mean; the variance must not exceed the classical one by
            // more than chance.
            let slack = 4.0 * (classical / trials as f64).sqrt();
            assert!((mean - jaccard).abs() < slack, "{shared}+{own}: mean {mean}, true {jaccard}");
            assert!(variance < 1.3 * classical, "{shared}+{own}: {variance} over {classical}");
        }
    }

    #[test]
    fn pairs_at_the_threshold_share_a_key_as_often_as_the_curve_says() {
        let mut generator = SplitMix64::new(9);
        let banding = Banding { bands: 25, rows: 5 };
        for (shared, own) in [(7, 1), (14, 3), (70, 15), (140, 30), (700, 150)] {
            let jaccard = shared as f64 / (shared + 2 * own) as f64;
            let trials = 1000;
            let found = (0..trials).filter(|&seed| {
                let signer = BandedMinwise::new(0, banding, seed);
                let (left, right) = pair(shared, own, &mut generator);
                let (mut left_keys, mut right_keys) = (Vec::new(), Vec::new());
                signer.sign_set(&left, &mut Vec::new(), &mut left_keys);
                signer.sign_set(&right, &mut Vec::new(), &mut right_keys);
                left_keys.iter().zip(&right_keys).any(|(l, r)| l == r)
            });
            let rate = found.count() as f64 / trials as f64;
            let expected = banding.detection(jaccard);
            assert!(rate > expected - 0.015, "{shared}+{own}: {rate}, expected {expected}");
        }
    }

    #[test]
    fn signatures_estimate_the_resemblance_and_equal_ones_have_exactly_one() {
        let signer = BandedMinwise::new(500, Banding { bands: 5, rows: 5 }, 4);
        let (left, right) = pair(700, 150, &mut SplitMix64::new(5));
        let sign = |elements| signer.sign(&Features::set(elements)).unwrap();
        let (left, right) = (sign(left), sign(right));
        assert_eq!(left.0.len(), 63);
        assert_eq!(signer.compare(&left, &left).resemblance, 1.0);
        let estimate = signer.compare(&left, &right).resemblance;
        assert!((estimate - 0.7).abs() < 0.08, "{estimate}");
    }

    #[test]
    fn every_byte_that_differs_is_counted_once() {
        assert_eq!(unlike_bytes(&[0], &[0x8000_0001_00ff_0080]), 4);
        assert_eq!(unlike_bytes(&[u64::MAX; 300], &[0; 300]), 2400);
        assert_eq!(unlike_bytes(&[5, 6], &[5, 6]), 0);
    }
}
