//! Every method at its defaults, in languages with and without spaces, from the left and from the
//! right: a copy is found, another story is not.

use lookalike_detect::train::LabelledDocument;
use lookalike_detect::{Detector, DetectorConfig, Rejection};
use lookalike_testkit::artifacts_from;
use lookalike_testkit::conformance::{all_methods, judge, sign};
use lookalike_testkit::languages::{BAKERY, LIGHTHOUSE};
use lookalike_text::Document;

/// Methods that by their papers ignore documents as short as these.
const MAY_IGNORE: &[&str] = &["dsc", "dsc-ss"];

/// Methods that must also see a copy whose last words are cut off, in every language.
const SEES_EDITS: &[&str] = &["minhash", "minwise", "wordlsh", "vectors"];

/// The first story, a copy of it without its last words, and the other story.
struct Texts {
    code: &'static str,
    story: String,
    cut: String,
    other: String,
}

fn texts() -> Vec<Texts> {
    let one = |((code, story), (_, other)): (&(&'static str, _), &(&str, [&str; 2]))| {
        let story: &[&str; 3] = story;
        let story = story.join("\n\n");
        let n_characters = story.chars().count();
        let cut = story.chars().take(n_characters - n_characters / 25).collect();
        Texts { code, story, cut, other: other.join("\n\n") }
    };
    LIGHTHOUSE.iter().zip(BAKERY).map(one).collect()
}

/// The method with statistics and a model of all these texts together.
fn detector(config: &DetectorConfig, texts: &[Texts]) -> Detector {
    let mut labelled = Vec::new();
    for (number, texts) in (0..).zip(texts) {
        for (text, cluster) in [(&texts.story, 0), (&texts.cut, 0), (&texts.other, 1)] {
            let document = Document::from_text(text);
            labelled.push(LabelledDocument { document, cluster: 2 * number + cluster });
        }
    }
    config.build(&artifacts_from(config, &labelled)).unwrap()
}

#[test]
fn a_copy_is_found_and_another_story_is_not_in_every_language() {
    let texts = texts();
    for config in all_methods() {
        let detector = detector(&config, &texts);
        for Texts { code, story, cut, other } in &texts {
            let name = config.name();
            for text in [story, other] {
                if sign(&detector, text) == Err(Rejection::TooShort) && MAY_IGNORE.contains(&name) {
                    continue;
                }
                let copy = judge(&detector, text, text);
                assert!(copy.is_some_and(|v| v.duplicate), "{name}, {code}: {copy:?}");
            }
            let different = judge(&detector, story, other);
            assert!(!different.is_some_and(|v| v.duplicate), "{name}, {code}: {different:?}");
            if SEES_EDITS.contains(&name) {
                let edited = judge(&detector, story, cut);
                assert!(edited.is_some_and(|v| v.duplicate), "{name}, {code}: {edited:?}");
            }
        }
    }
}

#[test]
fn stories_of_different_languages_are_never_copies() {
    let texts = texts();
    for config in all_methods() {
        let detector = detector(&config, &texts);
        for (number, left) in texts.iter().enumerate() {
            for right in &texts[number + 1..] {
                let verdict = judge(&detector, &left.story, &right.story);
                let pair = (config.name(), left.code, right.code);
                assert!(!verdict.is_some_and(|v| v.duplicate), "{pair:?}: {verdict:?}");
            }
        }
    }
}
