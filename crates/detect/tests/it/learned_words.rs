//! Learned weights in one pass over the text are those of the plain composition, bit by bit.

use std::collections::BTreeSet;
use std::sync::Arc;

use lookalike_detect::ObserveTerms as _;
use lookalike_detect::decide::Threshold;
use lookalike_detect::detectors::{AnddConfig, AnddCosineConfig, AnddJaccardConfig};
use lookalike_detect::measure::{SetMeasure, Similarity};
use lookalike_detect::model::Learned;
use lookalike_detect::random::SplitMix64;
use lookalike_detect::represent::WordSet;
use lookalike_detect::represent::learned::{FeatureChoice, ProseWords, WordObserver};
use lookalike_detect::sign::{MinimaOf, PlaneEntries};
use lookalike_detect::train::{self, AnddOptions};
use lookalike_detect::{Artifacts, Confirm, Detector, Features, Recipe, Scratch, Signature};
use lookalike_statistics::Statistics;
use lookalike_testkit::labelled_stories;
use lookalike_text::{Document, Token, term_hash};
use proptest::prelude::*;

/// Words and what stands between them: capitals, line ends, other scripts, one sign that is two words.
const PIECES: &[&str] = &[
    "the ",
    "The ",
    "ferry ",
    "Ferry, ",
    "harbour\n",
    "fog ",
    "of ",
    "\n",
    "\n\n",
    "\r\n",
    "Éclair ",
    "e\u{301}clair ",
    "ﬁne ",
    "½ ",
    "港口小镇在星期二",
    "Überfahrt ",
    "snake_case ",
    "12:30 ",
    "and ",
    "channel.\n",
    "— ",
    "to ",
    "noon",
    " ",
];

fn texts(pieces: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(PIECES);
    proptest::collection::vec(piece, pieces).prop_map(|pieces| pieces.concat())
}

/// A trained model whose weights are replaced by random ones, so that every column counts.
fn random_model(features: FeatureChoice, similarity: Similarity, seed: u64) -> Artifacts {
    let query_frequency = [("ferry", 7), ("nowhere", 2), ("the", 300)];
    let options = AnddOptions {
        features,
        similarity,
        query_frequency: query_frequency.map(|(word, n)| (term_hash(word), n)).into(),
        ..AnddOptions::default()
    };
    let mut model = train::andd(&labelled_stories(), &options).unwrap();
    let Learned::Andd(weights) = &mut model.learned else { panic!("{:?}", model.learned) };
    let mut generator = SplitMix64::new(seed);
    for column in &mut weights.columns {
        column.weight = generator.next_f64() - 0.4;
    }
    Artifacts { model: Some(Arc::new(model)), ..Artifacts::default() }
}

fn detectors(features: FeatureChoice, seed: u64, active_terms: Option<usize>) -> Vec<Detector> {
    let built = detectors_and_artifacts(features, seed, active_terms);
    built.into_iter().map(|(detector, _)| detector).collect()
}

