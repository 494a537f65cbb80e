//! How many paragraphs of two documents match, as far as a verdict depends on it.
//!
//! Nearly all candidates share one sentence and little else. A verdict asks for a number of
//! matches, so that a document may have only so many paragraphs without partner: the smaller one
//! is gone through until it has more, before anything is sorted.

use super::MatchedParagraphs;
use super::paragraphs::{MOST_COMPARED, pair_most};

/// The number of one-to-one matches if it is at least `needed`; otherwise a number below `needed`
/// and not below the true one.
///
/// Equal fingerprints are paired first, then as many close ones as can be.
pub(super) fn count_matches(
    left: &[u64],
    right: &[u64],
    max_distance: u32,
    needed: usize,
) -> usize {
    let most = left.len().min(right.len());
    if most < needed || most == 0 {
        return most;
    }
    let (small, large) = if left.len() <= right.len() { (left, right) } else { (right, left) };
    if misses_more(small, large, max_distance, most - needed) {
        return needed - 1;
    }
    let (mut small, mut large) = (small.to_vec(), large.to_vec());
    small.sort_unstable();
    large.sort_unstable();
    let n_equal = take_equal(&mut small, &mut large);
    if max_distance == 0 || small.is_empty() {
        return n_equal;
    }
    let needed = needed.saturating_sub(n_equal);
    match close_to_each(&small, &large, max_distance, needed) {
        Ok(edges) => n_equal + pair_most(&edges, large.len()).len(),
        Err(most) => n_equal + most,
    }
}

/// Whether more than so many in `small` have none in `large` within the distance; never where that
/// would take long to say.
fn misses_more(small: &[u64], large: &[u64], max_distance: u32, may_miss: usize) -> bool {
    if may_miss == small.len() || small.len().saturating_mul(large.len()) > MOST_COMPARED {
        return false;
    }
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("popcnt") {
        #[expect(unsafe_code, reason = "calling code for a detected processor feature")]
        // SAFETY: the processor has POPCNT.
        return unsafe { misses_more_popcnt(small, large, max_distance, may_miss) };
    }
    misses_more_plain(small, large, max_distance, may_miss)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn misses_more_popcnt(small: &[u64], large: &[u64], max_distance: u32, may_miss: usize) -> bool {
    misses_more_plain(small, large, max_distance, may_miss)
}

#[inline]
fn misses_more_plain(small: &[u64], large: &[u64], max_distance: u32, may_miss: usize) -> bool {
    let mut missed = 0;
    for (place, word) in small.iter().enumerate() {
        // Copies have the same paragraphs at the same places.
        if large.get(place) == Some(word) {
            continue;
        }
        let is_close = |other: &u64| (word ^ other).count_ones() <= max_distance;
        missed += usize::from(!large.iter().any(is_close));
        if missed > may_miss {
            return true;
        }
    }
    false
}

/// Takes equal values out of two ascending lists, one of each list at a time; how many there were.
fn take_equal(left: &mut Vec<u64>, right: &mut Vec<u64>) -> usize {
    let (mut l, mut r, mut n_equal) = (0, 0, 0);
    // What is left over moves to the beginning of its list.
    let (mut kept_left, mut kept_right) = (0, 0);
    while l < left.len() && r < right.len() {
        let (at_left, at_right) = (left[l], right[r]);
        // Which one is less cannot be predicted: both are written, and count where they are kept.
        left[kept_left] = at_left;
        right[kept_right] = at_right;
        kept_left += usize::from(at_left < at_right);
        kept_right += usize::from(at_right < at_left);
        n_equal += usize::from(at_left == at_right);
        l += usize::from(at_left <= at_right);
        r += usize::from(at_right <= at_left);
    }
    left.drain(kept_left..l);
    right.drain(kept_right..r);
    n_equal
}

/// Of each in `small` the positions in `large` within the distance; those without any may be left
/// out.
///
/// # Errors
/// Fewer than `needed` have one; the number is at least how many do.
fn close_to_each(
    small: &[u64],
    large: &[u64],
    max_distance: u32,
    needed: usize,
) -> Result<Vec<Vec<usize>>, usize> {
    if small.len().saturating_mul(large.len()) > MOST_COMPARED {
        return Ok(MatchedParagraphs { max_distance }.close_to_each(small, large));
    }
    let mut may_miss = small.len().checked_sub(needed).ok_or(small.len())?;
    let mut edges = Vec::new();
    for word in small {
        let close = close_to(*word, large, max_distance);
        if close.is_empty() {
            may_miss = may_miss.checked_sub(1).ok_or(needed.saturating_sub(1))?;
        } else {
            edges.push(close);
        }
    }
    Ok(edges)
}

/// The positions of the words within the distance, ascending.
fn close_to(word: u64, others: &[u64], max_distance: u32) -> Vec<usize> {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("popcnt") {
        #[expect(unsafe_code, reason = "calling code for a detected processor feature")]
        // SAFETY: the processor has POPCNT.
        return unsafe { close_to_popcnt(word, others, max_distance) };
    }
    close_to_plain(word, others, max_distance)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn close_to_popcnt(word: u64, others: &[u64], max_distance: u32) -> Vec<usize> {
    close_to_plain(word, others, max_distance)
}

#[inline]
fn close_to_plain(word: u64, others: &[u64], max_distance: u32) -> Vec<usize> {
    let is_close = |place: &usize| (word ^ others[*place]).count_ones() <= max_distance;
    (0..others.len()).filter(is_close).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]
        #[test]
        fn counts_are_those_of_the_pairs_where_they_are_enough(
            left in proptest::collection::vec(0u64..40, 0..12),
            right in proptest::collection::vec(0u64..40, 0..12),
            max_distance in 0u32..3,
            needed in 0usize..12,
        ) {
            let pairs = MatchedParagraphs { max_distance }.pair(&left, &right).len();
            let counted = count_matches(&left, &right, max_distance, needed);
            if pairs >= needed {
                prop_assert_eq!(counted, pairs);
            } else {
                prop_assert!((pairs..needed).contains(&counted), "{} of {}", counted, pairs);
            }
        }
    }
}
