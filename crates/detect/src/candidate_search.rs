//! How likely the keys of a method are to bring a pair together.

use serde::Serialize;

use crate::sign::Banding;

/// The least probability with which a pair exactly at the threshold becomes a candidate, where the
/// method chooses its bands itself.
pub const PROMISED_RECALL: f64 = 0.99;

/// How a method's bucket keys find candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CandidateSearch {
    /// Every pair that reaches the threshold shares a key for certain.
    EveryPair,
    /// Bands of minima: a pair shares a key with a probability that its resemblance decides.
    Bands(BandSearch),
}

impl CandidateSearch {
    /// The probability that a pair exactly at the threshold becomes a candidate; `None` where bands
    /// see another resemblance than the one that the threshold is set on.
    pub fn recall_at(&self, threshold: f64) -> Option<f64> {
        match self {
            Self::EveryPair => Some(1.0),
            Self::Bands(search) if search.of == Resemblance::Compared => {
                Some(search.detection(threshold))
            }
            Self::Bands(_) => None,
        }
    }
}

/// Bands by which a method looks for candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct BandSearch {
    /// How minima are cut into bands.
    #[serde(flatten)]
    pub banding: Banding,
    /// Bands that must all agree before two documents meet; 1 for most methods.
    pub required: usize,
    /// What the resemblance is of that a band agrees by.
    pub of: Resemblance,
}

/// What two documents resemble each other in, as bands see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Resemblance {
    /// The resemblance that the method's threshold is set on.
    Compared,
    /// Another one: the shingles where bits are compared, or the weighted Jaccard of vectors.
    Other,
}

impl From<BandSearch> for CandidateSearch {
    fn from(search: BandSearch) -> Self {
        Self::Bands(search)
    }
}

impl BandSearch {
    /// A search that needs one band of the resemblance that the method compares.
    pub fn of_compared(banding: Banding) -> Self {
        Self { banding, required: 1, of: Resemblance::Compared }
    }

    /// The probability that a pair of this resemblance becomes a candidate: at least `required` of
    /// the bands agree.
    pub fn detection(&self, resemblance: f64) -> f64 {
        let Banding { bands, rows } = self.banding;
        if self.required <= 1 {
            return self.banding.detection(resemblance);
        }
        let agrees = resemblance.clamp(0.0, 1.0).powf(rows as f64);
        // The binomial terms for 0, 1, … agreeing bands, as far as they are too few.
        let mut too_few = 0.0;
        let mut choices = 1.0;
        for agreeing in 0..self.required.min(bands + 1) {
            let differing = (bands - agreeing) as f64;
            too_few += choices * agrees.powf(agreeing as f64) * (1.0 - agrees).powf(differing);
            choices *= differing / (agreeing + 1) as f64;
        }
        (1.0 - too_few).clamp(0.0, 1.0)
    }

    /// The detection curve: (resemblance, probability of becoming a candidate) in steps of 0.05
    /// from 0 to 1.
    pub fn curve(&self) -> Vec<(f64, f64)> {
        (0..=20).map(|step| f64::from(step) / 20.0).map(|s| (s, self.detection(s))).collect()
    }
}

#[cfg(test)]
mod tests {
    use lookalike_text::Document;

    use super::*;
    use crate::{Artifacts, DetectorConfig, Scratch};

    /// The share of pairs exactly at the threshold that have a key in common: texts of 100 different
    /// words in both together, of which they share as many percent.
    fn measured_recall(config: &DetectorConfig, n_pairs: usize) -> f64 {
        let detector = config.build(&Artifacts::default()).unwrap();
        let n_shared = (100.0 * config.threshold().unwrap()).round() as usize;
        let n_own = (100 - n_shared) / 2;
        let mut scratch = Scratch::default();
        let found = (0..n_pairs).filter(|pair| {
            let words =
                |from: usize, to: usize| (from..to).map(move |word| format!("w{pair}x{word} "));
            let shared: String = words(0, n_shared).collect();
            let mut keys = |own: String| {
                let text = shared.clone() + &own;
                detector.sign(&Document::from_text(&text), &mut scratch).unwrap().keys
            };
            let left = keys(words(100, 100 + n_own).collect());
            let right = keys(words(200, 200 + n_own).collect());
            left.iter().any(|key| right.contains(key))
        });
        found.count() as f64 / n_pairs as f64
    }

    #[test]
    fn pairs_at_the_threshold_share_a_key_as_often_as_is_told() {
        for keys in [
            "method = 'minhash'\nngram = 1",
            "method = 'minhash'\nngram = 1\nbands = 5\nrows = 10",
            "method = 'minhash'\nngram = 1\nthreshold = 0.5\nrecall = 0.8",
            "method = 'wordlsh'",
            "method = 'wordlsh'\nthreshold = 0.2",
            "method = 'wordlsh'\nthreshold = 0.2\nbands = 125\nrows = 3",
            "method = 'minwise'\nngram = 1",
            "method = 'minwise'\nngram = 1\nthreshold = 0.1\npermutations = 16",
            "method = 'vectors'\nthreshold = 0.8",
        ] {
            let config = DetectorConfig::from_table(keys.parse().unwrap()).unwrap();
            let told = config.recall_at_threshold().unwrap();
            let n_pairs = 600;
            let measured = measured_recall(&config, n_pairs);
            // Four standard errors, and a pair.
            let error = 4.0 * (told * (1.0 - told) / n_pairs as f64).sqrt() + 1.0 / n_pairs as f64;
            assert!((measured - told).abs() <= error, "{keys}: measured {measured}, told {told}");
        }
    }

    #[test]
    fn every_method_that_chooses_its_bands_keeps_its_promise_at_its_defaults() {
        for (name, _) in DetectorConfig::METHODS {
            let config = DetectorConfig::named(name).unwrap();
            let recall = config.recall_at_threshold();
            assert!(recall.is_none_or(|recall| recall >= config.promised_recall()), "{name}");
        }
        let recall = |name| DetectorConfig::named(name).unwrap().recall_at_threshold();
        assert_eq!((recall("simhash"), recall("exact"), recall("hybrid")), (Some(1.0), None, None));
    }

    #[test]
    fn the_curve_rises_from_zero_to_one_through_the_published_figures() {
        let curve = BandSearch::of_compared(Banding { bands: 14, rows: 8 }).curve();
        assert_eq!((curve[0], curve[20]), ((0.0, 0.0), (1.0, 1.0)));
        assert!(curve.windows(2).all(|pair| pair[0].1 <= pair[1].1));
        // The published figures for 14 and 16 bands of 8 rows at 0.8 and 0.7.
        assert!((curve[16].1 - 0.92).abs() < 0.01);
        let curve = BandSearch::of_compared(Banding { bands: 16, rows: 8 }).curve();
        assert!((curve[14].1 - 0.613).abs() < 0.001);
    }

    #[test]
    fn two_of_six_groups_agree_as_often_as_counting_all_outcomes_says() {
        let banding = Banding { bands: 6, rows: 14 };
        let search = BandSearch { banding, required: 2, of: Resemblance::Other };
        let agrees = 0.95f64.powi(14);
        let outcome = |bits: u32| -> f64 {
            (0..6).map(|band| if bits >> band & 1 == 1 { agrees } else { 1.0 - agrees }).product()
        };
        let counted: f64 =
            (0u32..64).filter(|bits| bits.count_ones() >= 2).map(outcome).sum::<f64>();
        assert!((search.detection(0.95) - counted).abs() < 1e-12);
        assert_eq!((search.detection(0.0), search.detection(1.0)), (0.0, 1.0));
    }
}
