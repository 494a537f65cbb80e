//! I-Match signatures: one digest for the lexicon and one for each of its randomized copies.

use lookalike_text::term_hash;

use crate::random::mix64;
use crate::represent::needed_terms;
use crate::sign::bags::{BAGS_A_WORD, Bags};
use crate::sign::term_digest::{DigestRule, TermDigest, sha1_of_terms, sum_of_terms, summand};
use crate::{BucketKey, Comparison, FeatureKind, Features, Rejection, Sign, Signature};

/// Below which sizes a document has no signature, or a signature no coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignatureLimits {
    /// The fewest distinct terms of a document.
    pub min_distinct: usize,
    /// The fewest retained terms |S| of a document.
    pub min_terms: usize,
    /// The fewest of them that a bag must keep to have a coordinate.
    pub bag_min_terms: usize,
    /// The smallest share of retained terms |S|/|U|.
    pub min_share: f64,
}

impl SignatureLimits {
    /// Why a document with so many terms, distinct and retained, has no signature.
    pub fn check(&self, n_distinct: usize, n_retained: usize) -> Result<(), Rejection> {
        if n_distinct == 0 {
            Err(Rejection::Empty)
        } else if n_distinct < self.min_distinct {
            Err(Rejection::TooShort)
        } else if n_retained == 0 {
            Err(Rejection::NothingRetained)
        } else if n_retained < self.min_terms {
            Err(Rejection::FewRetained)
        } else if n_retained < needed_terms(self.min_share, n_distinct) {
            Err(Rejection::SmallShareRetained)
        } else {
            Ok(())
        }
    }
}

/// Signs retained terms with K+1 digests, the coordinates; two words each.
///
/// Coordinate i of one document is only ever compared with coordinate i of another. A bag that
/// keeps fewer than `bag_min_terms` of a document's terms has no digest: two zero words, which agree
/// with nothing.
#[derive(Clone, Debug)]
pub struct Coordinates {
    /// What coordinate 0 is; the bags' are sums always.
    pub digest: DigestRule,
    /// The randomized lexicons.
    pub bags: Bags,
    /// What is too little to sign.
    pub limits: SignatureLimits,
}

impl Coordinates {
    /// The signature whose coordinate 0 is `first` and whose other coordinates are the bags'.
    ///
    /// One pass over the retained terms serves all bags.
    pub(crate) fn with_bags(
        &self,
        first: TermDigest,
        terms: impl Iterator<Item = u64>,
    ) -> Signature {
        let mut words = Vec::with_capacity(2 * (1 + self.bags.len()));
        words.extend(first);
        if self.bags.is_empty() {
            return Signature(words);
        }
        let mut sums = vec![BagSums::default(); self.bags.word_seeds().len()];
        for term in terms {
            let value = summand(term);
            for (sums, &word_seed) in sums.iter_mut().zip(self.bags.word_seeds()) {
                sums.add(value, self.bags.lanes(word_seed, term));
            }
        }
        for bag in 0..self.bags.len() {
            let (sums, lane) = (&sums[bag / BAGS_A_WORD], bag % BAGS_A_WORD);
            let is_enough = sums.n_terms[lane] as usize >= self.limits.bag_min_terms.max(1);
            words.extend(if is_enough { [sums.low[lane], sums.high[lane]] } else { [0, 0] });
        }
        Signature(words)
    }

    /// The bucket of each coordinate there is.
    pub(crate) fn keys(signature: &Signature, keys: &mut Vec<BucketKey>) {
        let coordinates = signature.0.as_chunks::<2>().0;
        for (number, coordinate) in (0u64..).zip(coordinates) {
            if *coordinate != [0, 0] {
                keys.push(BucketKey(mix64(coordinate[0] ^ mix64(number))));
            }
        }
    }
}

/// Running sums of the four bags of a word, side by side so that they are added together.
#[derive(Clone, Copy, Debug, Default)]
struct BagSums {
    low: [u64; BAGS_A_WORD],
    high: [u64; BAGS_A_WORD],
    n_terms: [u64; BAGS_A_WORD],
}

impl BagSums {
    #[inline]
    fn add(&mut self, value: TermDigest, lanes: [u64; BAGS_A_WORD]) {
        for (lane, kept) in lanes.into_iter().enumerate() {
            self.low[lane] = self.low[lane].wrapping_add(value[0] & kept);
            self.high[lane] = self.high[lane].wrapping_add(value[1] & kept);
            self.n_terms[lane] += kept & 1;
        }
    }
}

impl Sign for Coordinates {
    fn accepts(&self, kind: &FeatureKind) -> bool {
        *kind == FeatureKind::Terms
    }

    fn sign(&self, features: &Features) -> Result<Signature, Rejection> {
        let Features::Terms(retained) = features else { return Err(Rejection::Empty) };
        self.limits.check(retained.n_distinct, retained.terms.len())?;
        let hashes = || retained.terms.iter().map(|term| term_hash(term));
        let mut words = Vec::new();
        words.extend(match self.digest {
            DigestRule::Sha1 => sha1_of_terms(retained.terms.iter().map(String::as_str)),
            DigestRule::Sum => sum_of_terms(hashes()),
        });
        for bag in 0..self.bags.len() {
            let kept: Vec<u64> = hashes().filter(|&term| self.bags.keeps(bag, term)).collect();
            let is_enough = kept.len() >= self.limits.bag_min_terms.max(1);
            words.extend(if is_enough { sum_of_terms(kept.into_iter()) } else { [0, 0] });
        }
        Ok(Signature(words))
    }

    fn bucket_keys(&self, _: &Features, signature: &Signature, keys: &mut Vec<BucketKey>) {
        Self::keys(signature, keys);
    }

    /// Resemblance is the share of coordinates that agree; `measures[0]` is their number.
    fn compare(&self, left: &Signature, right: &Signature) -> Comparison {
        let coordinates = |signature: &'_ Signature| signature.0.as_chunks::<2>().0.to_vec();
        let (left, right) = (coordinates(left), coordinates(right));
        let present = |all: &[TermDigest]| all.iter().filter(|one| **one != [0, 0]).count();
        let agree = |(l, r): &(&TermDigest, &TermDigest)| l == r && **l != [0, 0];
        let n_agreeing = left.iter().zip(&right).filter(agree).count() as f64;
        let n_present = present(&left).max(present(&right)).max(1) as f64;
        Comparison {
            resemblance: n_agreeing / n_present,
            containment: None,
            measures: vec![n_agreeing],
        }
    }
}
