//! A collection small enough to be worked out by hand.

use super::*;
use crate::LabDocument;

fn document(id: &str, text: &str, label: &str) -> LabDocument {
    let label = Some(label.to_owned());
    LabDocument { id: id.into(), text: text.into(), label, ..LabDocument::default() }
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
    assert_eq!(outcome.table.columns().len(), 9);
    assert_eq!(outcome.plot.unwrap().series.len(), 5);
}

#[test]
fn a_sample_keeps_clusters_whole() {
    let sampled = sample(collection(), 3, 1);
    assert!((1..=3).contains(&sampled.len()));
    for document in &sampled.documents {
        let of = |documents: &[LabDocument]| {
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
