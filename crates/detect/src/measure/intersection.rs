//! How much two sets share: the hot spot of confirming candidates.
//!
//! [`intersection_plain`] is the reference; with AVX2, blocks of four values are compared all
//! against all, in two places of the lists at once so that neither waits for the other.

/// How many values two ascending, distinct lists share.
pub fn intersection_size(left: &[u64], right: &[u64]) -> usize {
    intersection_reaching(left, right, 0).unwrap_or(0)
}

/// The number of shared values if it is at least `needed`, given up as soon as it cannot be.
pub fn intersection_reaching(left: &[u64], right: &[u64], needed: usize) -> Option<usize> {
    if left.len().min(right.len()) < needed {
        return None;
    }
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("popcnt")
    {
        #[expect(unsafe_code, reason = "calling code for a detected processor feature")]
        // SAFETY: the processor has AVX2 and POPCNT.
        return unsafe { blocks::intersection_reaching(left, right, needed) };
    }
    Some(intersection_plain(left, right)).filter(|shared| *shared >= needed)
}

/// The merge of two ascending, distinct lists without a branch that depends on the data.
pub fn intersection_plain(left: &[u64], right: &[u64]) -> usize {
    let (mut i, mut j, mut shared) = (0, 0, 0);
    while i < left.len() && j < right.len() {
        let (l, r) = (left[i], right[j]);
        shared += usize::from(l == r);
        i += usize::from(l <= r);
        j += usize::from(r <= l);
    }
    shared
}

#[cfg(target_arch = "x86_64")]
mod blocks {
    //! Four against four with AVX2.

    use std::arch::x86_64::{
        __m256i, _mm256_castsi256_pd, _mm256_cmpeq_epi64, _mm256_loadu_si256, _mm256_movemask_pd,
        _mm256_or_si256, _mm256_permute4x64_epi64,
    };

    use super::intersection_plain;

    const BLOCK: usize = 4;

    /// Shorter lists are merged faster than they are split.
    const WORTH_SPLITTING: usize = 32;

    /// Steps between two looks at whether the goal can still be reached.
    const STEPS: usize = 32;

    #[target_feature(enable = "avx2,popcnt")]
    pub(super) fn intersection_reaching(
        left: &[u64],
        right: &[u64],
        needed: usize,
    ) -> Option<usize> {
        if left.len().min(right.len()) < WORTH_SPLITTING {
            return Some(intersection_plain(left, right)).filter(|shared| *shared >= needed);
        }
        let middle = left.len() / 2;
        let pivot = left[middle];
        let (low, high) = left.split_at(middle);
        let (right_low, right_high) = right.split_at(right.partition_point(|value| *value < pivot));
        let mut low = Merge { left: low, right: right_low };
        let mut high = Merge { left: high, right: right_high };
        let mut shared = 0;
        while low.has_blocks() && high.has_blocks() {
            for _ in 0..STEPS {
                if !(low.has_blocks() && high.has_blocks()) {
                    break;
                }
                shared += low.step() + high.step();
            }
            if shared + low.bound() + high.bound() < needed {
                return None;
            }
        }
        shared += low.finish() + high.finish();
        (shared >= needed).then_some(shared)
    }

    /// What is left to compare of two lists.
    struct Merge<'a> {
        left: &'a [u64],
        right: &'a [u64],
    }

    impl Merge<'_> {
        #[inline]
        fn has_blocks(&self) -> bool {
            self.left.len() >= BLOCK && self.right.len() >= BLOCK
        }

        #[inline]
        fn bound(&self) -> usize {
            self.left.len().min(self.right.len())
        }

        /// Compares the first blocks and drops the one that ends first, or both.
        #[inline]
        #[target_feature(enable = "avx2,popcnt")]
        fn step(&mut self) -> usize {
            let (left, right) = (self.left, self.right);
            let (l, r) = (load(left), load(right));
            let equal = _mm256_or_si256(
                _mm256_or_si256(
                    _mm256_cmpeq_epi64(l, r),
                    _mm256_cmpeq_epi64(l, _mm256_permute4x64_epi64::<0x39>(r)),
                ),
                _mm256_or_si256(
                    _mm256_cmpeq_epi64(l, _mm256_permute4x64_epi64::<0x4e>(r)),
                    _mm256_cmpeq_epi64(l, _mm256_permute4x64_epi64::<0x93>(r)),
                ),
            );
            let (last_left, last_right) = (left[BLOCK - 1], right[BLOCK - 1]);
            self.left = &left[BLOCK * usize::from(last_left <= last_right)..];
            self.right = &right[BLOCK * usize::from(last_right <= last_left)..];
            _mm256_movemask_pd(_mm256_castsi256_pd(equal)).count_ones() as usize
        }

        #[target_feature(enable = "avx2,popcnt")]
        fn finish(mut self) -> usize {
            let mut shared = 0;
            while self.has_blocks() {
                shared += self.step();
            }
            shared + intersection_plain(self.left, self.right)
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load(values: &[u64]) -> __m256i {
        let block = &values[..BLOCK];
        #[expect(unsafe_code, reason = "an unaligned load has no safe form")]
        // SAFETY: `block` has four values of eight bytes, as many as the load reads.
        unsafe {
            _mm256_loadu_si256(block.as_ptr().cast())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]
        #[test]
        fn every_form_counts_the_shared_values(
            values in proptest::collection::vec((any::<u64>(), 0u8..4), 0..400), needed in 0usize..300,
        ) {
            // A value goes to the left, to the right, or (half of them) to both.
            let side = |which: u8| -> Vec<u64> {
                let chosen = values.iter().filter(|(_, place)| *place == which || *place > 1);
                chosen.map(|(value, _)| *value).collect::<BTreeSet<_>>().into_iter().collect()
            };
            let (left, right) = (side(0), side(1));
            let right_set: BTreeSet<u64> = right.iter().copied().collect();
            let shared = left.iter().filter(|value| right_set.contains(value)).count();
            prop_assert_eq!(intersection_plain(&left, &right), shared);
            prop_assert_eq!(intersection_size(&left, &right), shared);
            let reached = intersection_reaching(&left, &right, needed);
            prop_assert_eq!(reached, Some(shared).filter(|shared| *shared >= needed));
        }
    }

    #[test]
    fn lists_of_very_different_length_are_compared_to_the_end() {
        let long: Vec<u64> = (0..1000).collect();
        for short in [vec![], vec![999], vec![0, 999], (960..1040).collect::<Vec<_>>()] {
            assert_eq!(intersection_size(&long, &short), intersection_plain(&short, &long));
        }
    }
}
