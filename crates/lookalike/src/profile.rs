//! What documents look like, in a few figures: so that a run can say when they are unlike those a
//! model or a tuned configuration was made on.

use std::collections::BTreeMap;

use lookalike_corpus::Corpus;
use lookalike_detect::DetectError;
use lookalike_detect::random::SplitMix64;
use lookalike_detect::represent::learned::ProseWords;
use lookalike_statistics::{DistinctHashes, Statistics};
use lookalike_text::{Analyzer, AnalyzerConfig, bits_of_byte};
use serde::{Deserialize, Serialize};

use crate::tune::Labels;
use crate::{Groups, OwnedDocument, RunError};

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
    UNKNOWN_WORDS,
];

/// The figure that knows a direction: to know more words than expected is no reason to warn.
const UNKNOWN_WORDS: &str = "share of words that the model does not know";

impl Profile {
    /// The profile of documents.
    ///
    /// # Errors
    /// The analyzer cannot be built.
    pub fn of_documents(
        documents: &[OwnedDocument],
        analyzer: &AnalyzerConfig,
    ) -> Result<Self, RunError> {
        let mut observer = Observer::new(analyzer, None)?;
        let step = documents.len().div_ceil(MOST_SEEN).max(1);
        for document in documents.iter().step_by(step) {
            observer.see(&document.text);
        }
        Ok(observer.finish())
    }

