//! What crowded buckets cost, and what is found in them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;

use lookalike_detect::measure::{MatchedParagraphs, SetMeasure};
use lookalike_detect::sign::{ParagraphKeys, SignParagraphs};
use lookalike_detect::{ComparedSet, Features, FewestShared, Measure, Sign, Signature, Verdict};
use lookalike_index::{DocumentId, IndexError, KeepOrder};
use proptest::prelude::*;

use super::tests::{Corpus, LARGE, Nearness, members, room, run};
use super::{ClusterRule, Join, JoinLimits, Judge, Pair};

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
    let join = Join { order: &order, buckets: &buckets, judge: &judge, limits, room: &room() };
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

/// Documents are alike by their sets.
struct Sets {
    features: Vec<Features>,
    threshold: f64,
    measure: SetMeasure,
}

impl Sets {
    fn new(sets: &[BTreeSet<u64>], threshold: f64, measure: SetMeasure) -> Self {
        let set = |set: &BTreeSet<u64>| Features::set(set.iter().copied().collect());
        Self { features: sets.iter().map(set).collect(), threshold, measure }
    }
}

impl Judge for Sets {
    type Error = IndexError;

    fn judge(&self, left: DocumentId, right: DocumentId) -> Result<Verdict, IndexError> {
        let [left, right] = [left, right].map(|document| &self.features[document.0 as usize]);
        let score = self.measure.measure(left, right).resemblance;
        Ok(Verdict::new(score >= self.threshold, score))
    }

    fn keys_decide(&self) -> bool {
        false
    }

    fn compared_set(
        &self,
        document: DocumentId,
        values: &mut Vec<u64>,
    ) -> Result<Option<ComparedSet>, IndexError> {
        let set = self.features[document.0 as usize].as_set();
        values.extend_from_slice(set);
        let fewest = self.measure.fewest_shared(set.len(), self.threshold);
        Ok(fewest.map(|fewest| ComparedSet { fewest, values_each: 1, aligned: false }))
    }
}

/// Documents are alike by their paragraphs.
struct Paragraphs {
    signatures: Vec<Signature>,
    threshold: f64,
    sign: SignParagraphs,
}

impl Paragraphs {
    fn new(documents: impl IntoIterator<Item = Vec<u64>>, threshold: f64) -> Self {
        let measure = MatchedParagraphs { max_distance: 3 };
        let sign = SignParagraphs::new(measure, ParagraphKeys::Sentences, 64, 1);
        Self { signatures: documents.into_iter().map(Signature).collect(), threshold, sign }
    }
}

impl Judge for Paragraphs {
    type Error = IndexError;

    fn judge(&self, left: DocumentId, right: DocumentId) -> Result<Verdict, IndexError> {
        let [left, right] = [left, right].map(|document| &self.signatures[document.0 as usize]);
        let score = self.sign.compare(left, right).resemblance;
        Ok(Verdict::new(score >= self.threshold, score))
    }

    fn keys_decide(&self) -> bool {
        false
    }

    fn compared_set(
        &self,
        document: DocumentId,
        values: &mut Vec<u64>,
    ) -> Result<Option<ComparedSet>, IndexError> {
        let signature = &self.signatures[document.0 as usize];
        Ok(self.sign.compared_set(signature, self.threshold, values))
    }
}

/// Documents are alike by lists of values, place by place.
struct Lists {
    lists: Vec<Vec<u64>>,
    needed: usize,
}

impl Judge for Lists {
    type Error = IndexError;

    fn judge(&self, left: DocumentId, right: DocumentId) -> Result<Verdict, IndexError> {
        let [left, right] = [left, right].map(|document| &self.lists[document.0 as usize]);
        let equal = left.iter().zip(right).filter(|(l, r)| l == r).count();
        Ok(Verdict::new(equal >= self.needed, equal as f64 / left.len() as f64))
    }

    fn keys_decide(&self) -> bool {
        false
    }

    fn compared_set(
        &self,
        document: DocumentId,
        values: &mut Vec<u64>,
    ) -> Result<Option<ComparedSet>, IndexError> {
        let list = &self.lists[document.0 as usize];
        let hash = |(at, value): (u64, &u64)| (64 * value + at).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        values.extend((0..).zip(list).map(hash));
        let fewest = FewestShared { with_any: self.needed, with_larger: self.needed };
        Ok(Some(ComparedSet { fewest, values_each: 1, aligned: true }))
    }
}

