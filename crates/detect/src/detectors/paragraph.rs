//! `paragraph`: documents that share paragraphs, whole or in part.
//!
//! Wang, Liu and Jia, "A Fingerprint of Paragraph Generation Approach for Detecting Similar
//! Document", 2013. A paragraph is the weighted simhash of its long sentences; S = matched
//! paragraphs / √(n · m), each matched at most once within a Hamming distance.
//!
//! A long sentence in common makes two documents candidates. What decides is the share of *all*
//! their words that stand in runs of the other text: short sentences, numbers and headlines count,
//! breaks between paragraphs do not. With `compare = "paragraphs"` the paper's S decides.
//!
//! Choose it to find partial copies, to know *which* paragraphs were copied, and for languages
//! without spaces.

use std::sync::Arc;

use lookalike_text::segment::LanguageChoice;
use lookalike_text::{Analyzer, AnalyzerConfig};
use serde::{Deserialize, Serialize};

use crate::decide::{Relation, RelationRule};
use crate::measure::{Coverage, MatchedParagraphs};
use crate::rabin::Rabin;
use crate::represent::{KeywordSource, ParagraphFingerprints, SentenceWeights};
use crate::sign::{ParagraphKeys, SignParagraphs};
use crate::{Artifacts, Confirm, DetectError, Detector, Recipe, Represent};

/// Parameters of `paragraph`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ParagraphConfig {
    /// k: a sentence of at least so many words is long.
    pub min_words: usize,
    /// m: at most so many long sentences of a paragraph make its fingerprint.
    pub max_sentences: usize,
    /// b: the width of a fingerprint, 32 or 64 bits.
    pub bits: u32,
    /// h: fingerprints that differ in at most so many bits match.
    pub max_distance: u32,
    /// What decides on a pair: `words`, or `paragraphs` as in the paper.
    pub compare: Compared,
    /// r: the least resemblance of a duplicate, 0.8 by default; or the least share of the contained
    /// document that stands in the other, 0.9 by default and 0.4 of paragraphs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// What makes a pair: `duplicate`, `contains` or `overlaps`.
    pub relation: Relation,
    /// The least number of stretches of `min-words` words in common, or of matching paragraphs, for
    /// `relation = "overlaps"`.
    pub min_matches: usize,
    /// Where a document's subject words come from: `title`, `text` or `none`.
    pub keywords: KeywordSource,
    /// How many subject words a text without title has.
    pub max_keywords: usize,
    /// How candidates are found: `sentences` or `fingerprints`.
    pub keys: ParagraphKeys,
    /// The language of all documents as an ISO 639 code, or `auto`.
    pub language: LanguageChoice,
    /// Decides the modulus of the Rabin fingerprints.
    pub seed: u64,
    /// The parts of a sentence's weight.
    pub weights: SentenceWeights,
    /// What the words are.
    pub analyzer: AnalyzerConfig,
}

/// What decides on a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Compared {
    /// The words that stand in runs of the other text.
    #[default]
    Words,
    /// The paragraphs that match, as the paper has it: those with a long sentence.
    Paragraphs,
}

impl Default for ParagraphConfig {
    fn default() -> Self {
        Self {
            min_words: 11,
            max_sentences: 9,
            bits: 64,
            max_distance: 3,
            compare: Compared::Words,
            threshold: None,
            relation: Relation::Duplicate,
            min_matches: 1,
            keywords: KeywordSource::Title,
            max_keywords: 10,
            keys: ParagraphKeys::Sentences,
            language: LanguageChoice::Auto,
            seed: 1,
            weights: SentenceWeights::default(),
            analyzer: AnalyzerConfig::default(),
        }
    }
}

fn wrong(parameter: &'static str, value: &dyn ToString, expected: &'static str) -> DetectError {
    DetectError::Parameter { method: "paragraph", parameter, value: value.to_string(), expected }
}

