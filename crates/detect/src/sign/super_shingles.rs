//! Shingles of shingles: keys that decide by themselves.

use crate::random::mix64;
use crate::represent::shingle_hash;
use crate::{
    BucketKey, ComparedSet, Comparison, FeatureKind, Features, FewestShared, Rejection, Sign,
    Signature,
};

use super::hamming::choices;
use super::{Banding, MinwiseBins};

/// The share of values that two signatures have in the same place.
fn agreeing(left: &Signature, right: &Signature) -> Comparison {
    if left.0.is_empty() || left.0.len() != right.0.len() {
        return Comparison::resemblance(0.0);
    }
    let agreeing = left.0.iter().zip(&right.0).filter(|(l, r)| l == r).count();
    Comparison::resemblance(agreeing as f64 / left.0.len() as f64)
}

/// So many elements of a sorted set at a time as one super shingle; a shared one is a match.
#[derive(Clone, Copy, Debug)]
pub struct Runs {
    /// Elements in a run.
    pub length: usize,
    /// Whether a run begins at every element, or where the one before it ended.
    pub overlapping: bool,
}

impl Sign for Runs {
    fn accepts(&self, kind: &FeatureKind) -> bool {
        *kind == FeatureKind::Set
    }

    fn sign(&self, features: &Features) -> Result<Signature, Rejection> {
        let (set, length) = (features.as_set(), self.length.max(1));
        if set.len() < length {
            return Err(Rejection::TooShort);
        }
        let step = if self.overlapping { 1 } else { length };
        let runs = set.windows(length).step_by(step);
        let mut signature: Vec<u64> = runs.map(|run| shingle_hash(run.iter().copied())).collect();
        signature.sort_unstable();
        Ok(Signature(signature))
    }

    fn bucket_keys(&self, _: &Features, signature: &Signature, keys: &mut Vec<BucketKey>) {
        keys.extend(signature.0.iter().copied().map(BucketKey));
    }

    fn compare(&self, left: &Signature, right: &Signature) -> Comparison {
        let shares = left.0.iter().any(|run| right.0.binary_search(run).is_ok());
        Comparison::resemblance(f64::from(u8::from(shares)))
    }
}

/// Minima in groups, each a super shingle; so many of them must agree in their places.
#[derive(Clone, Debug)]
pub struct Groups {
    bins: MinwiseBins,
    banding: Banding,
    seed: u64,
    required: Vec<Vec<usize>>,
}

impl Groups {
    /// Groups of rows, of which `required` must agree.
    pub fn new(banding: Banding, required: usize, seed: u64) -> Self {
        let required = choices(banding.bands, required.clamp(1, banding.bands.max(1)));
        Self { bins: MinwiseBins::new(banding.permutations(), seed), banding, seed, required }
    }

    /// The super shingles of a set, given its elements in any order; `bins` is room for its minima.
    pub fn groups(&self, elements: &[u64], bins: &mut Vec<u64>) -> Signature {
        let mut keys = Vec::new();
        self.bins.fill(elements, bins);
        self.banding.keys(self.seed, bins, &mut keys);
        Signature(keys.into_iter().map(|key| key.0).collect())
    }

    /// Appends one key for each choice of as many super shingles as must agree.
    pub fn group_keys(&self, groups: &[u64], keys: &mut Vec<BucketKey>) {
        for choice in &self.required {
            let chosen = choice.iter().filter_map(|group| groups.get(*group).copied());
            keys.push(BucketKey(shingle_hash(chosen)));
        }
    }
}

impl Sign for Groups {
    fn accepts(&self, kind: &FeatureKind) -> bool {
        *kind == FeatureKind::Set
    }

    fn sign(&self, features: &Features) -> Result<Signature, Rejection> {
        match features.as_set() {
            [] => Err(Rejection::Empty),
            elements => Ok(self.groups(elements, &mut Vec::new())),
        }
    }

    fn bucket_keys(&self, _: &Features, signature: &Signature, keys: &mut Vec<BucketKey>) {
        self.group_keys(&signature.0, keys);
    }

    fn compare(&self, left: &Signature, right: &Signature) -> Comparison {
        agreeing(left, right)
    }
}

/// All minima as the signature, eight bytes each; bands of them find the candidates.
#[derive(Clone, Debug)]
pub struct Minima {
    bins: MinwiseBins,
    banding: Banding,
    seed: u64,
}

impl Minima {
    /// So many minima, and the banding that finds those that agree often enough.
    pub fn new(n_minima: usize, banding: Banding, seed: u64) -> Self {
        let n_bins = n_minima.max(banding.permutations());
        Self { bins: MinwiseBins::new(n_bins, seed), banding, seed }
    }

