//! One candidate on all halvings.

use std::sync::Arc;

use lookalike_detect::random::SplitMix64;
use lookalike_detect::train::{self, AnddOptions, LabelledDocument, SvmOptions, best_threshold};
use lookalike_detect::{Artifacts, Detector, DetectorConfig, Model, Prepared, Scratch};
use lookalike_statistics::{Statistics, StatisticsBuilder};
use lookalike_text::{Analyzer, Document};
use rayon::prelude::*;

use super::candidates::{Candidate, LearnedKind};
use super::halves::{Half, Labels};
use super::{Estimate, Goal, TuneOptions, Tuned};
use crate::{Context, OwnedDocument, RunError};

/// Pairs found rightly, wrongly and not at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Found and true.
    pub found: usize,
    /// Found and not true.
    pub wrong: usize,
    /// True and not found.
    pub missed: usize,
}

impl Counts {
    fn precision(self) -> f64 {
        share(self.found, self.found + self.wrong)
    }

    fn recall(self) -> f64 {
        share(self.found, self.found + self.missed)
    }

    fn f1(self) -> f64 {
        share(2 * self.found, 2 * self.found + self.wrong + self.missed)
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// The labelled documents, halved.
pub(super) struct Trial<'a> {
    documents: Vec<Document<'a>>,
    labels: &'a Labels,
    halvings: Vec<[Half; 2]>,
    options: &'a TuneOptions,
}

/// More documents than this are not compared with each other to choose a threshold.
const MOST_COMPARED: usize = 800;

impl<'a> Trial<'a> {
    pub(super) fn new(
        documents: &'a [OwnedDocument],
        labels: &'a Labels,
        options: &'a TuneOptions,
    ) -> Result<Self, RunError> {
        if labels.n_positive() == 0 {
            return Err(train::TrainError::NoPositives(documents.len()).into());
        }
        let mut generator = SplitMix64::new(options.seed);
        let halvings = (0..options.halvings.max(1)).map(|_| labels.halve(&mut generator)).collect();
        let documents = documents.iter().map(OwnedDocument::document).collect();
        Ok(Self { documents, labels, halvings, options })
    }

    /// What a candidate reaches, and the threshold that all halvings together suggest.
    ///
    /// One step of progress a halving.
    pub(super) fn run(
        &self,
        mut candidate: Candidate,
        context: &Context<'_>,
    ) -> Result<Tuned, RunError> {
        let mut counts = Vec::new();
        let mut thresholds = Vec::new();
        for [training, test] in &self.halvings {
            context.interrupt.check()?;
            let mut config = candidate.config.clone();
            let artifacts = self.artifacts(&candidate, training)?;
            if let Some(threshold) = self.threshold(&config, &artifacts, training) {
                config.set_threshold(threshold);
                thresholds.push(threshold);
            }
            counts.push(self.count(&config.build(&artifacts)?, test));
            context.progress.advance(1);
        }
        thresholds.sort_by(f64::total_cmp);
        if let Some(&median) = thresholds.get(thresholds.len() / 2) {
            candidate.config.set_threshold((median * 1000.0).round() / 1000.0);
        }
        let n_trials = self.n_trials();
        let estimate = |part: fn(Counts) -> f64| {
            let shares: Vec<f64> = counts.iter().map(|counts| part(*counts)).collect();
            Estimate::of_halvings(&shares, n_trials)
        };
        let (precision, recall) = (estimate(Counts::precision), estimate(Counts::recall));
        Ok(Tuned { candidate, precision, recall, f1: estimate(Counts::f1) })
    }

    /// How many independent trials a test half stands for: its documents that have near-duplicates,
    /// since the pairs of one document succeed or fail together.
    fn n_trials(&self) -> usize {
        self.labels.n_positive().min(self.labels.n_documents_in_pairs()) / 2
    }

    /// The model a candidate needs, learned from all labels.
    pub(super) fn final_model(&self, candidate: &Candidate) -> Result<Option<Model>, RunError> {
        let whole = self.labels.whole(self.documents.len());
        candidate.learns.map(|kind| self.learn(kind, &candidate.config, &whole)).transpose()
    }

    fn artifacts(&self, candidate: &Candidate, half: &Half) -> Result<Artifacts, RunError> {
        let config = &candidate.config;
        let mut artifacts = Artifacts::default();
        if config.needs_statistics() {
            artifacts.statistics = Some(Arc::new(self.statistics(config)?));
        }
        if let Some(kind) = candidate.learns {
            artifacts.model = Some(Arc::new(self.learn(kind, config, half)?));
        }
        Ok(artifacts)
    }

    /// Document frequencies need no labels: those of all documents.
    fn statistics(&self, config: &DetectorConfig) -> Result<Statistics, RunError> {
        let analyzer =
            Analyzer::new(config.analyzer()).map_err(lookalike_detect::DetectError::from)?;
        let mut builder = StatisticsBuilder::new(config.analyzer().clone());
        for document in &self.documents {
            builder.add_text(&analyzer, document.text);
        }
        Ok(builder.finish())
    }

