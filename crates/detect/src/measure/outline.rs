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

/// Appends the outline of a set, given as its values: its size, then its bits.
pub fn push_outline(set: impl ExactSizeIterator<Item = u64>, words: &mut Vec<u64>) {
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

/// An outline folded to one line of the cache: enough to exclude most pairs without a look at their
/// outlines, which are somewhere else for each document.
pub type Glance = [u64; 8];

/// The size and the glance of an outline; none of one that is shorter.
pub fn glance(outline: &[u64]) -> Option<(usize, Glance)> {
    let (size, bits) = outline.split_first()?;
    let (folds, _) = bits.as_chunks::<8>();
    let (first, further) = folds.split_first()?;
    let fold = |mut glance: Glance, words: &Glance| {
        for (bits, word) in glance.iter_mut().zip(words) {
            *bits ^= word;
        }
        glance
    };
    Some((*size as usize, further.iter().fold(*first, fold)))
}

/// The sizes of the sets of two outlines.
pub fn sizes(left: &[u64], right: &[u64]) -> (usize, usize) {
    let size = |outline: &[u64]| outline.first().map_or(0, |size| *size as usize);
    (size(left), size(right))
}

/// Whether two sets may share at least `needed` values, by their outlines.
///
/// The sizes are looked at first: in a crowd of pages of all lengths they exclude many pairs, whose
/// bits need not be fetched.
pub fn may_share(left: &[u64], right: &[u64], needed: usize) -> bool {
    let (n_left, n_right) = sizes(left, right);
    if n_left.min(n_right) < needed {
        return false;
    }
    let (Some(left), Some(right)) = (left.get(1..), right.get(1..)) else { return true };
    // Each differing bit is a value of one set only; the others are shared, each in both sets.
    n_left + n_right >= 2 * needed + differing_bits(left, right)
}

/// In how many bits two outlines differ, the longer one folded.
pub fn differing_bits(left: &[u64], right: &[u64]) -> usize {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as detected;
        if detected!("avx512f") && detected!("avx512vpopcntdq") {
            #[expect(unsafe_code, reason = "calling code for a detected processor feature")]
            // SAFETY: the processor has AVX-512F and VPOPCNTDQ.
            return unsafe { differing_bits_wide(left, right) };
        }
        if detected!("popcnt") {
            #[expect(unsafe_code, reason = "calling code for a detected processor feature")]
            // SAFETY: the processor has POPCNT.
            return unsafe { differing_bits_popcnt(left, right) };
        }
    }
    differing_bits_plain(left, right)
}

/// Eight words at a time: the compiler makes this of the plain version.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vpopcntdq,popcnt")]
fn differing_bits_wide(left: &[u64], right: &[u64]) -> usize {
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
        return left.iter().zip(right).map(|(l, r)| u64::from((l ^ r).count_ones())).sum::<u64>()
            as usize;
    }
    let (short, long) = if left.len() < right.len() { (left, right) } else { (right, left) };
    // Both are at least four words long, and so is every fold.
    if long.len() == 2 * short.len() {
        let (low, high) = long.split_at(short.len());
        let folded = low.iter().zip(high).zip(short).map(|((l, h), s)| l ^ h ^ s);
        return folded.map(|bits| u64::from(bits.count_ones())).sum::<u64>() as usize;
    }
    let folds = |place: usize| long[place..].iter().step_by(short.len());
    let folded = |place: usize| folds(place).fold(short[place], |bits, word| bits ^ word);
    (0..short.len()).map(|place| folded(place).count_ones() as usize).sum()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// The sizes of two sets, and the most values that they can share: the plain bound.
    fn most_shared(left: &[u64], right: &[u64]) -> (usize, usize, usize) {
        let (n_left, n_right) = sizes(left, right);
        let differing = plainly_differing(&left[1..], &right[1..]);
        let shared = (n_left + n_right).saturating_sub(differing) / 2;
        (n_left, n_right, shared.min(n_left).min(n_right))
    }

    /// The bits in which two outlines differ, one bit after the other.
    fn plainly_differing(left: &[u64], right: &[u64]) -> usize {
        let n_bits = 64 * left.len().min(right.len());
        let flips = |outline: &[u64], bit: usize| -> u64 {
            let places = (bit..64 * outline.len()).step_by(n_bits);
            places.map(|place| outline[place / 64] >> (place % 64) & 1).sum()
        };
        (0..n_bits).filter(|&bit| (flips(left, bit) + flips(right, bit)) % 2 == 1).count()
    }

    fn outline(set: &BTreeSet<u64>) -> Vec<u64> {
        let mut words = Vec::new();
        push_outline(set.iter().copied(), &mut words);
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
            let (left, right) = (outline(&left), outline(&right));
            for needed in [0, most.saturating_sub(1), most, most + 1, n_left.min(n_right) + 1] {
                prop_assert_eq!(may_share(&left, &right, needed), needed <= most);
                prop_assert_eq!(may_share(&right, &left, needed), needed <= most);
            }
            let expected = plainly_differing(&left[1..], &right[1..]);
            prop_assert_eq!(differing_bits(&left[1..], &right[1..]), expected);
            prop_assert_eq!(differing_bits_plain(&left[1..], &right[1..]), expected);
            if let (Some(left), Some(right)) = (glance(&left), glance(&right)) {
                prop_assert_eq!((left.0, right.0), (n_left, n_right));
                prop_assert!(differing_bits(&left.1, &right.1) <= expected);
            }
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
