//! What documents look like, in a few figures: so that a run can say when they are unlike those a
//! model or a tuned configuration was made on.

use std::collections::BTreeMap;

use lookalike_corpus::Corpus;
use lookalike_detect::DetectError;
use lookalike_detect::represent::learned::ProseWords;
use lookalike_statistics::Statistics;
use lookalike_text::{Analyzer, AnalyzerConfig};
use serde::{Deserialize, Serialize};

use crate::{OwnedDocument, RunError};

/// Figures of documents, each with its quartiles.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// First quartile, median and third quartile of each figure.
    pub figures: BTreeMap<String, [f64; 3]>,
}

/// Documents that are looked at: a source shows soon what it looks like.
const MOST_SEEN: usize = 2_000;

/// Fewer documents than this show nothing.
const FEWEST_SEEN: usize = 20;

/// What is looked at in a text.
const FIGURES: [&str; 5] = [
    "words a document",
    "words a line",
    "share of stop words",
    "share of distinct words",
    "share of words that the model does not know",
];

impl Profile {
    /// The profile of documents; of texts that a model was trained on with these statistics, where
    /// given.
    ///
    /// # Errors
    /// The analyzer cannot be built.
    pub fn of_documents(
        documents: &[OwnedDocument],
        analyzer: &AnalyzerConfig,
        trained_with: Option<&Statistics>,
    ) -> Result<Self, RunError> {
        // A word of one training document is one that no other training document has.
        let mut observer = Observer::new(analyzer, trained_with.map(|counted| (counted, 1)))?;
        let step = documents.len().div_ceil(MOST_SEEN).max(1);
        for document in documents.iter().step_by(step) {
            observer.see(&document.text);
        }
        Ok(observer.finish())
    }

    /// The profile of the first documents of a corpus.
    ///
    /// # Errors
    /// The analyzer cannot be built.
    pub fn of_corpus(
        corpus: &Corpus,
        analyzer: &AnalyzerConfig,
        trained_with: Option<&Statistics>,
    ) -> Result<Self, RunError> {
        let mut observer = Observer::new(analyzer, trained_with.map(|counted| (counted, 0)))?;
        for block in corpus.blocks() {
            block.visit(|row| {
                if let Ok(document) = &row.content {
                    observer.see(&document.text);
                }
            });
            if observer.n_seen() >= MOST_SEEN {
                break;
            }
        }
        Ok(observer.finish())
    }

    /// The figure in which other documents differ most, as a sentence; `None` where the middle of
    /// every figure lies between the quartiles here.
    pub fn differs_from(&self, other: &Self) -> Option<String> {
        let mut worst: Option<(f64, String)> = None;
        for (name, [low, median, high]) in &self.figures {
            let Some([_, there, _]) = other.figures.get(name) else { continue };
            let spread = (high - low).max(1e-3);
            let beyond = (low - there).max(there - high) / spread;
            if beyond > 0.0 && worst.as_ref().is_none_or(|(most, _)| beyond > *most) {
                let text = format!(
                    "{name}: {there:.3} here, {median:.3} ({low:.3} to {high:.3}) where it was made"
                );
                worst = Some((beyond, text));
            }
        }
        worst.map(|(_, text)| text)
    }
}

/// Collects the figures of texts.
struct Observer<'a> {
    analyzer: Analyzer,
    stop_words: ProseWords,
    /// Words of at most so many documents are unknown.
    trained_with: Option<(&'a Statistics, u32)>,
    seen: [Vec<f64>; FIGURES.len()],
}

impl<'a> Observer<'a> {
    fn new(
        analyzer: &AnalyzerConfig,
        trained_with: Option<(&'a Statistics, u32)>,
    ) -> Result<Self, RunError> {
        let analyzer = Analyzer::new(analyzer).map_err(DetectError::from)?;
        let stop_words = ProseWords::new(&analyzer);
        Ok(Self { analyzer, stop_words, trained_with, seen: Default::default() })
    }

    fn n_seen(&self) -> usize {
        self.seen[0].len()
    }

    fn see(&mut self, text: &str) {
        let mut hashes: Vec<u64> =
            self.analyzer.tokenize(text).tokens().iter().map(|token| token.hash).collect();
        if hashes.is_empty() {
            return;
        }
        let n_words = hashes.len() as f64;
        let n_lines = text.lines().filter(|line| !line.trim().is_empty()).count().max(1) as f64;
        let n_stop = hashes.iter().filter(|hash| self.stop_words.contains(**hash)).count() as f64;
        hashes.sort_unstable();
        hashes.dedup();
        let n_distinct = hashes.len() as f64;
        let figures = [n_words, n_words / n_lines, n_stop / n_words, n_distinct / n_words];
        for (seen, figure) in self.seen.iter_mut().zip(figures) {
            seen.push(figure);
        }
        if let Some((statistics, most)) = self.trained_with {
            let unknown = hashes.iter().filter(|h| statistics.document_frequency(**h) <= most);
            self.seen[FIGURES.len() - 1].push(unknown.count() as f64 / n_distinct);
        }
    }

    fn finish(self) -> Profile {
        let mut figures = BTreeMap::new();
        for (name, mut seen) in FIGURES.into_iter().zip(self.seen) {
            if seen.len() >= FEWEST_SEEN {
                seen.sort_by(f64::total_cmp);
                let quartile = |n: usize| seen[(seen.len() - 1) * n / 4];
                figures.insert(name.to_owned(), [quartile(1), quartile(2), quartile(3)]);
            }
        }
        Profile { figures }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documents(words_a_line: usize) -> Vec<OwnedDocument> {
        let text = |number: usize| {
            let line = |n: usize| {
                let word = |w: usize| format!("word{}", (number * 7 + n * 3 + w) % 90);
                (0..words_a_line + (number + n) % 3).map(word).collect::<Vec<_>>().join(" ")
            };
            (0..120 / words_a_line).map(line).collect::<Vec<_>>().join("\n")
        };
        (0..60).map(|n| OwnedDocument { text: text(n), ..OwnedDocument::default() }).collect()
    }

    fn profile(documents: &[OwnedDocument]) -> Profile {
        Profile::of_documents(documents, &AnalyzerConfig::default(), None).unwrap()
    }

    #[test]
    fn documents_of_one_source_are_alike_and_others_are_named_by_what_differs() {
        let (menus, prose) = (documents(3), documents(40));
        assert_eq!(profile(&menus[..30]).differs_from(&profile(&menus[30..])), None);
        let told = profile(&menus).differs_from(&profile(&prose)).unwrap();
        assert!(told.starts_with("words a line"), "{told}");
    }

    #[test]
    fn words_that_the_model_does_not_know_are_counted() {
        let known = documents(10);
        let statistics = crate::document_statistics(&known, &AnalyzerConfig::default()).unwrap();
        let foreign: Vec<OwnedDocument> = known
            .iter()
            .map(|d| OwnedDocument { text: d.text.replace("word", "mot"), ..d.clone() })
            .collect();
        let of = |documents: &[OwnedDocument]| {
            let analyzer = AnalyzerConfig::default();
            Profile::of_documents(documents, &analyzer, Some(&statistics)).unwrap()
        };
        let told = of(&known).differs_from(&of(&foreign)).unwrap();
        assert!(told.contains("does not know"), "{told}");
    }

    #[test]
    fn few_documents_show_nothing() {
        assert_eq!(profile(&documents(10)[..5]), Profile::default());
    }
}
