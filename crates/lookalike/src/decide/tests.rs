//! Collections made for a test, and what they say of themselves.

use super::*;
use crate::{Interrupt, Silent};

fn words(seed: u64, n: usize) -> String {
    let mut random = lookalike_detect::random::SplitMix64::new(seed);
    let words: Vec<String> = (0..n).map(|_| format!("w{}", random.next_u64() % 4000)).collect();
    words.join(" ")
}

fn document(id: usize, text: String) -> OwnedDocument {
    OwnedDocument { id: format!("d{id}"), text, ..OwnedDocument::default() }
}

fn with_context<T>(work: impl FnOnce(&Context<'_>) -> T) -> T {
    let (interrupt, temp_dir) = (Interrupt::new(), std::env::temp_dir());
    work(&Context { progress: &Silent, interrupt: &interrupt, temp_dir: &temp_dir })
}

fn decided(documents: Vec<OwnedDocument>) -> Decision {
    let corpus = Corpus::from_documents(documents);
    with_context(|context| decide(&corpus, &RunConfig::default(), context)).unwrap()
}

/// A hundred texts in three versions each; any two texts share a formula, as clauses do.
fn versions() -> Vec<OwnedDocument> {
    let text = |n: usize| {
        let (story, version) = (n / 3, n % 3);
        let formula = words(7 + story as u64 % 5, 40);
        let own = words(1_000 + story as u64, 100);
        format!("{formula} {own} {}", words(5_000 + n as u64, 10 + 5 * version))
    };
    (0..300).map(|n| document(n, text(n))).collect()
}

#[test]
fn the_line_of_versions_lies_between_neighbors_and_versions() {
    let decision = decided(versions());
    assert_eq!(decision.measure, "rare 4-grams", "{decision:?}");
    let line = decision.line.unwrap();
    assert!((0.2..0.75).contains(&line), "{}", decision.reason);
    let config = decision.configuration(&RunConfig::default()).unwrap();
    let corpus = Corpus::from_documents(versions());
    let findings = with_context(|context| crate::find(&corpus, &config, context)).unwrap();
    assert_eq!((findings.summary.clusters, findings.summary.removed), (100, 200));
}

#[test]
fn a_collection_without_copies_cannot_tell() {
    let texts = (0..200).map(|n| document(n, words(n as u64, 120))).collect();
    let decision = decided(texts);
    assert_eq!(decision.line, None, "{decision:?}");
    assert!(decision.reason.contains("cannot tell"), "{}", decision.reason);
    // Nothing is better than what everybody starts with.
    let config = decision.configuration(&RunConfig::default()).unwrap();
    assert_eq!(config.detector, lookalike_detect::DetectorConfig::named("minhash").unwrap());
}

#[test]
fn pages_in_frames_are_told_by_their_sentences() {
    let sentence = |seed: u64| {
        let word = |n: u64| format!("n{}", lookalike_detect::random::mix64(seed * 31 + n) % 3000);
        format!("{} was {} and {} they had {}.", word(0), word(1), word(2), word(3))
    };
    let story = |seed: u64| (0..12).map(|n| sentence(seed * 100 + n)).collect::<Vec<_>>().join(" ");
    let page = |n: u64| {
        let frame = words(1 + n % 4, 300);
        document(n as usize, format!("{frame}\n\n{}", story(n / 3)))
    };
    let decision = decided((0..120).map(page).collect());
    assert_eq!(decision.measure, "spots without boilerplate", "{decision:?}");
    assert!(decision.reason.contains("frames"), "{}", decision.reason);
}

#[test]
fn an_input_without_documents_is_refused_and_one_document_decides_nothing() {
    let one = decided(vec![document(0, words(1, 50))]);
    assert_eq!((one.line, one.pairs), (None, 0));
}

#[test]
fn a_decision_does_not_depend_on_the_order_of_the_documents() {
    let mut reversed = versions();
    reversed.reverse();
    let (forward, backward) = (decided(versions()), decided(reversed));
    assert_eq!((forward.measure, forward.line), (backward.measure, backward.line));
}

#[test]
fn every_pair_of_a_small_collection_counts_once() {
    let texts: Vec<String> =
        (0..6).map(|n| format!("{} {}", words(1, 60), words(50 + n, 20))).collect();
    let documents: Vec<OwnedDocument> =
        texts.into_iter().enumerate().map(|(n, text)| document(n, text)).collect();
    let found = Neighbourhoods::of(&documents, 0).unwrap();
    let weight: f64 = found.pairs.iter().map(|pair| pair.weight).sum();
    assert_eq!((found.pairs.len(), weight), (15, 15.0));
}
