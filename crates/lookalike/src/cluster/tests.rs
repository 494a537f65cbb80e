//! The join against naive references, and its promises about work.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use lookalike_detect::Verdict;
use lookalike_index::{Buckets, DocumentId, IndexError, KeepOrder, RowSorter};
use proptest::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::{
    ClusterRule, Clustering, Effort, Join, JoinLimits, Judge, Pair, Room, components, stars,
};

pub(super) const LARGE: usize = 1 << 24;
const UNLIMITED: JoinLimits =
    JoinLimits { failed_comparisons: usize::MAX, ranked_members: usize::MAX };

/// Documents are alike when their numbers are near; the score tells how near.
pub(super) struct Nearness {
    pub(super) numbers: Vec<u32>,
    pub(super) reach: u32,
    pub(super) keys_decide: bool,
    /// Whether pairs in a crowd that fail are told with little effort.
    pub(super) outlines: bool,
    pub(super) calls: AtomicU64,
}

impl Nearness {
    pub(super) fn new(numbers: Vec<u32>, reach: u32) -> Self {
        Self { numbers, reach, keys_decide: false, outlines: false, calls: AtomicU64::new(0) }
    }

    fn verdict(&self, left: DocumentId, right: DocumentId) -> Verdict {
        if self.keys_decide {
            return Verdict::new(true, 1.0);
        }
        let distance = self.numbers[left.0 as usize].abs_diff(self.numbers[right.0 as usize]);
        // Like the real judge, which stops when a pair cannot reach the threshold any more, this
        // one says of pairs that fail only that they are no better than so much.
        let score = 1.0 / f64::from(1 + distance.min(self.reach));
        Verdict::new(distance <= self.reach, score)
    }
}

impl Judge for Nearness {
    type Error = IndexError;

    fn judge(&self, left: DocumentId, right: DocumentId) -> Result<Verdict, IndexError> {
        assert!(!self.keys_decide, "nothing is compared where keys decide");
        self.calls.fetch_add(1, Ordering::Relaxed);
        Ok(self.verdict(left, right))
    }

    fn keys_decide(&self) -> bool {
        self.keys_decide
    }

    fn judge_in_crowd(
        &self,
        left: DocumentId,
        right: DocumentId,
    ) -> Result<(Verdict, Effort), IndexError> {
        let verdict = self.judge(left, right)?;
        let is_little = self.outlines && !verdict.duplicate;
        Ok((verdict, if is_little { Effort::Little } else { Effort::Full }))
    }

    fn exclude(&self, left: DocumentId, candidates: &[DocumentId], excluded: &mut [bool]) {
        // Not everything that could be excluded is.
        let is_excluded = |right: &DocumentId| {
            self.outlines
                && !(left.0 + right.0).is_multiple_of(3)
                && !self.verdict(left, *right).duplicate
        };
        for (candidate, excluded) in candidates.iter().zip(excluded) {
            *excluded = is_excluded(candidate);
        }
    }
}

/// A small corpus: who has which key, who is preferred, who is a copy.
#[derive(Clone, Debug)]
pub(super) struct Corpus {
    pub(super) rows: Vec<(u64, u32)>,
    pub(super) order: Vec<DocumentId>,
    pub(super) identities: Vec<u128>,
    pub(super) numbers: Vec<u32>,
}

impl Corpus {
    /// All documents in one bucket, in reading order.
    pub(super) fn one_bucket(numbers: Vec<u32>) -> Self {
        let documents = 0..numbers.len() as u32;
        Self {
            rows: documents.clone().map(|document| (7, document)).collect(),
            order: documents.clone().map(DocumentId).collect(),
            identities: documents.map(u128::from).collect(),
            numbers,
        }
    }

    pub(super) fn keep_order(&self) -> KeepOrder {
        KeepOrder::with_copies(self.order.clone(), &self.identities)
    }

    pub(super) fn buckets(&self, order: &KeepOrder, memory_bytes: usize) -> Buckets {
        let folder = tempfile::tempdir().unwrap();
        let mut sorter = RowSorter::new(memory_bytes, folder.path());
        for &(key, document) in &self.rows {
            sorter.push(key, DocumentId(document)).unwrap();
        }
        Buckets::build(sorter.finish().unwrap(), order, memory_bytes, folder.path()).unwrap()
    }
}

