//! Where a collection itself puts the line: between two hills of a measure.
//!
//! Most pairs of a neighbourhood have little in common, and pairs of near-duplicates have much: of
//! how many pairs have which score, there are two hills. The line is the place between them that
//! lies deepest below the lower of the two, on a logarithmic scale, since the hills may differ by a
//! factor of thousands.

use serde::Serialize;

/// Bars of the picture.
const BARS: usize = 40;
/// Neighboring bars that are seen together, as the standard deviation of a bell, in bars.
const BELL: f64 = 1.5;
const BELL_REACH: isize = 6;
/// A valley is deep enough where at most every other pair is left of what either hill has.
const LEAST_DEPTH: f64 = std::f64::consts::LN_2;
/// Pairs that a hill has at least.
const LEAST_PAIRS: f64 = 10.0;

/// How many pairs have which score, and where they divide.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hills {
    /// About how many pairs have a score in each fortieth.
    pub pairs: Vec<f64>,
    /// The score of the line: the middle of the deepest bar between two hills.
    pub line: f64,
    /// The score at which the hill below the line is highest.
    pub low: f64,
    /// The score at which the hill above the line is highest.
    pub high: f64,
    /// How far the valley lies below the lower hill: the logarithm of the ratio.
    pub depth: f64,
    /// Whether there are two hills.
    pub divides: bool,
}

impl Hills {
    /// The hills of scores, each of which stands for so many pairs.
    pub fn of(scores: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let mut pairs = vec![0.0; BARS];
        for (score, weight) in scores {
            pairs[((score * BARS as f64) as usize).min(BARS - 1)] += weight;
        }
        let heights = smoothed(&pairs);
        let highest = |from: usize, to: usize| {
            (from..to)
                .max_by(|l, r| heights[*l].total_cmp(&heights[*r]).then(r.cmp(l)))
                .unwrap_or(0)
        };
        let depth = |bar: usize| {
            let (low, high) = (highest(0, bar + 1), highest(bar, BARS));
            heights[low].min(heights[high]) - heights[bar]
        };
        // Of equally deep places the first.
        let bar = (0..BARS)
            .max_by(|l, r| depth(*l).total_cmp(&depth(*r)).then(r.cmp(l)))
            .unwrap_or_default();
        let (low, high) = (highest(0, bar + 1), highest(bar, BARS));
        let middle = |bar: usize| (bar as f64 + 0.5) / BARS as f64;
        let above: f64 = pairs[bar..].iter().sum();
        let divides = depth(bar) >= LEAST_DEPTH && above >= LEAST_PAIRS;
        let depth = depth(bar);
        Self { line: middle(bar), low: middle(low), high: middle(high), depth, divides, pairs }
    }

    /// The picture: a bar for each twentieth, on a logarithmic scale, and where the line is.
    pub fn picture(&self, width: usize) -> Vec<String> {
        let twentieths: Vec<f64> = self.pairs.chunks(2).map(|bars| bars.iter().sum()).collect();
        let most = twentieths.iter().copied().fold(1.0, f64::max).ln_1p();
        let n = twentieths.len() as f64;
        let row = |(place, pairs): (usize, &f64)| {
            let length = (pairs.ln_1p() / most * width as f64).round() as usize;
            let (from, to) = (place as f64 / n, (place + 1) as f64 / n);
            let is_line = self.divides && (from..to).contains(&self.line);
            let line = if is_line { "  ← the line" } else { "" };
            format!("{from:.2} {:>9.0} {}{line}", pairs, "█".repeat(length))
        };
        twentieths.iter().enumerate().map(row).collect()
    }
}

/// The logarithms of the bars, each mixed with its neighbors.
fn smoothed(pairs: &[f64]) -> Vec<f64> {
    let bell = |apart: isize| (-0.5 * (apart as f64 / BELL).powi(2)).exp();
    let whole: f64 = (-BELL_REACH..=BELL_REACH).map(bell).sum();
    let last = pairs.len() as isize - 1;
    let height = |bar: isize| -> f64 {
        let neighbor = |apart: isize| {
            let bar = (bar + apart).clamp(0, last) as usize;
            bell(apart) * pairs[bar].ln_1p()
        };
        (-BELL_REACH..=BELL_REACH).map(neighbor).sum::<f64>() / whole
    };
    (0..=last).map(height).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bell of so many pairs around a score.
    fn hill(center: f64, pairs: f64) -> impl Iterator<Item = (f64, f64)> {
        (0..1000).map(|n| f64::from(n) / 1000.0).map(move |score| {
            let apart: f64 = (score - center) / 0.08;
            (score, pairs / 200.0 * (-0.5 * apart * apart).exp())
        })
    }

    #[test]
    fn the_line_lies_between_two_hills_however_unlike_in_size() {
        for pairs in [50.0, 1_000.0, 1e6] {
            let hills = Hills::of(hill(0.1, 1e6).chain(hill(0.8, pairs)));
            assert!(hills.divides && (0.3..0.75).contains(&hills.line), "{pairs}: {hills:?}");
            assert!(hills.low < 0.2 && hills.high > 0.7, "{hills:?}");
        }
    }

    #[test]
    fn one_hill_divides_nothing() {
        for center in [0.05, 0.4, 0.95] {
            let hills = Hills::of(hill(center, 1e4));
            assert!(!hills.divides, "{center}: {hills:?}");
        }
        assert!(!Hills::of([]).divides);
        assert!(!Hills::of(hill(0.1, 1e5).chain([(0.9, 3.0)])).divides);
    }

    #[test]
    fn the_picture_has_a_bar_a_twentieth_and_the_line_in_one() {
        let picture = Hills::of(hill(0.1, 1e4).chain(hill(0.8, 500.0))).picture(30);
        assert_eq!(picture.len(), 20);
        assert_eq!(picture.iter().filter(|row| row.contains("the line")).count(), 1);
    }
}
