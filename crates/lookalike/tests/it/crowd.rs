//! Crowds: pages of one template, among which true pairs must be found.

use lookalike::{Corpus, Findings, OwnedDocument};

use crate::collection::{config, with_context};

/// The words of page `page`, from a generator of its own.
fn own_words(page: usize, count: usize) -> String {
    let mut state = page as u64 + 1;
    let mut word = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("w{}", state >> 44)
    };
    (0..count).map(|_| word()).collect::<Vec<_>>().join(" ")
}

/// Pages of one template at a Jaccard resemblance of about 0.62; the first `n_pairs` have a twin at
/// about 0.73, far from them in the order.
fn pages(n_pages: usize, n_pairs: usize) -> Vec<OwnedDocument> {
    let template = own_words(1_000_000, 200);
    let page = |number: usize| {
        let twin = number.checked_sub(n_pages - n_pairs);
        let first = own_words(2 * twin.unwrap_or(number), 22);
        let rest = own_words(2 * number + 1, 33);
        OwnedDocument::new(format!("p{number:05}"), format!("{template} {first} {rest}"))
    };
    (0..n_pages).map(page).collect()
}

fn find(pages: Vec<OwnedDocument>, table: &str) -> Findings {
    let folder = tempfile::tempdir().unwrap();
    let (corpus, config) = (Corpus::from_documents(pages), config(table));
    with_context(folder.path(), |context| lookalike::find(&corpus, &config, context))
}

#[test]
fn pairs_in_a_crowd_are_found_though_few_comparisons_may_fail() {
    for (method, threshold) in [("minhash", 0.7), ("wordlsh", 0.7), ("vectors", 0.8)] {
        let table = format!("method = \"{method}\"\nthreshold = {threshold}\nmax-comparisons = 60");
        let findings = find(pages(600, 100), &table);
        let summary = &findings.summary;
        assert!(summary.removed >= 99, "{method}: {summary:?}");
        // Without a crowd nobody would have been left out: 600 documents make 179,700 pairs.
        assert!(summary.candidate_pairs < 5_000, "{method}: {summary:?}");
        let all = find(pages(600, 100), &format!("method = \"{method}\"\nthreshold = {threshold}"));
        assert!(all.summary.candidate_pairs > 100_000, "no crowd: {:?}", all.summary);
        assert_eq!(summary.removed, all.summary.removed);
        assert_eq!(summary.skipped_comparisons, 0, "{method}");
        assert_eq!(summary.crowd, None);
    }
}

/// Short documents of which 14 words are those of all and six their own, each of which hundreds of
/// others have; every hundredth has a twin that differs in one of them.
fn short_documents(size: usize) -> Vec<OwnedDocument> {
    let common = own_words(1_000_000, 14);
    let document = |number: usize| {
        let twin_of = number - usize::from(number % 100 == 1);
        let word = |word: &str| format!("s{}", word[1..].parse::<u64>().unwrap() % 400);
        let mut own: Vec<String> = own_words(twin_of, 6).split(' ').map(word).collect();
        if twin_of != number {
            own[0] = format!("twin{number}");
        }
        OwnedDocument::new(format!("{number:05}"), format!("{common} {}", own.join(" ")))
    };
    (0..size).map(document).collect()
}

#[test]
fn short_documents_just_under_the_line_are_not_compared_each_with_each() {
    for table in ["method = \"wordlsh\"\nthreshold = 0.75", "ngram = 1\nthreshold = 0.75"] {
        let [half, whole] = [10_000, 20_000].map(|size| {
            let summary = find(short_documents(size), table).summary;
            assert_eq!(summary.skipped_comparisons, 0, "{table}: {summary:?}");
            assert!(summary.removed >= size as u64 / 100, "{table}: {summary:?}");
            // Each with each would be thousands.
            assert!(summary.candidate_pairs < 60 * size as u64, "{table}: {summary:?}");
            summary.candidate_pairs
        });
        assert!(whole < 4 * half, "{table}: {half} and {whole}");
    }
}

#[test]
fn tiny_documents_of_few_words_are_not_compared_each_with_each() {
    let tiny = |number: usize| {
        let words = own_words(number, 10);
        let few = |word: &str| word[1..].parse::<u64>().map_or(0, |word| word % 200);
        let words: Vec<String> = words.split(' ').map(|word| format!("t{}", few(word))).collect();
        OwnedDocument::new(number.to_string(), words.join(" "))
    };
    let size = 20_000;
    let summary = find((0..size).map(tiny).collect(), "method = \"vectors\"").summary;
    assert_eq!(summary.skipped_comparisons, 0);
    // A word that is compared stands in a thousand of them.
    assert!(summary.candidate_pairs < 4 * size as u64, "{summary:?}");
}

#[test]
fn signatures_in_a_crowd_are_compared_where_they_may_agree_often_enough() {
    let table = "method = \"minwise\"\nthreshold = 0.7\npairs = \"all\"";
    let all = find(pages(600, 100), table).summary;
    let found = find(pages(600, 100), &format!("{table}\nmax-comparisons = 60")).summary;
    assert_eq!((found.removed, found.confirmed_pairs), (all.removed, all.confirmed_pairs));
    assert_eq!(found.skipped_comparisons, 0);
    assert!(found.candidate_pairs < all.candidate_pairs / 2, "{found:?} {all:?}");
}

#[test]
fn what_a_crowd_hides_is_estimated_and_told() {
    // Bits that are compared by their distance have no telling values.
    let table = "method = \"simhash\"\ndistance = 6\npairs = \"all\"";
    let all = find(pages(1500, 300), table).summary;
    assert_eq!(all.skipped_comparisons, 0);
    let findings = find(pages(1500, 300), &format!("{table}\nmax-comparisons = 2"));
    let summary = &findings.summary;
    assert!(summary.skipped_comparisons > 0);
    let crowd = summary.crowd.as_ref().unwrap();
    let lost = all.confirmed_pairs - summary.confirmed_pairs;
    assert!(lost > 50, "{summary:?}");
    assert!((lost / 3..3 * lost).contains(&crowd.lost_pairs), "{lost} lost: {crowd:?}");
    assert!(crowd.lost_share > 0.1 && crowd.lost_share < 1.0, "{crowd:?}");
    let template = own_words(1_000_000, 200);
    let told = crowd.text.as_ref().unwrap().trim_end_matches('…');
    assert!(template.contains(told) && told.len() > 50, "{told}");
}
