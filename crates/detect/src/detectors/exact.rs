//! `exact`: documents whose text is the same.
//!
//! Signature = 128 bits of a SHA-256 digest. `match` says of what: `text` (the default) compares
//! every visible character and takes any run of white space for one blank, so that line ends and
//! indentation do not count; `bytes` compares every byte; `words` compares the analyzed words, so
//! that case and punctuation do not count either. Choose it to drop true copies; it finds no
//! edited copy.

use std::sync::Arc;

use lookalike_text::{Analyzer, AnalyzerConfig};
use serde::{Deserialize, Serialize};

use crate::decide::Threshold;
use crate::represent::{ExactMatch, WholeText};
use crate::sign::{FusedText, WholeDigest};
use crate::{Artifacts, DetectError, Detector, Recipe};

/// Parameters of `exact`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ExactConfig {
    /// What must be the same: `bytes`, `text` or `words`.
    #[serde(rename = "match")]
    pub matching: ExactMatch,
    /// What the words are.
    pub analyzer: AnalyzerConfig,
}

impl Recipe for ExactConfig {
    const SUMMARY: &'static str =
        "the same text but for white space; --match bytes or words is stricter or looser";

    fn analyzer(&self) -> &AnalyzerConfig {
        &self.analyzer
    }

    fn build(&self, _: &Artifacts) -> Result<Detector, DetectError> {
        let analyzer = Analyzer::new(&self.analyzer)?;
        // A key is half of the digest, for which two texts can be found; the whole decides.
        let decide = Box::new(Threshold(1.0));
        let represent = Arc::new(WholeText(self.matching));
        let fused = FusedText { analyzer: Analyzer::new(&self.analyzer)?, matching: self.matching };
        let plain = Detector::by_signatures(analyzer, represent, Box::new(WholeDigest), decide);
        Ok(plain.observed_by(fused))
    }
}

#[cfg(test)]
mod tests {
    use lookalike_text::Document;

    use super::*;
    use crate::{Rejection, Scratch, SignedDocument};

    const ALL: [ExactMatch; 3] = [ExactMatch::Bytes, ExactMatch::Text, ExactMatch::Words];

    fn sign(text: &str, matching: ExactMatch) -> Result<SignedDocument, Rejection> {
        let config = ExactConfig { matching, ..ExactConfig::default() };
        let detector = config.build(&Artifacts::default()).unwrap();
        detector.sign(&Document::from_text(text), &mut Scratch::default())
    }

    /// The rules under which two texts are the same.
    fn same(left: &str, right: &str) -> Vec<ExactMatch> {
        let is_same = |matching: &ExactMatch| sign(left, *matching) == sign(right, *matching);
        ALL.into_iter().filter(is_same).collect()
    }

    #[test]
    fn equal_texts_without_a_word_are_copies_and_empty_ones_are_not() {
        assert_eq!(same("🎉🎉 \n👍", " 🎉🎉 👍"), ALL[1..]);
        assert_eq!(same("🎉🎉 👍", "🎉🎉 👎"), []);
        assert_eq!(same("***", "* * *"), []);
        for matching in ALL {
            assert!(sign("—", matching).is_ok());
            for empty in ["", " \n\t", "\u{3000}", "\u{200b}\u{feff}"] {
                assert_eq!(sign(empty, matching), Err(Rejection::Empty));
            }
        }
    }

    #[test]
    fn words_alone_ignore_case_and_punctuation() {
        for (left, right) in [
            ("The tide, had turned.", "the  TIDE had\nturned"),
            ("C++", "C#"),
            ("/A?B=1", "/a/b/1"),
            ("-5", "5"),
        ] {
            assert_eq!(same(left, right), [ExactMatch::Words], "{left} {right}");
        }
        assert_eq!(same("the tide had turned", "the tidehad turned"), []);
    }

    #[test]
    fn white_space_and_the_form_of_letters_count_for_bytes_alone() {
        assert_eq!(same("fog\r\n  at the pier\n", "fog at\u{a0}the pier"), ALL[1..]);
        assert_eq!(same("caf\u{e9}", "cafe\u{301}"), ALL[1..]);
        assert_eq!(same("fog at the pier", "fog at the pier"), ALL);
        // A separator of the digest that stands in a text is no blank.
        assert_eq!(same("fog\u{1f}bank", "fog bank"), [ExactMatch::Words]);
    }
}
