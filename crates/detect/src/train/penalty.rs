//! How far weights may leave the binary vector, where labels are too few to tell by themselves.

use super::lbfgs::{LbfgsOptions, minimize};
use super::objective::Objective;

/// The penalty where there are many pairs.
pub(super) const WITH_MANY_PAIRS: f64 = 1e-4;

/// More pairs than this are many.
pub(super) const MANY_PAIRS: usize = 1_000;

const PENALTIES: [f64; 5] = [1e-4, 1e-3, 1e-2, 1e-1, 1.0];
const FOLDS: usize = 4;

/// The penalty whose weights do best on pairs that they were not learned from.
///
/// `groups` names the group of each document; no group is learned from and tested on at once. Of
/// equally good penalties the highest: it stays closest to the binary vector.
pub(super) fn cross_validated(
    objective: &Objective,
    groups: &[u32],
    optimizer: LbfgsOptions,
) -> f64 {
    let folds = pair_folds(objective, groups);
    let mut trial = objective.clone();
    let mut losses = [0.0; PENALTIES.len()];
    let mut n_tested = 0;
    for fold in 0..FOLDS {
        let both = |chosen: &dyn Fn(PairFolds) -> bool| -> Vec<(u32, u32)> {
            let of = |pair: u32| chosen(folds[pair as usize]);
            let preferences = objective.preferences.iter();
            preferences.filter(|(better, worse)| of(*better) && of(*worse)).copied().collect()
        };
        let training = both(&|pair| pair.left != fold && pair.right != fold);
        let held_out = both(&|pair| pair.left == fold);
        if training.is_empty() || held_out.is_empty() {
            continue;
        }
        n_tested += 1;
        for (loss, &penalty) in losses.iter_mut().zip(&PENALTIES) {
            trial.preferences.clone_from(&training);
            trial.regularization = penalty;
            let start = trial.center.clone();
            let minimum =
                minimize(start, optimizer, |point, gradient| trial.evaluate(point, gradient));
            trial.preferences.clone_from(&held_out);
            trial.regularization = 0.0;
            *loss += trial.evaluate(&minimum.point, &mut vec![0.0; minimum.point.len()]);
        }
    }
    if n_tested == 0 {
        return WITH_MANY_PAIRS;
    }
    let mut best = PENALTIES.len() - 1;
    for place in (0..best).rev() {
        if losses[place] < losses[best] {
            best = place;
        }
    }
    PENALTIES[best]
}

/// The folds of the two documents of a pair.
#[derive(Clone, Copy)]
struct PairFolds {
    left: usize,
    right: usize,
}

/// Groups go to the folds in turn, those of near-duplicates first, so that each fold has some.
fn pair_folds(objective: &Objective, groups: &[u32]) -> Vec<PairFolds> {
    let mut names: Vec<u32> = Vec::new();
    for &(left, right) in &objective.pairs {
        for document in [left, right] {
            names.push(groups[document as usize]);
        }
    }
    let mut seen = std::collections::BTreeMap::new();
    for name in names {
        let next = seen.len();
        seen.entry(name).or_insert(next % FOLDS);
    }
    let fold = |document: u32| seen[&groups[document as usize]];
    let of = |&(left, right): &(u32, u32)| PairFolds { left: fold(left), right: fold(right) };
    objective.pairs.iter().map(of).collect()
}
