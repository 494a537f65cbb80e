//! A collection small enough to be worked out by hand.

use super::*;
use crate::LabelledText;

fn document(id: &str, text: &str, label: &str) -> LabelledText {
    let label = Some(label.to_owned());
    LabelledText { id: id.into(), text: text.into(), label, ..LabelledText::default() }
}

/// Two stories: the first told twice alike and once with one word in four changed, the second
/// twice without a word in common, and a copy of the first under a label of its own.
fn collection() -> Collection {
    let documents = vec![
        document("a", "red boats leave northern harbors", "boats"),
        document("b", "red boats leave northern harbors", "boats"),
        document("c", "red boats leave southern harbors", "boats"),
        document("d", "apricots ripen early", "fruit"),
        document("e", "sweet harvest comes", "fruit"),
        document("f", "Red boats leave northern harbors!", "other"),
    ];
    Collection { documents, n_unreadable: 0 }
}

fn value(outcome: &Outcome, column: &str) -> f64 {
    outcome.table.numbers(column)[0].unwrap()
}

fn options(methods: &str, halvings: usize) -> CompareOptions {
    let methods = ComparedMethod::parse_list(methods).unwrap();
    CompareOptions { methods, halvings, ..CompareOptions::default() }
}

#[test]
fn verdicts_and_best_threshold_of_a_worked_example() {
    // True: ab, ac, bc, de. At 0.9 found: ab, af, bf, of which one is true. Jaccard of c and the
    // others is 4/6: from there on ab, ac, bc, af, bf, cf are found, three of them true.
    let options = options("minhash:ngram=1:threshold=0.9", 0);
    let outcome = run(collection(), None, &options).unwrap();
    assert!((value(&outcome, "precision") - 1.0 / 3.0).abs() < 1e-12);
    assert!((value(&outcome, "recall") - 1.0 / 4.0).abs() < 1e-12);
    assert!((value(&outcome, "f1") - 2.0 / 7.0).abs() < 1e-12);
    assert!((value(&outcome, "max_f1") - 6.0 / 10.0).abs() < 1e-12);
    assert!((value(&outcome, "threshold") - 4.0 / 6.0).abs() < 1e-3);
    assert!((value(&outcome, "best_precision") - 3.0 / 6.0).abs() < 1e-12);
    assert!((value(&outcome, "best_recall") - 3.0 / 4.0).abs() < 1e-12);
}

#[test]
fn what_is_found_wrongly_on_a_half_is_continued_to_the_whole() {
    // Half of the documents: half of the true pairs, a quarter of the others.
    let counts = PairCounts { true_positives: 80, false_positives: 20, false_negatives: 20 };
    let (precision, recall, f1) = continued(counts, (100, 1_000), (200, 4_000));
    assert!((precision - 160.0 / 240.0).abs() < 1e-12);
    assert!((recall - 0.8).abs() < 1e-12);
    assert!((f1 - 320.0 / (320.0 + 80.0 + 40.0)).abs() < 1e-12);
    assert_eq!(continued(counts, (100, 0), (100, 0)).0, 0.8);
}

#[test]
fn keys_decide_as_in_the_papers_and_are_confirmed_where_that_is_asked_for() {
    // Two messages that have the same few telling words, and a true copy of the first.
    let telling = "cheap pills shipped overnight order today discount pharmacy online";
    let filler = |seed: char| {
        let word = |n: usize| format!("filler{seed}{}", char::from(b'a' + n as u8));
        (0..26).map(word).collect::<Vec<_>>().join(" ")
    };
    let documents = vec![
        document("a", &format!("{telling} {}", filler('x')), "x"),
        document("b", &format!("{telling} {}", filler('y')), "y"),
        document("c", &format!("{telling} {}", filler('x')), "x"),
    ];
    let collection = Collection { documents, n_unreadable: 0 };
    let methods = "imatch:rule=IDF-H-20,imatch:rule=IDF-H-20:verify=method";
    let outcome = run(collection, None, &options(methods, 0)).unwrap();
    let precision = outcome.table.numbers("precision");
    assert!(precision[0] < Some(1.0), "{precision:?}");
    assert_eq!(precision[1], Some(1.0));
    assert_eq!(outcome.table.numbers("recall"), [Some(1.0), Some(1.0)]);
}

#[test]
fn repeated_paragraphs_are_left_out_where_that_is_asked_for() {
    let documents = (0..8).map(|n| {
        let word = |w: usize| format!("story{}word{w}", n / 2);
        let story: Vec<String> = (0..12).map(word).collect();
        let menu = "home news sports weather imprint contact";
        let text =
            format!("{menu}\n\n{}\n\nall rights reserved by the harbor gazette", story.join(" "));
        document(&n.to_string(), &text, &(n / 2).to_string())
    });
    let collection = Collection { documents: documents.collect(), n_unreadable: 0 };
    let with = |ignore_boilerplate| {
        let options =
            CompareOptions { ignore_boilerplate, ..options("minhash:ngram=1:threshold=0.3", 0) };
        value(&run(collection.clone(), None, &options).unwrap(), "precision")
    };
    assert!(with(None) < 0.5);
    assert_eq!(with(Some(3)), 1.0);
}

#[test]
fn judged_pairs_alone_count() {
    let judgment = |left: &str, right: &str, near_duplicate| Judgment {
        left: left.into(),
        right: right.into(),
        near_duplicate,
    };
    let judgments = [judgment("b", "a", true), judgment("a", "f", false), judgment("d", "e", true)];
    let outcome = run(collection(), Some(&judgments), &options("exact", 0)).unwrap();
    assert_eq!(value(&outcome, "recall"), 0.5);
    assert!(outcome.further.is_empty());
    let unknown = [judgment("a", "nobody", true)];
    let error = run(collection(), Some(&unknown), &options("exact", 0)).unwrap_err();
    assert!(error.to_string().contains("nobody"), "{error}");
}

#[test]
fn methods_of_every_kind_give_a_row_with_all_columns() {
    let outcome = run(collection(), None, &options("exact,simhash,minhash,spotsigs,imatch", 2));
    let outcome = outcome.unwrap();
    assert_eq!(outcome.table.rows().len(), 5);
    assert_eq!(outcome.table.columns().len(), 14);
    assert_eq!(outcome.plot.unwrap().series.len(), 5);
}

#[test]
fn a_sample_keeps_clusters_whole() {
    let sampled = sample(collection(), 3, 1);
    assert!((1..=3).contains(&sampled.len()));
    for document in &sampled.documents {
        let of = |documents: &[LabelledText]| {
            documents.iter().filter(|other| other.label == document.label).count()
        };
        assert_eq!(of(&sampled.documents), of(&collection().documents));
    }
}

#[test]
fn documents_without_labels_are_refused() {
    let mut unlabelled = collection();
    for document in &mut unlabelled.documents {
        document.label = None;
    }
    let error = run(unlabelled, None, &options("exact", 0)).unwrap_err();
    assert!(error.to_string().contains("cluster"), "{error}");
}

#[test]
fn without_a_half_to_learn_on_a_learned_method_is_refused() {
    let error = run(collection(), None, &options("exact,svm", 0)).unwrap_err();
    assert!(error.to_string().contains("--halvings = 0"), "{error}");
}

#[test]
fn every_method_has_a_speed() {
    let outcome = run(collection(), None, &options("exact,simhash", 0)).unwrap();
    let speeds = outcome.table.numbers("documents_per_second");
    assert!(speeds.len() == 2 && speeds.iter().all(|speed| speed.unwrap() > 0.0), "{speeds:?}");
}
