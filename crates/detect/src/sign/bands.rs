//! Bands of minima: which pairs become candidates, and how often.
//!
//! A document's minima are cut into bands of rows; each band is one bucket key. Two documents whose
//! sets have Jaccard s agree in a row with probability s, in a whole band with s^rows, and so in
//! at least one band with 1 - (1 - s^rows)^bands.

use serde::{Deserialize, Serialize};

use crate::BucketKey;
use crate::random::mix64;

/// How minima are cut into bucket keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Banding {
    /// Bucket keys of a document.
    pub bands: usize,
    /// Minima that must all agree for a shared key.
    pub rows: usize,
}

impl Banding {
    /// Minima needed: bands times rows.
    pub fn permutations(&self) -> usize {
        self.bands * self.rows
    }

    /// The probability that a pair of this Jaccard resemblance shares a key.
    pub fn detection(&self, resemblance: f64) -> f64 {
        let whole_band = resemblance.clamp(0.0, 1.0).powf(self.rows as f64);
        1.0 - (1.0 - whole_band).powf(self.bands as f64)
    }

    /// The banding with the fewest false candidates that finds pairs at `threshold` with
    /// probability at least `recall` and needs no more than `permutations` minima.
    ///
    /// More rows mean fewer false candidates and, for the same recall, more minima; so it is the
    /// most rows that fit, with the fewest bands that reach the recall. `None` if nothing fits.
    pub fn for_threshold(threshold: f64, recall: f64, permutations: usize) -> Option<Self> {
        (1..=permutations)
            .map_while(|rows| Some(Self { bands: bands_for(threshold, recall, rows)?, rows }))
            .take_while(|banding| banding.permutations() <= permutations)
            .last()
    }

    /// The most rows with which so many bands still reach the recall.
    pub fn with_bands(bands: usize, threshold: f64, recall: f64) -> Option<Self> {
        (1..=MAX_ROWS)
            .map(|rows| Self { bands, rows })
            .take_while(|banding| banding.detection(threshold) >= recall)
            .last()
    }

    /// The fewest bands with which so many rows reach the recall.
    pub fn with_rows(rows: usize, threshold: f64, recall: f64) -> Option<Self> {
        Some(Self { bands: bands_for(threshold, recall, rows)?, rows })
    }

    /// Appends the key of each band of `minima`.
    pub fn keys(&self, seed: u64, minima: &[u64], keys: &mut Vec<BucketKey>) {
        keys.reserve(self.bands);
        for (band, rows) in minima.chunks_exact(self.rows.max(1)).take(self.bands).enumerate() {
            let start = mix64(seed ^ mix64(band as u64 + 1));
            let sum = rows.iter().fold(start, |sum, &minimum| {
                (sum ^ minimum).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
            });
            keys.push(BucketKey(mix64(sum)));
        }
    }
}

/// Beyond this a band is a copy detector.
const MAX_ROWS: usize = 256;

/// Beyond this the keys of a document outweigh the document.
const MAX_BANDS: usize = 65_536;

/// The fewest bands of so many rows that find a pair at the threshold with the given probability.
fn bands_for(threshold: f64, recall: f64, rows: usize) -> Option<usize> {
    let whole_band = threshold.powf(rows as f64);
    if whole_band >= 1.0 {
        return Some(1);
    }
    let bands = ((1.0 - recall).ln() / (1.0 - whole_band).ln()).ceil();
    (bands.is_finite() && bands <= MAX_BANDS as f64).then(|| (bands as usize).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chosen_banding_reaches_the_recall_within_the_permutations() {
        for threshold in [0.5, 0.7, 0.8, 0.9, 0.95] {
            for permutations in [64, 128, 256] {
                let banding = Banding::for_threshold(threshold, 0.99, permutations).unwrap();
                assert!(banding.detection(threshold) >= 0.99, "{threshold}: {banding:?}");
                assert!(banding.permutations() <= permutations);
                let more = Banding::with_rows(banding.rows + 1, threshold, 0.99).unwrap();
                assert!(more.permutations() > permutations, "{threshold}: {more:?} fits as well");
            }
        }
        assert_eq!(Banding::for_threshold(0.7, 0.99, 130), Some(Banding { bands: 26, rows: 5 }));
        assert_eq!(Banding::for_threshold(0.01, 0.99, 128), None);
        assert_eq!(Banding::for_threshold(1.0, 0.99, 128), Some(Banding { bands: 1, rows: 128 }));
    }

    #[test]
    fn giving_bands_or_rows_fixes_the_other() {
        assert_eq!(Banding::with_rows(5, 0.7, 0.99), Some(Banding { bands: 26, rows: 5 }));
        assert_eq!(Banding::with_bands(26, 0.7, 0.99), Some(Banding { bands: 26, rows: 5 }));
        assert_eq!(Banding::with_bands(2, 0.5, 0.99), None);
    }
}
