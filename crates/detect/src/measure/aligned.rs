//! Outlines of lists that are compared place by place: two bits a value, and then a byte.
//!
//! One bit says whether the value is common in the crowd, the other is one of its own. Equal values
//! have equal bits, so that every place in which two outlines differ stands for unequal values. In a
//! crowd of one template the first bit alone tells a value of the template from one that is not, which
//! excludes most pairs that are no duplicates in a few instructions. A byte of each value excludes
//! nearly all others.

/// Words of the outline of so many values.
pub fn aligned_outline_words(n_values: usize) -> usize {
    2 * n_values.div_ceil(64)
}

/// Appends the outline of a list: for each 64 places, which values are common, and a bit of each.
pub fn push_aligned_outline(values: &[u64], is_common: impl Fn(u64) -> bool, words: &mut Vec<u64>) {
    for part in values.chunks(64) {
        let (mut common, mut bits) = (0, 0);
        for (place, value) in part.iter().enumerate() {
            common |= u64::from(is_common(*value)) << place;
            // Values are hashes, of which the upper bits are as good as any.
            bits |= (value >> 63) << place;
        }
        words.extend([common, bits]);
    }
}

/// Appends a byte of each value, eight in a word.
pub fn push_aligned_bytes(values: &[u64], words: &mut Vec<u64>) {
    let bytes = |part: &[u64]| part.iter().fold(0, |word, value| word << 8 | value >> 56);
    words.extend(values.chunks(8).map(bytes));
}

/// Appends the number of each row whose outline differs from another one in at most so many places.
/// `asked` has a bit for each row that is looked at.
pub fn near_rows(
    outline: &[u64],
    rows: &[u64],
    asked: &[u64],
    most_differing: usize,
    near: &mut Vec<usize>,
) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("popcnt") {
        #[expect(unsafe_code, reason = "calling code for a detected processor feature")]
        // SAFETY: the processor has POPCNT.
        return unsafe { near_rows_popcnt(outline, rows, asked, most_differing, near) };
    }
    near_rows_plain(outline, rows, asked, most_differing, near);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn near_rows_popcnt(
    outline: &[u64],
    rows: &[u64],
    asked: &[u64],
    most_differing: usize,
    near: &mut Vec<usize>,
) {
    near_rows_plain(outline, rows, asked, most_differing, near);
}

#[inline]
fn near_rows_plain(
    outline: &[u64],
    rows: &[u64],
    asked: &[u64],
    most_differing: usize,
    near: &mut Vec<usize>,
) {
    // The usual 84 values are worth a loop without an inner one.
    if let &[common_0, bits_0, common_1, bits_1] = outline {
        let rows = rows.as_chunks::<4>().0;
        return push_asked(asked, near, |number| {
            rows.get(number).is_some_and(|row| {
                let first = (row[0] ^ common_0) | (row[1] ^ bits_0);
                let second = (row[2] ^ common_1) | (row[3] ^ bits_1);
                (first.count_ones() + second.count_ones()) as usize <= most_differing
            })
        });
    }
    let width = outline.len();
    push_asked(asked, near, |number| {
        rows.get(number * width..(number + 1) * width).is_some_and(|row| {
            let places = row.chunks_exact(2).zip(outline.chunks_exact(2));
            let differing = places.map(|(l, r)| (l[0] ^ r[0] | l[1] ^ r[1]).count_ones() as usize);
            differing.sum::<usize>() <= most_differing
        })
    });
}

/// Appends the numbers of the rows asked for that are near.
#[expect(clippy::inline_always, reason = "it counts bits by the instruction its caller may use")]
#[inline(always)]
fn push_asked(asked: &[u64], near: &mut Vec<usize>, is_near: impl Fn(usize) -> bool) {
    for (first, &asked) in (0..).step_by(64).zip(asked) {
        // Collected without a branch: whether a row is near cannot be foreseen.
        let (mut rest, mut found) = (asked, 0);
        while rest != 0 {
            let bit = rest.trailing_zeros();
            rest &= rest - 1;
            found |= u64::from(is_near(first + bit as usize)) << bit;
        }
        while found != 0 {
            near.push(first + found.trailing_zeros() as usize);
            found &= found - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::random::mix64;
    use crate::sign::unlike_bytes;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(128) })]
        #[test]
        fn whoever_differs_in_few_places_is_near(
            (list, others) in (1..200_usize).prop_flat_map(|n_values| {
                let list = || prop::collection::vec(0..6_u64, n_values);
                (list(), prop::collection::vec(list(), 0..20))
            }),
            most_differing in 0..200_usize,
            asked: u64,
        ) {
            let is_common = |value| value == mix64(0) || value == mix64(1);
            let hashed = |list: &[u64]| list.iter().map(|value| mix64(*value)).collect::<Vec<_>>();
            let mut outline = Vec::new();
            push_aligned_outline(&hashed(&list), is_common, &mut outline);
            prop_assert_eq!(outline.len(), aligned_outline_words(list.len()));
            let mut rows = Vec::new();
            for other in &others {
                push_aligned_outline(&hashed(other), is_common, &mut rows);
            }
            let (mut near, mut plain) = (Vec::new(), Vec::new());
            // More may be asked for than there are.
            near_rows(&outline, &rows, &[u64::MAX; 2], most_differing, &mut near);
            near_rows_plain(&outline, &rows, &[u64::MAX; 2], most_differing, &mut plain);
            prop_assert_eq!(&near, &plain);
            let mut asked_for = Vec::new();
            near_rows(&outline, &rows, &[asked], most_differing, &mut asked_for);
            plain.retain(|number| asked >> number & 1 == 1);
            prop_assert_eq!(asked_for, plain);
            for (number, other) in (0..).zip(&others) {
                let differing = list.iter().zip(other).filter(|(l, r)| l != r).count();
                prop_assert!(differing > most_differing || near.contains(&number));
                // A value that is common differs from one that is not.
                let bytes = [&list, other].map(|list| {
                    let mut words = Vec::new();
                    push_aligned_bytes(&hashed(list), &mut words);
                    words
                });
                let unlike = unlike_bytes(&bytes[0], &bytes[1]) as usize;
                prop_assert!(unlike <= differing);
                let certain = list.iter().zip(other).filter(|(l, r)| (**l < 2) != (**r < 2)).count();
                prop_assert!(certain <= most_differing || !near.contains(&number));
            }
        }
    }
}
