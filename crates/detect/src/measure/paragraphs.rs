//! Documents by the paragraphs they have in common.

use std::ops::Range;

use crate::features::ParagraphFeature;
use crate::{Comparison, Features, Measure};

/// Paragraphs of two documents that match, each at most once.
///
/// resemblance = matched / √(n · m), containment = matched / n and matched / m, for documents of n
/// and m paragraphs; the number of matches stands in [`Comparison::measures`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchedParagraphs {
    /// Fingerprints that differ in at most so many bits match.
    pub max_distance: u32,
}

/// Two paragraphs that match, by their places in the two original texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParagraphMatch {
    /// Where the paragraph stands in the left text.
    pub left: Range<usize>,
    /// Where the paragraph stands in the right text.
    pub right: Range<usize>,
    /// The bits in which the two fingerprints differ.
    pub distance: u32,
}

impl Measure for MatchedParagraphs {
    fn measure(&self, left: &Features, right: &Features) -> Comparison {
        let fingerprints = |features: &Features| -> Vec<u64> {
            features.as_paragraphs().iter().map(|paragraph| paragraph.fingerprint).collect()
        };
        self.compare(&fingerprints(left), &fingerprints(right))
    }
}

impl MatchedParagraphs {
    /// Compares two documents by their paragraphs' fingerprints.
    pub fn compare(&self, left: &[u64], right: &[u64]) -> Comparison {
        let matched = self.pair(left, right).len() as f64;
        if matched == 0.0 {
            return Comparison {
                containment: Some((0.0, 0.0)),
                measures: vec![0.0],
                ..Comparison::default()
            };
        }
        let (n_left, n_right) = (left.len() as f64, right.len() as f64);
        Comparison {
            resemblance: matched / (n_left * n_right).sqrt(),
            containment: Some((matched / n_left, matched / n_right)),
            measures: vec![matched],
        }
    }

    /// Which paragraphs match, in the reading order of the left document.
    pub fn matches(&self, left: &Features, right: &Features) -> Vec<ParagraphMatch> {
        let (left, right) = (left.as_paragraphs(), right.as_paragraphs());
        let hashes = |side: &[ParagraphFeature]| -> Vec<u64> {
            side.iter().map(|paragraph| paragraph.fingerprint).collect()
        };
        self.pair(&hashes(left), &hashes(right))
            .into_iter()
            .map(|(l, r)| ParagraphMatch {
                left: left[l].place(),
                right: right[r].place(),
                distance: (left[l].fingerprint ^ right[r].fingerprint).count_ones(),
            })
            .collect()
    }

    /// One-to-one pairs of positions: equal fingerprints first, then as many close ones as can be
    /// paired at all, so that the number does not depend on which document is left.
    fn pair(self, left: &[u64], right: &[u64]) -> Vec<(usize, usize)> {
        let (mut pairs, left_rest, right_rest) = pair_equal(left, right);
        if self.max_distance > 0 {
            let close = |l: usize, r: usize| (left[l] ^ right[r]).count_ones() <= self.max_distance;
            pairs.extend(pair_most(&left_rest, &right_rest, close));
        }
        pairs.sort_unstable();
        pairs
    }
}

/// Pairs of equal values, and the positions on both sides that are left over, ascending.
fn pair_equal(left: &[u64], right: &[u64]) -> (Vec<(usize, usize)>, Vec<usize>, Vec<usize>) {
    let order = |side: &[u64]| {
        let mut positions: Vec<usize> = (0..side.len()).collect();
        positions.sort_by_key(|&position| side[position]);
        positions
    };
    let (left_order, right_order) = (order(left), order(right));
    let (mut l, mut r) = (0, 0);
    let (mut pairs, mut left_rest, mut right_rest) = (Vec::new(), Vec::new(), Vec::new());
    while l < left_order.len() && r < right_order.len() {
        let (at, with) = (left_order[l], right_order[r]);
        match left[at].cmp(&right[with]) {
            std::cmp::Ordering::Equal => {
                pairs.push((at, with));
                l += 1;
                r += 1;
            }
            std::cmp::Ordering::Less => {
                left_rest.push(at);
                l += 1;
            }
            std::cmp::Ordering::Greater => {
                right_rest.push(with);
                r += 1;
            }
        }
    }
    left_rest.extend_from_slice(&left_order[l..]);
    right_rest.extend_from_slice(&right_order[r..]);
    left_rest.sort_unstable();
    right_rest.sort_unstable();
    (pairs, left_rest, right_rest)
}

