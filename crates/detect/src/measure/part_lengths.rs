//! Vectors by the lengths of their parts: a few hundred bytes that bound what two vectors share.
//!
//! Features are hashes, so that their upper bits cut a vector into parts at random. Of two vectors, the products
//! of the weights that they share in a part add up to at most the product of the lengths of their parts there
//! (Cauchy and Schwarz); and so do the smaller squares. Lengths are rounded up to a byte: what the bound
//! excludes is excluded for certain.

use lookalike_text::by_register_width;

use crate::WeightedFeature;

/// Parts of a vector: most weights of some hundred stand alone in theirs.
const PARTS: usize = 256;
/// Words of parts, eight bytes each, and one before them for the length that the largest byte stands for.
pub(super) const WORDS: usize = PARTS / 8 + 1;

/// More than rounding can change of a length or a sum, as a share of it.
const ROUNDING: f64 = 1e-6;

/// Appends the lengths of the parts of a vector without negative weights.
pub(super) fn push_part_lengths(entries: &[WeightedFeature], words: &mut Vec<u64>) {
    let mut squares = [0.0; PARTS];
    for entry in entries {
        squares[(entry.feature >> (64 - PARTS.trailing_zeros())) as usize] +=
            f64::from(entry.weight) * f64::from(entry.weight);
    }
    let longest = squares.iter().copied().fold(0.0, f64::max).sqrt();
    let steps = if longest > 0.0 { 255.0 / longest * (1.0 + ROUNDING) } else { 0.0 };
    words.push(longest.to_bits());
    let (chunks, _) = squares.as_chunks::<8>();
    words.extend(chunks.iter().map(|squares| {
        // Cutting off and adding one rounds up without a call into the system's library; the longest
        // part has the largest byte, which stands for its length.
        let byte = |square: f64| {
            let length = square.sqrt() * steps;
            if square > 0.0 { (length as u32 + 1).min(255) as u8 } else { 0 }
        };
        u64::from_le_bytes(squares.map(byte))
    }));
}

/// The most that two vectors can share, by the lengths of their parts: products of weights, or smaller squares.
pub(super) fn most_shared(left: &[u64; WORDS], right: &[u64; WORDS]) -> f64 {
    let [[left_longest, left @ ..], [right_longest, right @ ..]] = [left, right];
    let scale = f64::from_bits(*left_longest) * f64::from_bits(*right_longest) / (255.0 * 255.0);
    f64::from(sum_of_products(left, right)) * scale * (1.0 + ROUNDING)
}

#[expect(clippy::inline_always, reason = "it is compiled for the processor of its caller")]
#[inline(always)]
fn plain_sum(left: &[u64; WORDS - 1], right: &[u64; WORDS - 1]) -> u32 {
    let bytes = |words: &[u64; WORDS - 1]| words.map(u64::to_le_bytes);
    let (left, right) = (bytes(left), bytes(right));
    let (left, right) = (left.as_flattened(), right.as_flattened());
    left.iter().zip(right).map(|(left, right)| u32::from(*left) * u32::from(*right)).sum()
}

by_register_width! {
    /// The products of the bytes of two lists, added up.
    fn sum_of_products(left: &[u64; WORDS - 1], right: &[u64; WORDS - 1]) -> u32 {
        512 => plain_sum(left, right),
        256 => plain_sum(left, right),
        _ => plain_sum(left, right),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::random::mix64;

    fn lengths(entries: &[WeightedFeature]) -> [u64; WORDS] {
        let mut words = Vec::new();
        push_part_lengths(entries, &mut words);
        words.try_into().unwrap()
    }

    /// Vectors that share features, some of which stand in one part.
    fn some_vector() -> impl Strategy<Value = Vec<WeightedFeature>> {
        let weight = prop_oneof![Just(0.0_f32), 1e-20_f32..1e-18, 0.01_f32..100.0, 1e18_f32..1e19];
        prop::collection::btree_map(0_u64..400, weight, 0..300).prop_map(|weights| {
            let entry = |(number, weight): (u64, f32)| WeightedFeature {
                feature: if number.is_multiple_of(5) { number } else { mix64(number) },
                weight,
            };
            let mut entries: Vec<_> = weights.into_iter().map(entry).collect();
            entries.sort_by_key(|entry| entry.feature);
            entries
        })
    }

    fn shared(left: &[WeightedFeature], right: &[WeightedFeature]) -> (f64, f64) {
        let (mut products, mut minima) = (0.0, 0.0);
        for l in left {
            for r in right.iter().filter(|r| r.feature == l.feature) {
                products += f64::from(l.weight) * f64::from(r.weight);
                minima += f64::from(l.weight.min(r.weight)).powi(2);
            }
        }
        (products, minima)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]
        #[test]
        fn vectors_never_share_more_than_their_parts_allow(left in some_vector(), right in some_vector()) {
            let most = most_shared(&lengths(&left), &lengths(&right));
            let (products, minima) = shared(&left, &right);
            prop_assert!(products <= most && minima <= most, "{products} {minima} {most}");
        }

        #[test]
        fn bytes_are_added_up_as_they_are_one_by_one(
            left in prop::collection::vec(any::<u64>(), WORDS - 1),
            right in prop::collection::vec(any::<u64>(), WORDS - 1),
        ) {
            let plain: u32 = left
                .iter()
                .zip(&right)
                .flat_map(|(l, r)| l.to_le_bytes().into_iter().zip(r.to_le_bytes()))
                .map(|(l, r)| u32::from(l) * u32::from(r))
                .sum();
            let (left, right) = (left.try_into().unwrap(), right.try_into().unwrap());
            prop_assert_eq!(sum_of_products(&left, &right), plain);
            prop_assert_eq!(plain_sum(&left, &right), plain);
        }
    }

    #[test]
    fn unlike_vectors_of_some_hundred_features_are_seen_to_be_unlike() {
        let vector = |from: u64| -> Vec<WeightedFeature> {
            let entry = |n: u64| WeightedFeature { feature: mix64(n), weight: 1.0 };
            (from..from + 200).map(entry).collect()
        };
        let most = |other: u64| most_shared(&lengths(&vector(0)), &lengths(&vector(other)));
        assert!(most(0) >= 200.0 && most(0) < 202.0, "{}", most(0));
        assert!(most(1000) < 120.0, "{}", most(1000));
    }
}
