//! Planes whose entries are drawn from a normal distribution, as the 2010 paper prints it.
//!
//! An entry is a pure function of (seed, bit, feature): of a generator that starts at the feature's
//! word, by Marsaglia's polar method, with arithmetic alone, so that it has the same bits on every machine.

use crate::WeightedFeature;
use crate::random::SplitMix64;
use crate::represent::learned::log;

/// For each bit of each word, whether the sum of entry times weight is at least 0.
///
/// Sums are of fractions: features must come in ascending order, or the same vector could get
/// other bits.
pub(super) fn sides(entries: &[WeightedFeature], keys: &[u64]) -> Vec<u64> {
    let word = |key: &u64| {
        let mut sums = [0.0; 64];
        for entry in entries {
            let mut random = SplitMix64::new(entry.feature ^ key);
            for pair in sums.as_chunks_mut::<2>().0 {
                let normal = normal_pair(&mut random);
                pair[0] += normal[0] * f64::from(entry.weight);
                pair[1] += normal[1] * f64::from(entry.weight);
            }
        }
        let bits = sums.iter().enumerate();
        bits.fold(0, |word, (bit, &sum)| word | u64::from(sum >= 0.0) << bit)
    };
    keys.iter().map(word).collect()
}

/// Two independent numbers of mean 0 and variance 1.
fn normal_pair(random: &mut SplitMix64) -> [f64; 2] {
    loop {
        let [x, y] = [0, 1].map(|_| 2.0 * random.next_f64() - 1.0);
        let square = x * x + y * y;
        if square < 1.0 && square > 0.0 {
            let scale = (2.0 * log(1.0 / square) / square).sqrt();
            return [x * scale, y * scale];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_have_the_moments_and_the_tails_of_a_normal_distribution() {
        let mut random = SplitMix64::new(1);
        let numbers: Vec<f64> = (0..100_000).flat_map(|_| normal_pair(&mut random)).collect();
        let moment = |power: i32| {
            numbers.iter().map(|number| number.powi(power)).sum::<f64>() / numbers.len() as f64
        };
        for (power, expected) in [(1, 0.0), (2, 1.0), (3, 0.0), (4, 3.0)] {
            assert!((moment(power) - expected).abs() < 0.06, "{power}: {}", moment(power));
        }
        // Signs, or sums of a few, have no such tail.
        let beyond = numbers.iter().filter(|number| number.abs() > 3.0).count();
        assert!((450..630).contains(&beyond), "{beyond}");
    }
}