/// A largest set of one-to-one pairs that are `close` (Kuhn's augmenting paths).
fn pair_most(
    left: &[usize],
    right: &[usize],
    close: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, usize)> {
    let edges: Vec<Vec<usize>> =
        left.iter().map(|&l| (0..right.len()).filter(|&r| close(l, right[r])).collect()).collect();
    let mut partner: Vec<Option<usize>> = vec![None; right.len()];
    for start in 0..left.len() {
        if !edges[start].is_empty() {
            augment(&edges, &mut partner, start);
        }
    }
    let paired = partner.iter().enumerate();
    paired.filter_map(|(r, l)| l.map(|l| (left[l], right[r]))).collect()
}

/// Finds a partner for `start`, moving others along the shortest chain that frees one.
///
/// Breadth first with its own queue: a long chain must not exhaust the stack.
fn augment(edges: &[Vec<usize>], partner: &mut [Option<usize>], start: usize) {
    // The left node from which each right node was reached.
    let mut reached_from: Vec<Option<usize>> = vec![None; partner.len()];
    let mut queue = std::collections::VecDeque::from([start]);
    while let Some(l) = queue.pop_front() {
        for &r in &edges[l] {
            if reached_from[r].is_some() {
                continue;
            }
            reached_from[r] = Some(l);
            match partner[r] {
                Some(next) => queue.push_back(next),
                None => return flip(partner, &reached_from, r, start),
            }
        }
    }
}

/// Takes the chain that ends at the free right node, back to `start`.
fn flip(partner: &mut [Option<usize>], reached_from: &[Option<usize>], free: usize, start: usize) {
    let mut r = free;
    while let Some(l) = reached_from[r] {
        partner[r] = Some(l);
        if l == start {
            return;
        }
        // The right node that `l` was paired with before, other than the one it just got.
        let before = (0..partner.len()).find(|&other| other != r && partner[other] == Some(l));
        let Some(previous) = before else { return };
        r = previous;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CLOSE: MatchedParagraphs = MatchedParagraphs { max_distance: 3 };

    #[test]
    fn a_paragraph_matches_at_most_once() {
        let comparison = CLOSE.compare(&[5, 5, 5, 5], &[5]);
        assert_eq!(comparison.containment, Some((0.25, 1.0)));
        assert_eq!(comparison.resemblance, 0.5);
        assert_eq!(comparison.measures, [1.0]);
    }

    #[test]
    fn nothing_in_common_is_zero() {
        assert_eq!(CLOSE.compare(&[], &[1]).resemblance, 0.0);
        assert_eq!(CLOSE.compare(&[0xff00], &[0xff]).resemblance, 0.0);
    }

    #[test]
    fn a_chain_of_close_paragraphs_is_paired_completely() {
        // 0b11 is close to both on the right; it must leave the nearer one to 0b1111.
        let close = MatchedParagraphs { max_distance: 2 };
        assert_eq!(close.pair(&[0b11, 0b11_1111], &[0b1111, 0]), [(0, 1), (1, 0)]);
    }

    #[test]
    fn matches_carry_their_places() {
        let feature = |fingerprint, start| ParagraphFeature { fingerprint, start, end: start + 10 };
        let left = Features::Paragraphs(vec![feature(1, 0), feature(0xf0f0, 12)]);
        let right = Features::Paragraphs(vec![feature(0xf0f1, 40)]);
        let expected = ParagraphMatch { left: 12..22, right: 40..50, distance: 1 };
        assert_eq!(CLOSE.matches(&left, &right), [expected]);
    }

    /// The largest number of pairs, by trying every choice for the first left value.
    fn most(left: &[u64], right: &[u64]) -> usize {
        let Some((first, rest)) = left.split_first() else { return 0 };
        let with = |position: usize| {
            let mut others = right.to_vec();
            others.remove(position);
            1 + most(rest, &others)
        };
        let close = |r: &u64| (first ^ r).count_ones() <= 1;
        let positions = (0..right.len()).filter(|&position| close(&right[position]));
        positions.map(with).max().unwrap_or(0).max(most(rest, right))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn pairs_are_symmetric_and_as_many_as_possible(
            left in proptest::collection::vec(0u64..16, 0..6),
            right in proptest::collection::vec(0u64..16, 0..6),
        ) {
            let measure = MatchedParagraphs { max_distance: 1 };
            let pairs = measure.pair(&left, &right);
            prop_assert_eq!(pairs.len(), measure.pair(&right, &left).len());
            let all: Vec<usize> = (0..left.len()).collect();
            let others: Vec<usize> = (0..right.len()).collect();
            let close = |l: usize, r: usize| (left[l] ^ right[r]).count_ones() <= 1;
            prop_assert_eq!(pair_most(&all, &others, close).len(), most(&left, &right));
        }
    }
}
