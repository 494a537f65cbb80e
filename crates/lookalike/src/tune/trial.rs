//! One candidate on all halvings.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use lookalike_detect::random::SplitMix64;
use lookalike_detect::train::{TrainError, TrainingPairs};
use lookalike_detect::{Artifacts, Detector, DetectorConfig, Model, Prepared, Scratch};
use lookalike_statistics::Statistics;
use lookalike_statistics::boilerplate::{BoilerplateOptions, BoilerplateSet, find_boilerplate};
use lookalike_text::Document;
use rayon::prelude::*;

use super::candidates::Candidate;
use super::halves::{Half, Labels};
use super::learn::Taught;
use super::size::{Counts, PairTotals};
use super::{Goal, LearnedKind, TuneOptions, threshold};
use crate::{Config, Context, Groups, OwnedDocument, RunError, build_detector};

/// The labelled documents, halved.
pub(super) struct Trial<'a> {
    documents: &'a [OwnedDocument],
    groups: &'a Groups,
    labels: &'a Labels,
    halvings: Vec<[Half; 2]>,
    /// The pairs of the collection that the candidates will be used on, where clusters tell.
    in_use: Option<PairTotals>,
    options: &'a TuneOptions,
    /// Frequencies by analyzer, and boilerplate by its least number of documents: neither needs
    /// labels, and many candidates share them.
    statistics: Mutex<Vec<Arc<Statistics>>>,
    boilerplate: Mutex<BTreeMap<usize, Arc<BoilerplateSet>>>,
}

/// What a candidate reached on each halving, and the threshold that all of them together suggest.
pub(super) struct Reached {
    pub(super) counts: Vec<Counts>,
    pub(super) threshold: Option<f64>,
}

/// A pair of a half, by places.
struct KnownPair {
    left: usize,
    right: usize,
    is_true: bool,
    is_within: bool,
}

/// More documents than this are not compared with each other to choose a threshold.
const MOST_COMPARED: usize = 800;

impl<'a> Trial<'a> {
    pub(super) fn new(
        documents: &'a [OwnedDocument],
        groups: &'a Groups,
        labels: &'a Labels,
        options: &'a TuneOptions,
    ) -> Result<Self, RunError> {
        if labels.n_positive() == 0 {
            return Err(TrainError::NoPositives(documents.len()).into());
        }
        let mut generator = SplitMix64::new(options.seed);
        let halve = |_| labels.halve(&groups.of_document, &mut generator);
        let halvings = (0..options.halvings.max(1)).map(halve).collect();
        let in_use = match labels {
            Labels::Clusters(clusters) => {
                let both = clusters.iter().copied().zip(groups.of_document.iter().copied());
                let times =
                    options.documents.map_or(1.0, |n| n as f64 / documents.len().max(1) as f64);
                Some(PairTotals::of_documents(&both.collect::<Vec<_>>()).grown(times))
            }
            Labels::Pairs(_) => None,
        };
        Ok(Self {
            documents,
            groups,
            labels,
            halvings,
            in_use,
            options,
            statistics: Mutex::new(options.statistics.clone()),
            boilerplate: Mutex::default(),
        })
    }

    /// What a candidate reaches, for the size of use.
    ///
    /// One step of progress a halving.
    pub(super) fn run(
        &self,
        candidate: &Candidate,
        context: &Context<'_>,
    ) -> Result<Reached, RunError> {
        let mut counts = Vec::new();
        let mut thresholds = Vec::new();
        for [training, test] in &self.halvings {
            context.interrupt.check()?;
            let mut detector = candidate.config.clone();
            let artifacts = self.artifacts(candidate, training)?;
            if let Some(threshold) = self.threshold(&detector, &artifacts, training) {
                detector.set_threshold(threshold);
                thresholds.push(threshold);
            }
            let config = Config { run: self.options.run.clone(), detector };
            let counted = self.count(&build_detector(&config, &artifacts)?, test);
            counts.push(
                self.in_use.map_or(counted, |in_use| counted.projected(self.totals(test), in_use)),
            );
            context.progress.advance(1);
        }
        thresholds.sort_by(f64::total_cmp);
        let median = thresholds.get(thresholds.len() / 2);
        Ok(Reached { counts, threshold: median.map(|median| (median * 1000.0).round() / 1000.0) })
    }

