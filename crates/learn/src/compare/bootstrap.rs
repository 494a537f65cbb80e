//! How far an F1 could lie elsewhere, had other clusters or other pairs been judged.
//!
//! The percentile bootstrap over whole groups: clusters, or judged pairs with those they share a document with. A wrong
//! pair of two clusters counts as often as both were drawn together.

use hashbrown::HashMap;
use lookalike_detect::random::SplitMix64;

use super::truth::Truth;

/// Draws of as many groups as there are, with replacement.
const DRAWS: usize = 1_000;
/// Draws outside the interval on either side: 2.5 %.
const OUTSIDE: usize = DRAWS / 40;

/// Found pairs by the groups of their two documents, and the true pairs of each group.
#[derive(Clone, Debug, Default)]
pub(super) struct GroupCounts {
    /// Groups of the two documents, found rightly, found wrongly.
    found: Vec<(usize, usize, u64, u64)>,
    n_true: Vec<u64>,
}

impl GroupCounts {
    /// Counts found pairs, each once; `is_true` as the truth has it.
    pub(super) fn new(
        n_documents: usize,
        truth: &Truth,
        found: impl Iterator<Item = (usize, usize, bool)>,
    ) -> Self {
        let mut numbers: HashMap<u32, usize> = HashMap::new();
        let groups: Vec<usize> = truth
            .groups(n_documents)
            .into_iter()
            .map(|name| {
                let next = numbers.len();
                *numbers.entry(name).or_insert(next)
            })
            .collect();
        let mut counted: HashMap<(usize, usize), (u64, u64)> = HashMap::new();
        for (left, right, is_true) in found {
            let (left, right) = (groups[left], groups[right]);
            let counts = counted.entry((left.min(right), left.max(right))).or_default();
            *(if is_true { &mut counts.0 } else { &mut counts.1 }) += 1;
        }
        let mut found: Vec<_> = counted
            .into_iter()
            .map(|((left, right), (rightly, wrongly))| (left, right, rightly, wrongly))
            .collect();
        // Sums of whole numbers do not depend on it, but nothing should hang on a hash map's order.
        found.sort_unstable();
        let mut n_true = vec![0; numbers.len()];
        match truth {
            Truth::Clusters(_) => {
                let mut sizes = vec![0u64; numbers.len()];
                for &group in &groups {
                    sizes[group] += 1;
                }
                for (n_true, size) in n_true.iter_mut().zip(sizes) {
                    *n_true = size * (size - 1) / 2;
                }
            }
            Truth::Judged(pairs) => {
                for (left, ..) in pairs.iter().filter(|(.., is_true)| *is_true) {
                    n_true[groups[*left as usize]] += 1;
                }
            }
        }
        Self { found, n_true }
    }

    /// The ends of the 95 % interval of F1.
    pub(super) fn f1_interval(&self, seed: u64) -> (f64, f64) {
        let mut random = SplitMix64::new(seed);
        let n_groups = self.n_true.len();
        let mut draw = |_| {
            let mut times = vec![0u64; n_groups];
            for _ in 0..n_groups {
                times[random.next_below(n_groups as u64) as usize] += 1;
            }
            self.f1(&times)
        };
        let mut drawn: Vec<f64> = (0..DRAWS).map(&mut draw).collect();
        drawn.sort_unstable_by(f64::total_cmp);
        (drawn[OUTSIDE], drawn[DRAWS - 1 - OUTSIDE])
    }

    /// F1 where each group is there so many times.
    fn f1(&self, times: &[u64]) -> f64 {
        let (mut rightly, mut wrongly) = (0, 0);
        for &(left, right, found, wrong) in &self.found {
            let times = if left == right { times[left] } else { times[left] * times[right] };
            rightly += times * found;
            wrongly += times * wrong;
        }
        let n_true: u64 = self.n_true.iter().zip(times).map(|(n, times)| n * times).sum();
        let all = rightly + wrongly + n_true;
        if all == 0 { 1.0 } else { (2 * rightly) as f64 / all as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_once_each_the_f1_is_that_of_all_pairs() {
        // Clusters ab, cd, e; found: ab rightly, ac wrongly.
        let truth = Truth::Clusters(vec![7, 7, 3, 3, 5]);
        let found = [(0, 1, true), (0, 2, false)];
        let counts = GroupCounts::new(5, &truth, found.into_iter());
        assert_eq!(counts.f1(&[1, 1, 1]), 0.5);
        // Without the second cluster nothing is wrong and nothing is missed.
        assert_eq!(counts.f1(&[2, 0, 1]), 1.0);
    }

    /// The interval of a share of 80 of 100 independent pairs is that of the binomial, about 0.08
    /// to either side, and a quarter as many pairs make it twice as wide.
    #[test]
    fn the_interval_is_as_wide_as_chance_makes_it() {
        let width = |n: u32| {
            let pairs: Vec<_> = (0..n).map(|pair| (2 * pair, 2 * pair + 1, true)).collect();
            let found = (0..n as usize).filter(|pair| pair % 5 > 0);
            let truth = Truth::Judged(pairs);
            let found = found.map(|pair| (2 * pair, 2 * pair + 1, true));
            let (low, high) = GroupCounts::new(2 * n as usize, &truth, found).f1_interval(1);
            assert!(low < 8.0 / 9.0 && high > 8.0 / 9.0, "{low} {high}");
            high - low
        };
        let (few, many) = (width(100), width(400));
        // F1 = 2r/(r+1), whose slope at 0.8 is 0.62: twice 1.96 times 0.04 times that.
        assert!((few - 0.097).abs() < 0.015, "{few}");
        assert!((few / many - 2.0).abs() < 0.3, "{few} {many}");
    }
}
