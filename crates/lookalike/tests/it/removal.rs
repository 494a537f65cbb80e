//! What may be removed, and which score it is given.

use lookalike::{Corpus, OwnedDocument};

use crate::collection::{config, find, pairs, text, words};

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
            let mut config = config(&format!(
                "method = \"paragraph\"\nrelation = \"contains\"\ncluster = \"{cluster}\""
            ));
            config.run.keep = keep.parse().unwrap();
            let config = config.for_removal().unwrap();
            let findings = find(&excerpt_and_whole(), &config);
            let clusters: Vec<_> = findings.clusters().collect();
            assert_eq!(clusters.len(), 1, "{keep}");
            assert_eq!(clusters[0].keeper.id, "b", "{keep}");
            assert_eq!(clusters[0].members[0].id, "a", "{keep}");
        }
    }
}

/// The ids that a run removes, each with its keeper.
fn removed(documents: Vec<OwnedDocument>, settings: &str) -> Vec<(String, String)> {
    let config = config(settings).for_removal().unwrap();
    let findings = find(&Corpus::from_documents(documents), &config);
    let of = |cluster: lookalike::Cluster<'_>| {
        let keeper = cluster.keeper.id.to_owned();
        let members = cluster.members.into_iter();
        members.map(|member| (member.id.to_owned(), keeper.clone())).collect::<Vec<_>>()
    };
    let mut removed: Vec<_> = findings.clusters().flat_map(of).collect();
    removed.sort();
    removed
}

fn named(id: &str, text: impl Into<String>) -> OwnedDocument {
    OwnedDocument::new(id, text)
}

fn pair(id: &str, keeper: &str) -> (String, String) {
    (id.to_owned(), keeper.to_owned())
}

#[test]
fn a_document_that_may_not_go_is_free_to_be_somebodys_keeper_or_to_go_with_another() {
    let body = text(3, 60);
    let (own, other) = (text(4, 60), text(5, 12));
    // All three are candidates of the first; of the second and third, which are the same, one goes.
    let documents = || {
        vec![
            named("a", format!("{body} {other}")),
            named("b", format!("{other} {own}")),
            named("c", format!("{other}\n\n{own}")),
        ]
    };
    for method in [
        "method = \"paragraph\"\nrelation = \"contains\"",
        "method = \"simhash\"\ndistance = 31",
        "method = \"wordlsh\"\nthreshold = 0.05\nbands = 40\nrows = 1",
    ] {
        let settings = format!("{method}\nkeep = \"longest\"");
        let found = removed(documents(), &settings);
        assert!(
            matches!(found.as_slice(), [(gone, kept)] if gone != "a" && kept != "a"),
            "{found:?}"
        );
    }
}

#[test]
fn nothing_is_removed_for_a_phrase_in_common_and_the_pure_method_can_be_had() {
    let page = |id, of| named(id, format!("{} {}", text(6, 1), words(of, 120).join(" ")));
    let documents = || vec![page("a", 7), page("b", 8)];
    let spots = "method = \"spotsigs\"\nmin-spots = 1";
    assert_eq!(removed(documents(), spots), []);
    assert_eq!(removed(documents(), &format!("{spots}\naccounted = 0.0")), [pair("b", "a")]);
    // What the method takes for duplicates is not hidden, but told as related.
    let config = config(spots).for_removal().unwrap();
    let findings = find(&Corpus::from_documents(documents()), &config);
    assert_eq!(findings.summary.related_pairs, Some(1));
    let related: Vec<_> = findings.related.unwrap().iter().map(Result::unwrap).collect();
    assert!(related[0].verdict.accounted.unwrap() < 0.2, "{related:?}");
}

#[test]
fn a_story_goes_whatever_frame_it_stands_in_and_a_text_beside_a_clause_stays() {
    let part = |seed: usize| words(seed, 90).join(" ");
    let story = |number: usize| text(300 + number, 12);
    let pages = |page: &dyn Fn(usize, usize) -> String| -> Vec<OwnedDocument> {
        let all = (0..12).flat_map(|number| (0..3).map(move |site| (number, site)));
        all.map(|(number, site)| named(&format!("{number:02}{site}"), page(number, site))).collect()
    };
    // Twelve stories on three sites: of each story one page stays.
    let framed =
        |number, site| format!("{}\n\n{}\n\n{}", part(100 + site), story(number), part(200 + site));
    let found = removed(pages(&framed), "method = \"spotsigs\"");
    assert_eq!(found.len(), 24, "{found:?}");
    assert!(found.iter().all(|(gone, kept)| gone[..2] == kept[..2]), "{found:?}");
    // The same clause in texts that say more: nothing goes.
    let clause = |number, site| {
        format!("{}\n\n{}", story(number), words(400 + 3 * number + site, 300).join(" "))
    };
    assert_eq!(removed(pages(&clause), "method = \"spotsigs\""), []);
}

#[test]
fn a_chain_removes_nothing_that_its_end_does_not_account_for() {
    let settings = "method = \"wordlsh\"\nthreshold = 0.6\ncluster = \"components\"";
    let whole = removed(chain(20), &format!("{settings}\naccounted = 0.0"));
    let guarded = removed(chain(20), settings);
    assert!(guarded.len() < whole.len(), "{} of {}", guarded.len(), whole.len());
    assert!(whole.iter().all(|(_, keeper)| keeper == "000"), "{whole:?}");
}

#[test]
fn the_default_guard_follows_the_method() {
    let guard = |settings: &str| config(settings).for_removal().unwrap().guard();
    assert_eq!(guard("method = \"exact\""), None);
    assert_eq!(guard("method = \"minhash\""), None);
    assert_eq!(guard("method = \"minhash\"\nthreshold = 0.4"), Some(0.7));
    assert_eq!(guard("preset = \"mail\""), Some(0.7));
    assert_eq!(guard("preset = \"pages\""), Some(0.65));
    assert_eq!(guard("method = \"paragraph\"\nrelation = \"contains\""), Some(0.9));
    assert_eq!(guard("method = \"simhash\"\naccounted = 0.0"), None);
    assert_eq!(config("method = \"simhash\"").guard(), None);
}

#[test]
fn equal_texts_are_copies_in_every_method_however_short() {
    for (method, _) in lookalike_detect::DetectorConfig::METHODS {
        let settings = format!("method = \"{method}\"");
        let config = config(&settings);
        if config.detector.needs_model() {
            continue;
        }
        let rows = |text: &str| vec![named("a", text), named("b", text), named("c", text)];
        for text in ["OK", "+++ !!", "see you", "🎉"] {
            assert_eq!(
                removed(rows(text), &settings),
                [pair("b", "a"), pair("c", "a")],
                "{method}: {text}"
            );
        }
        for nothing in ["", "  \n"] {
            assert_eq!(removed(rows(nothing), &settings), [], "{method}");
        }
    }
}

#[test]
fn overlapping_documents_are_no_ground_for_removal() {
    let config = config("method = \"paragraph\"\nrelation = \"overlaps\"");
    let message = config.clone().for_removal().unwrap_err().to_string();
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