/// Copies have the keys and the number of the document they are copies of. Only documents of one
/// island share keys, so that there are groups of any size.
fn corpora() -> impl Strategy<Value = Corpus> {
    let rows = prop::collection::vec((0..60_u64, 0..40_u32), 0..250);
    let order = Just((0..40).map(DocumentId).collect::<Vec<_>>()).prop_shuffle();
    let numbers = prop::collection::vec(0..60_u32, 40);
    let originals = prop::collection::vec(prop::option::weighted(0.2, 0..40_usize), 40);
    (rows, order, numbers, originals, 0..5_usize, 1..9_u32).prop_map(
        |(mut rows, mut order, mut numbers, originals, missing, islands)| {
            for (key, document) in &mut rows {
                *key = *key * 8 + u64::from(*document % islands);
            }
            let mut identities: Vec<u128> = (0..40).collect();
            for (document, original) in originals.into_iter().enumerate() {
                let Some(original) = original.filter(|&original| original < document) else {
                    continue;
                };
                identities[document] = identities[original];
                numbers[document] = numbers[original];
                rows.retain(|&(_, other)| other != document as u32);
                let same = |&(key, other): &(u64, u32)| {
                    (other == original as u32).then_some((key, document as u32))
                };
                let copied: Vec<_> = rows.iter().filter_map(same).collect();
                rows.extend(copied);
            }
            order.truncate(40 - missing);
            Corpus { rows, order, identities, numbers }
        },
    )
}

/// Pools of one, two and three threads.
static POOLS: LazyLock<[ThreadPool; 3]> = LazyLock::new(|| {
    [1, 2, 3].map(|threads| ThreadPoolBuilder::new().num_threads(threads).build().unwrap())
});

/// Room that is small enough to work from files.
pub(super) fn room() -> Room {
    Room { memory_bytes: 1 << 12, temporary_folder: std::env::temp_dir() }
}

/// Runs a join on a pool of the given number of threads.
pub(super) fn run<J: Judge<Error = IndexError>>(
    corpus: &Corpus,
    judge: &J,
    (memory_bytes, threads, limits): (usize, usize, JoinLimits),
    (rule, all): (ClusterRule, bool),
) -> (Clustering, Vec<Pair>) {
    let order = corpus.keep_order();
    let buckets = corpus.buckets(&order, memory_bytes);
    let room = room();
    let join = Join { order: &order, buckets: &buckets, judge, limits, room: &room };
    POOLS[threads - 1].install(|| {
        let mut pairs = Vec::new();
        let mut emit = |pair| {
            pairs.push(pair);
            Ok(())
        };
        let clustering =
            if all { join.all_pairs(rule, &mut emit) } else { join.clusters(rule, &mut emit) };
        (clustering.unwrap(), pairs)
    })
}

type Scores = BTreeMap<(u32, u32), f64>;

/// Every pair that shares a key and is confirmed, better document first.
fn naive_pairs(corpus: &Corpus, judge: &Nearness) -> Scores {
    let keys = |document: DocumentId| -> BTreeSet<u64> {
        corpus.rows.iter().filter(|row| row.1 == document.0).map(|row| row.0).collect()
    };
    let mut pairs = Scores::new();
    for (position, &left) in corpus.order.iter().enumerate() {
        for &right in &corpus.order[position + 1..] {
            let same = corpus.identities[left.0 as usize] == corpus.identities[right.0 as usize];
            let verdict = judge.verdict(left, right);
            if same || (verdict.duplicate && !keys(left).is_disjoint(&keys(right))) {
                let score = if same { 1.0 } else { verdict.score };
                pairs.insert((left.0, right.0), score);
            }
        }
    }
    pairs
}

fn naive_star(corpus: &Corpus, pairs: &Scores) -> BTreeMap<u32, (u32, f64)> {
    let mut keepers: BTreeMap<u32, (u32, f64)> = BTreeMap::new();
    for &left in &corpus.order {
        if keepers.contains_key(&left.0) {
            continue;
        }
        for (&(_, right), &score) in pairs.iter().filter(|((l, _), _)| *l == left.0) {
            if !keepers.contains_key(&right) {
                keepers.insert(right, (left.0, score));
                keepers.insert(left.0, (left.0, 1.0));
            }
        }
    }
    keepers
}