/// Lists of one template, some values of which are others, and some of these are shared.
fn lists() -> impl Strategy<Value = Vec<Vec<u64>>> {
    let value = prop_oneof![4 => Just(0), 1 => 1..200_u64, 1 => 1..4_u64];
    prop::collection::vec(prop::collection::vec(value, 12), 10..60)
}

/// Pages of one template, some of which have a value of their own group, and one number each.
fn pages() -> impl Strategy<Value = Vec<BTreeSet<u64>>> {
    let page = (0..16_u64, 0..8_u64, prop::collection::btree_set(100..160_u64, 0..6), 4..12_u64);
    let page = page.prop_map(|(group, many, own, template)| {
        let of_group = (0..many).map(|value| 1_000 + 10 * group + value);
        (0..template).chain(of_group).chain(own).map(|value| value * 0x9e37_79b9_7f4a).collect()
    });
    prop::collection::vec(page, 10..60)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(192) })]
    #[test]
    fn pairs_in_crowds_are_those_of_comparing_everybody(
        pages in pages(), tenths in 4..10_u32, cosine in any::<bool>(), all in any::<bool>(),
        keys in prop::collection::vec((0..3_u64, 0..60_u32), 0..90),
    ) {
        let measure = if cosine { SetMeasure::Cosine } else { SetMeasure::Jaccard };
        let judge = Sets::new(&pages, f64::from(tenths) / 10.0, measure);
        crowds_are_found(&judge, &pages_corpus(pages.len(), keys), all)?;
    }

    #[test]
    fn lists_in_crowds_are_those_of_comparing_everybody(
        lists in lists(), needed in 1..12_usize, all in any::<bool>(),
        keys in prop::collection::vec((0..3_u64, 0..60_u32), 0..90),
    ) {
        let corpus = pages_corpus(lists.len(), keys);
        crowds_are_found(&Lists { lists, needed }, &corpus, all)?;
    }

    #[test]
    fn paragraphs_in_crowds_match_as_in_comparing_everybody(
        pages in pages(), tenths in 4..10_u32, all in any::<bool>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..64_u32, 0..64_u32), 0..200),
        keys in prop::collection::vec((0..3_u64, 0..60_u32), 0..90),
    ) {
        let value = |value: &u64| value.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut documents: Vec<Vec<u64>> =
            pages.iter().map(|page| page.iter().map(value).collect()).collect();
        // Paragraphs that match are seldom equal, and may stand anywhere.
        for (position, (place, first, second)) in changes.into_iter().enumerate() {
            let n_documents = documents.len();
            let document = &mut documents[position % n_documents];
            let place = place.index(document.len());
            document[place] ^= 1 << first ^ 1 << second;
            document.swap(0, place);
        }
        let judge = Paragraphs::new(documents, f64::from(tenths) / 10.0);
        crowds_are_found(&judge, &pages_corpus(pages.len(), keys), all)?;
    }
}

/// Some documents share the crowded key only, some others as well, some others only.
fn pages_corpus(n_pages: usize, keys: Vec<(u64, u32)>) -> Corpus {
    let mut corpus = Corpus::one_bucket(vec![0; n_pages]);
    corpus.rows.extend(keys.into_iter().filter(|(_, document)| (*document as usize) < n_pages));
    corpus.rows.retain(|&(key, document)| key != 7 || document % 7 != 3);
    corpus
}

/// Whether nothing is lost in crowds, whatever memory and threads there are.
fn crowds_are_found(
    judge: &impl Judge<Error = IndexError>,
    corpus: &Corpus,
    all: bool,
) -> Result<(), TestCaseError> {
    let everybody = JoinLimits { failed_comparisons: usize::MAX, ..JoinLimits::default() };
    let crowds = JoinLimits { failed_comparisons: 9, ..JoinLimits::default() };
    let what = (ClusterRule::Star, all);
    let (naive, expected) = run(corpus, judge, (LARGE, 1, everybody), what);
    let (first, pairs) = run(corpus, judge, (LARGE, 1, crowds), what);
    if first.counts.skipped_comparisons == 0 {
        prop_assert_eq!(as_map(&pairs), as_map(&expected));
        prop_assert_eq!(members(&first), members(&naive));
    }
    for (memory, threads) in [(0, 1), (LARGE, 2), (500, 3)] {
        let (clustering, again) = run(corpus, judge, (memory, threads, crowds), what);
        prop_assert_eq!(as_map(&again), as_map(&pairs));
        prop_assert_eq!(clustering.counts, first.counts);
    }
    Ok(())
}

