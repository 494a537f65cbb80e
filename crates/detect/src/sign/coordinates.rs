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
    /// The fewest retained terms `|S_i|` of a bag's coordinate.
    pub bag_min_terms: usize,
    /// The smallest share of retained terms |S|/|U|, of the document as of each bag.
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

    /// The fewest terms that a bag's coordinate may rest on, in a document with so many.
    fn of_a_bag(&self, n_distinct: usize) -> usize {
        self.bag_min_terms.max(needed_terms(self.min_share, n_distinct)).max(1)
    }
}

/// Signs retained terms with K+1 digests, the coordinates; two words each.
///
/// Coordinate i of one document is only ever compared with coordinate i of another. Bag i draws
/// from both lexicons (2008, end of section 4), so it has terms `L_i` and `B_i` of its own and makes its
/// own `S_i` of them: extended from `B_i` to the share, refused where it stays below a limit. A refused
/// one is two zero words, which agree with nothing.
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
    /// The signature whose coordinate 0 is `first` and whose other coordinates are the bags', from
    /// the terms of the lexicon in any order and those of the secondary one, the commonest first.
    ///
    /// One pass over the terms serves four bags at a time.
    pub(crate) fn with_bags(
        &self,
        first: TermDigest,
        n_distinct: usize,
        primary: impl Iterator<Item = u64>,
        secondary: &(impl Iterator<Item = u64> + Clone),
    ) -> Signature {
        let mut words = Vec::with_capacity(2 * (1 + self.bags.len()));
        words.extend(first);
        if self.bags.is_empty() {
            return Signature(words);
        }
        let mut sums = vec![BagSums::default(); self.bags.word_seeds().len()];
        for term in primary {
            let value = summand(term);
            for (sums, &word_seed) in sums.iter_mut().zip(self.bags.word_seeds()) {
                sums.add(value, self.bags.lanes(word_seed, term));
            }
        }
        let share = needed_terms(self.limits.min_share, n_distinct) as u64;
        for (sums, &word_seed) in sums.iter_mut().zip(self.bags.word_seeds()) {
            for term in secondary.clone() {
                let Some(short) = sums.short_of(share) else { break };
                let kept = self.bags.lanes(word_seed, term);
                sums.add(summand(term), std::array::from_fn(|lane| kept[lane] & short[lane]));
            }
        }
        let fewest = self.limits.of_a_bag(n_distinct) as u64;
        for bag in 0..self.bags.len() {
            let (sums, lane) = (&sums[bag / BAGS_A_WORD], bag % BAGS_A_WORD);
            let is_enough = sums.n_terms[lane] >= fewest;
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

    /// All ones for the bags that have fewer terms than this; `None` where none has.
    #[inline]
    fn short_of(&self, n_terms: u64) -> Option<[u64; BAGS_A_WORD]> {
        let short = self.n_terms.map(|n| u64::from(n < n_terms).wrapping_neg());
        (short != [0; BAGS_A_WORD]).then_some(short)
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
        let share = needed_terms(self.limits.min_share, retained.n_distinct);
        let secondary: Vec<u64> = retained.secondary.iter().map(|term| term_hash(term)).collect();
        for bag in 0..self.bags.len() {
            let is_kept = |term: &u64| self.bags.keeps(bag, *term);
            let mut kept: Vec<u64> =
                hashes().filter(|term| !secondary.contains(term)).filter(is_kept).collect();
            let missing = share.saturating_sub(kept.len());
            kept.extend(secondary.iter().copied().filter(is_kept).take(missing));
            let is_enough = kept.len() >= self.limits.of_a_bag(retained.n_distinct);
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

#[cfg(test)]
#[path = "coordinates_tests.rs"]
mod tests;