    /// Replaces `minima` by those of a set, given its elements in any order.
    pub fn minima(&self, elements: &[u64], minima: &mut Vec<u64>) {
        self.bins.fill(elements, minima);
    }

    /// Appends the keys of minima.
    pub fn minima_keys(&self, minima: &[u64], keys: &mut Vec<BucketKey>) {
        self.banding.keys(self.seed, minima, keys);
    }
}

impl Sign for Minima {
    fn accepts(&self, kind: &FeatureKind) -> bool {
        *kind == FeatureKind::Set
    }

    fn sign(&self, features: &Features) -> Result<Signature, Rejection> {
        if features.is_empty() {
            return Err(Rejection::Empty);
        }
        let mut bins = Vec::new();
        self.minima(features.as_set(), &mut bins);
        Ok(Signature(bins))
    }

    fn bucket_keys(&self, _: &Features, signature: &Signature, keys: &mut Vec<BucketKey>) {
        self.minima_keys(&signature.0, keys);
    }

    fn compared_set(
        &self,
        signature: &Signature,
        floor: f64,
        values: &mut Vec<u64>,
    ) -> Option<ComparedSet> {
        // A minimum counts in its own place only.
        values.extend((1..).zip(&signature.0).map(|(at, minimum)| mix64(minimum ^ mix64(at))));
        // A little less than needed, so that rounding loses no pair.
        let needed = (floor * signature.0.len() as f64 - 1e-6).ceil() as usize;
        let fewest = FewestShared { with_any: needed, with_larger: needed };
        (needed > 0).then_some(ComparedSet { fewest, values_each: 1, aligned: true })
    }

    fn compare(&self, left: &Signature, right: &Signature) -> Comparison {
        agreeing(left, right)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::mix64;

    fn set(values: std::ops::Range<u64>) -> Features {
        Features::set(values.map(mix64).collect())
    }

    fn share_a_key(part: &dyn Sign, left: &Features, right: &Features) -> bool {
        let keys = |features: &Features| {
            let mut keys = Vec::new();
            part.bucket_keys(features, &part.sign(features).unwrap(), &mut keys);
            keys
        };
        let (left, right) = (keys(left), keys(right));
        left.iter().any(|key| right.contains(key))
    }

    #[test]
    fn sets_smaller_than_a_run_are_too_short() {
        let part = Runs { length: 4, overlapping: false };
        assert_eq!(part.sign(&set(0..3)), Err(Rejection::TooShort));
        assert_eq!(part.sign(&set(0..4)).unwrap().0.len(), 1);
        assert_eq!(part.sign(&set(0..10)).unwrap().0.len(), 2, "4 and 4, and 2 left over");
        let part = Runs { overlapping: true, ..part };
        assert_eq!(part.sign(&set(0..10)).unwrap().0.len(), 7);
    }

    #[test]
    fn one_shared_run_is_a_shared_key() {
        let part = Runs { length: 2, overlapping: true };
        assert!(share_a_key(&part, &set(0..50), &set(1..51)));
        assert!(!share_a_key(&part, &set(0..50), &set(50..100)));
        let (left, right) = (part.sign(&set(0..50)).unwrap(), part.sign(&set(1..51)).unwrap());
        assert_eq!(part.compare(&left, &right).resemblance, 1.0);
    }

    #[test]
    fn asking_for_two_groups_is_stricter_than_for_one() {
        let banding = Banding { bands: 6, rows: 4 };
        let count = |required| {
            let found = (0..400).filter(|seed| {
                let part = Groups::new(banding, required, *seed);
                share_a_key(&part, &set(0..90), &set(10..100))
            });
            found.count()
        };
        // Jaccard 0.8: a group agrees with probability 0.41, one of six with 0.96, two with 0.78.
        let (one, two) = (count(1), count(2));
        assert!((375..=395).contains(&one), "{one}");
        assert!((290..=335).contains(&two), "{two}");
    }

    #[test]
    fn minima_estimate_the_resemblance() {
        let part = Minima::new(840, Banding { bands: 6, rows: 4 }, 1);
        let (left, right) = (part.sign(&set(0..900)).unwrap(), part.sign(&set(100..1000)).unwrap());
        let estimate = part.compare(&left, &right).resemblance;
        assert!((estimate - 0.8).abs() < 0.05, "{estimate}");
        assert_eq!(part.compare(&left, &left).resemblance, 1.0);
    }
}
