//! `longsentences`: documents that share most of their longest sentences.
//!
//! resemblance = |A∩B| / |A∪B| over the 18 longest sentences of more than nine words, anywhere in
//! the document, at least 0.6: the whole-file baseline of Wang, Liu and Jia 2013. Exact: prefixes of
//! the sets find every pair.
//!
//! Choose it for re-published text whose sentences stay whole; a word changed in each sentence
//! hides a copy. Where parts are copied, `paragraph` says which.

use std::sync::Arc;

use lookalike_text::segment::LanguageChoice;
use lookalike_text::{Analyzer, AnalyzerConfig};
use serde::{Deserialize, Serialize};

use crate::measure::SetMeasure;
use crate::represent::LongSentences;
use crate::sign::SetPrefix;
use crate::{Artifacts, CandidateSearch, DetectError, Detector, Recipe};

/// Parameters of `longsentences`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct LongsentencesConfig {
    /// Sentences of fewer words are not long.
    pub min_words: usize,
    /// The most sentences compared.
    pub sentences: usize,
    /// Whose abbreviations do not end a sentence.
    pub language: LanguageChoice,
    /// The least Jaccard resemblance of a duplicate.
    #[serde(alias = "jaccard-threshold", alias = "jaccard_threshold")]
    pub threshold: f64,
    /// What the words are.
    pub analyzer: AnalyzerConfig,
}

impl Default for LongsentencesConfig {
    fn default() -> Self {
        Self {
            min_words: 10,
            sentences: 18,
            language: LanguageChoice::Auto,
            threshold: 0.6,
            analyzer: AnalyzerConfig::default(),
        }
    }
}

impl Recipe for LongsentencesConfig {
    const SUMMARY: &'static str = "the longest sentences of the whole document in common";

    fn analyzer(&self) -> &AnalyzerConfig {
        &self.analyzer
    }

    threshold_of!(field);

    fn search(&self) -> Option<CandidateSearch> {
        Some(CandidateSearch::EveryPair)
    }

    fn build(&self, _: &Artifacts) -> Result<Detector, DetectError> {
        DetectError::unless(
            self.sentences > 0,
            ("longsentences", "sentences"),
            self.sentences,
            "at least one sentence is compared",
        )?;
        DetectError::unless_threshold("longsentences", self.threshold)?;
        let represent = Arc::new(LongSentences {
            min_words: self.min_words,
            count: self.sentences,
            language: self.language,
        });
        let sign = SetPrefix::new(self.threshold, 0);
        let analyzer = Analyzer::new(&self.analyzer)?;
        let (sign, measure) = (Box::new(sign), Box::new(SetMeasure::Jaccard));
        Ok(Detector::confirmed(analyzer, represent, sign, measure, self.threshold))
    }
}

#[cfg(test)]
mod tests {
    use lookalike_text::Document;

    use super::*;
    use crate::{Rejection, Scratch};

    #[test]
    fn sentences_in_another_order_are_the_same_document() {
        let one = "The first of two sentences has rather more than nine words in it.";
        let two = "A second one follows, which is also longer than the nine words asked for.";
        let detector = LongsentencesConfig::default().build(&Artifacts::default()).unwrap();
        let features =
            |text: String| detector.features(&Document::from_text(&text), &mut Scratch::default());
        assert_eq!(features(format!("{one} {two}")), features(format!("{two} {one}")));
        assert_eq!(features(format!("{one} {two}")).len(), 2);
        let empty = detector.sign(&Document::from_text(" "), &mut Scratch::default());
        assert_eq!(empty, Err(Rejection::TooShort));
    }
}
