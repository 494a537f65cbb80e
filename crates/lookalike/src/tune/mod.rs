//! The best method, its parameters and its threshold for labelled documents.
//!
//! The labelled documents are halved at random, several times, so that no cluster and no group (site,
//! template, sender) is on both sides. On one half a candidate chooses its threshold (and learns,
//! where it learns); on the other it is judged as a run would judge it, bucket keys and all. What
//! is reported is what that comes to on a collection of the size of use.

mod apart;
mod candidates;
mod estimate;
mod halves;
mod learn;
mod size;
mod teach;
mod threshold;
mod trial;

use std::sync::Arc;
use std::time::{Duration, Instant};

use lookalike_detect::Model;
use lookalike_statistics::Statistics;

pub use apart::halve_apart;
pub use candidates::{Candidate, candidates, candidates_named, with_boilerplate};
pub use estimate::Estimate;
pub use halves::Labels;
pub use learn::{LearnedKind, Taught};
pub use size::Counts;
pub use teach::teach;

use crate::{Config, Context, Grouping, Groups, OwnedDocument, RunConfig, RunError};
use trial::Trial;

/// What the best candidate is best at.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Goal {
    /// The highest F1.
    #[default]
    F1,
    /// The highest recall among those that reach this precision.
    Precision(f64),
}

/// How candidates are compared.
#[derive(Clone, Debug)]
pub struct TuneOptions {
    /// What is wanted.
    pub goal: Goal,
    /// Random halvings.
    pub halvings: usize,
    /// Seed of the halvings and of training.
    pub seed: u64,
    /// No new candidate is started after this time.
    pub budget: Duration,
    /// How many documents the choice will be used on; without it, as many as are given.
    pub documents: Option<usize>,
    /// What is the same for all candidates, `verify` above all.
    pub run: RunConfig,
    /// Document frequencies of the collection, one for each analyzer; counted over the labelled
    /// documents where there is none for an analyzer.
    pub statistics: Vec<Arc<Statistics>>,
}

impl Default for TuneOptions {
    fn default() -> Self {
        Self {
            goal: Goal::F1,
            halvings: 5,
            seed: 1,
            budget: Duration::from_mins(10),
            documents: None,
            run: RunConfig::default(),
            statistics: Vec::new(),
        }
    }
}

/// Precision, recall and F1 with their intervals.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Promise {
    /// The share of found pairs that are true.
    pub precision: Estimate,
    /// The share of true pairs that are found.
    pub recall: Estimate,
    /// The harmonic mean of both.
    pub f1: Estimate,
}

impl Promise {
    /// What was reached on halvings, each worth so many trials.
    fn of(counts: &[Counts], n_trials: usize) -> Self {
        let estimate = |part: fn(Counts) -> f64| {
            let shares: Vec<f64> = counts.iter().map(|counts| part(*counts)).collect();
            Estimate::of_halvings(&shares, n_trials)
        };
        Self {
            precision: estimate(Counts::precision),
            recall: estimate(Counts::recall),
            f1: estimate(Counts::f1),
        }
    }
}

/// What a candidate reached on documents it had not seen.
#[derive(Clone, Debug)]
pub struct Tuned {
    /// The candidate, with the threshold that was found for it.
    pub candidate: Candidate,
    /// What it reached, for the size of use.
    pub reached: Promise,
    /// The same by halving.
    counts: Vec<Counts>,
}

/// All candidates that were tried, best first.
#[derive(Debug)]
pub struct TuneOutcome {
    /// What each reached.
    pub ranking: Vec<Tuned>,
    /// What may be expected of the best one. Its own figures flatter it, since they made it the best:
    /// here the best is chosen on all halvings but one, and measured on that one.
    pub promise: Promise,
    /// The model of the best candidate, learned from all labels, where it needs one.
    pub model: Option<Model>,
    /// Candidates there was no time for.
    pub skipped: Vec<String>,
    /// Why the numbers should not be trusted too much.
    pub warnings: Vec<String>,
}

impl TuneOutcome {
    /// The best candidate.
    pub fn best(&self) -> Option<&Candidate> {
        self.ranking.first().map(|tuned| &tuned.candidate)
    }
}

impl Candidate {
    /// The configuration that runs it, with what is the same for all.
    pub fn configuration(&self, run: &RunConfig) -> Config {
        let run = RunConfig { ignore_boilerplate: self.ignore_boilerplate, ..run.clone() };
        Config { run, detector: self.config.clone() }
    }
}

