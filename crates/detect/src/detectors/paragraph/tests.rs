//! Partial copies in eight languages, offsets, and the odd cases.

use lookalike_testkit::languages::LIGHTHOUSE as TEXTS;
use lookalike_text::Document;

use super::*;
use crate::{Features, Scratch, Verdict};

fn detector(config: &ParagraphConfig) -> Detector {
    config.build(&Artifacts::default()).unwrap()
}

fn features(detector: &Detector, text: &str) -> Features {
    detector.features(&Document::from_text(text), &mut Scratch::default())
}

/// The verdict, or `None` where the two share no key.
/// The verdict on two texts that share a key, with the exact score.
fn judge(detector: &Detector, left: &str, right: &str) -> Option<Verdict> {
    let prepare = |text| detector.prepare(&Document::from_text(text), &mut Scratch::default());
    let (left, right) = (prepare(left).ok()?, prepare(right).ok()?);
    let score = detector.score(&left, &right);
    (left.shared_keys(&right) > 0).then(|| Verdict { score, ..detector.judge(&left, &right) })
}

/// Whether two texts have at least half of their characters' bigrams in common.
fn alike(left: &str, right: &str) -> bool {
    let bigrams = |text: &str| {
        let letters: Vec<char> = text.chars().filter(|c| c.is_alphanumeric()).collect();
        let mut pairs: Vec<[char; 2]> = letters.windows(2).map(|w| [w[0], w[1]]).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    };
    let (left, right) = (bigrams(left), bigrams(right));
    let shared = left.iter().filter(|pair| right.binary_search(pair).is_ok()).count();
    2 * shared >= left.len().min(right.len())
}

#[test]
fn a_paragraph_placed_in_another_text_is_found_in_every_language() {
    // Three words make a sentence long, so that the rule holds with and without dictionaries.
    let config = ParagraphConfig {
        min_words: 3,
        relation: Relation::Contains,
        keywords: KeywordSource::None,
        compare: Compared::Paragraphs,
        ..Default::default()
    };
    let detector = detector(&config);
    for (code, [first, second, third]) in TEXTS {
        let source = format!("{first}\n\n{second}");
        let host = format!("{third}\n\n{second}");
        let (left, right) = (features(&detector, &source), features(&detector, &host));
        let matches = detector.matches(&left, &right);
        assert_eq!(matches.len(), 1, "{code}: {matches:?}");
        assert_eq!(&source[matches[0].left.clone()], *second, "{code}");
        assert_eq!(&host[matches[0].right.clone()], *second, "{code}");
        let comparison = detector.compare_signed(&left, &right).unwrap();
        assert_eq!(comparison.containment, Some((0.5, 0.5)), "{code}");
        let contained = judge(&detector, &source, second).unwrap();
        assert_eq!(contained, Verdict::new(true, 1.0), "{code}");
    }
}

#[test]
fn renumbered_clauses_are_the_same_clauses_in_every_language() {
    let config = ParagraphConfig { min_words: 3, ..Default::default() };
    let detector = detector(&config);
    let numbers = [
        ["1. ", "2. ", "3. "],
        ["5. ", "6. ", "7. "],
        ["(a) ", "(b) ", "(c) "],
        ["iv. ", "v. ", "vi. "],
        ["§ 12. ", "§ 13. ", "§ 14. "],
        ["Art. 5: ", "Art. 6: ", "Art. 7: "],
        ["٣. ", "٤. ", "٥. "],
        ["一、", "二、", "三、"],
        ["第五条 ", "第六条 ", "第七条 "],
        ["> ", "> ", "> "],
        ["• ", "• ", "• "],
        ["", "", ""],
    ];
    for (code, texts) in TEXTS {
        let numbered = |numbers: [&str; 3]| {
            let clauses: Vec<String> =
                numbers.iter().zip(texts).map(|(number, text)| format!("{number}{text}")).collect();
            clauses.join("\n\n")
        };
        for other in numbers {
            let (left, right) = (numbered(numbers[0]), numbered(other));
            let verdict = judge(&detector, &left, &right);
            let expected = Verdict::new(true, 1.0);
            assert_eq!(verdict, Some(expected), "{code}: {right}");
        }
    }
}

