//! What crowded buckets cost, and what is found in them.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use lookalike_index::{DocumentId, KeepOrder};

use super::tests::{Corpus, LARGE, Nearness, members, run};
use super::{ClusterRule, Join, JoinLimits};

#[test]
fn a_hot_bucket_of_copies_costs_one_comparison_each() {
    let corpus = Corpus::one_bucket(vec![5; 10_000]);
    for rule in [ClusterRule::Star, ClusterRule::Components] {
        for threads in [1, 2] {
            let judge = Nearness::new(corpus.numbers.clone(), 0);
            let setting = (LARGE, threads, JoinLimits::default());
            let (clustering, _) = run(&corpus, &judge, setting, (rule, false));
            assert_eq!(clustering.counts.comparisons, 9_999);
            assert_eq!(judge.calls.load(Ordering::Relaxed), 9_999);
            assert_eq!(clustering.counts.skipped_comparisons, 0);
            assert_eq!(clustering.counts.largest_cluster, 10_000);
        }
    }
}

#[test]
fn a_hot_bucket_of_unlike_documents_is_not_quadratic() {
    let limits = JoinLimits { failed_comparisons: 50, ..JoinLimits::default() };
    for rule in [ClusterRule::Star, ClusterRule::Components] {
        for (size, threads, all) in [(10_000, 1, false), (10_000, 1, true), (700, 2, false)] {
            let corpus = Corpus::one_bucket((0..size).collect());
            let judge = Nearness::new(corpus.numbers.clone(), 0);
            let (clustering, _) = run(&corpus, &judge, (LARGE, threads, limits), (rule, all));
            let counts = clustering.counts;
            let size = u64::from(size);
            // Where comparisons are skipped, all pairs and the clusters are walks of their own.
            let walks = if all { 2 } else { 1 };
            assert!(counts.comparisons <= size * 50 * walks);
            // Several threads may judge some pairs in vain.
            let calls = judge.calls.load(Ordering::Relaxed);
            let needed = counts.comparisons + counts.sampled_comparisons;
            assert!(calls == needed || (threads > 1 && calls > needed), "{calls} {needed}");
            assert!(counts.sampled_comparisons > 0 && counts.missing_pairs == 0);
            assert!(counts.crowd.is_some_and(|crowd| crowd.skipped >= size - 51));
            let candidates = counts.comparisons / walks + counts.skipped_comparisons;
            assert_eq!(candidates, size * (size - 1) / 2);
            assert_eq!(counts.clusters, 0);
        }
    }
}

#[test]
fn failures_of_little_effort_count_for_a_sixteenth() {
    let corpus = Corpus::one_bucket((0..100).map(|number| 100 * number).collect());
    let limits = JoinLimits { failed_comparisons: 2, ..JoinLimits::default() };
    let mut counted = None;
    for threads in [1, 2, 3] {
        let mut judge = Nearness::new(corpus.numbers.clone(), 9);
        judge.outlines = true;
        let setting = (LARGE, threads, limits);
        let (stars, _) = run(&corpus, &judge, setting, (ClusterRule::Star, false));
        // Of the documents after it, each is compared with 32 at most.
        let expected: u64 = (0..100).map(|after: u64| after.min(32)).sum();
        assert_eq!(stars.counts.comparisons, expected);
        assert_eq!(*counted.get_or_insert(stars.counts), stars.counts);
    }
}

#[test]
fn a_hot_bucket_costs_nothing_where_keys_decide() {
    let corpus = Corpus::one_bucket((0..10_000).collect());
    for rule in [ClusterRule::Star, ClusterRule::Components] {
        let mut judge = Nearness::new(corpus.numbers.clone(), 0);
        judge.keys_decide = true;
        let limits = JoinLimits { failed_comparisons: 0, ranked_members: 0 };
        let (clustering, pairs) = run(&corpus, &judge, (LARGE, 2, limits), (rule, false));
        assert_eq!(pairs.len(), 9_999);
        assert_eq!(clustering.counts.comparisons, 0);
        assert_eq!(clustering.counts.skipped_comparisons, 0);
        assert_eq!(clustering.largest(3), [(DocumentId(0), 10_000)]);
    }
}

#[test]
fn candidates_that_share_most_keys_come_first() {
    // Document 0 shares one key with everybody and two with its only duplicate, the last.
    let mut corpus = Corpus::one_bucket((0..500).collect());
    corpus.numbers[499] = 0;
    corpus.rows.extend([(8, 0), (8, 499)]);
    let judge = Nearness::new(corpus.numbers.clone(), 0);
    let limits = JoinLimits { failed_comparisons: 1, ranked_members: 600 };
    let (stars, _) = run(&corpus, &judge, (LARGE, 1, limits), (ClusterRule::Star, false));
    assert_eq!(members(&stars), BTreeMap::from([(0, (0, Some(1.0))), (499, (0, Some(1.0)))]));
}

/// New documents, all nearly alike, and one known one that all of them match.
fn crowd_against_one(n_new: u32) -> (u64, u64, usize) {
    let corpus = Corpus::one_bucket(vec![5; n_new as usize + 1]);
    let judge = Nearness::new(corpus.numbers.clone(), 0);
    let (new, known) = corpus.order.split_at(n_new as usize);
    let order = KeepOrder::two_sided(new.to_vec(), known.to_vec(), &corpus.identities);
    let buckets = corpus.buckets(&order, LARGE);
    let limits = JoinLimits::default();
    let join = Join { order: &order, buckets: &buckets, judge: &judge, limits };
    let found = join.against(false, &mut |_| Ok(())).unwrap();
    assert_eq!(found.counts.skipped_comparisons, 0);
    let named = (0..n_new).filter(|&new| {
        let membership = found.membership(DocumentId(new));
        membership.is_some_and(|membership| membership.keeper.0 == n_new)
    });
    (judge.calls.load(Ordering::Relaxed), buckets.n_members() as u64, named.count())
}

#[test]
fn a_crowd_of_new_documents_costs_one_comparison_each_and_all_name_the_known_one() {
    // What is read is bounded by members, of which there is one, for each of the documents.
    assert_eq!(crowd_against_one(10_000), (10_000, 1, 10_000));
    assert_eq!(crowd_against_one(20_000), (20_000, 1, 20_000));
}
