//! What every detector promises, checked on any configuration.
//!
//! [`detector_conformance!`](crate::detector_conformance) turns the checks into tests that run
//! over all methods, so that a new method is covered without a line of its own.

use lookalike_detect::{
    Detector, DetectorConfig, Features, Prepared, Rejection, Scratch, Signature, SignedDocument,
    Verdict,
};
use lookalike_text::Document;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::{build, corpus};

/// The default configuration of every method.
pub fn all_methods() -> Vec<DetectorConfig> {
    let named = |(name, _): &(&str, &str)| DetectorConfig::named(name).unwrap();
    DetectorConfig::METHODS.iter().map(named).collect()
}

/// Signs a text that has nothing but itself.
pub fn sign(detector: &Detector, text: &str) -> Result<SignedDocument, Rejection> {
    detector.sign(&Document::from_text(text), &mut Scratch::default())
}

/// The verdict on two texts, as a batch run would reach it: `None` where they share no bucket.
pub fn judge(detector: &Detector, left: &str, right: &str) -> Option<Verdict> {
    let mut scratch = Scratch::default();
    let left = detector.prepare(&Document::from_text(left), &mut scratch).ok()?;
    let right = detector.prepare(&Document::from_text(right), &mut scratch).ok()?;
    (left.shared_keys(&right) > 0).then(|| detector.judge(&left, &right))
}

/// Identical documents share a bucket key and are duplicates with score 1, where a score is a
/// resemblance and not the probability of a discriminant; a method may find a few of the stories too
/// short, since ignoring short documents is what some are known for.
pub fn identical_documents_match(config: &DetectorConfig) {
    let detector = build(config);
    let has_too_little = |rejection| matches!(rejection, Rejection::TooShort | Rejection::FewSpots);
    let too_short = |story: &&&str| sign(&detector, story).is_err_and(has_too_little);
    let n_short = corpus::STORIES.iter().filter(too_short).count();
    assert!(2 * n_short <= corpus::STORIES.len(), "{}: {n_short} too short", config.name());
    for story in corpus::STORIES.iter().filter(|story| !too_short(story)) {
        let verdict = judge(&detector, story, &with_newline(story)).unwrap_or_else(|| {
            panic!("{}: no shared key for {story:?}: {:?}", config.name(), sign(&detector, story))
        });
        assert!(verdict.duplicate, "{}: {verdict:?}", config.name());
        let is_one = (verdict.score - 1.0).abs() < 1e-9;
        assert!(is_one || config.name() == "svm", "{}: {verdict:?}", config.name());
    }
}

/// The same words in a text of another identity, so that its parts are compared.
fn with_newline(text: &str) -> String {
    format!("{text}\n")
}

/// Judging is symmetric, and scores lie in 0..=1.
pub fn judging_is_symmetric(config: &DetectorConfig) {
    let detector = build(config);
    for left in corpus::STORIES {
        for right in corpus::STORIES {
            let there = judge(&detector, left, right);
            assert_eq!(there, judge(&detector, right, left), "{}", config.name());
            if let Some(verdict) = there {
                assert!((0.0..=1.0).contains(&verdict.score), "{}: {verdict:?}", config.name());
            }
        }
    }
}

/// A detector built twice, with buffers fresh or used, signs the same; keys ascend.
pub fn signing_is_deterministic(config: &DetectorConfig) {
    let (first, second) = (build(config), build(config));
    let mut used = Scratch::default();
    for story in corpus::STORIES {
        let signed = first.sign(&Document::from_text(story), &mut used);
        assert_eq!(signed, sign(&second, story), "{}", config.name());
        if let Ok(signed) = signed {
            assert!(signed.keys.is_sorted_by(|a, b| a < b), "{}: keys", config.name());
            assert!(!signed.keys.is_empty(), "{}: a signature without keys", config.name());
        }
    }
}

