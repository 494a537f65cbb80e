//! What a reader does not see makes no difference to any method, in any language.

use lookalike_detect::represent::ExactMatch;
use lookalike_detect::train::LabelledDocument;
use lookalike_detect::{Detector, DetectorConfig};
use lookalike_testkit::artifacts_from;
use lookalike_testkit::conformance::{all_methods, judge, sign};
use lookalike_testkit::languages::LIGHTHOUSE;
use lookalike_text::Document;

/// Turkish, Arabic and Japanese, in which more than lower case is needed; with what was written
/// otherwise.
const SPELLINGS: &[(&str, &str)] = &[
    ("Işıklı İzmir limanı ılık bir kış günü", "IŞIKLI İZMİR LİMANI ILIK BİR KIŞ GÜNÜ"),
    ("كَتَبَ الوَلَدُ رِسالةً إلى أُمِّهِ", "كتب الولد رسالة الى امه"),
    ("العربية لغة قديمة", "العــربية لغة قديمـة"),
];

/// Every third character has something behind it that is not displayed.
fn with_invisible(text: &str) -> String {
    let invisible =
        ['\u{AD}', '\u{200B}', '\u{2060}', '\u{FEFF}', '\u{200D}', '\u{FE0F}', '\u{200F}'];
    let mut written = String::from("\u{FEFF}");
    for (place, character) in text.chars().enumerate() {
        written.push(character);
        if place % 3 == 1 && character.is_alphabetic() {
            written.push(invisible[place / 3 % invisible.len()]);
        }
    }
    written
}

/// The same with character references for what often has them.
fn with_references(text: &str) -> String {
    let mut written = String::new();
    for (place, character) in text.chars().enumerate() {
        match character {
            'é' => written.push_str("&eacute;"),
            'ü' => written.push_str("&uuml;"),
            _ if place % 7 == 3 && !character.is_ascii() => {
                written.extend(["&#", &u32::from(character).to_string(), ";"]);
            }
            _ if place % 11 == 3 && character.is_ascii_lowercase() => {
                written.push(character);
                written.push_str("&shy;");
            }
            _ => written.push(character),
        }
    }
    written
}

/// Divided at the ends of lines: every tenth long word, where the words of the text do not speak against it.
fn divided(text: &str) -> String {
    let mut written = Vec::new();
    for (place, word) in text.split(' ').enumerate() {
        let letters: Vec<char> = word.chars().collect();
        let (first, rest) = letters.split_at(letters.len() / 2);
        let is_cased = letters.iter().all(|c| c.is_lowercase());
        if place % 10 == 4 && is_cased && first.len() > 2 && rest.len() > 2 {
            written.push(format!("{}-\n{}", String::from_iter(first), String::from_iter(rest)));
        } else {
            written.push(word.to_owned());
        }
    }
    written.join(" ")
}

/// A line break wherever two characters of a script without spaces meet, now and then.
fn broken(text: &str) -> String {
    let is_spaceless = |c: char| matches!(c, '\u{E01}'..='\u{E4E}' | '\u{3041}'..='\u{30FE}' | '\u{4E00}'..='\u{9FFF}');
    let characters: Vec<char> = text.chars().collect();
    let mut written = String::new();
    for (place, character) in characters.iter().enumerate() {
        written.push(*character);
        let is_before = characters.get(place + 1).is_some_and(|next| is_spaceless(*next));
        if place % 13 == 7 && is_spaceless(*character) && is_before {
            written.push('\n');
        }
    }
    written
}

fn detector(config: &DetectorConfig, pairs: &[(String, String)]) -> Detector {
    let mut labelled = Vec::new();
    for (cluster, (left, right)) in (0..).zip(pairs) {
        for text in [left, right] {
            labelled.push(LabelledDocument { document: Document::from_text(text), cluster });
        }
    }
    config.build(&artifacts_from(config, &labelled)).unwrap()
}

#[test]
fn what_a_reader_does_not_see_makes_no_difference_to_any_method() {
    let mut pairs = Vec::new();
    for (_, story) in LIGHTHOUSE {
        let story = story.join("\n\n");
        for change in [with_invisible, with_references, divided, broken] {
            let changed = change(&story);
            if changed != story {
                pairs.push((story.clone(), changed));
            }
        }
    }
    for (left, right) in SPELLINGS {
        let long = |text: &str| format!("{text}\n\n").repeat(12);
        pairs.push((long(left), long(right)));
    }
    assert!(pairs.len() > 24);
    for mut config in all_methods() {
        if let DetectorConfig::Exact(exact) = &mut config {
            // Capitals are seen.
            exact.matching = ExactMatch::Words;
        }
        let detector = detector(&config, &pairs);
        for (left, right) in &pairs {
            let name = config.name();
            assert_eq!(sign(&detector, left), sign(&detector, right), "{name}: {right}");
            if sign(&detector, left).is_ok() {
                let verdict = judge(&detector, left, right);
                let is_one = verdict.is_some_and(|v| (v.score - 1.0).abs() < 1e-9);
                assert!(is_one || name == "svm", "{name}: {verdict:?} {right}");
            }
        }
    }
}
