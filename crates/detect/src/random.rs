//! Randomness as a pure function of a seed: the same numbers on every machine and release.

/// The finalizer of `SplitMix64`: a bijection on 64-bit words that spreads every input bit.
///
/// For choices that must be a pure function of several values, chain it:
/// `mix64(mix64(seed ^ bag) ^ term)`.
#[inline]
pub const fn mix64(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// The fraction of the 64-bit range that a word stands for, in 0..1.
#[inline]
pub const fn unit_interval(word: u64) -> f64 {
    // 53 bits are what a double holds exactly.
    (word >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// Steele, Lea and Flood's `SplitMix64`: a small generator with a published sequence.
#[derive(Clone, Debug)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// The generator that starts at this seed.
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 random bits.
    #[inline]
    pub const fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix64(self.state)
    }

    /// A number below `bound`, each equally likely; 0 when `bound` is 0.
    pub const fn next_below(&mut self, bound: u64) -> u64 {
        if bound == 0 {
            return 0;
        }
        // Lemire's multiplication; the few words that would favor small numbers are drawn again.
        let unfair = bound.wrapping_neg() % bound;
        loop {
            let product = self.next_u64() as u128 * bound as u128;
            if product as u64 >= unfair {
                return (product >> 64) as u64;
            }
        }
    }

    /// A number in 0..1.
    pub const fn next_f64(&mut self) -> f64 {
        unit_interval(self.next_u64())
    }

    /// Brings `items` into a random order, each order equally likely.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.next_below(last as u64 + 1) as usize;
            items.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_the_published_one() {
        let mut generator = SplitMix64::new(1234567);
        let words: Vec<u64> = (0..3).map(|_| generator.next_u64()).collect();
        assert_eq!(words, [6457827717110365317, 3203168211198807973, 9817491932198370423]);
    }

    #[test]
    fn numbers_stay_below_the_bound_and_reach_every_value() {
        let mut generator = SplitMix64::new(7);
        let mut seen = [0; 5];
        for _ in 0..5_000 {
            seen[generator.next_below(5) as usize] += 1;
        }
        assert!(seen.iter().all(|&count| (850..1150).contains(&count)), "{seen:?}");
        assert_eq!(generator.next_below(0), 0);
    }

    #[test]
    fn shuffling_keeps_every_item() {
        let mut items: Vec<u32> = (0..100).collect();
        SplitMix64::new(3).shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
