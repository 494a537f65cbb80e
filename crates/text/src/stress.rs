//! Texts that make a careless step slow, for tests of every step.

use crate::segment::{Language, paragraphs, sentences};
use crate::{Analyzer, AnalyzerConfig, Normalization, WordRule};

/// Runs that people and machines write, and runs that only an attacker does.
pub(crate) fn texts(length: usize) -> Vec<String> {
    let units = [
        ".",
        "．",
        "!",
        "?",
        ";",
        "\u{37e}",
        "…",
        "。",
        "！",
        "؟",
        "۔",
        "।",
        "።",
        "។",
        "။",
        "\"",
        ".\"",
        ".\")",
        "'",
        "”",
        "’",
        "»",
        ")",
        "]",
        "）",
        "」",
        "(",
        "[",
        "{",
        "“",
        "\u{301}",
        "a\u{301}\u{316}",
        "\u{200b}",
        "\u{200d}",
        "\u{202e}",
        "\u{2066}x\u{2069}",
        "👩\u{200d}👩\u{200d}👧",
        "🇩🇪",
        "\u{fe0f}",
        " ",
        "\u{3000}",
        "\n",
        "1",
        "1.",
        "1. ",
        "a.",
        "a. ",
        "Dr. ",
        "3.1",
        "A.B",
        "ก",
        "ก ",
        "中",
        "中.",
        "-",
        "\0",
        "!a",
        ".. a",
        "?\"a ",
    ];
    let mut texts: Vec<String> =
        units.iter().map(|unit| unit.repeat(length / unit.len() + 1)).collect();
    for (first, second, third) in [
        ("1", ".", " A"),
        ("a", ".", " b"),
        ("1", ".", " 1"),
        (" ", "a 1. ", ""),
        ("中", ".", "中"),
        (".", " ", "a"),
        ("ก", " ", "a"),
        ("a.", ".", " A"),
        ("1", "\".", " a"),
    ] {
        let half = |unit: &str| unit.repeat(length / 2 / unit.len() + 1);
        texts.push(half(first) + &half(second) + third);
        texts.push((half(first) + third).replacen(first, &half(second), 1));
    }
    texts
}

/// A step that looks at a run again for each of its characters would take hours for each of these.
const LENGTH: usize = 1 << 20;

#[test]
fn every_step_gets_through_a_megabyte_of_anything() {
    for text in texts(LENGTH) {
        let mut end = 0;
        for paragraph in paragraphs(&text) {
            assert!(end <= paragraph.start);
            end = paragraph.end;
        }
        assert!(sentences(&text, Language::detect(&text)).all(|place| place.end <= text.len()));
    }
}

#[test]
fn every_tokenizer_gets_through_a_megabyte_of_anything() {
    for words in [WordRule::default(), WordRule::Characters, WordRule::Whitespace] {
        for normalization in [Normalization::Nfkc, Normalization::None] {
            let config = AnalyzerConfig { normalization, words, ..AnalyzerConfig::default() };
            let analyzer = Analyzer::new(&config).unwrap();
            for text in texts(LENGTH / 4) {
                let mut end = 0;
                analyzer.visit(&text, |_, place| {
                    assert!(place.end <= text.len() && place.start >= end);
                    end = place.start;
                });
            }
        }
    }
}
