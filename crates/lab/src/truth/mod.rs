//! Every pair of sets above a threshold, exactly.
//!
//! [`SetIndex`] is an inverted index over the rarest features of each set. Two bounds make it
//! fast without missing a pair: sets of too different length cannot reach the threshold, and two
//! sets that do must share a feature among the rarest few of both (the prefix bound of Bayardo,
//! Ma, Srikant 2007). Useful as ground truth for any method on up to some hundred thousand
//! documents at high thresholds; at low thresholds the prefixes grow long and it slows down.

mod brute_force;
mod index;
mod measure;
mod terms;

pub use brute_force::all_pairs_by_brute_force;
pub use index::SetIndex;
pub use measure::SetMeasure;
pub use terms::{joined_by_cosine, sets_of_terms, term_sets};

use rayon::prelude::*;

/// Two sets whose measure reaches the threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoredPair {
    /// The first set: the query, or the one with the lower number.
    pub left: usize,
    /// The second set.
    pub right: usize,
    /// Their measure.
    pub score: f64,
}

/// All pairs `left < right` of `sets` with a measure of at least `threshold`, sorted.
///
/// The sets' features are distinct, in any order. An empty set is in no pair, and neither are two
/// sets without a common feature, whatever the threshold.
pub fn all_pairs<S: AsRef<[u64]> + Sync>(
    sets: &[S],
    measure: SetMeasure,
    threshold: f64,
) -> Vec<ScoredPair> {
    let index = SetIndex::build(sets, measure, threshold);
    let found: Vec<Vec<ScoredPair>> = (0..sets.len())
        .into_par_iter()
        .map_init(
            || index.search(),
            |search, left| {
                let mut pairs = search.find(sets[left].as_ref());
                pairs.retain(|(right, _)| *right > left);
                pairs.into_iter().map(|(right, score)| ScoredPair { left, right, score }).collect()
            },
        )
        .collect();
    found.into_iter().flatten().collect()
}

/// For each query its partners in `collection`, sorted by query and partner.
///
/// A query that is itself in the collection finds itself there.
pub fn query_pairs<Q: AsRef<[u64]> + Sync, S: AsRef<[u64]> + Sync>(
    queries: &[Q],
    collection: &[S],
    measure: SetMeasure,
    threshold: f64,
) -> Vec<ScoredPair> {
    let index = SetIndex::build(collection, measure, threshold);
    let found: Vec<Vec<ScoredPair>> = queries
        .par_iter()
        .enumerate()
        .map_init(
            || index.search(),
            |search, (left, query)| {
                let pairs = search.find(query.as_ref()).into_iter();
                pairs.map(|(right, score)| ScoredPair { left, right, score }).collect()
            },
        )
        .collect();
    found.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sets() -> impl Strategy<Value = Vec<Vec<u64>>> {
        let set = proptest::collection::btree_set(0u64..24, 0..14);
        let sets = proptest::collection::vec(set, 0..40);
        sets.prop_map(|sets| sets.into_iter().map(|set| set.into_iter().collect()).collect())
    }

    fn measures() -> impl Strategy<Value = SetMeasure> {
        prop_oneof![Just(SetMeasure::BinaryCosine), Just(SetMeasure::Jaccard)]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn no_pair_is_missed_and_none_invented(
            sets in sets(), measure in measures(), twentieths in 1u32..=20
        ) {
            let threshold = f64::from(twentieths) / 20.0;
            let fast = all_pairs(&sets, measure, threshold);
            prop_assert_eq!(fast, all_pairs_by_brute_force(&sets, measure, threshold));
        }

        #[test]
        fn queries_find_what_the_self_join_finds(sets in sets(), measure in measures()) {
            let mut by_query = query_pairs(&sets, &sets, measure, 0.7);
            by_query.retain(|pair| pair.left < pair.right);
            prop_assert_eq!(by_query, all_pairs_by_brute_force(&sets, measure, 0.7));
        }

        #[test]
        fn a_query_with_features_unknown_to_the_collection_misses_nothing(
            queries in sets(), sets in sets(), measure in measures()
        ) {
            // Doubling leaves only the even features of the queries known to the collection.
            let sets: Vec<Vec<u64>> =
                sets.iter().map(|set| set.iter().map(|feature| feature * 2).collect()).collect();
            let fast = query_pairs(&queries, &sets, measure, 0.4);
            let mut slow = Vec::new();
            for (left, query) in queries.iter().enumerate() {
                for (right, set) in sets.iter().enumerate() {
                    let score = measure.of(query, set);
                    if score >= 0.4 {
                        slow.push(ScoredPair { left, right, score });
                    }
                }
            }
            prop_assert_eq!(fast, slow);
        }
    }

    #[test]
    fn empty_sets_are_nobodys_duplicates() {
        let sets: Vec<Vec<u64>> = vec![vec![], vec![], vec![1]];
        assert!(all_pairs(&sets, SetMeasure::Jaccard, 0.5).is_empty());
    }
}
