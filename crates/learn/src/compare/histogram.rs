//! Counts of scored pairs by score: all that thresholds need, in little memory.

use crate::evaluate::{MaxF1, PairCounts};

/// Steps of the score from 0 to 1; two scores in one step stand or fall together.
const N_STEPS: usize = 10_000;

/// True and untrue pairs of each score.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoreHistogram {
    counts: Vec<(u32, u32)>,
}

impl Default for ScoreHistogram {
    fn default() -> Self {
        Self { counts: vec![(0, 0); N_STEPS + 1] }
    }
}

impl ScoreHistogram {
    /// Counts a pair; a score of 0 or below is not worth a threshold and not counted.
    pub fn add(&mut self, score: f64, is_true: bool) {
        // Scores are ratios: a hair more keeps 0.7 in the step that 0.7 begins.
        let step = (score * N_STEPS as f64 + 1e-6).floor().clamp(0.0, N_STEPS as f64) as usize;
        if score <= 0.0 {
            return;
        }
        let (matching, other) = &mut self.counts[step];
        *(if is_true { matching } else { other }) += 1;
    }

    /// Adds the counts of another histogram.
    pub fn merge(mut self, other: &Self) -> Self {
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            mine.0 += theirs.0;
            mine.1 += theirs.1;
        }
        self
    }

    /// What each threshold finds, from the highest down, where a pair has that score; `n_true`
    /// counts the true pairs, scored or not.
    pub fn thresholds(&self, n_true: u64) -> impl Iterator<Item = (f64, PairCounts)> + '_ {
        let mut counts = PairCounts { false_negatives: n_true, ..PairCounts::default() };
        let steps = self.counts.iter().enumerate().rev();
        steps.filter(|(_, (matching, other))| matching + other > 0).map(move |(step, found)| {
            counts.true_positives += u64::from(found.0);
            counts.false_positives += u64::from(found.1);
            counts.false_negatives = n_true.saturating_sub(counts.true_positives);
            (step as f64 / N_STEPS as f64, counts)
        })
    }

    /// The threshold with the highest F1; `None` where no true pair has a score.
    pub fn max_f1(&self, n_true: u64) -> Option<MaxF1> {
        let mut best: Option<MaxF1> = None;
        for (threshold, counts) in self.thresholds(n_true) {
            if counts.f1() > best.map_or(0.0, |best| best.f1) {
                let (precision, recall) = (counts.precision(), counts.recall());
                best = Some(MaxF1 { f1: counts.f1(), threshold, precision, recall });
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::evaluate::max_f1;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn max_f1_is_that_of_the_listed_scores(
            scored in proptest::collection::vec((1u32..=100, any::<bool>()), 1..60), missed in 0u64..5
        ) {
            let scored: Vec<(f64, bool)> =
                scored.into_iter().map(|(score, truth)| (f64::from(score) / 100.0, truth)).collect();
            let n_true = scored.iter().filter(|pair| pair.1).count() as u64 + missed;
            let mut histogram = ScoreHistogram::default();
            for (score, is_true) in &scored {
                histogram.add(*score, *is_true);
            }
            prop_assert_eq!(histogram.max_f1(n_true), max_f1(&scored, n_true));
        }
    }
}
