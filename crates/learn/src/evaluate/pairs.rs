//! Precision, recall and F1 over pairs.

use hashbrown::HashSet;

/// How many pairs were found rightly, wrongly, and not at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairCounts {
    /// Found and true.
    pub true_positives: u64,
    /// Found and not true.
    pub false_positives: u64,
    /// True and not found.
    pub false_negatives: u64,
}

impl PairCounts {
    /// Compares found pairs with true ones; (a, b) and (b, a) are the same pair, repeats count once.
    pub fn of<I, J>(found: I, truth: J) -> Self
    where
        I: IntoIterator<Item = (usize, usize)>,
        J: IntoIterator<Item = (usize, usize)>,
    {
        let ordered = |(a, b): (usize, usize)| (a.min(b), a.max(b));
        let truth: HashSet<(usize, usize)> = truth.into_iter().map(ordered).collect();
        let found: HashSet<(usize, usize)> = found.into_iter().map(ordered).collect();
        let true_positives = found.intersection(&truth).count() as u64;
        Self {
            true_positives,
            false_positives: found.len() as u64 - true_positives,
            false_negatives: truth.len() as u64 - true_positives,
        }
    }

    /// The share of found pairs that are true; 1 if nothing was found.
    pub fn precision(&self) -> f64 {
        share(self.true_positives, self.true_positives + self.false_positives)
    }

    /// The share of true pairs that were found; 1 if nothing is true.
    pub fn recall(&self) -> f64 {
        share(self.true_positives, self.true_positives + self.false_negatives)
    }

    /// The harmonic mean of precision and recall.
    pub fn f1(&self) -> f64 {
        let wrong = self.false_positives + self.false_negatives;
        share(2 * self.true_positives, 2 * self.true_positives + wrong)
    }
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// The best F1 that any threshold on a score reaches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MaxF1 {
    /// The F1 itself.
    pub f1: f64,
    /// The lowest score that is still taken for a duplicate.
    pub threshold: f64,
    /// Precision at that threshold.
    pub precision: f64,
    /// Recall at that threshold.
    pub recall: f64,
}

/// Max F1 over all thresholds, from scored pairs and whether each is true.
///
/// `n_true` counts all true pairs, those without a score included: pairs that never became
/// candidates are missed at every threshold. Pairs of equal score stand or fall together. `None`
/// without a true pair among the scored ones.
pub fn max_f1(scored: &[(f64, bool)], n_true: u64) -> Option<MaxF1> {
    let mut descending = scored.to_vec();
    descending.sort_by(|left, right| right.0.total_cmp(&left.0));
    let mut best: Option<MaxF1> = None;
    let mut counts = PairCounts { false_negatives: n_true, ..PairCounts::default() };
    for (place, (score, is_true)) in descending.iter().enumerate() {
        if *is_true {
            counts.true_positives += 1;
            counts.false_negatives = counts.false_negatives.saturating_sub(1);
        } else {
            counts.false_positives += 1;
        }
        let next_is_equal = descending.get(place + 1).is_some_and(|next| next.0 == *score);
        let is_better = counts.f1() > best.map_or(0.0, |best| best.f1);
        if !next_is_equal && is_better {
            best = Some(MaxF1 {
                f1: counts.f1(),
                threshold: *score,
                precision: counts.precision(),
                recall: counts.recall(),
            });
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_order_inside_a_pair_does_not_matter() {
        let counts = PairCounts::of([(1, 2), (2, 1), (3, 4)], [(2, 1), (5, 6)]);
        assert_eq!((counts.true_positives, counts.false_positives), (1, 1));
        assert_eq!((counts.precision(), counts.recall(), counts.f1()), (0.5, 0.5, 0.5));
    }

    #[test]
    fn a_true_pair_that_was_never_scored_lowers_recall() {
        let best = max_f1(&[(0.9, true), (0.1, false)], 2).unwrap();
        assert_eq!((best.threshold, best.precision, best.recall), (0.9, 1.0, 0.5));
    }

    #[test]
    fn without_a_true_pair_there_is_no_best_threshold() {
        assert_eq!(max_f1(&[(0.5, false)], 0), None);
        assert_eq!(max_f1(&[], 3), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn max_f1_is_the_best_over_every_score_as_threshold(
            scored in proptest::collection::vec((0u32..8, any::<bool>()), 1..40), missed in 0u64..5
        ) {
            let scored: Vec<(f64, bool)> =
                scored.into_iter().map(|(score, is_true)| (f64::from(score), is_true)).collect();
            let n_true = scored.iter().filter(|pair| pair.1).count() as u64 + missed;
            let at = |threshold: f64| {
                let found = || scored.iter().filter(|pair| pair.0 >= threshold);
                let true_positives = found().filter(|pair| pair.1).count() as u64;
                let false_positives = found().count() as u64 - true_positives;
                let false_negatives = n_true - true_positives;
                PairCounts { true_positives, false_positives, false_negatives }.f1()
            };
            let naive = scored.iter().map(|pair| at(pair.0)).fold(0.0, f64::max);
            prop_assert_eq!(max_f1(&scored, n_true).map_or(0.0, |best| best.f1), naive);
        }
    }
}
