//! Why two documents match, or do not.

use std::collections::BTreeMap;

use lookalike_detect::measure::Alone;
use lookalike_detect::{
    Comparison, DescribedFeature, Detector, ParagraphMatch, Rejection, Scratch, Verdict, identity,
};
use lookalike_text::{Analyzer, AnalyzerConfig, Document};
use similar::ChangeTag;

use crate::difference::word_difference;

/// Everything there is to say about a pair.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The verdict, as a batch would give it; the score is exact, whatever the verdict.
    pub verdict: Verdict,
    /// Why a document has no signature, left and right.
    pub rejections: (Option<Rejection>, Option<Rejection>),
    /// Bucket keys of the left, of the right, and of both documents.
    pub keys: (usize, usize, usize),
    /// The measures behind the verdict, where the method has more than its keys.
    pub comparison: Option<Comparison>,
    /// What each of the two says, left and right, that the other does not.
    pub alone: (Alone, Alone),
    /// The paragraphs that match, by their places in both texts, for methods that know of them.
    pub matches: Vec<ParagraphMatch>,
    /// Features both have, heaviest first.
    pub shared: Vec<SharedFeature>,
    /// Features only the left document has, heaviest first.
    pub only_left: Vec<DescribedFeature>,
    /// Features only the right document has, heaviest first.
    pub only_right: Vec<DescribedFeature>,
    /// The words of both documents in order: common, only left (`Delete`), only right (`Insert`).
    pub difference: Vec<(ChangeTag, String)>,
}

/// A feature that both documents have.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedFeature {
    /// The feature in words.
    pub text: String,
    /// Its weight in the left document.
    pub left_weight: f64,
    /// Its weight in the right document.
    pub right_weight: f64,
}

/// Compares two documents the way a batch does and tells all of it.
pub fn explain(detector: &Detector, left: &Document<'_>, right: &Document<'_>) -> Explanation {
    let difference = word_difference(left.text, right.text);
    let alone = alone(left.text, right.text);
    Explanation { alone, difference, ..evidence(detector, left, right) }
}

/// What each of two texts says that the other does not.
pub(crate) fn alone(left: &str, right: &str) -> (Alone, Alone) {
    let Ok(analyzer) = Analyzer::new(&AnalyzerConfig::default()) else { return Default::default() };
    (Alone::of(left, right, &analyzer), Alone::of(right, left, &analyzer))
}

/// As [`explain`], but without the difference, which long texts that have little in common make
/// expensive, and without what only one of the texts says.
pub fn evidence(detector: &Detector, left: &Document<'_>, right: &Document<'_>) -> Explanation {
    evidence_within(detector, left, right, usize::MAX)
}

/// As [`evidence`], but the features that are told are those of so many characters at the beginning
/// of each text: in words they take many times its memory. The verdict is that of the whole texts.
pub fn evidence_within(
    detector: &Detector,
    left: &Document<'_>,
    right: &Document<'_>,
    told_characters: usize,
) -> Explanation {
    let mut scratch = Scratch::default();
    let prepared = (detector.prepare(left, &mut scratch), detector.prepare(right, &mut scratch));
    let mut keys = (0, 0, 0);
    let mut verdict = Verdict::NOT_COMPARED;
    let mut comparison = None;
    if let (Ok(l), Ok(r)) = &prepared {
        keys = (l.keys().len(), r.keys().len(), l.shared_keys(r));
        // A run may stop measuring where the answer is certain; people are told the exact score.
        verdict = Verdict { score: detector.score(l, r), ..detector.judge(l, r) };
        comparison = detector.compare(l, r);
    }
    // As in a run, where copies are found before anything is prepared.
    let reads = detector.reads_metadata();
    let has_text = !left.text.trim_ascii_start().is_empty();
    if has_text && identity(left, reads) == identity(right, reads) {
        verdict = Verdict::COPIES;
    }
    let matches = if detector.shows_matches() {
        let mut of = |document| detector.signed_features(document, &mut scratch);
        let (left, right) = (of(left), of(right));
        detector.matches(&left, &right)
    } else {
        Vec::new()
    };
    let described = |document: &Document<'_>| {
        let text = beginning(document.text, told_characters);
        detector.describe(&Document { text, ..*document })
    };
    let (shared, only_left, only_right) = split_features(described(left), described(right));
    Explanation {
        verdict,
        rejections: (prepared.0.err(), prepared.1.err()),
        keys,
        comparison,
        alone: (Alone::default(), Alone::default()),
        matches,
        shared,
        only_left,
        only_right,
        difference: Vec::new(),
    }
}

/// So many characters of a text at most.
pub fn beginning(text: &str, characters: usize) -> &str {
    text.char_indices().nth(characters).map_or(text, |(end, _)| &text[..end])
}

type SplitFeatures = (Vec<SharedFeature>, Vec<DescribedFeature>, Vec<DescribedFeature>);

fn split_features(left: Vec<DescribedFeature>, right: Vec<DescribedFeature>) -> SplitFeatures {
    let mut right_by_feature: BTreeMap<u64, DescribedFeature> =
        right.into_iter().map(|feature| (feature.feature, feature)).collect();
    let (mut shared, mut only_left) = (Vec::new(), Vec::new());
    for feature in left {
        match right_by_feature.remove(&feature.feature) {
            Some(twin) => shared.push(SharedFeature {
                text: feature.text,
                left_weight: feature.weight,
                right_weight: twin.weight,
            }),
            None => only_left.push(feature),
        }
    }
    let mut only_right: Vec<DescribedFeature> = right_by_feature.into_values().collect();
    shared.sort_by(|a, b| b.left_weight.total_cmp(&a.left_weight).then(a.text.cmp(&b.text)));
    for only in [&mut only_left, &mut only_right] {
        only.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.text.cmp(&b.text)));
    }
    (shared, only_left, only_right)
}
