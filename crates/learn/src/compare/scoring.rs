//! One detector against a labelled collection: every pair scored, and what it finds by itself.

use lookalike::{Evidence, PreparedCollection};
use lookalike_detect::Detector;
use rayon::prelude::*;

use super::bootstrap::GroupCounts;
use super::histogram::ScoreHistogram;
use super::truth::Truth;
use crate::LabelledText;
use crate::evaluate::{BCubed, PairCounts, b_cubed};
use crate::join;

/// What one detector reached.
pub(super) struct Scores {
    /// The method's own verdicts, as `find` would give them.
    pub(super) found: PairCounts,
    /// The same by clusters or judged pairs, from which other samples can be drawn.
    pub(super) by_group: GroupCounts,
    /// B-cubed of the clusters around the first document of each, where clusters are known.
    pub(super) b_cubed: Option<BCubed>,
    /// The scores of all pairs.
    pub(super) whole: ScoreHistogram,
    /// The scores of pairs within each test half.
    pub(super) halves: Vec<ScoreHistogram>,
    /// What is kept of a document to judge pairs, on average.
    pub(super) bytes_per_document: f64,
    /// Documents without a signature.
    pub(super) ignored: usize,
}

/// What is known of documents, and which of some test halves each is in.
#[derive(Clone, Copy)]
pub(super) struct Judged<'a> {
    pub(super) truth: &'a Truth,
    pub(super) masks: &'a [u32],
    pub(super) halvings: usize,
}

/// Scores a detector; where keys decide, only what it finds has a score.
pub(super) fn score(
    detector: &Detector,
    keys_decide: bool,
    documents: &[LabelledText],
    Judged { truth, masks, halvings }: Judged<'_>,
) -> Scores {
    let prepared = join(detector, documents);
    let partners: Vec<Vec<usize>> =
        (0..documents.len()).into_par_iter().map(|document| prepared.partners(document)).collect();
    let histograms = if keys_decide {
        by_partners(&partners, truth, masks, halvings)
    } else {
        by_scores(&prepared, truth, masks, halvings)
    };
    let (whole, halves) = histograms
        .split_first()
        .map_or_else(Default::default, |(whole, halves)| (whole.clone(), halves.to_vec()));
    let clusters = match truth {
        Truth::Clusters(clusters) => Some(clusters),
        Truth::Judged(_) => None,
    };
    Scores {
        found: count(&partners, truth),
        by_group: GroupCounts::new(documents.len(), truth, found(&partners, truth).into_iter()),
        b_cubed: clusters.map(|clusters| b_cubed(&stars(&partners), clusters)),
        whole,
        halves,
        bytes_per_document: bytes_per_document(&prepared),
        ignored: prepared.n_rejected(),
    }
}

/// The found pairs whose truth is known, each once, and whether they are true.
fn found(partners: &[Vec<usize>], truth: &Truth) -> Vec<(usize, usize, bool)> {
    let mut found = Vec::new();
    match truth {
        Truth::Clusters(clusters) => {
            for (left, partners) in partners.iter().enumerate() {
                for &right in partners.iter().filter(|right| **right > left) {
                    found.push((left, right, clusters[left] == clusters[right]));
                }
            }
        }
        Truth::Judged(pairs) => {
            for &(left, right, is_true) in pairs {
                let (left, right) = (left as usize, right as usize);
                if partners[left].binary_search(&right).is_ok() {
                    found.push((left, right, is_true));
                }
            }
        }
    }
    found
}

/// The verdicts counted against the truth.
fn count(partners: &[Vec<usize>], truth: &Truth) -> PairCounts {
    let mut counts = PairCounts::default();
    for (.., is_true) in found(partners, truth) {
        *(if is_true { &mut counts.true_positives } else { &mut counts.false_positives }) += 1;
    }
    counts.false_negatives = truth.n_true(|_| true) - counts.true_positives;
    counts
}

/// Each document joins the first document that it matches and that joined none itself.
fn stars(partners: &[Vec<usize>]) -> Vec<u32> {
    let mut centers: Vec<u32> = Vec::with_capacity(partners.len());
    for (document, partners) in partners.iter().enumerate() {
        let earlier = partners.iter().take_while(|other| **other < document);
        let center = earlier.copied().find(|other| centers[*other] as usize == *other);
        centers.push(center.unwrap_or(document) as u32);
    }
    centers
}

/// A histogram of everything and one for each halving.
struct Tally {
    histograms: Vec<ScoreHistogram>,
}

impl Tally {
    fn new(halvings: usize) -> Self {
        Self { histograms: vec![ScoreHistogram::default(); halvings + 1] }
    }

    fn add(&mut self, score: f64, is_true: bool, mask: u32) {
        for (place, histogram) in self.histograms.iter_mut().enumerate() {
            if place == 0 || mask & (1 << (place - 1)) != 0 {
                histogram.add(score, is_true);
            }
        }
    }

    fn merge(self, other: &Self) -> Self {
        let pairs = self.histograms.into_iter().zip(&other.histograms);
        Self { histograms: pairs.map(|(mine, theirs)| mine.merge(theirs)).collect() }
    }
}

/// A pair scores 1 where the method finds it, since nothing else is known of it.
fn by_partners(
    partners: &[Vec<usize>],
    truth: &Truth,
    masks: &[u32],
    halvings: usize,
) -> Vec<ScoreHistogram> {
    let mut tally = Tally::new(halvings);
    for (left, right, is_true) in found(partners, truth) {
        tally.add(1.0, is_true, masks[left] & masks[right]);
    }
    tally.histograms
}

/// Every pair at the score that a threshold would be set on.
fn by_scores(
    prepared: &PreparedCollection<'_>,
    truth: &Truth,
    masks: &[u32],
    halvings: usize,
) -> Vec<ScoreHistogram> {
    let add = |tally: &mut Tally, (left, right): (usize, usize), is_true: bool| {
        if let Some(score) = prepared.score(left, right) {
            tally.add(score, is_true, masks[left] & masks[right]);
        }
    };
    let tally = match truth {
        Truth::Clusters(clusters) => (0..prepared.documents().len())
            .into_par_iter()
            .fold(
                || Tally::new(halvings),
                |mut tally, right| {
                    for left in 0..right {
                        let is_true = clusters[left] == clusters[right];
                        add(&mut tally, (left, right), is_true);
                    }
                    tally
                },
            )
            .reduce(|| Tally::new(halvings), |mine, theirs| mine.merge(&theirs)),
        Truth::Judged(pairs) => {
            let mut tally = Tally::new(halvings);
            for &(left, right, is_true) in pairs {
                add(&mut tally, (left as usize, right as usize), is_true);
            }
            tally
        }
    };
    tally.histograms
}

/// The words of whatever verdicts rest on: signature, features, or else the keys.
fn bytes_per_document(collection: &PreparedCollection<'_>) -> f64 {
    let (mut n_documents, mut words) = (0, Vec::new());
    let mut n_words = 0;
    for prepared in collection.documents().iter().flatten() {
        n_documents += 1;
        words.clear();
        if let Some(features) = prepared.evidence().features() {
            features.encode(&mut words);
        }
        n_words += words.len() + prepared.evidence().signature().map_or(0, |s| s.0.len());
        if matches!(prepared.evidence(), Evidence::Keys) {
            n_words += prepared.keys().len();
        }
    }
    8.0 * n_words as f64 / f64::from(n_documents.max(1))
}