    fn learn(
        &self,
        kind: LearnedKind,
        config: &DetectorConfig,
        half: &Half,
    ) -> Result<Model, RunError> {
        let documents: Vec<Document<'_>> =
            half.documents.iter().map(|&document| self.documents[document]).collect();
        let analyzer = config.analyzer().clone();
        let labelled = |clusters: &[u32]| -> Vec<LabelledDocument<'_>> {
            let label = |(&document, &d): (&Document<'a>, &usize)| LabelledDocument {
                document,
                cluster: clusters[d],
            };
            documents.iter().zip(&half.documents).map(label).collect()
        };
        let model = match kind {
            LearnedKind::Andd { similarity, k } => {
                let mut options = AnddOptions { analyzer, similarity, ..AnddOptions::default() };
                options.features.k = k;
                options.pairs.seed = self.options.seed;
                match (self.labels, &half.judged) {
                    (Labels::Clusters(clusters), _) => train::andd(&labelled(clusters), &options),
                    (_, judged) => train::andd_from_pairs(
                        &documents,
                        &judged.clone().unwrap_or_default(),
                        &options,
                    ),
                }
            }
            LearnedKind::Svm => {
                let options = SvmOptions { analyzer, ..SvmOptions::default() };
                match (self.labels, &half.judged) {
                    (Labels::Clusters(clusters), _) => train::svm(&labelled(clusters), &options),
                    (_, judged) => train::svm_from_pairs(
                        &documents,
                        &judged.clone().unwrap_or_default(),
                        &options,
                    ),
                }
            }
        };
        Ok(model?)
    }

    /// The threshold that serves the goal best on this half; `None` for a method without one, and
    /// where a model brings its own.
    fn threshold(
        &self,
        config: &DetectorConfig,
        artifacts: &Artifacts,
        half: &Half,
    ) -> Option<f64> {
        let is_learned = artifacts.model.is_some() && self.options.goal == Goal::F1;
        if is_learned || !config.clone().set_threshold(0.5) {
            return None;
        }
        let (lowest, detector) = lowest_threshold(config, artifacts)?;
        let step = half.documents.len().div_ceil(MOST_COMPARED).max(1);
        let thinned = match &half.judged {
            Some(_) => half.clone(),
            None => Half {
                documents: half.documents.iter().copied().step_by(step).collect(),
                judged: None,
            },
        };
        let seen = self.see(&detector, &thinned);
        let score = |left: usize, right: usize| match (&seen[left], &seen[right]) {
            (Some(left), Some(right)) => detector.score(left, right),
            _ => 0.0,
        };
        let scored: Vec<(f64, bool)> = self
            .known_pairs(&thinned)
            .par_iter()
            .map(|&(left, right, is_true)| (score(left, right), is_true))
            .collect();
        let threshold = match self.options.goal {
            Goal::F1 => best_threshold(scored).threshold,
            Goal::Precision(wanted) => threshold_of_precision(scored, wanted),
        };
        Some(threshold.clamp(lowest, 1.0))
    }

    /// What a detector finds in a half, through its bucket keys, as a run would.
    fn count(&self, detector: &Detector, half: &Half) -> Counts {
        let seen = self.see(detector, half);
        let mut counts = Counts::default();
        let judge = |left: usize, right: usize| match (&seen[left], &seen[right]) {
            (Some(left), Some(right)) => detector.judge(left, right).duplicate,
            _ => false,
        };
        let known = self.known_pairs(half);
        let verdicts: Vec<bool> =
            known.par_iter().map(|&(left, right, _)| judge(left, right)).collect();
        for (&(_, _, is_true), duplicate) in known.iter().zip(verdicts) {
            match (duplicate, is_true) {
                (true, true) => counts.found += 1,
                (true, false) => counts.wrong += 1,
                (false, true) => counts.missed += 1,
                (false, false) => {}
            }
        }
        counts
    }

    /// A half of the documents as a detector sees them.
    fn see(&self, detector: &Detector, half: &Half) -> Vec<Option<Prepared>> {
        half.documents
            .par_iter()
            .map_init(Scratch::default, |scratch, &document| {
                detector.prepare(&self.documents[document], scratch).ok()
            })
            .collect()
    }

    /// The pairs of a half whose truth is known, by place.
    fn known_pairs(&self, half: &Half) -> Vec<(usize, usize, bool)> {
        if let Some(judged) = &half.judged {
            let place = |is_true: bool| {
                move |&(left, right): &(u32, u32)| (left as usize, right as usize, is_true)
            };
            let positive = judged.positive.iter().map(place(true));
            return positive.chain(judged.negative.iter().map(place(false))).collect();
        }
        let Labels::Clusters(clusters) = self.labels else { return Vec::new() };
        let cluster = |place: usize| clusters[half.documents[place]];
        (0..half.documents.len())
            .flat_map(|right| (0..right).map(move |left| (left, right)))
            .map(|(left, right)| (left, right, cluster(left) == cluster(right)))
            .collect()
    }
}

/// The detector of the lowest threshold that the method allows, and that threshold: below its
/// threshold a detector may give up on a pair without measuring it.
fn lowest_threshold(config: &DetectorConfig, artifacts: &Artifacts) -> Option<(f64, Detector)> {
    [0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7].into_iter().find_map(|threshold| {
        let mut config = config.clone();
        config.set_threshold(threshold);
        Some((threshold, config.build(artifacts).ok()?))
    })
}

/// The lowest threshold at which precision is still reached.
fn threshold_of_precision(mut scored: Vec<(f64, bool)>, wanted: f64) -> f64 {
    scored.sort_by(|left, right| right.0.total_cmp(&left.0));
    let (mut threshold, mut found) = (1.0, 0);
    for (position, &(score, is_true)) in scored.iter().enumerate() {
        found += usize::from(is_true);
        let is_last = scored.get(position + 1).is_none_or(|next| next.0 < score);
        if is_last && found as f64 >= wanted * (position + 1) as f64 {
            threshold = score;
        }
    }
    threshold
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_threshold_of_a_precision_is_found() {
        let scored = vec![(0.9, true), (0.8, true), (0.7, false), (0.6, true), (0.5, false)];
        assert_eq!(threshold_of_precision(scored.clone(), 0.99), 0.8);
        assert_eq!(threshold_of_precision(scored.clone(), 0.75), 0.6);
        assert_eq!(threshold_of_precision(vec![(0.9, false)], 0.5), 1.0);
    }
}
