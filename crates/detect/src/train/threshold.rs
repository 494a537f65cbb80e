//! The threshold that separates labelled pairs best.

/// A threshold and what it achieves on the pairs it was chosen from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BestThreshold {
    /// Pairs that score at least this much are taken for duplicates.
    pub threshold: f64,
    /// The share of pairs taken that are duplicates.
    pub precision: f64,
    /// The share of duplicates that are taken.
    pub recall: f64,
    /// The harmonic mean of both.
    pub f1: f64,
}

/// The threshold of the highest F1 over scored pairs, each with whether it is a duplicate.
///
/// It is put halfway to the next lower score: scores just below the lowest one taken were never
/// seen to be different documents.
pub fn best_threshold(mut scored: Vec<(f64, bool)>) -> BestThreshold {
    scored.sort_by(|left, right| right.0.total_cmp(&left.0));
    let n_duplicates = scored.iter().filter(|(_, duplicate)| *duplicate).count() as f64;
    let mut best = BestThreshold { threshold: 1.0, ..BestThreshold::default() };
    let mut found = 0.0;
    for (position, &(score, duplicate)) in scored.iter().enumerate() {
        found += f64::from(u8::from(duplicate));
        let next = scored.get(position + 1).map(|&(next, _)| next);
        if next == Some(score) {
            continue;
        }
        let (precision, recall) = (found / (position + 1) as f64, found / n_duplicates.max(1.0));
        let f1 = 2.0 * found / (n_duplicates + (position + 1) as f64);
        if f1 > best.f1 {
            let threshold = next.map_or(score, |next| f64::midpoint(score, next));
            best = BestThreshold { threshold, precision, recall, f1 };
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_stands_halfway_between_what_it_separates() {
        let best = best_threshold(vec![(0.9, true), (0.2, false), (0.8, true), (0.4, false)]);
        assert!((best.threshold - 0.6).abs() < 1e-12);
        assert_eq!((best.precision, best.recall, best.f1), (1.0, 1.0, 1.0));
    }

    #[test]
    fn pairs_of_equal_score_are_taken_together() {
        let best = best_threshold(vec![(0.5, true), (0.5, false), (0.5, true), (0.1, false)]);
        assert_eq!((best.recall, best.precision), (1.0, 2.0 / 3.0));
    }

    #[test]
    fn without_duplicates_nothing_is_taken() {
        assert_eq!(best_threshold(vec![(0.5, false)]).threshold, 1.0);
        assert_eq!(best_threshold(Vec::new()).f1, 0.0);
    }
}