/// The fused path gives what the plain composition of the parts gives, on stories and on strings,
/// and what is observed before a collection is counted is what the detector observes.
pub fn fused_path_equals_plain_one(config: &DetectorConfig) {
    let detector = build(config);
    let (mut fused, mut plain) = (Scratch::default(), Scratch::default());
    let mut check = |text: &str| {
        let document = Document::from_text(text);
        let mut signed = detector.sign(&document, &mut fused);
        assert_eq!(signed, detector.sign_plainly(&document, &mut plain), "{}", config.name());
        if let (Ok(signed), false) = (&mut signed, detector.needs_signatures()) {
            signed.signature = Signature::default();
        }
        // What is observed stands behind what was observed before.
        let mut observed = vec![7];
        detector.observe(&document, &mut fused, &mut observed);
        assert_eq!(detector.weigh(&observed[1..], &mut fused), signed, "{}", config.name());
        let compared = detector.compares_what_it_signs();
        let features = compared.then(|| detector.features_plainly(&document, &mut plain));
        assert_eq!(detector.features_of(&observed[1..]), features, "{}", config.name());
        if let Some(observer) = config.observer(None).unwrap() {
            let mut first = Vec::new();
            let count = observer.observe(&document, &mut fused, &mut first);
            assert_eq!(first, observed[1..], "{}", config.name());
            let tokens = observer.analyzer().tokenize(text);
            assert_eq!(count.terms, tokens.len(), "{}", config.name());
            let mut distinct: Vec<u64> = observer.distinct(&first).copied().collect();
            distinct.sort_unstable();
            let mut hashes: Vec<u64> = tokens.tokens().iter().map(|token| token.hash).collect();
            hashes.sort_unstable();
            hashes.dedup();
            assert_eq!(distinct, hashes, "{}", config.name());
        }
    };
    for story in corpus::STORIES {
        check(story);
    }
    on_texts(|text| check(text));
}

/// Arbitrary strings and bytes are signed, described and judged without a panic, and a text is
/// never unlike itself.
pub fn odd_input_does_not_panic(config: &DetectorConfig) {
    let detector = build(config);
    on_texts(|text| {
        let _ = detector.describe(&Document::from_text(text));
        if let Some(verdict) = judge(&detector, text, &with_newline(text)) {
            assert!(verdict.duplicate, "{}: {verdict:?}", config.name());
        }
        if let Some(verdict) = judge(&detector, text, corpus::STORIES[0]) {
            assert!((0.0..=1.0).contains(&verdict.score), "{}: {verdict:?}", config.name());
        }
    });
}

/// A document without a word has no signature, so that two of them never match; only `exact` takes
/// symbols as they are, and it too must see something.
pub fn empty_documents_are_rejected(config: &DetectorConfig) {
    let detector = build(config);
    let symbols = (config.name() != "exact").then_some("... --- !!!");
    for text in ["", " ", "\n\n\t", "\u{a0}\u{200b}"].into_iter().chain(symbols) {
        let signed = sign(&detector, text);
        assert!(signed.is_err(), "{}: {text:?} got {signed:?}", config.name());
    }
}

/// Two very short documents match only if they are equal.
pub fn short_documents_match_only_if_equal(config: &DetectorConfig) {
    let detector = build(config);
    let texts = ["ferry", "harbor", "soil worms", "new theater", "zyx", "unheard ofterm"];
    for left in texts {
        for right in texts.iter().filter(|right| **right != left) {
            let duplicate = judge(&detector, left, right).is_some_and(|verdict| verdict.duplicate);
            assert!(!duplicate, "{}: {left:?} and {right:?}", config.name());
        }
    }
}

/// A score says what the verdict says, a verdict that there is nothing to compare says no, and what
/// one method prepared is nothing to another.
pub fn scores_are_those_of_verdicts(config: &DetectorConfig) {
    let detector = build(config);
    let mut scratch = Scratch::default();
    let mut prepare = |text: &str| detector.prepare(&Document::from_text(text), &mut scratch).ok();
    let texts: Vec<String> = corpus::STORIES.iter().map(|story| with_newline(story)).collect();
    let texts = corpus::STORIES.iter().copied().chain(texts.iter().map(String::as_str));
    let documents: Vec<Prepared> = texts.filter_map(&mut prepare).collect();
    for left in &documents {
        for right in &documents {
            let (verdict, score) = (detector.judge(left, right), detector.score(left, right));
            if verdict.duplicate {
                assert_eq!(verdict.score.to_bits(), score.to_bits(), "{}", config.name());
            }
            if left.identity() != right.identity() && left.shared_keys(right) == 0 {
                assert_eq!(verdict, Verdict::NOT_COMPARED, "{}", config.name());
            }
        }
    }
    let other = build(
        &DetectorConfig::named(if config.name() == "exact" { "minhash" } else { "exact" }).unwrap(),
    );
    let [first, ..] = documents.as_slice() else { panic!("{}: no document", config.name()) };
    assert_eq!(other.judge(first, first), Verdict::NOT_COMPARED, "{}", config.name());
}

