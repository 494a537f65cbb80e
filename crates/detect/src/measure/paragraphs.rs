//! Documents by the paragraphs they have in common.

use std::collections::VecDeque;
use std::ops::Range;

use hashbrown::HashMap;

use super::paragraph_count::count_matches;
use crate::features::ParagraphFeature;
use crate::{Comparison, FeatureKind, Features, Measure};

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
    fn accepts(&self, kind: &FeatureKind) -> bool {
        kind.has(&FeatureKind::Paragraphs)
    }

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
        self.compare_from(left, right, 0.0)
    }

    /// As [`MatchedParagraphs::compare`] wherever the resemblance reaches `floor`; below it, resemblance
    /// and containment may be too high, but not so high that they reach it, and there is no further
    /// measure: nearly all candidates are below it, and none is worth memory of its own.
    pub(crate) fn compare_from(self, left: &[u64], right: &[u64], floor: f64) -> Comparison {
        let root = (left.len() as f64 * right.len() as f64).sqrt();
        // The fewest matches that reach the floor, by the same division that makes the resemblance.
        let mut needed = (floor * root - 1.0).max(0.0) as usize;
        while root > 0.0 && (needed as f64 / root) < floor {
            needed += 1;
        }
        let n_matched = count_matches(left, right, self.max_distance, needed);
        let matched = n_matched as f64;
        let measures = if n_matched < needed { Vec::new() } else { vec![matched] };
        if n_matched == 0 {
            return Comparison { containment: Some((0.0, 0.0)), measures, ..Comparison::default() };
        }
        let (n_left, n_right) = (left.len() as f64, right.len() as f64);
        let containment = Some((matched / n_left, matched / n_right));
        Comparison { resemblance: matched / root, containment, measures }
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
    pub(super) fn pair(self, left: &[u64], right: &[u64]) -> Vec<(usize, usize)> {
        let (mut pairs, left_rest, right_rest) = pair_equal(left, right);
        if self.max_distance > 0 {
            let of = |side: &[u64], rest: &[usize]| rest.iter().map(|at| side[*at]).collect();
            let (left, right): (Vec<u64>, Vec<u64>) =
                (of(left, &left_rest), of(right, &right_rest));
            let close = pair_most(&self.close_to_each(&left, &right), right.len());
            pairs.extend(close.into_iter().map(|(l, r)| (left_rest[l], right_rest[r])));
        }
        pairs.sort_unstable();
        pairs
    }

    /// By left position: the right positions within the distance, ascending.
    pub(super) fn close_to_each(self, left: &[u64], right: &[u64]) -> Vec<Vec<usize>> {
        let is_close = |l: u64, r: u64| (l ^ r).count_ones() <= self.max_distance;
        if left.len().saturating_mul(right.len()) <= MOST_COMPARED {
            let close_to = |l: &u64| (0..right.len()).filter(|r| is_close(*l, right[*r])).collect();
            return left.iter().map(close_to).collect();
        }
        // Words that differ in at most h bits agree in one of h + 1 blocks of bits.
        let n_blocks = self.max_distance + 1;
        let mut close = vec![Vec::new(); left.len()];
        for block in 0..n_blocks {
            let (from, to) = (block * 64 / n_blocks, (block + 1) * 64 / n_blocks);
            let mask = (u64::MAX >> (64 - (to - from))) << from;
            let mut by_block: Vec<(u64, usize)> =
                right.iter().enumerate().map(|(at, r)| (r & mask, at)).collect();
            by_block.sort_unstable();
            for (l, close) in left.iter().zip(&mut close) {
                let start = by_block.partition_point(|(bits, _)| *bits < l & mask);
                let agreeing = by_block[start..].iter().take_while(|(bits, _)| *bits == l & mask);
                close.extend(agreeing.filter(|(_, r)| is_close(*l, right[*r])).map(|(_, r)| *r));
            }
        }
        for close in &mut close {
            close.sort_unstable();
            close.dedup();
        }
        close
    }
}

/// Documents of more pairs of paragraphs than this are compared block by block.
pub(super) const MOST_COMPARED: usize = 1 << 20;

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

