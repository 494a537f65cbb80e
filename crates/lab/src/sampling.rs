//! Random choices that follow from a seed.

use lookalike_detect::random::SplitMix64;

/// A random choice of `size` numbers out of `0..n`, in ascending order; all if there are fewer.
pub fn sample(n: usize, size: usize, random: &mut SplitMix64) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..n).collect();
    random.shuffle(&mut numbers);
    numbers.truncate(size);
    numbers.sort_unstable();
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_has_the_size_asked_for_and_no_repeats() {
        let chosen = sample(100, 10, &mut SplitMix64::new(7));
        assert_eq!(chosen.len(), 10);
        assert!(chosen.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(sample(3, 10, &mut SplitMix64::new(7)), [0, 1, 2]);
    }
}
