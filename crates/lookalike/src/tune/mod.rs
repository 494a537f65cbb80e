//! The best method, its parameters and its threshold for labelled documents.
//!
//! The labelled documents are halved at random, several times. On one half a candidate chooses its
//! threshold (and learns, where it learns); on the other it is judged as a run would judge it,
//! bucket keys and all. What is reported is therefore what was reached on documents that the
//! candidate had not seen.

mod candidates;
mod estimate;
mod halves;
mod trial;

use std::time::{Duration, Instant};

use lookalike_detect::{DetectorConfig, Model};

pub use candidates::{Candidate, LearnedKind, candidates};
pub use estimate::Estimate;
pub use halves::Labels;
pub use trial::Counts;

use crate::{Context, OwnedDocument, RunError};
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
}

impl Default for TuneOptions {
    fn default() -> Self {
        Self { goal: Goal::F1, halvings: 5, seed: 1, budget: Duration::from_mins(10) }
    }
}

/// What a candidate reached on documents it had not seen.
#[derive(Clone, Debug)]
pub struct Tuned {
    /// The candidate, its threshold set to what all labels together suggest.
    pub candidate: Candidate,
    /// The share of its pairs that are true.
    pub precision: Estimate,
    /// The share of true pairs it finds.
    pub recall: Estimate,
    /// The harmonic mean of both.
    pub f1: Estimate,
}

/// All candidates that were tried, best first.
#[derive(Debug)]
pub struct TuneOutcome {
    /// What each reached.
    pub ranking: Vec<Tuned>,
    /// The model of the best candidate, learned from all labels, where it needs one.
    pub model: Option<Model>,
    /// Candidates there was no time for.
    pub skipped: Vec<String>,
    /// Why the numbers should not be trusted too much.
    pub warnings: Vec<String>,
}

impl TuneOutcome {
    /// The configuration of the best candidate.
    pub fn best(&self) -> Option<&DetectorConfig> {
        self.ranking.first().map(|tuned| &tuned.candidate.config)
    }
}

/// Compares the candidates on labelled documents.
///
/// # Errors
/// Labels without near-duplicates, or an interruption; a candidate that fails is only noted.
pub fn tune(
    documents: &[OwnedDocument],
    labels: &Labels,
    candidates: Vec<Candidate>,
    options: &TuneOptions,
    context: &Context<'_>,
) -> Result<TuneOutcome, RunError> {
    let trial = Trial::new(documents, labels, options)?;
    let start = Instant::now();
    let mut ranking = Vec::new();
    let mut skipped = Vec::new();
    let mut failed = Vec::new();
    let steps = candidates.len() * options.halvings.max(1);
    context.progress.begin_steps("trying methods", steps as u64);
    for candidate in candidates {
        if start.elapsed() >= options.budget {
            skipped.push(candidate.name);
            continue;
        }
        let name = candidate.name.clone();
        match trial.run(candidate, context) {
            Ok(tuned) => ranking.push(tuned),
            Err(RunError::Interrupted) => return Err(RunError::Interrupted),
            Err(error) => failed.push(format!("{name} could not be tried: {error}")),
        }
    }
    context.progress.end();
    ranking.sort_by(|left, right| rank(right, options.goal).total_cmp(&rank(left, options.goal)));
    let model = match ranking.first() {
        Some(best) => trial.final_model(&best.candidate)?,
        None => None,
    };
    let mut warnings = warnings(labels, &ranking, options.goal);
    warnings.extend(failed);
    Ok(TuneOutcome { ranking, model, skipped, warnings })
}

/// By what a goal orders candidates: those that miss the precision come after all that reach it.
fn rank(tuned: &Tuned, goal: Goal) -> f64 {
    match goal {
        Goal::F1 => tuned.f1.mean,
        Goal::Precision(wanted) if tuned.precision.mean >= wanted => 1.0 + tuned.recall.mean,
        Goal::Precision(_) => tuned.precision.mean,
    }
}

fn warnings(labels: &Labels, ranking: &[Tuned], goal: Goal) -> Vec<String> {
    /// Below these, an interval of halvings says little.
    const FEW_CLUSTERS: usize = 10;
    const FEW_PAIRS: usize = 40;
    let mut warnings = Vec::new();
    let (n_groups, n_pairs) = (labels.n_positive_groups(), labels.n_positive());
    if n_groups < FEW_CLUSTERS || n_pairs < FEW_PAIRS {
        warnings.push(format!(
            "too little data to be sure: {n_pairs} pairs of near-duplicates in {n_groups} clusters; label \
             at least {FEW_PAIRS} pairs in {FEW_CLUSTERS} clusters"
        ));
    }
    let best = ranking.first();
    if let (Goal::Precision(wanted), Some(best)) = (goal, best)
        && best.precision.mean < wanted
    {
        warnings.push(format!(
            "no candidate reached precision {wanted}; the best reached {:.3}",
            best.precision.mean
        ));
    }
    if let Some(best) = best.filter(|best| best.f1.high - best.f1.low > 0.1) {
        let (low, high) = (best.f1.low, best.f1.high);
        warnings.push(format!("the best F1 may lie anywhere from {low:.2} to {high:.2}"));
    }
    warnings
}