/// A largest set of one-to-one pairs along edges from left to right (Kuhn's augmenting paths).
pub(super) fn pair_most(edges: &[Vec<usize>], n_right: usize) -> Vec<(usize, usize)> {
    let mut pairing = Pairing {
        of_left: vec![None; edges.len()],
        of_right: vec![None; n_right],
        is_settled: vec![false; n_right],
    };
    for start in 0..edges.len() {
        // Without an edge there is nothing to find; with a free one nothing to move.
        let free = edges[start].iter().find(|r| pairing.of_right[**r].is_none());
        match free {
            Some(r) => pairing.join(start, *r),
            None if edges[start].is_empty() => {}
            None => pairing.augment(edges, start),
        }
    }
    let of_left = pairing.of_left.into_iter().enumerate();
    of_left.filter_map(|(l, r)| r.map(|r| (l, r))).collect()
}

/// Who is paired with whom.
struct Pairing {
    of_left: Vec<Option<usize>>,
    of_right: Vec<Option<usize>>,
    /// Right nodes that a search in vain has reached: no later one gets on from them, either.
    is_settled: Vec<bool>,
}

impl Pairing {
    fn join(&mut self, l: usize, r: usize) {
        self.of_left[l] = Some(r);
        self.of_right[r] = Some(l);
    }

    /// Finds a partner for `start`, moving others along the shortest chain that frees one.
    ///
    /// Breadth first with its own queue: a long chain must not exhaust the stack.
    fn augment(&mut self, edges: &[Vec<usize>], start: usize) {
        // The left node from which each right node was reached.
        let mut reached_from: HashMap<usize, usize> = HashMap::new();
        let mut queue = VecDeque::from([start]);
        while let Some(l) = queue.pop_front() {
            for &r in &edges[l] {
                if self.is_settled[r] || reached_from.contains_key(&r) {
                    continue;
                }
                reached_from.insert(r, l);
                match self.of_right[r] {
                    Some(next) => queue.push_back(next),
                    None => return self.flip(&reached_from, r),
                }
            }
        }
        for r in reached_from.into_keys() {
            self.is_settled[r] = true;
        }
    }

    /// Takes the chain that ends at the free right node, back to where it began.
    fn flip(&mut self, reached_from: &HashMap<usize, usize>, free: usize) {
        let mut next = Some(free);
        while let Some(r) = next {
            let Some(&l) = reached_from.get(&r) else { return };
            // What `l` was paired with before goes to the one before it in the chain.
            next = self.of_left[l];
            self.join(l, r);
        }
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

    #[test]
    fn long_documents_are_compared_block_by_block_with_the_same_answer() {
        let mut random = crate::random::SplitMix64::new(3);
        let left: Vec<u64> = (0..2_000).map(|_| random.next_u64()).collect();
        // Every second one is close, the others are strangers.
        let right: Vec<u64> = left
            .iter()
            .enumerate()
            .map(|(at, word)| word ^ if at % 2 == 0 { 0x8000_0100_0000_0001 } else { 0xffff_ffff })
            .collect();
        for max_distance in [1, 3, 16] {
            let measure = MatchedParagraphs { max_distance };
            let plain = |l: &u64| -> Vec<usize> {
                let is_close = |r: &usize| (l ^ right[*r]).count_ones() <= max_distance;
                (0..right.len()).filter(is_close).collect()
            };
            let expected: Vec<Vec<usize>> = left.iter().map(plain).collect();
            assert_eq!(measure.close_to_each(&left, &right), expected);
        }
        assert_eq!(CLOSE.pair(&left, &right).len(), 1_000);
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
            let edges = measure.close_to_each(&left, &right);
            prop_assert_eq!(pair_most(&edges, right.len()).len(), most(&left, &right));
        }

        #[test]
        fn a_floor_changes_nothing_above_it_and_lifts_nothing_over_it(
            left in proptest::collection::vec(0u64..32, 0..9),
            right in proptest::collection::vec(0u64..32, 0..9),
            floor in 0.0..1.0,
        ) {
            let measure = MatchedParagraphs { max_distance: 1 };
            let (whole, from) = (measure.compare(&left, &right), measure.compare_from(&left, &right, floor));
            if whole.resemblance >= floor {
                prop_assert_eq!(from, whole);
            } else {
                prop_assert!((whole.resemblance..floor).contains(&from.resemblance));
            }
        }
    }
}