    /// How many independent trials a test half stands for: its documents that have near-duplicates,
    /// since the pairs of one document succeed or fail together.
    pub(super) fn n_trials(&self) -> usize {
        let of_half = |[_, test]: &[Half; 2]| {
            let known = self.known_pairs(test).into_iter().filter(|pair| pair.is_true);
            let mut places: Vec<usize> = known.flat_map(|pair| [pair.left, pair.right]).collect();
            places.sort_unstable();
            places.dedup();
            places.len()
        };
        let total: usize = self.halvings.iter().map(of_half).sum();
        total / self.halvings.len().max(1)
    }

    /// The model a candidate needs, learned from all labels.
    pub(super) fn final_model(&self, candidate: &Candidate) -> Result<Option<Model>, RunError> {
        let whole = self.labels.whole(self.documents.len());
        candidate.learns.as_ref().map(|kind| self.learn(kind, candidate, &whole)).transpose()
    }

    fn artifacts(&self, candidate: &Candidate, half: &Half) -> Result<Artifacts, RunError> {
        let statistics = candidate.config.needs_statistics();
        Ok(Artifacts {
            statistics: statistics.then(|| self.frequencies(&candidate.config)).transpose()?,
            model: match &candidate.learns {
                Some(kind) => Some(Arc::new(self.learn(kind, candidate, half)?)),
                None => None,
            },
            boilerplate: candidate.ignore_boilerplate.map(|n| self.boilerplate(n)),
        })
    }

    /// Those of all documents given.
    fn frequencies(&self, config: &DetectorConfig) -> Result<Arc<Statistics>, RunError> {
        let mut counted = self.statistics.lock().unwrap_or_else(PoisonError::into_inner);
        let known = counted.iter().find(|known| known.analyzer() == config.analyzer());
        if let Some(known) = known {
            return Ok(known.clone());
        }
        let fresh = Arc::new(crate::document_statistics(self.documents, config.analyzer())?);
        counted.push(fresh.clone());
        Ok(fresh)
    }

    /// Whether there is boilerplate to leave out, for a candidate that does.
    pub(super) fn leaves_out_what_it_may(&self, candidate: &Candidate) -> bool {
        candidate.ignore_boilerplate.is_none_or(|number| !self.boilerplate(number).is_empty())
    }

    fn boilerplate(&self, min_documents: usize) -> Arc<BoilerplateSet> {
        let mut known = self.boilerplate.lock().unwrap_or_else(PoisonError::into_inner);
        let find = || {
            let options = BoilerplateOptions { min_documents, ..BoilerplateOptions::default() };
            let texts = || self.documents.iter().map(|document| document.text.as_str());
            Arc::new(find_boilerplate(options, texts).set())
        };
        known.entry(min_documents).or_insert_with(find).clone()
    }