fn naive_components(corpus: &Corpus, pairs: &Scores) -> BTreeMap<u32, u32> {
    let mut component: Vec<usize> = vec![usize::MAX; corpus.numbers.len()];
    for (position, document) in corpus.order.iter().enumerate() {
        component[document.0 as usize] = position;
    }
    for _ in &corpus.order {
        for &(left, right) in pairs.keys() {
            let best = component[left as usize].min(component[right as usize]);
            component[left as usize] = best;
            component[right as usize] = best;
        }
    }
    let connected: BTreeSet<u32> = pairs.keys().flat_map(|&(l, r)| [l, r]).collect();
    connected.into_iter().map(|d| (d, corpus.order[component[d as usize]].0)).collect()
}

/// Pairs as the pure functions take them.
fn as_pairs(scores: &Scores) -> Vec<Pair> {
    let pair = |(&(left, right), &score): (&(u32, u32), &f64)| Pair {
        left: DocumentId(left),
        right: DocumentId(right),
        verdict: Verdict::new(true, score),
    };
    scores.iter().map(pair).collect()
}

pub(super) fn members(clustering: &Clustering) -> BTreeMap<u32, (u32, Option<f64>)> {
    (0..clustering.n_documents() as u32)
        .filter_map(|document| {
            let membership = clustering.membership(DocumentId(document))?;
            Some((document, (membership.keeper.0, membership.score)))
        })
        .collect()
}

/// The known document that each new one matches best: its copy, or the one with the highest score,
/// or the first of several such.
fn naive_best(corpus: &Corpus, across: &Scores) -> BTreeMap<u32, (u32, Option<f64>)> {
    let identity = |document: u32| corpus.identities[document as usize];
    let position = |document: u32| corpus.order.iter().position(|other| other.0 == document);
    let mut best: BTreeMap<u32, (u32, Option<f64>)> = BTreeMap::new();
    for (&(new, known), &score) in across {
        let rank = |(known, score): (u32, Option<f64>)| {
            let is_copy = identity(known) == identity(new);
            let score = score.unwrap().to_bits();
            (std::cmp::Reverse((is_copy, score)), position(known))
        };
        let candidate = (known, Some(score));
        match best.get(&new) {
            Some(&other) if rank(other) <= rank(candidate) => {}
            _ => drop(best.insert(new, candidate)),
        }
    }
    best
}

/// Pairs with the better document first.
fn as_scores(corpus: &Corpus, pairs: &[Pair]) -> Scores {
    let position = |document| corpus.order.iter().position(|&other| other == document);
    let scores: Scores = pairs
        .iter()
        .map(|pair| {
            let (left, right) = (pair.left, pair.right);
            if position(left) < position(right) {
                ((left.0, right.0), pair.verdict.score)
            } else {
                ((right.0, left.0), pair.verdict.score)
            }
        })
        .collect();
    assert_eq!(scores.len(), pairs.len(), "a pair was emitted twice");
    scores
}

