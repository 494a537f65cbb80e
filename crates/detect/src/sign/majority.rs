//! Which bits most of a document's random words have set: the hot spot of `simhash`.
//!
//! The words are counted in [`Planes`], long lists in eight lanes side by side, which wide registers
//! do in one go.

use lookalike_text::by_register_width;

use super::planes::{N_PLANES, Planes, carry_save};
use crate::random::mix64;

/// For each of 64 bits, whether more than half of the features' random words have it set.
pub(super) fn majority(features: &[u64], key: u64) -> u64 {
    let mut planes = Planes::<1>::default();
    let (groups, rest) = features.as_chunks();
    add_groups(groups, key, &mut planes);
    let (eights, rest) = rest.as_chunks::<8>();
    for eight in eights {
        planes.add_eight(eight.map(|feature| [mix64(feature ^ key)]), 0);
    }
    for feature in rest {
        planes.add([mix64(feature ^ key)], 0);
    }
    let [(more, _)] = planes.compare(features.len() as u64 / 2);
    more
}

const LANES: usize = 8;
const GROUP: usize = 8 * LANES;

/// One word for each lane.
type Lanes = [u64; LANES];

by_register_width! {
    /// Counts the random words of whole groups of features.
    fn add_groups(groups: &[[u64; GROUP]], key: u64, planes: &mut Planes<1>) {
        512 => add_groups_plainly(groups, key, planes),
        256 => add_groups_plainly(groups, key, planes),
        _ => add_groups_plainly(groups, key, planes),
    }
}

/// The one form of [`add_groups`], which the compiler makes as wide as the processor of its caller.
#[expect(clippy::inline_always, reason = "it is compiled for the processor of its caller")]
#[inline(always)]
fn add_groups_plainly(groups: &[[u64; GROUP]], key: u64, planes: &mut Planes<1>) {
    let mut lanes = [[0; LANES]; N_PLANES];
    // Beyond these no count reaches.
    let n_used = (3 + (usize::BITS - groups.len().leading_zeros()) as usize).min(N_PLANES);
    let (mut ones, mut twos, mut fours) = ([0; LANES], [0; LANES], [0; LANES]);
    for group in groups {
        let words = |part: usize| random_words(group, part, key);
        let twos_a = carry_save(&mut ones, words(0), words(1));
        let twos_b = carry_save(&mut ones, words(2), words(3));
        let fours_a = carry_save(&mut twos, twos_a, twos_b);
        let twos_a = carry_save(&mut ones, words(4), words(5));
        let twos_b = carry_save(&mut ones, words(6), words(7));
        let fours_b = carry_save(&mut twos, twos_a, twos_b);
        let mut carry = carry_save(&mut fours, fours_a, fours_b);
        for plane in &mut lanes[3..n_used] {
            for (bits, carry) in plane.iter_mut().zip(&mut carry) {
                (*bits, *carry) = (*bits ^ *carry, *bits & *carry);
            }
        }
    }
    (lanes[0], lanes[1], lanes[2]) = (ones, twos, fours);
    for (plane, lanes) in lanes[..n_used].iter().enumerate() {
        for word in lanes {
            planes.add([*word], plane);
        }
    }
}

#[inline]
fn random_words(group: &[u64; GROUP], part: usize, key: u64) -> Lanes {
    let mut words = [0; LANES];
    for (word, feature) in words.iter_mut().zip(&group[part * LANES..]) {
        *word = mix64(feature ^ key);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    /// The same, one counter after the other.
    fn naive(features: &[u64], key: u64) -> u64 {
        let set = |bit: u32| {
            let count = features.iter().filter(|f| mix64(*f ^ key) >> bit & 1 == 1).count();
            u64::from(2 * count > features.len()) << bit
        };
        (0..64).map(set).sum()
    }

    #[test]
    fn lists_of_any_length_are_counted_right() {
        let mut generator = SplitMix64::new(4);
        let features: Vec<u64> = (0..3000).map(|_| generator.next_u64()).collect();
        for length in (0..200).chain([511, 512, 513, 1000, 2047, 2048, 3000]) {
            // Few distinct values make counters run high, and exactly half of them meet.
            for distinct in [1, 2, 3, 3000] {
                let list: Vec<u64> = (0..length).map(|i| features[i % distinct]).collect();
                assert_eq!(majority(&list, 77), naive(&list, 77), "{length} {distinct}");
            }
        }
    }

    #[test]
    fn wide_registers_count_as_plain_ones_do() {
        let mut generator = SplitMix64::new(5);
        let features: Vec<u64> = (0..GROUP * 40).map(|_| generator.next_u64()).collect();
        for n_groups in [0, 1, 2, 3, 40] {
            let groups = &features.as_chunks().0[..n_groups];
            let (mut wide, mut plain) = (Planes::<1>::default(), Planes::<1>::default());
            add_groups(groups, 9, &mut wide);
            add_groups_plainly(groups, 9, &mut plain);
            assert_eq!(wide, plain);
        }
    }
}