#[test]
fn every_match_between_all_texts_is_alike_in_the_originals() {
    let config = ParagraphConfig { min_words: 3, ..Default::default() };
    let detector = detector(&config);
    let documents: Vec<String> = TEXTS
        .iter()
        .flat_map(|(_, [first, second, third])| {
            let cut = first.char_indices().map(|(at, _)| at).nth(40).unwrap();
            [
                format!("{first}\n\n{second}\n\n{third}"),
                format!("{third}\r\n\r\n{second} {first}\r\n\r\n{first}"),
                format!("  {}\n\n{second}\n", &first[cut..]),
            ]
        })
        .collect();
    let mut n_matches = 0;
    for left in &documents {
        for right in &documents {
            let found = detector.matches(&features(&detector, left), &features(&detector, right));
            for matched in found {
                let (left, right) = (&left[matched.left], &right[matched.right]);
                assert!(alike(left, right), "{left:?} against {right:?}");
                n_matches += 1;
            }
        }
    }
    assert!(n_matches >= 100, "{n_matches}");
}

#[test]
fn unrelated_texts_share_no_key() {
    let detector = detector(&ParagraphConfig::default());
    let whole: Vec<String> = TEXTS.iter().map(|(_, parts)| parts.join("\n\n")).collect();
    for (position, left) in whole.iter().enumerate() {
        for right in &whole[position + 1..] {
            assert_eq!(judge(&detector, left, right), None);
        }
    }
}

#[test]
fn a_document_without_long_sentences_still_has_a_fingerprint() {
    let detector = detector(&ParagraphConfig::default());
    let text = "Closed today.\n\nOpen on Monday again. Thank you.";
    let features = features(&detector, text);
    let [only] = features.as_paragraphs() else { panic!("{features:?}") };
    assert_eq!(only.place(), 0..text.len());
    assert_eq!(judge(&detector, text, text), Some(Verdict::new(true, 1.0)));
}

#[test]
fn a_document_without_words_has_none() {
    let detector = detector(&ParagraphConfig::default());
    assert!(detector.sign(&Document::from_text("... !"), &mut Scratch::default()).is_err());
}

#[test]
fn short_paragraphs_count_for_words_and_not_for_the_paper() {
    let [first, second, _] = TEXTS[0].1;
    let plain = format!("{first}\n\n{second}");
    let framed = format!("Home\n\nNews\n\n{first}\n\nRead more\n\n{second}\n\nContact us");
    let score = |compare| {
        let keywords = KeywordSource::None;
        let config = ParagraphConfig { compare, keywords, ..Default::default() };
        judge(&detector(&config), &plain, &framed).unwrap().score
    };
    assert_eq!(score(Compared::Paragraphs), 1.0);
    assert!((0.9..1.0).contains(&score(Compared::Words)));
}

#[test]
fn the_same_words_are_the_same_document_however_they_are_broken() {
    let detector = detector(&ParagraphConfig::default());
    for (code, parts) in TEXTS {
        let text = parts.join("\n\n");
        // Where words have no blanks between them a line cannot be joined without making one.
        let joined =
            text.replace("\n\n", if matches!(code, &"zh" | &"ja" | &"th") { "" } else { " " });
        for other in [text.replace("\n\n", "\n"), joined, text.replace("\n\n", "\n\n\n> ")] {
            let verdict = judge(&detector, &text, &other);
            assert_eq!(verdict, Some(Verdict::new(true, 1.0)), "{code}: {other}");
        }
    }
}