fn as_map(pairs: &[Pair]) -> BTreeMap<(u32, u32), u64> {
    pairs.iter().map(|pair| ((pair.left.0, pair.right.0), pair.verdict.score.to_bits())).collect()
}

#[test]
fn a_crowd_of_one_template_costs_a_few_comparisons_each_and_loses_no_pair() {
    for n_documents in [500, 2_000] {
        // Sixty values of the template and forty of their own; every tenth shares half of those
        // with the one before it.
        let value = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let page = |document: u64| -> BTreeSet<u64> {
            let group = if document % 10 == 1 { document - 1 } else { document };
            let own = |document: u64| (0..20).map(move |number| 1_000 + 50 * document + number);
            let second = own(document).map(|number| number + 25);
            (0..60).chain(own(group)).chain(second).map(value).collect()
        };
        let pages: Vec<_> = (0..n_documents).map(page).collect();
        let judge = Sets::new(&pages, 0.6, SetMeasure::Jaccard);
        let corpus = Corpus::one_bucket(vec![0; pages.len()]);
        let limits = JoinLimits { failed_comparisons: 20, ..JoinLimits::default() };
        for threads in [1, 2] {
            let (found, pairs) =
                run(&corpus, &judge, (LARGE, threads, limits), (ClusterRule::Star, true));
            assert_eq!(pairs.len() as u64, n_documents / 10);
            assert_eq!(found.counts.skipped_comparisons, 0);
            assert_eq!(found.counts.comparisons, n_documents / 10);
        }
    }
}

#[test]
fn a_crowd_of_paragraphs_costs_a_few_comparisons_each_and_loses_no_pair() {
    for n_documents in [500, 2_000] {
        // Ten paragraphs of the template and three of their own, of which every tenth shares one, a
        // little changed, with the one before it.
        let value = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let page = |document: u64| -> Vec<u64> {
            let own = (0..3).map(|number| value(100 + 3 * document + number));
            let mut page: Vec<u64> = (1..11).map(value).chain(own).collect();
            if document % 10 == 1 {
                page[11] = value(100 + 3 * (document - 1)) ^ 0b101;
            }
            page
        };
        let judge = Paragraphs::new((0..n_documents).map(page), 0.8);
        let corpus = Corpus::one_bucket(vec![0; n_documents as usize]);
        let limits = JoinLimits { failed_comparisons: 20, ..JoinLimits::default() };
        let (found, pairs) = run(&corpus, &judge, (LARGE, 1, limits), (ClusterRule::Star, true));
        assert_eq!(pairs.len() as u64, n_documents / 10);
        assert_eq!(found.counts.skipped_comparisons, 0);
        assert_eq!(found.counts.comparisons, n_documents / 10);
    }
}

#[test]
fn a_crowd_of_lists_costs_less_than_a_comparison_each_and_loses_no_pair() {
    for n_documents in [500, 2_000] {
        // Of 84 values twenty are of their own; every tenth shares these with the one before it.
        let list = |document: u64| -> Vec<u64> {
            let group = if document % 10 == 1 { document - 1 } else { document };
            let mut list = vec![0; 84];
            let random = (group + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let (start, step) = ((random >> 40) % 83, 1 + (random >> 20) % 82);
            for number in 0..20 {
                list[((start + step * number) % 83) as usize] = 1 + 20 * group + number;
            }
            list[83] = document;
            list
        };
        let judge = Lists { lists: (0..n_documents).map(list).collect(), needed: 70 };
        let corpus = Corpus::one_bucket(vec![0; n_documents as usize]);
        let limits = JoinLimits { failed_comparisons: 20, ..JoinLimits::default() };
        let (found, pairs) = run(&corpus, &judge, (LARGE, 1, limits), (ClusterRule::Star, true));
        assert_eq!(pairs.len() as u64, n_documents / 10);
        assert_eq!(found.counts.skipped_comparisons, 0);
        assert!(found.counts.comparisons < n_documents, "{:?}", found.counts);
    }
}
