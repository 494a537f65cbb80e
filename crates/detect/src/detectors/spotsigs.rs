//! `spotsigs`: stories told in the same sentences, whatever page they stand on.
//!
//! resemblance = |A∩B| / |A∪B| over the sets of spots: an anchor (a stop word) with the next
//! content words (Theobald, Siddharth, Paepcke 2008). Exact: prefixes and length partitions find
//! every pair that reaches the threshold, and each is confirmed on its sets.
//!
//! Choose it for news and other web pages whose templates differ, or worse, are the same. It needs
//! sentences: lists, tables, mail of a few lines have too few spots. The default words are
//! English; a text in which they hardly occur has the stop words of its own language instead.

use std::sync::Arc;

use lookalike_text::filters::smart_stop_words;
use lookalike_text::{Analyzer, AnalyzerConfig};
use serde::{Deserialize, Serialize};

use crate::measure::SetMeasure;
use crate::represent::Spots;
use crate::sign::SetPrefix;
use crate::{Artifacts, CandidateSearch, DetectError, Detector, Recipe, Rejection};

/// Parameters of `spotsigs`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SpotsigsConfig {
    /// The words that start a spot.
    pub anchors: Vec<String>,
    /// Words that spots leave out, besides the anchors; the SMART list where none are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_words: Option<Vec<String>>,
    /// Every so-many-th content word after the anchor belongs to the spot.
    pub distance: usize,
    /// Content words of a spot.
    pub length: usize,
    /// The fewest spots of a document; with 1, as in the paper, long documents need no more either.
    pub min_spots: usize,
    /// The least Jaccard resemblance of a duplicate.
    #[serde(alias = "jaccard-threshold", alias = "jaccard_threshold")]
    pub threshold: f64,
    /// What the words are.
    pub analyzer: AnalyzerConfig,
}

/// Pronouns, conjunctions and auxiliary verbs: words of sentences. The articles, which the paper
/// starts with, stand in headlines and menus as well, and serve less well where templates do.
const ANCHORS: [&str; 23] = [
    "that", "was", "said", "he", "she", "they", "his", "her", "their", "had", "were", "would",
    "been", "could", "did", "who", "which", "but", "is", "are", "has", "have", "will",
];

impl Default for SpotsigsConfig {
    fn default() -> Self {
        Self {
            anchors: ANCHORS.map(str::to_owned).into(),
            stop_words: None,
            distance: 1,
            length: 2,
            min_spots: 2,
            // The paper's choice on its gold set.
            threshold: 0.44,
            analyzer: AnalyzerConfig::default(),
        }
    }
}

/// More words than a sentence has.
const LONGEST: usize = 100;

impl SpotsigsConfig {
    fn check(&self) -> Result<(), DetectError> {
        let wrong = |parameter, value: String, expected| {
            Err(DetectError::Parameter { method: "spotsigs", parameter, value, expected })
        };
        if self.anchors.is_empty() {
            return wrong("anchors", "[]".into(), "at least one word must start spots");
        }
        if !(1..=LONGEST).contains(&self.distance) {
            let value = self.distance.to_string();
            return wrong("distance", value, "it must be between 1 and 100");
        }
        if !(1..=LONGEST).contains(&self.length) {
            let value = self.length.to_string();
            return wrong("length", value, "a spot has 1 to 100 content words");
        }
        if !(1..=LONGEST).contains(&self.min_spots) {
            let value = self.min_spots.to_string();
            return wrong("min-spots", value, "it must be between 1 and 100");
        }
        if !(self.threshold > 0.0 && self.threshold <= 1.0) {
            let value = self.threshold.to_string();
            return wrong("threshold", value, "it must be above 0 and at most 1");
        }
        Ok(())
    }
}

impl Recipe for SpotsigsConfig {
    const SUMMARY: &'static str =
        "the same story on different pages, by the words after stop words; exact";

    fn analyzer(&self) -> &AnalyzerConfig {
        &self.analyzer
    }

    threshold_of!(field);

    fn search(&self) -> Option<CandidateSearch> {
        Some(CandidateSearch::EveryPair)
    }