const SETTINGS: [(usize, usize); 4] = [(LARGE, 1), (LARGE, 2), (0, 1), (700, 3)];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn all_pairs_are_the_naive_pairs(corpus in corpora(), keys_decide: bool) {
        let mut judge = Nearness::new(corpus.numbers.clone(), 9);
        judge.keys_decide = keys_decide;
        let expected = naive_pairs(&corpus, &judge);
        for (memory, threads) in SETTINGS {
            for rule in [ClusterRule::Star, ClusterRule::Components] {
                let setting = (memory, threads, UNLIMITED);
                let (all, pairs) = run(&corpus, &judge, setting, (rule, true));
                prop_assert_eq!(as_scores(&corpus, &pairs), expected.clone());
                prop_assert_eq!(all.counts.confirmed_pairs, expected.len() as u64);
                let (direct, _) = run(&corpus, &judge, setting, (rule, false));
                prop_assert_eq!(members(&all), members(&direct));
            }
        }
    }

    #[test]
    fn stars_are_the_naive_stars(corpus in corpora(), keys_decide: bool) {
        let mut judge = Nearness::new(corpus.numbers.clone(), 9);
        judge.keys_decide = keys_decide;
        let pairs = naive_pairs(&corpus, &judge);
        let expected = members(&stars(&corpus.order, &as_pairs(&pairs)));
        let naive = naive_star(&corpus, &pairs).into_iter();
        let naive = naive.map(|(member, (keeper, score))| (member, (keeper, Some(score)))).collect();
        prop_assert_eq!(&expected, &naive);
        for (memory, threads) in SETTINGS {
            let setting = (memory, threads, JoinLimits::default());
            let (stars, emitted) = run(&corpus, &judge, setting, (ClusterRule::Star, false));
            prop_assert_eq!(members(&stars), expected.clone());
            prop_assert_eq!(stars.counts.skipped_comparisons, 0);
            let rest_on: Scores = expected
                .iter()
                .filter(|(member, (keeper, _))| *member != keeper)
                .map(|(&member, &(keeper, score))| ((keeper, member), score.unwrap()))
                .collect();
            prop_assert_eq!(as_scores(&corpus, &emitted), rest_on);
        }
    }

    #[test]
    fn no_keeper_is_a_confirmed_candidate_of_a_better_keeper(corpus in corpora()) {
        let judge = Nearness::new(corpus.numbers.clone(), 9);
        let setting = (LARGE, 2, JoinLimits::default());
        let (stars, _) = run(&corpus, &judge, setting, (ClusterRule::Star, false));
        let keeps = |document| {
            let membership = stars.membership(DocumentId(document));
            membership.is_none_or(|membership| membership.keeper.0 == document)
        };
        for &(left, right) in naive_pairs(&corpus, &judge).keys() {
            prop_assert!(!(keeps(left) && keeps(right)), "{left} and {right}");
        }
    }

    #[test]
    fn components_are_the_transitive_closure(corpus in corpora(), keys_decide: bool) {
        let mut judge = Nearness::new(corpus.numbers.clone(), 4);
        judge.keys_decide = keys_decide;
        let pairs = naive_pairs(&corpus, &judge);
        let expected = members(&components(&corpus.order, &as_pairs(&pairs)));
        let keepers: BTreeMap<u32, u32> = expected.iter().map(|(&d, &(k, _))| (d, k)).collect();
        prop_assert_eq!(&keepers, &naive_components(&corpus, &pairs));
        for (memory, threads) in SETTINGS {
            let setting = (memory, threads, JoinLimits::default());
            let (found, emitted) =
                run(&corpus, &judge, setting, (ClusterRule::Components, false));
            prop_assert_eq!(members(&found), expected.clone());
            prop_assert_eq!(emitted.len() as u64, keepers.len() as u64 - found.counts.clusters);
            let spanning = as_scores(&corpus, &emitted);
            prop_assert_eq!(&naive_components(&corpus, &spanning), &keepers);
            for (document, (keeper, score)) in members(&found) {
                let confirmed = pairs.get(&(keeper, document)).copied();
                let expected = if keeper == document { Some(1.0) } else { confirmed };
                prop_assert_eq!(score, expected, "a score is exact or there is none");
            }
        }
    }

    #[test]
    fn all_pairs_do_not_change_the_clusters_where_comparisons_are_skipped(
        corpus in corpora(),
        failed_comparisons in 0..4_usize,
        ranked_members in 0..12_usize,
    ) {
        let judge = Nearness::new(corpus.numbers.clone(), 5);
        let limits = JoinLimits { failed_comparisons, ranked_members };
        for rule in [ClusterRule::Star, ClusterRule::Components] {
            let (direct, rests_on) = run(&corpus, &judge, (LARGE, 1, limits), (rule, false));
            let (all, pairs) = run(&corpus, &judge, (LARGE, 2, limits), (rule, true));
            prop_assert_eq!(members(&all), members(&direct));
            for pair in rests_on {
                prop_assert!(pairs.contains(&pair), "{pair:?}");
            }
        }
    }

    #[test]
    fn new_documents_name_the_best_known_one(
        corpus in corpora(),
        n_new in 0..40_u32,
        keys_decide: bool,
    ) {
        let mut judge = Nearness::new(corpus.numbers.clone(), 9);
        judge.keys_decide = keys_decide;
        let (new, known): (Vec<_>, Vec<_>) = corpus.order.iter().partition(|d| d.0 < n_new);
        let sorted = Corpus { order: new.iter().chain(&known).copied().collect(), ..corpus };
        let across: Scores = naive_pairs(&sorted, &judge)
            .into_iter()
            .filter(|((left, right), _)| *left < n_new && *right >= n_new)
            .collect();
        let expected = naive_best(&sorted, &across);
        let order = KeepOrder::two_sided(new, known, &sorted.identities);
        for (memory, threads) in SETTINGS {
            let buckets = sorted.buckets(&order, memory);
            let limits = JoinLimits::default();
            let join = Join { order: &order, buckets: &buckets, judge: &judge, limits, room: &room() };
            for all in [false, true] {
                let mut pairs = Vec::new();
                let found = POOLS[threads - 1].install(|| join.against(all, &mut |pair| {
                    pairs.push(pair);
                    Ok(())
                }));
                let found = found.unwrap();
                prop_assert_eq!(found.counts.confirmed_pairs, pairs.len() as u64);
                prop_assert_eq!(found.counts.skipped_comparisons, 0);
                let best = members(&found).into_iter().filter(|(member, _)| *member < n_new);
                prop_assert_eq!(best.collect::<BTreeMap<_, _>>(), expected.clone());
                let pairs = as_scores(&sorted, &pairs);
                if all {
                    prop_assert_eq!(&pairs, &across);
                } else {
                    let rests_on: Scores = expected
                        .iter()
                        .map(|(&new, &(known, score))| ((new, known), score.unwrap()))
                        .collect();
                    prop_assert_eq!(&pairs, &rests_on);
                }
            }
        }
    }

    #[test]
    fn tight_limits_give_one_answer_whatever_the_threads(
        corpus in corpora(),
        failed_comparisons in 0..4_usize,
        ranked_members in 0..12_usize,
        all: bool,
    ) {
        let judge = Nearness::new(corpus.numbers.clone(), 5);
        let limits = JoinLimits { failed_comparisons, ranked_members };
        for rule in [ClusterRule::Star, ClusterRule::Components] {
            let alone = run(&corpus, &judge, (LARGE, 1, limits), (rule, all));
            for (memory, threads) in SETTINGS {
                let others = run(&corpus, &judge, (memory, threads, limits), (rule, all));
                prop_assert_eq!(&others, &alone);
            }
        }
    }
}

