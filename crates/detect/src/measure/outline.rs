//! Outlines of sets: a few bits a value, enough to see that two sets are too unlike.
//!
//! Every value of a set flips one bit. A value that both sets have flips the same bit of both, so
//! that every bit in which two outlines differ stands for at least one value that only one of them
//! has. That is a bound, not an estimate: what it excludes is excluded. In a crowd of documents of
//! one template nearly every pair is, for a fraction of the cost of comparing the sets.

/// The fewest and the most words of bits.
const WORDS: std::ops::RangeInclusive<usize> = 4..=512;
/// Bits for each value, before rounding up to a power of two.
const BITS_PER_VALUE: usize = 8;

/// Appends the outline of a set: its size, then its bits.
pub fn push_outline(set: &[u64], words: &mut Vec<u64>) {
    let wanted = (set.len() * BITS_PER_VALUE).div_ceil(64).next_power_of_two();
    let n_words = wanted.clamp(*WORDS.start(), *WORDS.end());
    words.push(set.len() as u64);
    let start = words.len();
    words.resize(start + n_words, 0);
    let bits = &mut words[start..];
    for value in set {
        // Values are hashes, of which the upper bits are as good as any.
        let bit = (value >> 32) as usize % (64 * n_words);
        bits[bit / 64] ^= 1 << (bit % 64);
    }
}

/// The sizes of two sets, and the most values that they can share, by their outlines.
pub fn most_shared(left: &[u64], right: &[u64]) -> (usize, usize, usize) {
    let ([n_left, left @ ..], [n_right, right @ ..]) = (left, right) else { return (0, 0, 0) };
    let (n_left, n_right) = (*n_left as usize, *n_right as usize);
    let differing = differing_bits(left, right);
    let shared = (n_left + n_right).saturating_sub(differing) / 2;
    (n_left, n_right, shared.min(n_left).min(n_right))
}

fn differing_bits(left: &[u64], right: &[u64]) -> usize {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("popcnt") {
        #[expect(unsafe_code, reason = "calling code for a detected processor feature")]
        // SAFETY: the processor has POPCNT.
        return unsafe { differing_bits_popcnt(left, right) };
    }
    differing_bits_plain(left, right)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn differing_bits_popcnt(left: &[u64], right: &[u64]) -> usize {
    differing_bits_plain(left, right)
}

/// Of outlines of unlike length the longer one is folded: both lengths are powers of two, so that a
/// bit of the shorter one stands for every bit at its place in a fold of the longer.
#[inline]
fn differing_bits_plain(left: &[u64], right: &[u64]) -> usize {
    if left.len() == right.len() {
        return left.iter().zip(right).map(|(l, r)| (l ^ r).count_ones() as usize).sum();
    }
    let (short, long) = if left.len() < right.len() { (left, right) } else { (right, left) };
    let folds = |place: usize| long[place..].iter().step_by(short.len());
    let folded = |place: usize| folds(place).fold(short[place], |bits, word| bits ^ word);
    (0..short.len()).map(|place| folded(place).count_ones() as usize).sum()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn outline(set: &BTreeSet<u64>) -> Vec<u64> {
        let mut words = Vec::new();
        push_outline(&set.iter().copied().collect::<Vec<_>>(), &mut words);
        words
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]
        #[test]
        fn the_bound_is_never_below_what_is_shared(
            values in prop::collection::vec((any::<u64>(), 0u8..6), 0..900),
            others in prop::collection::vec(any::<u64>(), 0..900),
        ) {
            let side = |which: u8| -> BTreeSet<u64> {
                let own = values.iter().filter(|(_, place)| *place == which || *place > 1);
                own.map(|(value, _)| *value).collect()
            };
            let (left, mut right) = (side(0), side(1));
            // Far more values on one side make outlines of unlike length.
            right.extend(others.iter().take(if others.len() > 450 { 900 } else { 0 }));
            let shared = left.intersection(&right).count();
            let (n_left, n_right, most) = most_shared(&outline(&left), &outline(&right));
            prop_assert_eq!((n_left, n_right), (left.len(), right.len()));
            prop_assert!(most >= shared, "{} {}", most, shared);
            prop_assert_eq!(most_shared(&outline(&right), &outline(&left)).2, most);
        }
    }

    #[test]
    fn sets_that_share_two_thirds_are_told_from_sets_that_share_more() {
        let value = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for size in [100, 1000, 3000] {
            let set = |own: std::ops::Range<u64>| -> BTreeSet<u64> {
                (0..size * 3 / 4).chain(own).map(value).collect()
            };
            // Three quarters are shared, and the rest is not: a Jaccard resemblance of 0.6.
            let left = set(10_000..10_000 + size / 4);
            let right = set(20_000..20_000 + size / 4);
            let (n_left, n_right, most) = most_shared(&outline(&left), &outline(&right));
            let bound = most as f64 / (n_left + n_right - most) as f64;
            assert!((0.6..0.69).contains(&bound), "{size}: {bound}");
        }
    }
}
