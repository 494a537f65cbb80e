//! What may be expected of a choice, by answers that had no part in it.
//!
//! Pairs are divided by stratum and by whether the choice takes them. In each cell the answers say
//! which share are duplicates, as far as so few can: a Beta distribution (Jeffreys' prior), from
//! which shares are drawn. Each draw gives a precision, a recall and an F1 of the whole; the
//! interval holds 95 % of them. A large cell that was hardly asked about leaves the interval wide.

use lookalike_detect::random::SplitMix64;

use crate::tune::{Estimate, Promise};

/// Pairs of one stratum that the choice takes, or leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cell {
    /// How many pairs there are.
    pub pairs: f64,
    /// Whether the choice takes them.
    pub found: bool,
    /// How many of them were answered.
    pub asked: usize,
    /// Duplicates among the answers, in halves.
    pub duplicates: f64,
}

/// An interval that reaches further to either side tells nothing.
pub const WIDEST: f64 = 0.15;
const DRAWS: usize = 2_000;
/// Times as many answers that are thought of at most.
const MOST_TIMES: usize = 64;

/// The intervals that the answers leave.
pub fn promise(cells: &[Cell]) -> Promise {
    let mut random = SplitMix64::new(1);
    let mut reached: [Vec<f64>; 3] = Default::default();
    for _ in 0..DRAWS {
        let (mut taken, mut right, mut missed) = (0.0, 0.0, 0.0);
        for cell in cells {
            let duplicates = cell.pairs * share(cell, &mut random);
            if cell.found {
                taken += cell.pairs;
                right += duplicates;
            } else {
                missed += duplicates;
            }
        }
        let of = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        let wanted = right + missed;
        for (values, value) in reached.iter_mut().zip([
            of(right, taken),
            of(right, wanted),
            of(2.0 * right, taken + wanted),
        ]) {
            values.push(value);
        }
    }
    let [precision, recall, f1] = reached.map(middle_of);
    Promise { precision, recall, f1 }
}

/// How many more answers bring the interval of F1 within [`WIDEST`] to either side; none needed is 0,
/// `None` where so many would be needed that nobody gives them.
pub fn answers_wanted(cells: &[Cell]) -> Option<usize> {
    let n: usize = cells.iter().map(|cell| cell.asked).sum();
    let mut times = 1;
    while times <= MOST_TIMES {
        let more: Vec<Cell> = cells
            .iter()
            .map(|cell| Cell {
                // A cell nobody asked about is asked about with the others.
                asked: if cell.asked == 0 { times - 1 } else { cell.asked * times },
                duplicates: cell.duplicates * times as f64,
                ..*cell
            })
            .collect();
        if tells(&promise(&more).f1) {
            return Some((times - 1) * n);
        }
        times += times.div_ceil(2);
    }
    None
}

/// Whether an interval is narrow enough to tell something.
pub fn tells(estimate: &Estimate) -> bool {
    estimate.high - estimate.low <= 2.0 * WIDEST
}

fn middle_of(mut values: Vec<f64>) -> Estimate {
    values.sort_by(f64::total_cmp);
    let at = |share: f64| values[((values.len() - 1) as f64 * share).round() as usize];
    Estimate { mean: at(0.5), low: at(0.025), high: at(0.975) }
}

/// A share that the answers of a cell allow.
fn share(cell: &Cell, random: &mut SplitMix64) -> f64 {
    let yes = gamma_of_halves(2.0 * cell.duplicates + 1.0, random);
    let no = gamma_of_halves(2.0 * (cell.asked as f64 - cell.duplicates) + 1.0, random);
    yes / (yes + no).max(f64::MIN_POSITIVE)
}

/// A gamma variable whose shape is so many halves: squares of normal ones, added up.
fn gamma_of_halves(halves: f64, random: &mut SplitMix64) -> f64 {
    let mut uniform = || ((random.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
    let halves = halves.round().max(1.0) as usize;
    // Two of them are an exponential variable.
    let mut sum: f64 = (0..halves / 2).map(|_| -uniform().ln()).sum();
    if halves % 2 == 1 {
        let normal = (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos();
        sum += normal * normal / 2.0;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(pairs: f64, found: bool, asked: usize, duplicates: f64) -> Cell {
        Cell { pairs, found, asked, duplicates }
    }

    #[test]
    fn intervals_hold_the_truth_about_as_often_as_they_say() {
        let mut random = SplitMix64::new(7);
        let (mut held, trials) = (0, 200);
        for _ in 0..trials {
            // 80 % of what is found are duplicates, and 5 % of what is left.
            let mut count = |n: usize, share: f64| {
                (0..n).filter(|_| (random.next_u64() >> 11) as f64 / 2f64.powi(53) < share).count()
            };
            let (yes, missed) = (count(20, 0.8) as f64, count(20, 0.05) as f64);
            let cells = [cell(1_000.0, true, 20, yes), cell(2_000.0, false, 20, missed)];
            let told = promise(&cells);
            let f1 = 2.0 * 800.0 / (1_000.0 + 900.0);
            held += usize::from((told.f1.low..=told.f1.high).contains(&f1));
        }
        assert!(held * 100 >= trials * 90, "{held} of {trials}");
    }

    #[test]
    fn a_large_part_nobody_asked_about_leaves_recall_open() {
        let blind = promise(&[cell(100.0, true, 20, 20.0), cell(1e5, false, 2, 0.0)]);
        assert!(blind.precision.low > 0.85, "{blind:?}");
        assert!(blind.recall.low < 0.1 && !tells(&blind.f1), "{blind:?}");
        let seen = promise(&[cell(100.0, true, 20, 20.0), cell(100.0, false, 40, 0.0)]);
        assert!(seen.recall.low > 0.9 && tells(&seen.f1), "{seen:?}");
    }

    #[test]
    fn what_is_wanted_are_more_answers_the_wider_the_interval_is() {
        let cells = |n: usize| [cell(1e3, true, n, n as f64 / 2.0), cell(1e3, false, n, 0.0)];
        assert_eq!(answers_wanted(&cells(400)), Some(0));
        let (few, some) = (answers_wanted(&cells(4)).unwrap(), answers_wanted(&cells(20)).unwrap());
        assert!(few > 0 && some < 200, "{few} {some}");
    }
}
