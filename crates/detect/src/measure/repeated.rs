//! What a collection repeats: the runs of words that stand in documents which stay anyway.
//!
//! A menu, a licence header or a frame of a site says nothing about whether two documents are
//! copies, and is not lost with one of the pages that have it.

use crate::random::mix64;

/// Bits of the filter, at most: 16 MiB.
const MOST_BITS: u64 = 1 << 27;
/// Bits for each run, of which four are set.
const BITS_A_RUN: u64 = 10;
/// With fewer runs that are not repeated, or a smaller share, there is too little to go by.
const FEWEST_RUNS: u32 = 16;
const FEWEST_SHARE: f64 = 0.05;

/// The runs that stand in the documents that stay.
///
/// A Bloom filter of bounded size: of a large collection, one run in so many is looked at.
#[derive(Debug)]
pub struct RepeatedRuns {
    filter: Vec<u64>,
    /// A power of two: runs are looked at whose hash is a multiple of it.
    one_in: u64,
}

impl RepeatedRuns {
    /// Nothing yet, of documents that have so many runs together.
    pub fn new(n_runs: u64) -> Self {
        let wanted = (n_runs * BITS_A_RUN).next_power_of_two().max(1 << 10);
        let bits = wanted.min(MOST_BITS);
        Self { filter: vec![0; (bits / 64) as usize], one_in: wanted / bits }
    }

    /// Adds the runs of a document that stays.
    pub fn add(&mut self, runs: &[u64]) {
        for run in runs.iter().filter(|run| **run & (self.one_in - 1) == 0) {
            for bit in bits(*run, self.filter.len()) {
                self.filter[bit / 64] |= 1 << (bit % 64);
            }
        }
    }

    /// The share of a document's runs that stand in the one that is kept, of those that the collection
    /// does not repeat; nothing where these are too few to go by.
    pub(super) fn share_of_others(
        &self,
        document: &[u64],
        is_kept: impl Fn(u64) -> bool,
    ) -> Option<f64> {
        let (mut told, mut alone, mut repeated) = (0_u32, 0_u32, 0_u32);
        for run in document.iter().copied().filter(|run| self.looks_at(*run)) {
            if is_kept(run) {
                told += 1;
            } else if self.has(run) {
                repeated += 1;
            } else {
                alone += 1;
            }
        }
        let own = told + alone;
        let is_enough =
            own >= FEWEST_RUNS && f64::from(own) >= FEWEST_SHARE * f64::from(own + repeated);
        is_enough.then(|| f64::from(told) / f64::from(own))
    }

    /// The share of a document's runs that stand in some document that stays.
    pub fn share_that_stays(&self, document: &[u64]) -> f64 {
        let looked_at = || document.iter().filter(|run| self.looks_at(**run));
        let staying = looked_at().filter(|run| self.has(**run)).count();
        staying as f64 / looked_at().count().max(1) as f64
    }

    fn has(&self, run: u64) -> bool {
        let mut bits = bits(run, self.filter.len()).into_iter();
        bits.all(|bit| self.filter[bit / 64] >> (bit % 64) & 1 == 1)
    }

    fn looks_at(&self, run: u64) -> bool {
        run & (self.one_in - 1) == 0
    }
}

/// The four bits of a run.
fn bits(run: u64, words: usize) -> [usize; 4] {
    let (first, step) = (mix64(run), mix64(run ^ 0x9e37_79b9_7f4a_7c15) | 1);
    let mask = words as u64 * 64 - 1;
    std::array::from_fn(|nth| (first.wrapping_add(step.wrapping_mul(nth as u64)) & mask) as usize)
}