#[test]
fn a_judge_that_fails_ends_the_join_with_its_error() {
    struct Broken;
    impl Judge for Broken {
        type Error = IndexError;

        fn judge(&self, _: DocumentId, _: DocumentId) -> Result<Verdict, IndexError> {
            Err(IndexError::TooManyRows)
        }

        fn keys_decide(&self) -> bool {
            false
        }
    }
    let corpus = Corpus::one_bucket(vec![1; 5]);
    let order = corpus.keep_order();
    let buckets = corpus.buckets(&order, LARGE);
    let limits = JoinLimits::default();
    let join = Join { order: &order, buckets: &buckets, judge: &Broken, limits, room: &room() };
    let result = join.clusters(ClusterRule::Star, &mut |_| Ok(()));
    assert!(matches!(result, Err(IndexError::TooManyRows)));
}

#[test]
fn new_documents_that_match_nothing_known_can_make_stars_of_their_own() {
    // 0 and 1 match the known 4; 2 and 3 match each other, and 3 has a copy, 5.
    let corpus = Corpus {
        rows: (0..6).map(|document| (7, document)).collect(),
        order: [0, 1, 2, 3, 5, 4].map(DocumentId).to_vec(),
        identities: vec![0, 1, 2, 3, 4, 3],
        numbers: vec![10, 10, 50, 50, 10, 50],
    };
    let judge = Nearness::new(corpus.numbers.clone(), 0);
    let (new, known) = corpus.order.split_at(5);
    let order = KeepOrder::two_sided(new.to_vec(), known.to_vec(), &corpus.identities);
    let among = KeepOrder::with_copies(new.to_vec(), &corpus.identities);
    let limits = JoinLimits::default();
    for (all, n_among) in [(false, 2), (true, 4)] {
        let buckets = corpus.buckets(&order, LARGE);
        let across =
            Join { order: &order, buckets: &buckets, judge: &judge, limits, room: &room() };
        let found = across.against(all, &mut |_| Ok(())).unwrap();
        assert_eq!(found.counts.clusters, 1);
        let buckets = corpus.buckets(&among, LARGE);
        let join = Join { order: &among, buckets: &buckets, judge: &judge, limits, room: &room() };
        let mut pairs = Vec::new();
        let found = join.stars_of_the_rest(found, all, &mut |pair| {
            pairs.push((pair.left.0, pair.right.0));
            Ok(())
        });
        let found = found.unwrap();
        assert_eq!(pairs.len(), n_among, "{pairs:?}");
        let keepers: Vec<u32> =
            (0..6).map(|d| found.membership(DocumentId(d)).unwrap().keeper.0).collect();
        assert_eq!(keepers, [4, 4, 2, 2, 4, 2]);
        assert_eq!(found.counts.clusters, 2);
    }
}
