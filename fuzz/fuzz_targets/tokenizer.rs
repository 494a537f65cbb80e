//! The quick tokenizer against the plain one, under a configuration that the first bytes choose.
#![no_main]

use lookalike_text::{Analyzer, AnalyzerConfig, Normalization, SyntacticFilters, WordRule};

libfuzzer_sys::fuzz_target!(|input: (u8, u8, &str)| {
    let (choice, filters, text) = input;
    let config = AnalyzerConfig {
        normalization: match choice % 3 {
            0 => Normalization::None,
            1 => Normalization::Nfc,
            _ => Normalization::Nfkc,
        },
        lowercase: choice & 4 == 0,
        words: match choice >> 3 & 3 {
            0 | 1 => WordRule::default(),
            2 => WordRule::Characters,
            _ => WordRule::Whitespace,
        },
        min_characters: usize::from(choice >> 5 & 3),
        max_digits: (choice & 128 != 0).then_some(1),
        filters: SyntacticFilters::all_combinations().nth(filters.into()).unwrap_or_default(),
    };
    let analyzer = Analyzer::new(&config).expect("a configuration of known values");
    let mut found = Vec::new();
    analyzer.visit(text, |term, place| found.push((term.to_owned(), place)));
    assert_eq!(found, lookalike_text::reference_terms(&config, text));
});
