//! Whether much of a document may stand in another, asked of a filter of bits.
//!
//! Most candidate pairs share a clause or a form and fail. A filter is made and asked in a fraction of
//! the time that a table of runs takes, and what it excludes is excluded for certain.

use crate::represent::RUN;

/// Bits for each run, before rounding up to a power of two.
const BITS_PER_RUN: usize = 64;

/// The runs of a document, each as a bit of its own or one that it has in common with others.
#[derive(Debug)]
pub struct RunFilter {
    bits: Vec<u64>,
}

impl RunFilter {
    /// The filter of these runs.
    pub(super) fn of(runs: &[u64]) -> Self {
        let n_words = (runs.len() * BITS_PER_RUN).div_ceil(64).next_power_of_two();
        let mut bits = vec![0; n_words];
        for &run in runs {
            let (word, bit) = place(run, n_words);
            bits[word] |= bit;
        }
        Self { bits }
    }

    /// Whether so large a share of a document's words may stand in these runs; `false` only where it is
    /// certain that it does not.
    pub(super) fn may_cover(&self, document: &[u64], share: f64) -> bool {
        let words = document.len() + RUN - 1;
        // A little more than allowed, so that rounding loses no pair.
        let most_alone = ((1.0 - share) * words as f64 + 1e-6) as usize;
        let (mut alone, mut covered_to) = (0, 0);
        for (start, &run) in document.iter().enumerate() {
            let (word, bit) = place(run, self.bits.len());
            if self.bits[word] & bit != 0 {
                covered_to = start + RUN;
            } else if start >= covered_to {
                alone += 1;
                if alone > most_alone {
                    return false;
                }
            }
        }
        true
    }
}

/// Runs are hashes: some of their bits choose the word, others the bit.
fn place(run: u64, n_words: usize) -> (usize, u64) {
    ((run >> 6) as usize & (n_words - 1), 1 << (run & 63))
}
