//! From text to terms, under one configuration that can be stored and compared.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::TokenizedDocument;

/// Everything that decides which terms a text has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AnalyzerConfig {
    /// Unicode normalization before anything else.
    pub normalization: Normalization,
    /// Whether terms are lower-cased.
    pub lowercase: bool,
    /// What counts as a word.
    pub words: WordRule,
    /// Terms of fewer characters are dropped (the 2008 paper: 4).
    pub min_characters: usize,
    /// Terms with more digits than this are dropped (the 2008 paper: 1).
    pub max_digits: Option<usize>,
    /// The five syntactic filters of the 2002 paper.
    pub filters: SyntacticFilters,
}

impl Default for AnalyzerConfig {
    fn default() -> Self {
        Self {
            normalization: Normalization::Nfkc,
            lowercase: true,
            words: WordRule::Unicode,
            min_characters: 1,
            max_digits: None,
            filters: SyntacticFilters::default(),
        }
    }
}

impl AnalyzerConfig {
    /// The word rules of the 2008 paper: at least 4 characters, at most one digit.
    pub fn paper_2008() -> Self {
        Self { min_characters: 4, max_digits: Some(1), ..Self::default() }
    }
}

/// The Unicode normalization form of terms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Normalization {
    /// Text as it came.
    None,
    /// Canonical composition.
    Nfc,
    /// Compatibility composition: full-width letters and ligatures become plain ones.
    #[default]
    Nfkc,
}

/// How text is cut into words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WordRule {
    /// Maximal runs of letters, digits and underscore (`\w+`); scripts written without spaces
    /// are cut by dictionary, or into single characters where no dictionary is compiled in.
    #[default]
    Unicode,
    /// As `Unicode`, but scripts written without spaces give single characters.
    Characters,
    /// Runs of anything but white space, with punctuation trimmed from both ends: the terms of
    /// the 2002 paper, which may contain special characters.
    Whitespace,
}

/// The syntactic filters of the 2002 paper (Table II), in any combination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SyntacticFilters {
    /// `sw`: drop the 571 SMART stop words.
    pub stop_words: bool,
    /// `tg5`: drop terms shorter than 5 characters.
    pub at_least_5: bool,
    /// `tl25`: drop terms longer than 25 characters.
    pub at_most_25: bool,
    /// `nosc`: drop terms with special characters.
    pub no_special: bool,
    /// `stem`: reduce terms by Porter's algorithm.
    pub stem: bool,
}

/// An [`AnalyzerConfig`] that cannot work.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnalyzerError {
    /// The configuration needs word dictionaries that this build does not contain.
    #[error(
        "this build has no word dictionaries; rebuild with the feature `dictionaries` or choose words = \"characters\""
    )]
    NoDictionaries,
}

/// A term on its way out of the analyzer.
#[derive(Debug)]
pub struct Analyzer {
    config: AnalyzerConfig,
}

impl Analyzer {
    /// Builds the analyzer a configuration describes.
    pub fn new(config: &AnalyzerConfig) -> Result<Self, AnalyzerError> {
        Ok(Self { config: config.clone() })
    }

    /// The configuration this analyzer was built from.
    pub fn config(&self) -> &AnalyzerConfig {
        &self.config
    }

    /// Cuts a text into a fresh [`TokenizedDocument`].
    pub fn tokenize(&self, text: &str) -> TokenizedDocument {
        let mut document = TokenizedDocument::default();
        self.tokenize_into(text, &mut document);
        document
    }

    /// Cuts a text into `document`, whose old tokens are forgotten and whose memory is reused.
    pub fn tokenize_into(&self, text: &str, document: &mut TokenizedDocument) {
        document.clear();
        self.visit(text, |term, place| document.push(term, place));
    }

    /// Calls `visitor` for each term in reading order, with its place in the original text.
    pub fn visit(&self, text: &str, mut visitor: impl FnMut(&str, Range<usize>)) {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let mut start = None;
        let mut emit = |from: usize, to: usize| {
            let term = text[from..to].to_lowercase();
            if term.chars().count() >= self.config.min_characters {
                visitor(&term, from..to);
            }
        };
        for (position, c) in text.char_indices() {
            match (is_word(c), start) {
                (true, None) => start = Some(position),
                (false, Some(from)) => {
                    emit(from, position);
                    start = None;
                }
                _ => {}
            }
        }
        if let Some(from) = start {
            emit(from, text.len());
        }
    }
}
