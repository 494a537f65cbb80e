//! Sets of hashes in order, faster than by comparison.

/// Below this the general sort is as fast.
const WORTH_SPREADING: usize = 48;

/// A bucket this full means that the values are no hashes, or much repeated.
const CROWDED: u32 = 24;

/// The distinct values in ascending order; meant for values spread evenly over 64 bits.
///
/// The upper bits of a hash tell where in the order it stands, to within a few places: one pass
/// puts each value there, and an insertion sort does the rest.
pub fn sorted_set(hashes: &[u64]) -> Vec<u64> {
    let mut set = spread(hashes).unwrap_or_else(|| {
        let mut set = hashes.to_vec();
        set.sort_unstable();
        set
    });
    set.dedup();
    set
}

/// The values in ascending order, or `None` where they are few or not spread evenly.
fn spread(hashes: &[u64]) -> Option<Vec<u64>> {
    if hashes.len() < WORTH_SPREADING || hashes.len() > u32::MAX as usize {
        return None;
    }
    let bits = usize::BITS - (hashes.len() / 2).leading_zeros();
    let shift = 64 - bits;
    let mut ends = vec![0u32; 1 << bits];
    for hash in hashes {
        ends[(hash >> shift) as usize] += 1;
    }
    let mut end = 0;
    for place in &mut ends {
        if *place > CROWDED {
            return None;
        }
        end += *place;
        *place = end;
    }
    let mut sorted = vec![0; hashes.len()];
    for hash in hashes {
        let end = &mut ends[(hash >> shift) as usize];
        *end -= 1;
        sorted[*end as usize] = *hash;
    }
    for last in 1..sorted.len() {
        let value = sorted[last];
        let mut place = last;
        while place > 0 && sorted[place - 1] > value {
            sorted[place] = sorted[place - 1];
            place -= 1;
        }
        sorted[place] = value;
    }
    Some(sorted)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::random::mix64;

    #[test]
    fn values_that_are_no_hashes_are_sorted_all_the_same() {
        let values: Vec<u64> = (0..1000).rev().chain(0..1000).collect();
        assert_eq!(sorted_set(&values), (0..1000).collect::<Vec<_>>());
        assert_eq!(sorted_set(&vec![7; 5000]), [7]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]
        #[test]
        fn the_set_is_what_a_tree_gives(seeds in proptest::collection::vec(0u64..300, 0..600)) {
            let hashes: Vec<u64> = seeds.iter().map(|seed| mix64(*seed)).collect();
            let tree: BTreeSet<u64> = hashes.iter().copied().collect();
            prop_assert_eq!(sorted_set(&hashes), tree.into_iter().collect::<Vec<_>>());
        }
    }
}