impl ParagraphConfig {
    /// The threshold that was set, or the one that fits the relation.
    fn resolved_threshold(&self) -> f64 {
        let fitting = match (self.relation, self.compare) {
            // The paper's.
            (Relation::Duplicate, _) => 0.8,
            // What is removed as contained has nothing to say that the other does not.
            (_, Compared::Words) => 0.9,
            // Half of an article that was placed elsewhere is still found when an editor has
            // touched a paragraph of it (docs/results/paragraphs.md); one paragraph of three, as
            // pages of one site have in common, is not enough.
            (_, Compared::Paragraphs) => 0.4,
        };
        self.threshold.unwrap_or(fitting)
    }

    fn check(&self) -> Result<(), DetectError> {
        let threshold = self.resolved_threshold();
        if !(threshold > 0.0 && threshold <= 1.0) {
            return Err(wrong("threshold", &threshold, "it must be above 0 and at most 1"));
        }
        for (name, value) in [
            ("min-words", self.min_words),
            ("max-sentences", self.max_sentences),
            ("min-matches", self.min_matches),
        ] {
            if value == 0 {
                return Err(wrong(name, &value, "it must be at least 1"));
            }
        }
        if self.max_distance >= self.bits / 2 {
            return Err(wrong(
                "max-distance",
                &self.max_distance,
                "fingerprints that differ in half of their bits have nothing in common",
            ));
        }
        let SentenceWeights { keyword, length, position } = self.weights;
        if ![keyword, length, position].iter().all(|weight| (0.0..=1e6).contains(weight)) {
            return Err(wrong(
                "weights",
                &format!("{keyword}, {length}, {position}"),
                "each must lie between 0 and a million",
            ));
        }
        Ok(())
    }
}

impl Recipe for ParagraphConfig {
    const SUMMARY: &'static str =
        "paragraphs in common, by fingerprints of their long sentences; finds partial copies";

    fn analyzer(&self) -> &AnalyzerConfig {
        &self.analyzer
    }

    fn threshold(&self) -> Option<f64> {
        (self.relation != Relation::Overlaps).then(|| self.resolved_threshold())
    }

    fn set_threshold(&mut self, threshold: f64) -> bool {
        let has_threshold = self.relation != Relation::Overlaps;
        if has_threshold {
            self.threshold = Some(threshold);
        }
        has_threshold
    }

    fn build(&self, artifacts: &Artifacts) -> Result<Detector, DetectError> {
        self.check()?;
        let rabin = Rabin::new(self.bits, self.seed)
            .ok_or_else(|| wrong("bits", &self.bits, "a fingerprint has 32 or 64 bits"))?;
        let represent = ParagraphFingerprints {
            min_words: self.min_words,
            max_sentences: self.max_sentences,
            weights: self.weights,
            keywords: self.keywords,
            max_keywords: self.max_keywords,
            language: self.language,
            rabin,
            bits: self.bits,
            analyzer: Analyzer::new(&self.analyzer)?,
            statistics: artifacts.statistics.clone(),
            has_runs: self.compare == Compared::Words,
        };
        let measure = MatchedParagraphs { max_distance: self.max_distance };
        let sign = SignParagraphs::new(measure, self.keys, self.bits, self.seed);
        let rule = RelationRule {
            relation: self.relation,
            threshold: self.resolved_threshold(),
            min_matches: self.min_matches,
        };
        let (represent, sign) = (Arc::new(represent), Box::new(sign));
        let analyzer = Analyzer::new(&self.analyzer)?;
        let detector = match self.compare {
            Compared::Paragraphs => {
                Detector::by_signatures(analyzer, represent, sign, Box::new(rule))
            }
            Compared::Words => {
                let confirm = Confirm {
                    represent: Arc::clone(&represent) as Arc<dyn Represent>,
                    measure: Box::new(Coverage { least_stretch: self.min_words }),
                    decide: Box::new(rule),
                };
                Detector::by_keys(analyzer, represent, sign).confirmed_by(confirm)
            }
        };
        let reads_title = self.keywords == KeywordSource::Title;
        Ok(if reads_title { detector.reading_metadata() } else { detector })
    }
}

#[cfg(test)]
mod tests;
