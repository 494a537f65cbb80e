//! `exact`: documents whose normalized text is the same, term for term.
//!
//! Signature = 128 bits of the SHA-256 digest of the analyzed terms in reading order; of a text
//! that has no terms, such as one of emoji alone, of what stands between white space. Choose it to
//! drop true copies whatever their case, white space, punctuation or Unicode form; it finds no
//! edited copy.

use std::sync::Arc;

use lookalike_text::{Analyzer, AnalyzerConfig};
use serde::{Deserialize, Serialize};

use crate::decide::Threshold;
use crate::represent::NormalizedText;
use crate::sign::{FusedText, WholeDigest};
use crate::{Artifacts, DetectError, Detector, Recipe};

/// Parameters of `exact`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ExactConfig {
    /// What makes two texts the same.
    pub analyzer: AnalyzerConfig,
}

impl Recipe for ExactConfig {
    const SUMMARY: &'static str = "the same text after normalization, word for word";

    fn analyzer(&self) -> &AnalyzerConfig {
        &self.analyzer
    }

    fn build(&self, _: &Artifacts) -> Result<Detector, DetectError> {
        let analyzer = Analyzer::new(&self.analyzer)?;
        // A key is half of the digest, for which two texts can be found; the whole decides.
        let decide = Box::new(Threshold(1.0));
        let represent = Arc::new(NormalizedText);
        let fused = Box::new(FusedText { analyzer: Analyzer::new(&self.analyzer)? });
        let plain = Detector::by_signatures(analyzer, represent, Box::new(WholeDigest), decide);
        Ok(plain.fused(fused))
    }
}

#[cfg(test)]
mod tests {
    use lookalike_text::Document;

    use super::*;
    use crate::{Rejection, Scratch, SignedDocument};

    fn sign(text: &str) -> Result<SignedDocument, Rejection> {
        let detector = ExactConfig::default().build(&Artifacts::default()).unwrap();
        detector.sign(&Document::from_text(text), &mut Scratch::default())
    }

    #[test]
    fn equal_texts_without_a_word_are_copies_and_empty_ones_are_not() {
        assert_eq!(sign("🎉🎉 \n👍"), sign(" 🎉🎉 👍"));
        assert_ne!(sign("🎉🎉 👍"), sign("🎉🎉 👎"));
        assert_ne!(sign("***"), sign("* * *"));
        assert!(sign("—").is_ok());
        for empty in ["", " \n\t", "\u{3000}", "\u{200b}\u{feff}"] {
            assert_eq!(sign(empty), Err(Rejection::Empty));
        }
    }

    #[test]
    fn case_spacing_and_punctuation_do_not_count() {
        assert_eq!(sign("The tide, had turned."), sign("the  TIDE had\nturned"));
        assert_ne!(sign("the tide had turned"), sign("the tidehad turned"));
    }
}
