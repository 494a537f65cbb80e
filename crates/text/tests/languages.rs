//! Terms of real sentences in eight languages, and where they stand in the text.
//!
//! The sentences were written for this project.

#![expect(clippy::unwrap_used, reason = "in a test, that is how a failure shows")]

use lookalike_text::{Analyzer, AnalyzerConfig, Normalization, SyntacticFilters, WordRule, folded};

fn analyzer(config: &AnalyzerConfig) -> Analyzer {
    Analyzer::new(config).unwrap()
}

/// The terms of a text; every term must be its original slice with its letters folded.
fn terms(config: &AnalyzerConfig, text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    analyzer(config).visit(text, |term, place| {
        assert_eq!(folded(&text[place]), term);
        terms.push(term.to_owned());
    });
    terms
}

fn default_terms(text: &str) -> Vec<String> {
    terms(&AnalyzerConfig::default(), text)
}

#[test]
fn english_words_are_runs_of_letters_digits_and_underscores() {
    let found = default_terms("The ferry's 2nd trip (snake_case, e-mail): 12.50 EUR.");
    let expected =
        ["the", "ferry", "s", "2nd", "trip", "snake_case", "e", "mail", "12", "50", "eur"];
    assert_eq!(found, expected);
}

#[test]
fn german_and_russian_words_are_lower_cased() {
    let found = default_terms("Über die Größe der STRASSE — fünf Äpfel");
    assert_eq!(found, ["über", "die", "grösse", "der", "strasse", "fünf", "äpfel"]);
    let found = default_terms("Ёлка СТОИТ у окна, снег идёт.");
    assert_eq!(found, ["ёлка", "стоит", "у", "окна", "снег", "идёт"]);
}

#[test]
fn arabic_vowel_signs_may_be_left_out_and_those_of_hindi_may_not() {
    assert_eq!(default_terms("كَتَبَ الوَلَدُ رِسالةً."), ["كتب", "الولد", "رسالة"]);
    let found = default_terms("नदी किनारे बच्चे खेलते हैं।");
    assert_eq!(found, ["नदी", "किनारे", "बच्चे", "खेलते", "हैं"]);
}

#[test]
fn single_characters_need_no_dictionary() {
    let config = AnalyzerConfig { words: WordRule::Characters, ..AnalyzerConfig::default() };
    assert_eq!(terms(&config, "河边有3只Bird鸟"), ["河", "边", "有", "3", "只", "bird", "鸟"]);
    assert_eq!(terms(&config, "ที่นี่"), ["ที่", "นี่"]);
}

#[test]
fn words_between_spaces_are_characters_where_there_are_no_spaces() {
    let config = AnalyzerConfig { words: WordRule::Whitespace, ..AnalyzerConfig::default() };
    let found = terms(&config, "well-known user@example.org 河边有3只Bird鸟。 e-mail");
    let expected = ["well-known", "user@example.org", "河", "边", "有", "3", "只", "bird", "鸟"];
    assert_eq!(found[..9], expected);
    assert_eq!(found[9..], ["e-mail"]);
}

#[cfg(feature = "dictionaries")]
#[test]
fn chinese_japanese_and_thai_are_cut_by_dictionary() {
    let found = default_terms("我们昨天在图书馆学习汉语。");
    assert_eq!(found, ["我们", "昨天", "在", "图书馆", "学习", "汉语"]);
    let found = default_terms("私は図書館で本を読みます。");
    assert!(
        found.contains(&"図書館".to_owned()) || found.contains(&"図書".to_owned()),
        "{found:?}"
    );
    assert!(found.iter().any(|term| term == "私") && found.iter().any(|term| term == "本"));
    assert_eq!(default_terms("แมวกินปลา"), ["แมว", "กิน", "ปลา"]);
    assert_eq!(default_terms("2024年iPhone很贵"), ["2024", "年", "iphone", "很", "贵"]);
}

#[cfg(not(feature = "dictionaries"))]
#[test]
fn a_rule_that_needs_dictionaries_is_refused_without_them() {
    let config = AnalyzerConfig { words: WordRule::Unicode, ..AnalyzerConfig::default() };
    let error = Analyzer::new(&config).unwrap_err();
    assert_eq!(error, lookalike_text::AnalyzerError::NoDictionaries);
}

#[test]
fn places_are_those_of_the_original_where_normalization_changes_lengths() {
    let text = "Oﬃce ＡＢＣ cafe\u{301} x½";
    let document = analyzer(&AnalyzerConfig::default()).tokenize(text);
    let found: Vec<_> = document
        .tokens()
        .iter()
        .map(|token| (document.term(token), &text[token.start as usize..token.end as usize]))
        .collect();
    let expected =
        [("office", "Oﬃce"), ("abc", "ＡＢＣ"), ("café", "cafe\u{301}"), ("x1", "x½"), ("2", "½")];
    assert_eq!(found, expected);
}

#[test]
fn without_normalization_text_stays_as_it_came() {
    let config = AnalyzerConfig { normalization: Normalization::None, ..AnalyzerConfig::default() };
    let mut found = Vec::new();
    let text = "ＡＢＣ ﬁn STRAẞE &amp; exam-\nple كَتَبَ";
    analyzer(&config).visit(text, |term, _| found.push(term.to_owned()));
    assert_eq!(found, ["ａｂｃ", "ﬁn", "straße", "amp", "exam", "ple", "كَتَبَ"]);
    let config = AnalyzerConfig { lowercase: false, ..AnalyzerConfig::default() };
    let mut found = Vec::new();
    analyzer(&config).visit("Ab Ünd", |term, _| found.push(term.to_owned()));
    assert_eq!(found, ["Ab", "Ünd"]);
}

#[test]
fn the_word_rules_of_the_2008_paper_drop_short_words_and_numbers() {
    let found = terms(&AnalyzerConfig::paper_2008(), "The year 1999 had mp3s and b2b2 files, Öl");
    assert_eq!(found, ["year", "mp3s", "files"]);
}

#[test]
fn the_syntactic_filters_work_alone_and_together() {
    let text = "The well-known user@example.org didn't see connections; \
        Donaudampfschifffahrtsgesellschaft";
    let filtered = |names: &str| {
        let filters: SyntacticFilters = names.parse().unwrap();
        let config =
            AnalyzerConfig { words: WordRule::Whitespace, filters, ..AnalyzerConfig::default() };
        let mut found = Vec::new();
        analyzer(&config).visit(text, |term, _| found.push(term.to_owned()));
        found.join(" ")
    };
    let long = "donaudampfschifffahrtsgesellschaft";
    assert_eq!(
        filtered("none"),
        format!("the well-known user@example.org didn't see connections {long}")
    );
    assert_eq!(filtered("sw"), format!("well-known user@example.org connections {long}"));
    assert_eq!(filtered("tg5"), format!("well-known user@example.org didn't connections {long}"));
    assert_eq!(filtered("tl25,nosc"), "the see connections");
    assert_eq!(filtered("sw,tg5,tl25,nosc,stem"), "connect");
}

#[test]
fn a_configuration_reads_back_from_what_it_writes() {
    let config =
        AnalyzerConfig { filters: "sw,stem".parse().unwrap(), ..AnalyzerConfig::paper_2008() };
    let written = serde_json::to_string(&config).unwrap();
    assert_eq!(serde_json::from_str::<AnalyzerConfig>(&written).unwrap(), config);
    assert!(serde_json::from_str::<AnalyzerConfig>(r#"{"wordz":"unicode"}"#).is_err());
}