    fn build(&self, _: &Artifacts) -> Result<Detector, DetectError> {
        self.check()?;
        let anchors = self.anchors.iter().map(String::as_str);
        let spots = if let Some(words) = &self.stop_words {
            Spots::new(anchors, words.iter().map(String::as_str), self.distance, self.length)
        } else {
            let spots = Spots::new(anchors, smart_stop_words(), self.distance, self.length);
            if self.anchors == ANCHORS { spots.for_any_language() } else { spots }
        };
        let represent = Arc::new(spots.at_least(self.min_spots));
        let sign = SetPrefix::new(self.threshold, 0).rejecting(Rejection::FewSpots);
        let analyzer = Analyzer::new(&self.analyzer)?;
        let (sign, measure) = (Box::new(sign), Box::new(SetMeasure::Jaccard));
        Ok(Detector::confirmed(analyzer, represent, sign, measure, self.threshold))
    }
}

#[cfg(test)]
mod tests {
    use lookalike_text::Document;
    use proptest::prelude::*;

    use super::*;
    use crate::Scratch;

    #[test]
    fn a_page_without_sentences_has_too_few_spots() {
        let detector = SpotsigsConfig::default().build(&Artifacts::default()).unwrap();
        let signed = detector.sign(&Document::from_text("Home | News"), &mut Scratch::default());
        assert_eq!(signed, Err(Rejection::FewSpots));
    }

    #[test]
    fn the_same_story_in_another_template_matches() {
        let story = "The mayor said that a new bridge was planned over the river. It is a costly \
                     project, said the council, and the first stone was laid on a rainy Monday.";
        let page = format!("Home News Sport\n{story}\nContact Imprint Privacy Cookies Newsletter");
        let other = "The weather was fine over the hills, said an old shepherd. It is a quiet \
                     place that the tourists never found, and the inn was sold to a baker.";
        let detector = SpotsigsConfig::default().build(&Artifacts::default()).unwrap();
        let score = |left: &str, right: &str| {
            let [left, right] = [left, right].map(|text| {
                detector.prepare(&Document::from_text(text), &mut Scratch::default()).unwrap()
            });
            detector.judge(&left, &right)
        };
        assert!(score(story, &page).duplicate);
        assert!(!score(story, other).duplicate);
    }

    #[test]
    fn parameters_that_cannot_work_are_refused() {
        let default = SpotsigsConfig::default;
        for config in [
            SpotsigsConfig { anchors: Vec::new(), ..default() },
            SpotsigsConfig { distance: 0, ..default() },
            SpotsigsConfig { length: 0, ..default() },
            SpotsigsConfig { length: 1 << 32, ..default() },
            SpotsigsConfig { min_spots: 0, ..default() },
            SpotsigsConfig { threshold: 0.0, ..default() },
        ] {
            assert!(config.build(&Artifacts::default()).is_err(), "{config:?}");
        }
    }

    /// Texts of few words, so that pairs of every resemblance occur.
    fn texts() -> impl Strategy<Value = Vec<String>> {
        let words = ["the", "a", "is", "red", "green", "house", "tree", "river", "boat"];
        let text = proptest::collection::vec(proptest::sample::select(words.to_vec()), 5..60);
        proptest::collection::vec(text.prop_map(|words| words.join(" ")), 2..12)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]
        #[test]
        fn no_pair_that_brute_force_finds_is_missed(texts in texts(), tenths in 1u32..=10) {
            let threshold = f64::from(tenths) / 10.0;
            let paper = SpotsigsConfig { min_spots: 1, ..SpotsigsConfig::default() };
            let config = SpotsigsConfig { threshold, length: 1, ..paper };
            let detector = config.build(&Artifacts::default()).unwrap();
            let mut scratch = Scratch::default();
            let prepared: Vec<_> = texts
                .iter()
                .map(|text| {
                    let document = Document::from_text(text);
                    let signed = detector.sign(&document, &mut scratch);
                    (signed, detector.features(&document, &mut scratch))
                })
                .collect();
            for (left_signed, left) in &prepared {
                for (right_signed, right) in &prepared {
                    let exact = SetMeasure::Jaccard;
                    if crate::Measure::measure(&exact, left, right).resemblance < threshold {
                        continue;
                    }
                    let (left, right) = (left_signed.as_ref().unwrap(), right_signed.as_ref().unwrap());
                    prop_assert!(left.keys.iter().any(|key| right.keys.contains(key)));
                }
            }
        }
    }
}
