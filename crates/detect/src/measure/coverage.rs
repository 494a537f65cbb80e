//! How much of each document stands in the other, in words.

use std::hash::{BuildHasherDefault, Hasher};

use hashbrown::HashSet;

use super::{RepeatedRuns, RunFilter};
use crate::represent::RUN;
use crate::{Comparison, FeatureKind, Features, Measure};

/// The share of a document's words that stand in a run which the other document has as well.
///
/// containment = covered words / words, both ways; resemblance = √ of their product; the further
/// measure is the number of stretches in common. A word counts once, wherever and however often its
/// run stands in the other text: what was moved is no news.
#[derive(Clone, Copy, Debug)]
pub struct Coverage {
    /// Words of a stretch in common; one that is twice as long counts as two.
    pub least_stretch: usize,
}

/// How much of a document is covered by another.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Covered {
    words: usize,
    runs: usize,
    stretches: usize,
}

impl Measure for Coverage {
    fn accepts(&self, kind: &FeatureKind) -> bool {
        kind.has(&FeatureKind::Sequence)
    }

    fn measure(&self, left: &Features, right: &Features) -> Comparison {
        let (left, right) = (left.as_sequence(), right.as_sequence());
        let in_right = cover(left, &known(right), self.least_stretch);
        let in_left = cover(right, &known(left), self.least_stretch);
        let shares = (in_right.share_of_words(left), in_left.share_of_words(right));
        Comparison {
            resemblance: (shares.0 * shares.1).sqrt(),
            containment: Some(shares),
            measures: vec![in_right.stretches.min(in_left.stretches) as f64],
        }
    }

    /// The geometric mean of two shares reaches `floor` only if each of them reaches its square.
    fn measure_from(&self, left: &Features, right: &Features, floor: f64) -> Comparison {
        let (runs, others) = (left.as_sequence(), right.as_sequence());
        let may_cover = |filtered, runs| RunFilter::of(filtered).may_cover(runs, floor * floor);
        // The longer one is more often the one of which too little stands in the other.
        let (less, more) = if runs.len() < others.len() { (runs, others) } else { (others, runs) };
        if may_cover(less, more) && may_cover(more, less) {
            self.measure(left, right)
        } else {
            Comparison::resemblance(floor.next_down())
        }
    }

    fn may_contain(&self, left: &Features, right: &Features, share: f64) -> bool {
        let (left, right) = (left.as_sequence(), right.as_sequence());
        RunFilter::of(left).may_cover(right, share) || RunFilter::of(right).may_cover(left, share)
    }

    fn filter(&self, features: &Features) -> Option<RunFilter> {
        Some(RunFilter::of(features.as_sequence()))
    }

    fn may_pass(&self, filter: &RunFilter, other: &Features, floor: f64) -> bool {
        filter.may_cover(other.as_sequence(), floor * floor)
    }
}

/// The runs of the document that stays, to be asked for those of others.
#[derive(Debug)]
pub struct RunsThatStay(Known);

impl RunsThatStay {
    /// These runs.
    pub(crate) fn of(runs: &[u64]) -> Self {
        Self(known(runs))
    }

    /// How much of a document that goes stands, in runs, in the one that stays: of its words, and of
    /// its runs, of which a word here and there changes many more. With what the collection repeats, of
    /// the others only.
    pub(crate) fn account_for(&self, goes: &[u64], repeated: Option<&RepeatedRuns>) -> (f64, f64) {
        let Self(known) = self;
        let of_others =
            |repeated: &RepeatedRuns| repeated.share_of_others(goes, |run| known.contains(&run));
        if let Some(share) = repeated.and_then(of_others) {
            return (share, 1.0);
        }
        let covered = cover(goes, known, usize::MAX);
        (covered.share_of_words(goes), covered.runs as f64 / goes.len().max(1) as f64)
    }
}

/// Whether a document is a page with the keeper's story in a frame that other documents have.
pub(crate) fn is_framed(goes: &[u64], stays: &[u64], repeated: &RepeatedRuns) -> bool {
    let known = known(stays);
    repeated.are_around(goes, |run| known.contains(&run))
}

pub(super) type Known = HashSet<u64, BuildHasherDefault<Mixed>>;

pub(super) fn known(runs: &[u64]) -> Known {
    let mut known = Known::default();
    known.extend(runs);
    known
}