    /// The profile of documents that a model was trained on.
    ///
    /// The words of a document are known to a model that has counted it, which says nothing of other
    /// documents of the same kind. So documents are divided as estimates divide them, and what counts as
    /// unknown are the words of one side that the other, with which it has no cluster and no group in
    /// common, does not have.
    ///
    /// # Errors
    /// The analyzer cannot be built.
    pub fn of_labelled(
        documents: &[OwnedDocument],
        groups: &Groups,
        labels: &Labels,
        analyzer: &AnalyzerConfig,
    ) -> Result<Self, RunError> {
        let mut profile = Self::of_documents(documents, analyzer)?;
        let sides = labels.divide(&groups.of_document, &mut SplitMix64::new(1));
        let sides = sides.map(|(side, _)| -> Vec<OwnedDocument> {
            side.into_iter().map(|document| documents[document].clone()).collect()
        });
        let mut shares = Vec::new();
        for [seen, counted] in [[&sides[0], &sides[1]], [&sides[1], &sides[0]]] {
            let statistics = crate::document_statistics(counted, analyzer)?;
            let mut observer = Observer::new(analyzer, Some(&statistics))?;
            let step = seen.len().div_ceil(MOST_SEEN).max(1);
            for document in seen.iter().step_by(step) {
                observer.see(&document.text);
            }
            shares.extend(observer.unknown());
        }
        profile.figures.extend(quartiles(shares).map(|found| (UNKNOWN_WORDS.to_owned(), found)));
        Ok(profile)
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
        let mut observer = Observer::new(analyzer, trained_with)?;
        for block in corpus.blocks() {
            block.visit(|row| {
                if let Ok(document) = &row.content {
                    observer.see(&document.text);
                }
            });
            if observer.seen.is_enough() {
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
            let below = if name == UNKNOWN_WORDS { 0.0 } else { low - there };
            let beyond = below.max(there - high) / spread;
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
    /// Words that it has not counted are unknown.
    trained_with: Option<&'a Statistics>,
    seen: Seen,
    /// For the tokenizer.
    buffer: String,
    distinct: DistinctHashes,
}

/// The figures of a document, as far as it has words; the last where it is known what a model knows.
pub(crate) type Figures = [Option<f64>; FIGURES.len()];

/// What a pass over documents sees of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextCounts {
    pub(crate) words: usize,
    pub(crate) stop_words: usize,
    pub(crate) distinct: usize,
    /// Distinct words that a model does not know, where there is one.
    pub(crate) unknown: Option<usize>,
}

impl TextCounts {
    /// The figures of the text; nothing of one without a word.
    pub(crate) fn figures(self, text: &str) -> Option<Figures> {
        if self.words == 0 {
            return None;
        }
        let n_words = self.words as f64;
        let n_lines = n_lines(text).max(1) as f64;
        let n_distinct = self.distinct as f64;
        Some([
            Some(n_words),
            Some(n_words / n_lines),
            Some(self.stop_words as f64 / n_words),
            Some(n_distinct / n_words),
            self.unknown.map(|n_unknown| n_unknown as f64 / n_distinct),
        ])
    }
}

/// The lines of a text that have something to see.
fn n_lines(text: &str) -> usize {
    let mut line_ends = Vec::new();
    bits_of_byte(text.as_bytes(), b'\n', &mut line_ends);
    let (mut start, mut n_lines) = (0, 0);
    let has_something = |start: usize, end: usize| match text.as_bytes()[start..end].first() {
        Some(b'!'..=b'~') => true,
        _ => !text[start..end].trim().is_empty(),
    };
    for (mut left, first) in line_ends.iter().copied().zip((0..).step_by(64)) {
        while left != 0 {
            let end = first + left.trailing_zeros() as usize;
            left &= left - 1;
            n_lines += usize::from(has_something(start, end));
            start = end + 1;
        }
    }
    n_lines + usize::from(has_something(start, text.len()))
}

/// The figures of the documents so far.
#[derive(Debug, Default)]
pub(crate) struct Seen([Vec<f64>; FIGURES.len()]);

impl Seen {
    /// Whether no more documents need to be looked at.
    pub(crate) fn is_enough(&self) -> bool {
        self.0[0].len() >= MOST_SEEN
    }

    /// Takes the figures of a document.
    pub(crate) fn add(&mut self, figures: &Figures) {
        for (seen, figure) in self.0.iter_mut().zip(figures) {
            seen.extend(figure);
        }
    }

    /// The quartiles of what was seen.
    pub(crate) fn finish(self) -> Profile {
        let named = FIGURES.into_iter().zip(self.0);
        let figure = |(name, seen): (&str, Vec<f64>)| Some((name.to_owned(), quartiles(seen)?));
        Profile { figures: named.filter_map(figure).collect() }
    }
}

impl<'a> Observer<'a> {
    fn new(
        analyzer: &AnalyzerConfig,
        trained_with: Option<&'a Statistics>,
    ) -> Result<Self, RunError> {
        let analyzer = Analyzer::new(analyzer).map_err(DetectError::from)?;
        let stop_words = ProseWords::new(&analyzer);
        let (seen, buffer, distinct) = Default::default();
        Ok(Self { analyzer, stop_words, trained_with, seen, buffer, distinct })
    }

    fn see(&mut self, text: &str) {
        let Self { analyzer, stop_words, buffer, distinct, .. } = self;
        let (mut n_words, mut n_stop_words) = (0, 0);
        distinct.clear();
        analyzer.visit_hashes(text, buffer, |hashes| {
            n_words += hashes.len();
            for &hash in hashes {
                n_stop_words += usize::from(stop_words.contains(hash));
                distinct.insert(hash);
            }
        });
        let hashes = self.distinct.hashes();
        let is_unknown =
            |statistics: &Statistics, hash: &u64| statistics.document_frequency(*hash) == 0;
        let n_unknown = self
            .trained_with
            .map(|statistics| hashes.iter().filter(|hash| is_unknown(statistics, hash)).count());
        let counts = TextCounts {
            words: n_words,
            stop_words: n_stop_words,
            distinct: hashes.len(),
            unknown: n_unknown,
        };
        if let Some(figures) = counts.figures(text) {
            self.seen.add(&figures);
        }
    }

    /// The share of unknown words of each document.
    fn unknown(self) -> Vec<f64> {
        let Seen([.., unknown]) = self.seen;
        unknown
    }

    fn finish(self) -> Profile {
        self.seen.finish()
    }
}

/// The quartiles of what enough documents showed.
fn quartiles(mut seen: Vec<f64>) -> Option<[f64; 3]> {
    if seen.len() < FEWEST_SEEN {
        return None;
    }
    seen.sort_by(f64::total_cmp);
    let quartile = |n: usize| seen[(seen.len() - 1) * n / 4];
    Some([quartile(1), quartile(2), quartile(3)])
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
        Profile::of_documents(documents, &AnalyzerConfig::default()).unwrap()
    }

    #[test]
    fn documents_of_one_source_are_alike_and_others_are_named_by_what_differs() {
        let (menus, prose) = (documents(3), documents(40));
        assert_eq!(profile(&menus[..30]).differs_from(&profile(&menus[30..])), None);
        let told = profile(&menus).differs_from(&profile(&prose)).unwrap();
        assert!(told.starts_with("words a line"), "{told}");
    }

    /// Stories in versions: the words of a story, and one of those that all stories share.
    fn stories(name: &str) -> (Vec<OwnedDocument>, Labels) {
        let version = |number: usize| {
            let story = number / 4;
            let own = |word: usize| format!("{name}{}", story * 50 + word);
            let common = |word: usize| format!("word{}", (number + word) % 40);
            let words = (0..30).map(own).chain((0..30).map(common));
            words.collect::<Vec<_>>().join(" ")
        };
        let document = |n: usize| OwnedDocument { text: version(n), ..OwnedDocument::default() };
        ((0..80).map(document).collect(), Labels::Clusters((0..80).map(|n| n / 4).collect()))
    }

    #[test]
    fn other_stories_of_the_same_kind_are_expected_and_foreign_words_are_not() {
        let (known, labels) = stories("tale");
        let analyzer = AnalyzerConfig::default();
        let groups = Groups::none(known.len());
        let made_on = Profile::of_labelled(&known, &groups, &labels, &analyzer).unwrap();
        let [_, median, _] = made_on.figures[UNKNOWN_WORDS];
        assert!((median - 0.5).abs() < 0.01, "{median}");
        let statistics = crate::document_statistics(&known, &analyzer).unwrap();
        let seen = |documents: &[OwnedDocument]| {
            let mut observer = Observer::new(&analyzer, Some(&statistics)).unwrap();
            for document in documents {
                observer.see(&document.text);
            }
            observer.finish()
        };
        assert_eq!(made_on.differs_from(&seen(&stories("novel").0)), None);
        // All words known: better than expected.
        assert_eq!(made_on.differs_from(&seen(&known)), None);
        let mut foreign = stories("roman").0;
        for document in &mut foreign {
            document.text = document.text.replace("word", "mot");
        }
        let told = made_on.differs_from(&seen(&foreign)).unwrap();
        assert!(told.contains("does not know: 1.000"), "{told}");
    }

    #[test]
    fn lines_with_something_to_see_are_counted() {
        let pieces =
            ["", "\n", "\r\n", " ", "\u{a0}", "\u{2028}", "a", "é ", "\tb", "\x0b", "\u{200b}"];
        let mut generator = SplitMix64::new(9);
        for _ in 0..2_000 {
            let n = generator.next_below(90);
            let text: String = (0..n)
                .map(|_| pieces[generator.next_below(pieces.len() as u64) as usize])
                .collect();
            let plain = text.lines().filter(|line| !line.trim().is_empty()).count();
            assert_eq!(n_lines(&text), plain, "{text:?}");
        }
    }

    #[test]
    fn few_documents_show_nothing() {
        assert_eq!(profile(&documents(10)[..5]), Profile::default());
    }
}
