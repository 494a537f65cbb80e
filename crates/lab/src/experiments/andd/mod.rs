//! Learned weights against fixed ones, by the protocol of the 2010 paper: clusters are halved at
//! random, weights are learned on one half, and every pair of the other half is scored; Max F1 is
//! averaged over the halvings. Tables 2 and 3 of the paper and its three curves, on any labelled
//! collection.

mod curves;
mod scoring;
mod signatures;
mod task;

use std::time::Instant;

use lookalike_detect::detectors::{DetectorConfig, MinhashConfig, SpotsigsConfig};
use lookalike_detect::measure::Similarity;
use lookalike_detect::represent::PairViews;
use lookalike_detect::sign::WeightedScheme;

use task::{Learner, StatisticsSource, Task};

use crate::evaluate::MaxF1;
use crate::{Cell, Collection, LabError, Outcome, Table};

/// What is measured.
#[derive(Clone, Debug)]
pub struct AnddExperiment {
    /// Random halvings of the clusters (the paper: 5).
    pub halvings: usize,
    /// Seed of the halvings and of training.
    pub seed: u64,
    /// Terms in a k-gram.
    pub k: Vec<usize>,
    /// Whether the curves are measured too.
    pub curves: bool,
}

impl Default for AnddExperiment {
    fn default() -> Self {
        Self { halvings: 5, seed: 1, k: vec![1, 3], curves: true }
    }
}

/// Runs the experiment; the collection's labels name the clusters.
pub fn run(collection: &Collection, options: &AnddExperiment) -> Result<Outcome, LabError> {
    let task = Task::new(collection, options.halvings, options.seed)?;
    let mut table = Table::new(
        "Averaged Max F1 over random halvings of the clusters",
        &[
            "method",
            "k",
            "similarity",
            "statistics",
            "max_f1",
            "precision",
            "recall",
            "train_seconds",
        ],
    );
    fixed_rows(&task, &mut table)?;
    for &k in &options.k {
        for blocks in [false, true] {
            for similarity in [Similarity::Cosine, Similarity::ExtendedJaccard] {
                let learner = Learner { k, blocks, similarity, ..Learner::default() };
                learned_rows(&task, &learner, &mut table)?;
            }
        }
    }
    let source = StatisticsSource::TrainingClusters;
    for blocks in [false, true] {
        for similarity in [Similarity::Cosine, Similarity::ExtendedJaccard] {
            let learner = Learner { blocks, similarity, source, ..Learner::default() };
            learned_rows(&task, &learner, &mut table)?;
        }
    }
    for views in [PairViews::of_the_paper(), PairViews::default()] {
        for source in [StatisticsSource::Collection, source] {
            svm_row(&task, &views, source, &mut table)?;
        }
    }
    table.note(format!(
        "{} documents in {} clusters, {} halvings, seed {}; binary and tf-idf vectors and all pairs \
         of the test half, as in the 2010 paper. train_seconds: of the clock, for one halving while \
         others train beside it.",
        collection.len(),
        task.n_clusters(),
        options.halvings,
        options.seed
    ));
    let mut outcome = Outcome::from(table);
    if options.curves {
        curves::add(&task, &mut outcome)?;
    }
    Ok(outcome)
}

/// Binary and tf-idf vectors, the sets and the signatures of fixed methods.
fn fixed_rows(task: &Task<'_>, table: &mut Table) -> Result<(), LabError> {
    for tf_idf in [false, true] {
        for similarity in [Similarity::Cosine, Similarity::ExtendedJaccard] {
            let scores = task.term_vectors(tf_idf, similarity)?;
            let name = if tf_idf { "tf-idf" } else { "binary" };
            let row =
                [name.into(), 1usize.into(), task::name(similarity).into(), "collection".into()];
            push(table, row, &scores, Cell::Missing);
        }
    }
    let articles = SpotsigsConfig {
        anchors: ["is", "the", "a", "an"].map(str::to_owned).into(),
        ..SpotsigsConfig::default()
    };
    let sets = [
        ("spotsigs", DetectorConfig::Spotsigs(SpotsigsConfig::default())),
        ("spotsigs, anchors is the a an", DetectorConfig::Spotsigs(articles)),
        ("minhash", DetectorConfig::Minhash(MinhashConfig::default())),
    ];
    for (name, config) in sets {
        for (similarity, shown) in
            [(Similarity::ExtendedJaccard, "jaccard"), (Similarity::Cosine, "cosine")]
        {
            let row = [name.into(), Cell::Missing, shown.into(), Cell::Missing];
            push(table, row, &task.sets(&config, similarity)?, Cell::Missing);
        }
    }
    signatures::add(task, table)
}

/// The raw vectors of a learner and its default signatures.
fn learned_rows(task: &Task<'_>, learner: &Learner, table: &mut Table) -> Result<(), LabError> {
    let start = Instant::now();
    let models = task.train(learner)?;
    let seconds = start.elapsed().as_secs_f64() / models.len().max(1) as f64;
    let name = if learner.blocks { "andd, block features" } else { "andd, paper's features" };
    let similarity = task::name(learner.similarity);
    let source = learner.source.name();
    let row = |name: String| [name.into(), learner.k.into(), similarity.into(), source.into()];
    let raw = task.vectors(&models, None, learner.similarity)?;
    push(table, row(name.to_owned()), &raw, Cell::Real(seconds, 1));
    if learner.k > 1 {
        return Ok(());
    }
    if learner.similarity == Similarity::Cosine {
        let scores = task.hyperplanes(&models, 384)?;
        push(table, row(format!("{name}, 384 bits")), &scores, Cell::Missing);
    } else {
        for (scheme, scheme_name) in
            [(WeightedScheme::Unary, "unary"), (WeightedScheme::Consistent, "consistent")]
        {
            let scores = task.minima(&models, scheme, 80)?;
            push(table, row(format!("{name}, 80 {scheme_name} minima")), &scores, Cell::Missing);
        }
    }
    Ok(())
}

fn svm_row(
    task: &Task<'_>,
    views: &PairViews,
    source: StatisticsSource,
    table: &mut Table,
) -> Result<(), LabError> {
    let start = Instant::now();
    let models = task.train_svm(views, source)?;
    let seconds = start.elapsed().as_secs_f64() / models.len().max(1) as f64;
    let scores = task.svm(&models)?;
    let (name, measures) = if views.shingles.is_empty() {
        ("svm, paper's top terms", "five measures")
    } else {
        ("svm, top terms and shingles", "ten measures")
    };
    let row = [name.into(), 1usize.into(), measures.into(), source.name().into()];
    push(table, row, &scores, Cell::Real(seconds, 1));
    Ok(())
}

/// Appends a row with the averages over the halvings.
fn push(table: &mut Table, names: [Cell; 4], scores: &[MaxF1], seconds: Cell) {
    let mean = |part: fn(&MaxF1) -> f64| {
        Cell::Real(scores.iter().map(part).sum::<f64>() / scores.len().max(1) as f64, 4)
    };
    let mut row = Vec::from(names);
    row.extend([mean(|s| s.f1), mean(|s| s.precision), mean(|s| s.recall), seconds]);
    table.push(row);
}
