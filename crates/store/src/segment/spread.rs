//! Postings in order. Their words are hashes, so that each is put near its place at once.

use super::postings::Posting;

/// Fewer are sorted as fast by comparing them.
const WORTH_SPREADING: usize = 256;
/// How many postings come to lie side by side, on average.
const TOGETHER: usize = 4;

/// Puts pairs of a word and a number in ascending order; words that are no hashes only take longer.
pub fn sort_postings(mut postings: Vec<(u64, u32)>) -> Vec<(u64, u32)> {
    if postings.len() < WORTH_SPREADING {
        postings.sort_unstable();
        return postings;
    }
    let bits = (postings.len() / TOGETHER).ilog2();
    let place = |posting: &Posting| (posting.0 >> (u64::BITS - bits)) as usize;
    let mut ends = vec![0_u32; 1 << bits];
    for posting in &postings {
        ends[place(posting)] += 1;
    }
    let mut begin = 0;
    for end in &mut ends {
        begin += std::mem::replace(end, begin);
    }
    let mut sorted = vec![(0, 0); postings.len()];
    for posting in &postings {
        let end = &mut ends[place(posting)];
        sorted[*end as usize] = *posting;
        *end += 1;
    }
    let mut begin = 0;
    for end in ends {
        sorted[begin..end as usize].sort_unstable();
        begin = end as usize;
    }
    sorted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn postings_are_sorted_whatever_their_words_are(
            hashes in prop::collection::vec((any::<u64>(), 0..9_u32), 0..2000),
            few in prop::collection::vec((0..4_u64, any::<u32>()), 0..600),
            high in prop::collection::vec((u64::MAX - 9..=u64::MAX, any::<u32>()), 0..600),
        ) {
            let postings = [hashes, few, high].concat();
            let mut expected = postings.clone();
            expected.sort_unstable();
            prop_assert_eq!(sort_postings(postings), expected);
        }
    }
}