/// Compares the candidates on labelled documents.
///
/// # Errors
/// Labels without near-duplicates, or an interruption; a candidate that fails is only noted.
pub fn tune(
    documents: &[OwnedDocument],
    groups: &Groups,
    labels: &Labels,
    candidates: Vec<Candidate>,
    options: &TuneOptions,
    context: &Context<'_>,
) -> Result<TuneOutcome, RunError> {
    let trial = Trial::new(documents, groups, labels, options)?;
    let n_trials = trial.n_trials();
    let start = Instant::now();
    let mut ranking = Vec::new();
    let mut skipped = Vec::new();
    let mut failed = Vec::new();
    // What leaves out nothing has been tried without leaving out anything.
    let is_tried_plain = candidates.iter().any(|candidate| candidate.ignore_boilerplate.is_none());
    let candidates: Vec<Candidate> = candidates
        .into_iter()
        .filter(|candidate| !is_tried_plain || trial.leaves_out_what_it_may(candidate))
        .collect();
    let steps = candidates.len() * options.halvings.max(1);
    context.progress.begin_steps("trying methods", steps as u64);
    for mut candidate in candidates {
        if start.elapsed() >= options.budget {
            skipped.push(candidate.name);
            continue;
        }
        match trial.run(&candidate, context) {
            Ok(reached) => {
                if let Some(threshold) = reached.threshold {
                    candidate.config.set_threshold(threshold);
                }
                let counts = reached.counts;
                let reached = Promise::of(&counts, n_trials);
                ranking.push(Tuned { candidate, reached, counts });
            }
            Err(RunError::Interrupted) => return Err(RunError::Interrupted),
            Err(error) => failed.push(format!("{} could not be tried: {error}", candidate.name)),
        }
    }
    context.progress.end();
    ranking.sort_by(|left, right| {
        rank(&right.counts, options.goal).total_cmp(&rank(&left.counts, options.goal))
    });
    let model = match ranking.first() {
        Some(best) => trial.final_model(&best.candidate)?,
        None => None,
    };
    let promise = Promise::of(&chosen_elsewhere(&ranking, options.goal), n_trials);
    let mut warnings = warnings(groups, labels, &promise, options.goal);
    warnings.extend(failed);
    Ok(TuneOutcome { ranking, promise, model, skipped, warnings })
}

/// For each halving, what the candidate reached there that was the best on all the others.
fn chosen_elsewhere(ranking: &[Tuned], goal: Goal) -> Vec<Counts> {
    let n_halvings = ranking.first().map_or(0, |tuned| tuned.counts.len());
    if n_halvings < 2 {
        return ranking.first().map(|tuned| tuned.counts.clone()).unwrap_or_default();
    }
    let without = |tuned: &Tuned, halving: usize| {
        let mut others = tuned.counts.clone();
        others.remove(halving);
        rank(&others, goal)
    };
    let of_halving = |halving: usize| {
        // The first of equals, as in the ranking.
        let mut best = 0;
        for (place, tuned) in ranking.iter().enumerate() {
            if without(tuned, halving) > without(&ranking[best], halving) {
                best = place;
            }
        }
        ranking[best].counts[halving]
    };
    (0..n_halvings).map(of_halving).collect()
}

/// By what a goal orders candidates: those that miss the precision come after all that reach it.
fn rank(counts: &[Counts], goal: Goal) -> f64 {
    let mean = |part: fn(Counts) -> f64| {
        counts.iter().map(|counts| part(*counts)).sum::<f64>() / counts.len().max(1) as f64
    };
    match goal {
        Goal::F1 => mean(Counts::f1),
        Goal::Precision(wanted) if mean(Counts::precision) >= wanted => 1.0 + mean(Counts::recall),
        Goal::Precision(_) => mean(Counts::precision),
    }
}

fn warnings(groups: &Groups, labels: &Labels, promise: &Promise, goal: Goal) -> Vec<String> {
    /// Below these, an interval of halvings says little.
    const FEW_CLUSTERS: usize = 10;
    const FEW_PAIRS: usize = 40;
    const FEW_GROUPS: usize = 4;
    let mut warnings = Vec::new();
    let (n_clusters, n_pairs) = (labels.n_positive_groups(), labels.n_positive());
    if n_clusters < FEW_CLUSTERS || n_pairs < FEW_PAIRS {
        warnings.push(format!(
            "too little data to be sure: {n_pairs} pairs of near-duplicates in {n_clusters} clusters; label \
             at least {FEW_PAIRS} pairs in {FEW_CLUSTERS} clusters"
        ));
    }
    let n_groups = groups.n_shared();
    if groups.grouping != Grouping::None && n_groups < FEW_GROUPS {
        warnings.push(format!(
            "too little data to promise anything for other sources: groups of documents: {n_groups}; \
             label documents of at least {FEW_GROUPS}"
        ));
    }
    if let Goal::Precision(wanted) = goal
        && promise.precision.mean < wanted
    {
        warnings.push(format!(
            "no candidate reached precision {wanted}; the best reached {:.3}",
            promise.precision.mean
        ));
    }
    if promise.f1.high - promise.f1.low > 0.1 {
        let (low, high) = (promise.f1.low, promise.f1.high);
        warnings.push(format!("the best F1 may lie anywhere from {low:.2} to {high:.2}"));
    }
    warnings
}

#[cfg(test)]
mod tests {
    use lookalike_detect::DetectorConfig;

    use super::*;

    fn tuned(name: &str, found: &[f64]) -> Tuned {
        let config = DetectorConfig::named("exact").unwrap();
        let candidate =
            Candidate { name: name.into(), config, learns: None, ignore_boilerplate: None };
        let counts = |&found: &f64| Counts { found, missed: 10.0 - found, ..Counts::default() };
        let counts: Vec<Counts> = found.iter().map(counts).collect();
        Tuned { candidate, reached: Promise::of(&counts, 10), counts }
    }

    #[test]
    fn the_promise_does_not_count_the_luck_that_made_a_candidate_the_best() {
        // Ten candidates, each lucky on one halving: the best of them is no better than the rest.
        let lucky = |n: usize| {
            let found: Vec<f64> = (0..5).map(|h| if h == n % 5 { 10.0 } else { 8.0 }).collect();
            tuned(&n.to_string(), &found)
        };
        let ranking: Vec<Tuned> = (0..10).map(lucky).collect();
        let promise = Promise::of(&chosen_elsewhere(&ranking, Goal::F1), 10);
        assert!((ranking[0].reached.recall.mean - 0.84).abs() < 1e-12);
        assert!((promise.recall.mean - 0.8).abs() < 1e-12, "{promise:?}");
    }
}
