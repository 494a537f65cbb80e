//! The threshold that serves a goal best, where pairs stand for different numbers of pairs.

use super::Goal;

/// A pair whose truth is known: its score, whether it is true, and how many pairs it stands for.
pub(super) type Weighed = (f64, bool, f64);

/// The best threshold for a goal.
///
/// For F1 it stands halfway to the next lower score, since scores just below the lowest one taken were
/// never seen to be different documents; for a precision it is the lowest that still reaches it.
pub(super) fn best(mut scored: Vec<Weighed>, goal: Goal) -> f64 {
    scored.sort_by(|left, right| right.0.total_cmp(&left.0));
    let n_true: f64 = scored.iter().filter(|pair| pair.1).map(|pair| pair.2).sum();
    let (mut found, mut wrong) = (0.0, 0.0);
    let (mut threshold, mut highest) = (1.0, 0.0);
    for (position, &(score, is_true, weight)) in scored.iter().enumerate() {
        *(if is_true { &mut found } else { &mut wrong }) += weight;
        let next = scored.get(position + 1).map(|next| next.0);
        if next == Some(score) {
            continue;
        }
        match goal {
            Goal::F1 => {
                let f1 = 2.0 * found / (n_true + found + wrong);
                if f1 > highest {
                    highest = f1;
                    threshold = next.map_or(score, |next| f64::midpoint(score, next));
                }
            }
            Goal::Precision(wanted) if found >= wanted * (found + wrong) => threshold = score,
            Goal::Precision(_) => {}
        }
    }
    threshold
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(scored: &[(f64, bool)]) -> Vec<Weighed> {
        scored.iter().map(|&(score, is_true)| (score, is_true, 1.0)).collect()
    }

    #[test]
    fn the_lowest_threshold_of_a_precision_is_found() {
        let scored = plain(&[(0.9, true), (0.8, true), (0.7, false), (0.6, true), (0.5, false)]);
        assert_eq!(best(scored.clone(), Goal::Precision(0.99)), 0.8);
        assert_eq!(best(scored, Goal::Precision(0.75)), 0.6);
        assert_eq!(best(plain(&[(0.9, false)]), Goal::Precision(0.5)), 1.0);
    }

    #[test]
    fn the_threshold_of_the_best_f1_stands_between_what_it_separates() {
        let scored = plain(&[(0.9, true), (0.2, false), (0.8, true), (0.4, false)]);
        assert!((best(scored, Goal::F1) - 0.6).abs() < 1e-12);
        assert_eq!(best(plain(&[(0.5, false)]), Goal::F1), 1.0);
    }

    #[test]
    fn other_pairs_that_stand_for_many_raise_the_threshold() {
        let scored = |weight| {
            vec![(0.9, true, 1.0), (0.7, false, weight), (0.6, true, 1.0), (0.1, false, weight)]
        };
        assert!(best(scored(0.5), Goal::F1) < 0.6);
        assert!(best(scored(9.0), Goal::F1) > 0.7);
    }
}