    fn learn(
        &self,
        kind: &LearnedKind,
        candidate: &Candidate,
        half: &Half,
    ) -> Result<Model, RunError> {
        let hidden = candidate.ignore_boilerplate.map(|n| self.boilerplate(n));
        let texts: Vec<std::borrow::Cow<'_, str>> = half
            .documents
            .iter()
            .map(|&document| {
                let text = self.documents[document].text.as_str();
                hidden.as_ref().map_or(text.into(), |set| set.mask(text))
            })
            .collect();
        let documents: Vec<Document<'_>> = half
            .documents
            .iter()
            .zip(&texts)
            .map(|(&document, text)| Document { text, ..self.documents[document].document() })
            .collect();
        let statistics = self.frequencies(&candidate.config)?;
        let learn = |taught: Taught<'_>| {
            kind.learn(candidate.config.analyzer(), &documents, taught, statistics)
        };
        Ok(match (self.labels, &half.judged) {
            (Labels::Clusters(clusters), _) => {
                let clusters: Vec<u32> = half.documents.iter().map(|&d| clusters[d]).collect();
                learn(Taught::Clusters(&clusters))?
            }
            (Labels::Pairs(_), judged) => {
                learn(Taught::Pairs(judged.as_ref().unwrap_or(&TrainingPairs::default())))?
            }
        })
    }

    /// The threshold that serves the goal best on this half, for the size of use; `None` for a method
    /// without one, and where a model brings its own.
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
        let (here, in_use) = (self.totals(&thinned), self.in_use);
        // How many pairs of the collection in use a pair of this half stands for.
        let weight = |pair: &KnownPair| {
            let Some(in_use) = in_use else { return 1.0 };
            match (pair.is_true, pair.is_within) {
                (true, _) => in_use.positive / here.positive,
                (false, true) => in_use.within / here.within,
                (false, false) => in_use.across / here.across,
            }
        };
        let scored = self
            .known_pairs(&thinned)
            .par_iter()
            .map(|pair| {
                let score = match (&seen[pair.left], &seen[pair.right]) {
                    (Some(left), Some(right)) => detector.score(left, right),
                    _ => 0.0,
                };
                (score, pair.is_true, weight(pair))
            })
            .collect();
        Some(threshold::best(scored, self.options.goal).clamp(lowest, 1.0))
    }

    /// What a detector finds in a half, as a run would.
    fn count(&self, detector: &Detector, half: &Half) -> Counts {
        let seen = self.see(detector, half);
        let known = self.known_pairs(half);
        let judge = |pair: &KnownPair| match (&seen[pair.left], &seen[pair.right]) {
            (Some(left), Some(right)) => detector.judge(left, right).duplicate,
            _ => false,
        };
        let verdicts: Vec<bool> = known.par_iter().map(judge).collect();
        let mut counts = Counts::default();
        for (pair, duplicate) in known.iter().zip(verdicts) {
            match (duplicate, pair.is_true, pair.is_within) {
                (true, true, _) => counts.found += 1.0,
                (true, false, true) => counts.wrong_within += 1.0,
                (true, false, false) => counts.wrong_across += 1.0,
                (false, true, _) => counts.missed += 1.0,
                (false, false, _) => {}
            }
        }
        counts
    }

    /// A half of the documents as a detector sees them.
    fn see(&self, detector: &Detector, half: &Half) -> Vec<Option<Prepared>> {
        half.documents
            .par_iter()
            .map_init(Scratch::default, |scratch, &document| {
                detector.prepare(&self.documents[document].document(), scratch).ok()
            })
            .collect()
    }

    /// The pairs of a half whose truth is known.
    fn known_pairs(&self, half: &Half) -> Vec<KnownPair> {
        let group = |place: usize| self.groups.of_document[half.documents[place]];
        let pair = |left: usize, right: usize, is_true: bool| KnownPair {
            left,
            right,
            is_true,
            is_within: group(left) == group(right),
        };
        if let Some(judged) = &half.judged {
            let judge = |is_true: bool| {
                move |&(left, right): &(u32, u32)| pair(left as usize, right as usize, is_true)
            };
            let positive = judged.positive.iter().map(judge(true));
            return positive.chain(judged.negative.iter().map(judge(false))).collect();
        }
        let Labels::Clusters(clusters) = self.labels else { return Vec::new() };
        let cluster = |place: usize| clusters[half.documents[place]];
        (0..half.documents.len())
            .flat_map(|right| (0..right).map(move |left| (left, right)))
            .map(|(left, right)| pair(left, right, cluster(left) == cluster(right)))
            .collect()
    }

    /// How many pairs of each kind a half has.
    fn totals(&self, half: &Half) -> PairTotals {
        let Labels::Clusters(clusters) = self.labels else { return PairTotals::default() };
        let both = |&document: &usize| (clusters[document], self.groups.of_document[document]);
        PairTotals::of_documents(&half.documents.iter().map(both).collect::<Vec<_>>())
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