impl Covered {
    /// The share of a document's words; all of no words.
    fn share_of_words(self, document: &[u64]) -> f64 {
        if document.is_empty() {
            return 1.0;
        }
        // A run begins at each word but the last ones.
        self.words as f64 / (document.len() + RUN - 1) as f64
    }
}

fn cover(document: &[u64], known: &Known, least_stretch: usize) -> Covered {
    let mut covered = Covered::default();
    let (mut stretch_from, mut stretch_to) = (0, 0);
    let starts = (0..).zip(document).filter(|(_, run)| known.contains(*run));
    for start in starts.map(|(start, _)| start).chain([usize::MAX]) {
        if start > stretch_to {
            let words = stretch_to - stretch_from;
            covered.words += words;
            covered.stretches += words / least_stretch.max(1);
            stretch_from = start;
        }
        covered.runs += usize::from(start < usize::MAX);
        stretch_to = start.saturating_add(RUN);
    }
    covered
}

/// The hash of a value that is one already.
#[derive(Default)]
pub(super) struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }

    fn write(&mut self, bytes: &[u8]) {
        // Runs are whole words; this is what a hasher must have.
        self.0 = bytes.iter().fold(self.0, |sum, byte| sum << 8 ^ u64::from(*byte));
    }
}

#[cfg(test)]
mod tests {
    use lookalike_text::{Analyzer, AnalyzerConfig, Document};
    use proptest::prelude::*;

    use super::*;
    use crate::Represent;
    use crate::random::mix64;
    use crate::represent::WordRuns;

    const COVERAGE: Coverage = Coverage { least_stretch: 8 };

    fn compare(left: &str, right: &str) -> (f64, f64) {
        let analyzer = Analyzer::new(&AnalyzerConfig::default()).unwrap();
        let features = |text: &str| {
            WordRuns::default().represent(&Document::from_text(text), &analyzer.tokenize(text))
        };
        COVERAGE.measure(&features(left), &features(right)).containment.unwrap()
    }

    #[test]
    fn words_in_common_runs_count_and_breaks_do_not() {
        let text = "one two three four five six. Seven eight nine ten!";
        assert_eq!(
            compare(text, "One two\n\nthree four five\nsix seven eight nine ten"),
            (1.0, 1.0)
        );
        // The last two words are in no run that the other has.
        assert_eq!(compare(text, "one two three four five six seven eight"), (0.8, 1.0));
        assert_eq!(compare(text, "ten nine eight seven six five four three two one"), (0.0, 0.0));
    }

    #[test]
    fn texts_shorter_than_a_run_are_alike_only_as_a_whole() {
        assert_eq!(compare("red house", "Red house!"), (1.0, 1.0));
        assert_eq!(compare("red house", "a red house by the sea"), (0.0, 0.0));
        assert_eq!(compare("red house", "house red"), (0.0, 0.0));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]
        #[test]
        fn the_share_is_that_of_marking_each_word(
            document in proptest::collection::vec(0u64..6, 1..30),
            other in proptest::collection::vec(0u64..6, 0..8),
        ) {
            let mut marked = vec![false; document.len() + RUN - 1];
            for (start, run) in document.iter().enumerate() {
                if other.contains(run) {
                    marked[start..start + RUN].fill(true);
                }
            }
            let expected = marked.iter().filter(|m| **m).count() as f64 / marked.len() as f64;
            let covered = cover(&document, &known(&other), 0).share_of_words(&document);
            prop_assert_eq!(covered, expected);
        }

        #[test]
        fn what_is_excluded_early_is_below_the_floor(
            left in proptest::collection::vec(0u64..40, 1..60),
            right in proptest::collection::vec(0u64..40, 1..60),
            twentieths in 1u32..=20,
        ) {
            let mixed = |runs: Vec<u64>| Features::Sequence(runs.into_iter().map(mix64).collect());
            let (left, right) = (mixed(left), mixed(right));
            let floor = f64::from(twentieths) / 20.0;
            let exact = COVERAGE.measure(&left, &right);
            let bounded = COVERAGE.measure_from(&left, &right, floor);
            if exact.resemblance >= floor {
                prop_assert_eq!(&bounded, &exact);
            } else {
                prop_assert!(bounded.resemblance < floor);
                prop_assert!(bounded.resemblance >= exact.resemblance);
            }
        }
    }
}
