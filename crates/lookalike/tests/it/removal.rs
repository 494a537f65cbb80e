//! What may be removed, and which score it is given.

use lookalike::{Corpus, OwnedDocument};

use crate::collection::{config, find, pairs, text};

/// An excerpt that comes first in every keep rule but the longest, and the whole it is taken from.
fn excerpt_and_whole() -> Corpus {
    let whole = text(1, 40);
    let excerpt = text(1, 8);
    let rated = |id: &str, text: &str, rating: u32| {
        let mut document = OwnedDocument::new(id, text);
        document.fields.insert("rating".into(), rating.into());
        document
    };
    Corpus::from_documents([rated("a", &excerpt, 9), rated("b", &whole, 1)])
}

#[test]
fn what_contains_another_document_is_never_removed() {
    for keep in ["first", "shortest", "longest", "max:rating"] {
        for cluster in ["star", "components"] {
            let config = config(&format!(
                "method = \"paragraph\"\nrelation = \"contains\"\nkeep = \"{keep}\"\ncluster = \"{cluster}\""
            ));
            config.check_removal().unwrap();
            let findings = find(&excerpt_and_whole(), &config);
            let clusters: Vec<_> = findings.clusters().collect();
            assert_eq!(clusters.len(), 1, "{keep}");
            assert_eq!(clusters[0].keeper.id, "b", "{keep}");
            assert_eq!(clusters[0].members[0].id, "a", "{keep}");
        }
    }
}

#[test]
fn overlapping_documents_are_no_ground_for_removal() {
    let config = config("method = \"paragraph\"\nrelation = \"overlaps\"");
    let message = config.check_removal().unwrap_err().to_string();
    assert!(message.contains("no ground for removal"), "{message}");
    assert!(!find(&excerpt_and_whole(), &config).pairs.is_empty());
}

/// A chain in which each document resembles the next, and the first hardly the last.
fn chain(length: usize) -> Vec<OwnedDocument> {
    let sentences = text(7, 60);
    let words: Vec<&str> = sentences.split(' ').collect();
    let link =
        |n: usize| OwnedDocument::new(format!("{n:03}"), words[n * 12..n * 12 + 300].join(" "));
    (0..length).map(link).collect()
}

#[test]
fn a_score_in_a_component_is_that_of_a_confirmed_pair_or_none() {
    let corpus = Corpus::from_documents(chain(20));
    let all = config("method = \"minhash\"\nthreshold = 0.6\npairs = \"all\"");
    let confirmed = pairs(&find(&corpus, &all));
    let mut without_score = 0;
    for threads in [1, 2] {
        let config = config(&format!(
            "method = \"minhash\"\nthreshold = 0.6\ncluster = \"components\"\nthreads = {threads}"
        ));
        let findings = find(&corpus, &config);
        let cluster = findings.clusters().next().unwrap();
        assert_eq!(cluster.members.len(), 19);
        for member in cluster.members {
            let (a, b) = (cluster.keeper.id.min(member.id), cluster.keeper.id.max(member.id));
            let expected = confirmed.iter().find(|(left, right, _)| left == a && right == b);
            assert_eq!(
                member.score.map(f64::to_bits),
                expected.map(|(_, _, bits)| *bits),
                "{a} {b}"
            );
            without_score += usize::from(member.score.is_none());
        }
    }
    assert!(without_score > 20, "the ends of the chain are no duplicates: {without_score}");
}

#[test]
fn writing_all_pairs_does_not_change_the_clusters_of_a_crowd() {
    // Pages of one template: most pairs fail, and the limit is reached.
    let page = |n: usize| {
        let own = text(100 + n / 2, 4 + n % 2);
        OwnedDocument::new(format!("{n:03}"), format!("{}\n\n{own}", text(50, 12)))
    };
    let corpus = Corpus::from_documents((0..120).map(page));
    let clusters = |pairs: &str| {
        let findings = find(
            &corpus,
            &config(&format!(
                "method = \"minhash\"\nthreshold = 0.7\nmax-comparisons = 3\npairs = \"{pairs}\""
            )),
        );
        assert!(findings.summary.skipped_comparisons > 0);
        let clusters: Vec<(String, Vec<String>)> = findings
            .clusters()
            .map(|cluster| {
                let members = cluster.members.iter().map(|member| member.id.to_owned());
                (cluster.keeper.id.to_owned(), members.collect())
            })
            .collect();
        clusters
    };
    let direct = clusters("clusters");
    assert!(!direct.is_empty());
    assert_eq!(clusters("all"), direct);
}