fn detectors_and_artifacts(
    features: FeatureChoice,
    seed: u64,
    active_terms: Option<usize>,
) -> Vec<(Detector, Artifacts)> {
    let cosine = random_model(features, Similarity::Cosine, seed);
    let jaccard = random_model(features, Similarity::ExtendedJaccard, seed);
    let threshold = Some(0.3);
    let plain = AnddConfig { active_terms, threshold, ..AnddConfig::default() };
    let most = active_terms.unwrap_or(usize::MAX);
    let bits = AnddCosineConfig { active_terms: most, threshold, ..AnddCosineConfig::default() };
    let minima = AnddJaccardConfig { active_terms, threshold, ..AnddJaccardConfig::default() };
    let undecided = AnddCosineConfig { confirm: false, ..bits.clone() };
    // What the 2010 paper prints.
    let gaussian =
        AnddCosineConfig { planes: PlaneEntries::Gaussian, bits: 64, ..undecided.clone() };
    let of_weights = AnddJaccardConfig {
        minima: MinimaOf::Weights,
        value_bits: 20,
        confirm: false,
        ..minima.clone()
    };
    vec![
        (gaussian.build(&cosine).unwrap(), cosine.clone()),
        (of_weights.build(&jaccard).unwrap(), jaccard.clone()),
        (plain.build(&cosine).unwrap(), cosine.clone()),
        (bits.build(&cosine).unwrap(), cosine.clone()),
        (undecided.build(&cosine).unwrap(), cosine),
        (minima.build(&jaccard).unwrap(), jaccard),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) })]
    #[test]
    fn one_pass_equals_the_plain_composition(
        documents in proptest::collection::vec(
            (texts(0..900), proptest::option::of(texts(0..8)), proptest::option::of(texts(0..8))),
            1..4,
        ),
        seed: u64,
        blocks: bool,
        queries: bool,
        active_terms in proptest::option::of(1usize..12),
    ) {
        let features = FeatureChoice { k: 1, blocks, queries };
        for detector in detectors(features, seed, active_terms) {
            // One buffer for all: what an earlier document left in it must not matter.
            let (mut used, mut fresh) = (Scratch::default(), Scratch::default());
            for (text, title, url) in &documents {
                let document = Document {
                    title: title.as_deref(),
                    url: url.as_deref(),
                    ..Document::from_text(text)
                };
                prop_assert_eq!(
                    detector.sign(&document, &mut used),
                    detector.sign_plainly(&document, &mut fresh)
                );
                prop_assert_eq!(
                    detector.features(&document, &mut used),
                    detector.features_plainly(&document, &mut fresh)
                );
            }
        }
    }

    #[test]
    fn what_was_observed_before_the_collection_was_counted_is_signed_as_the_text_is(
        documents in proptest::collection::vec(
            (texts(0..900), proptest::option::of(texts(0..8)), proptest::option::of(texts(0..8))),
            1..4,
        ),
        seed: u64,
        blocks: bool,
        queries: bool,
        active_terms in proptest::option::of(1usize..12),
    ) {
        let features = FeatureChoice { k: 1, blocks, queries };
        for (detector, artifacts) in detectors_and_artifacts(features, seed, active_terms) {
            let model = artifacts.model.unwrap();
            // The observer knows nothing of the statistics.
            let elsewhere = model.asked_with(Arc::new(Statistics::default()));
            let observer = WordObserver::of_model(&elsewhere).unwrap().unwrap();
            let mut used = Scratch::default();
            for (text, title, url) in &documents {
                let document = Document {
                    title: title.as_deref(),
                    url: url.as_deref(),
                    ..Document::from_text(text)
                };
                let mut observed = vec![5];
                let count = observer.observe(&document, &mut used, &mut observed);
                let observed = &observed[1..];
                let mut signed = detector.sign_plainly(&document, &mut Scratch::default());
                if let (Ok(signed), false) = (&mut signed, detector.needs_signatures()) {
                    signed.signature = Signature::default();
                }
                prop_assert_eq!(detector.weigh(observed, &mut used), signed);
                let plain = detector.features_plainly(&document, &mut Scratch::default());
                let features = detector.features_of(observed);
                prop_assert_eq!(features, detector.needs_features().then_some(plain));
                let tokens = detector.analyzer().tokenize(text);
                prop_assert_eq!(count.terms, tokens.len());
                let stop_words = ProseWords::new(detector.analyzer());
                let is_stop_word = |token: &&Token| stop_words.contains(token.hash);
                let n_stop_words = tokens.tokens().iter().filter(is_stop_word).count();
                prop_assert_eq!(count.stop_words, n_stop_words);
                let distinct: BTreeSet<u64> = tokens.tokens().iter().map(|token| token.hash).collect();
                let hashes: Vec<u64> = observer.distinct(observed).copied().collect();
                prop_assert_eq!(hashes.len(), distinct.len());
                prop_assert_eq!(hashes.into_iter().collect::<BTreeSet<_>>(), distinct);
            }
        }
    }
}

#[test]
fn words_beyond_the_tables_are_weighed_as_well() {
    // More repetitions of a word, and more words in a block, than tables hold.
    let text = format!("{}\n{}", "fog ".repeat(300), "the ferry left the harbour ".repeat(20));
    for detector in detectors(FeatureChoice::default(), 5, None) {
        let document = Document { title: Some("Fog"), ..Document::from_text(&text) };
        let (mut used, mut fresh) = (Scratch::default(), Scratch::default());
        assert_eq!(
            detector.sign(&document, &mut used),
            detector.sign_plainly(&document, &mut fresh)
        );
    }
}

#[test]
fn what_confirms_pairs_beside_signatures_gets_its_own_features() {
    let artifacts = random_model(FeatureChoice::default(), Similarity::Cosine, 5);
    let undecided =
        AnddCosineConfig { confirm: false, threshold: Some(0.3), ..AnddCosineConfig::default() };
    let detector = undecided.build(&artifacts).unwrap().confirmed_by(Confirm {
        represent: Arc::new(WordSet::default()),
        measure: Box::new(SetMeasure::Jaccard),
        decide: Box::new(Threshold(0.5)),
    });
    let document = Document::from_text("The ferry left the harbour at noon.");
    let words: Vec<u64> =
        ["the", "ferry", "left", "harbour", "at", "noon"].map(term_hash).into_iter().collect();
    let mut scratch = Scratch::default();
    assert_eq!(detector.features(&document, &mut scratch), Features::set(words));
    assert!(!detector.compares_what_it_signs() && detector.features_of(&[]).is_none());
}