#[test]
fn a_shared_signature_is_no_containment() {
    let config = ParagraphConfig { relation: Relation::Contains, ..Default::default() };
    let detector = detector(&config);
    let signature =
        "Sent by the office of the harbour master, who reads every letter on Monday only.";
    let short = format!("Come at nine. Bring the keys. Tell nobody else.\n\n{signature}");
    let long = format!("{}\n\n{signature}", TEXTS[0].1.join("\n\n"));
    let verdict = judge(&detector, &short, &long).unwrap();
    assert!(!verdict.duplicate && verdict.score > 0.5 && verdict.score < 0.7, "{verdict:?}");
}

#[test]
fn numbers_count() {
    let price = |euros: u32| {
        format!(
            "The council agreed on Tuesday that the new roof of the library may cost up to {euros} euros."
        )
    };
    for compare in [Compared::Words, Compared::Paragraphs] {
        let detector = detector(&ParagraphConfig { compare, ..Default::default() });
        for other in [13_209, 13_205, 23_204] {
            let verdict = judge(&detector, &price(13_204), &price(other));
            assert!(verdict.is_none_or(|verdict| !verdict.duplicate), "{other}: {verdict:?}");
        }
    }
}

#[test]
fn the_title_weighs_sentences_only_where_it_is_asked() {
    let [first, ..] = TEXTS[0].1;
    let fingerprints = |keywords, title| {
        let config = ParagraphConfig { keywords, ..Default::default() };
        let document = Document { title, ..Document::from_text(first) };
        detector(&config).features(&document, &mut Scratch::default())
    };
    let without = fingerprints(KeywordSource::None, Some("Lighthouse repaired"));
    assert_eq!(without, fingerprints(KeywordSource::None, None));
    let config = ParagraphConfig { keywords: KeywordSource::Title, ..Default::default() };
    let document = Document { title: Some("Every single stone"), ..Document::from_text(first) };
    let described = detector(&config).describe(&document);
    let plain = detector(&config).describe(&Document { title: Some("Umbrella"), ..document });
    // "single" and "stone" stand in the second sentence.
    assert!(described[1].weight > plain[1].weight);
    assert_eq!(described[0].weight, plain[0].weight);
}

#[test]
fn both_ways_of_finding_candidates_find_equal_paragraphs() {
    let [first, second, third] = TEXTS[0].1;
    for keys in [ParagraphKeys::Sentences, ParagraphKeys::Fingerprints] {
        for bits in [32, 64] {
            let compare = Compared::Paragraphs;
            let config = ParagraphConfig { bits, compare, keys, ..Default::default() };
            let (left, right) = (format!("{first}\n\n{second}"), format!("{second}\n\n{third}"));
            let verdict = judge(&detector(&config), &left, &right).unwrap();
            assert_eq!(verdict, Verdict::new(false, 0.5), "{config:?}");
        }
    }
}

#[test]
fn the_threshold_fits_the_relation_unless_it_is_set() {
    let config = |relation| ParagraphConfig { relation, ..Default::default() };
    assert_eq!(config(Relation::Duplicate).threshold(), Some(0.8));
    assert_eq!(config(Relation::Contains).threshold(), Some(0.9));
    let of_paragraphs =
        ParagraphConfig { compare: Compared::Paragraphs, ..config(Relation::Contains) };
    assert_eq!(of_paragraphs.threshold(), Some(0.4));
    assert_eq!(config(Relation::Overlaps).threshold(), None);
    let set = ParagraphConfig { threshold: Some(0.9), ..config(Relation::Contains) };
    assert_eq!(set.threshold(), Some(0.9));
}

#[test]
fn parameters_that_cannot_work_are_refused() {
    let default = ParagraphConfig::default;
    for config in [
        ParagraphConfig { bits: 48, ..default() },
        ParagraphConfig { max_distance: 32, ..default() },
        ParagraphConfig { threshold: Some(0.0), ..default() },
        ParagraphConfig { min_words: 0, ..default() },
        ParagraphConfig { max_sentences: 0, ..default() },
    ] {
        assert!(config.build(&Artifacts::default()).is_err(), "{config:?}");
    }
}