/// Prepared documents survive their bytes, and no cut or changed byte is taken for one.
pub fn prepared_documents_survive_bytes(config: &DetectorConfig) {
    let detector = build(config);
    let mut scratch = Scratch::default();
    for (number, story) in corpus::STORIES.iter().enumerate() {
        let Ok(prepared) = detector.prepare(&Document::from_text(story), &mut scratch) else {
            continue;
        };
        let bytes = prepared.to_bytes();
        assert_eq!(detector.read_prepared(&bytes).as_ref(), Ok(&prepared), "{}", config.name());
        // Every byte of one document; of the others only that they survive.
        for place in (0..bytes.len()).filter(|_| number == 0) {
            let cut = detector.read_prepared(&bytes[..place]);
            assert!(cut.is_err(), "{}: cut at {place}", config.name());
            let mut changed = bytes.clone();
            changed[place] ^= 0x10;
            let changed = detector.read_prepared(&changed);
            assert!(changed.is_err(), "{}: changed at {place}", config.name());
        }
    }
}

/// Features survive encoding.
pub fn features_survive_encoding(config: &DetectorConfig) {
    let detector = build(config);
    for story in corpus::STORIES {
        let features = detector.features(&Document::from_text(story), &mut Scratch::default());
        let mut words = Vec::new();
        features.encode(&mut words);
        let mut rest = words.as_slice();
        assert_eq!(Features::decode(&mut rest), Some(features), "{}", config.name());
        assert!(rest.is_empty(), "{}: words left over", config.name());
    }
}

/// A configuration survives being written to and read from a configuration file.
pub fn config_survives_toml(config: &DetectorConfig) {
    let text = toml::to_string(config).unwrap();
    let table: toml::Table = toml::from_str(&text).unwrap();
    assert_eq!(&DetectorConfig::from_table(table).unwrap(), config, "{text}");
}

/// Runs `check` on texts of many kinds: any string, any bytes, and texts of words.
fn on_texts(check: impl FnMut(&str)) {
    let bytes = proptest::collection::vec(any::<u8>(), 0..200)
        .prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let texts = prop_oneof![any::<String>(), bytes, word_texts()];
    let check = std::cell::RefCell::new(check);
    let outcome = TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(64) })
        .run(&texts, |text| {
            (check.borrow_mut())(&text);
            Ok(())
        });
    if let Err(error) = outcome {
        panic!("{error}");
    }
}

/// Texts of words of the stories, with repetitions and paragraphs.
fn word_texts() -> impl Strategy<Value = String> {
    let words: Vec<&str> = corpus::STORIES.iter().flat_map(|story| story.split(' ')).collect();
    proptest::collection::vec(proptest::sample::select(words), 0..120)
        .prop_map(|words| words.join(" "))
}

/// Declares the conformance tests.
///
/// `detector_conformance!();` covers the default configuration of every method;
/// `detector_conformance!(name, configs);` those of an expression, in a module of that name.
#[macro_export]
macro_rules! detector_conformance {
    () => { $crate::detector_conformance!(every_method, $crate::conformance::all_methods()); };
    ($module:ident, $configs:expr) => {
        $crate::detector_conformance!(@checks $module, $configs,
            identical_documents_match judging_is_symmetric signing_is_deterministic
            fused_path_equals_plain_one odd_input_does_not_panic empty_documents_are_rejected
            short_documents_match_only_if_equal scores_are_those_of_verdicts
            prepared_documents_survive_bytes features_survive_encoding config_survives_toml);
    };
    (@checks $module:ident, $configs:expr, $($check:ident)+) => {
        mod $module {
            #[allow(unused_imports)]
            use super::*;
            $(
                #[test]
                fn $check() {
                    for config in $configs {
                        $crate::conformance::$check(&config);
                    }
                }
            )+
        }
    };
}
