//! Sorting fixed-width records whose first words are hashes.

/// Bits of a digit: 2048 counters a pass stay in the first-level cache.
const DIGIT_BITS: u32 = 11;
const DIGITS: usize = 3;
const BUCKETS: usize = 1 << DIGIT_BITS;
/// Below this, counting costs more than comparing.
const SMALL: usize = 2048;

/// Sorts records of 32-bit words in lexicographic order.
///
/// A stable radix sort orders the first word; hashes rarely agree in it without being equal, so
/// the few runs that still need it are finished by comparison. Values that do agree (small
/// integers, say) cost a comparison sort, never more.
pub(crate) fn sort_records<const WIDTH: usize>(records: &mut Vec<[u32; WIDTH]>) {
    if records.len() < SMALL {
        records.sort_unstable();
        return;
    }
    let counts = count_digits(records);
    let mut scratch = Vec::new();
    for (digit, counts) in counts.iter().enumerate() {
        if counts.contains(&records.len()) {
            continue;
        }
        scratch.resize(records.len(), [0; WIDTH]);
        scatter(records, &mut scratch, digit, counts);
        std::mem::swap(records, &mut scratch);
    }
    drop(scratch);
    for run in records.chunk_by_mut(|left, right| left[0] == right[0]) {
        if !run.is_sorted() {
            run.sort_unstable();
        }
    }
}

fn digit_of<const WIDTH: usize>(record: &[u32; WIDTH], digit: usize) -> usize {
    (record[0] >> (digit as u32 * DIGIT_BITS)) as usize & (BUCKETS - 1)
}

fn count_digits<const WIDTH: usize>(records: &[[u32; WIDTH]]) -> [[usize; BUCKETS]; DIGITS] {
    let mut counts = [[0; BUCKETS]; DIGITS];
    for record in records {
        for (digit, counts) in counts.iter_mut().enumerate() {
            counts[digit_of(record, digit)] += 1;
        }
    }
    counts
}

fn scatter<const WIDTH: usize>(
    from: &[[u32; WIDTH]],
    to: &mut [[u32; WIDTH]],
    digit: usize,
    counts: &[usize; BUCKETS],
) {
    let mut places = [0; BUCKETS];
    let mut start = 0;
    for (place, count) in places.iter_mut().zip(counts) {
        *place = start;
        start += count;
    }
    for record in from {
        let place = &mut places[digit_of(record, digit)];
        to[*place] = *record;
        *place += 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn radix_order_is_comparison_order(
            seeds in prop::collection::vec(any::<[u32; 3]>(), 0..400),
            mask in prop::sample::select(vec![u32::MAX, 0xff, 0xffff_0000, 3, 0]),
        ) {
            // Repeated with small changes, so that the radix path is taken.
            let mut records: Vec<[u32; 3]> = (0..20_u32)
                .flat_map(|round| seeds.iter().map(move |[a, b, c]| {
                    [a.rotate_left(round) & mask, b & mask, c ^ round]
                }))
                .collect();
            let mut expected = records.clone();
            expected.sort_unstable();
            sort_records(&mut records);
            prop_assert_eq!(records, expected);
        }
    }
}
