//! Learned weights against fixed ones, by the protocol of the 2010 paper: clusters are halved at
//! random, weights are learned on one half, and every pair of the other half is scored; Max F1 is
//! averaged over the halvings. Tables 2 and 3 of the paper and its curves, on any labelled
//! collection. The rows called the paper's are what it prints; ours stand beside them.

mod curves;
mod rows;
mod scoring;
mod signatures;
mod svm;
mod task;

use std::time::Instant;

use lookalike_detect::detectors::{
    AnddJaccardConfig, DetectorConfig, MinhashConfig, SpotsigsConfig,
};
use lookalike_detect::measure::Similarity;
use lookalike_detect::sign::{MinimaOf, PlaneEntries, WeightedScheme};
use lookalike_learn::{Cell, Collection, Outcome};

use rows::{Compared, RowName, Rows};
pub use svm::choices as svm_choices;
use task::{Learner, StatisticsSource, Task, Training};

use crate::LabError;

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

const SIMILARITIES: [Similarity; 2] = [Similarity::Cosine, Similarity::ExtendedJaccard];

/// Runs the experiment; the collection's labels name the clusters.
pub fn run(collection: &Collection, options: &AnddExperiment) -> Result<Outcome, LabError> {
    let task = Task::new(collection, options.halvings, options.seed)?;
    let mut rows = Rows::default();
    fixed_rows(&task, &options.k, &mut rows)?;
    for &k in &options.k {
        for training in [Training::Printed, Training::PaperFeatures, Training::Blocks] {
            for similarity in SIMILARITIES {
                let learner = Learner { k, training, similarity, ..Learner::default() };
                learned_rows(&task, &learner, &mut rows)?;
            }
        }
    }
    let source = StatisticsSource::TrainingClusters;
    for training in [Training::PaperFeatures, Training::Blocks] {
        for similarity in SIMILARITIES {
            let learner = Learner { training, similarity, source, ..Learner::default() };
            learned_rows(&task, &learner, &mut rows)?;
        }
    }
    svm::add(&task, &mut rows)?;
    let mut table = rows.into_table("Averaged Max F1 over random halvings of the clusters");
    table.note(format!(
        "{} documents in {} clusters, {} halvings, seed {}; binary and tf-idf vectors and all pairs \
         of the test half, as in the 2010 paper. train_seconds: of the clock, for one halving while \
         others train beside it.",
        collection.len(),
        task.n_clusters(),
        options.halvings,
        options.seed
    ));
    table.note(
        "p: Student's paired t-test over the halvings, as in the paper, against its unigram cosine: \
         vectors against its vectors, signatures against its 384 bits. Below 0.05 the paper calls a \
         difference significant; halvings share documents, so that it is so too often.",
    );
    let mut outcome = Outcome::from(table);
    if options.curves {
        curves::add(&task, &mut outcome)?;
    }
    Ok(outcome)
}

/// Binary and tf-idf vectors, the sets and the signatures of fixed methods.
fn fixed_rows(task: &Task<'_>, k: &[usize], rows: &mut Rows) -> Result<(), LabError> {
    for &k in k {
        for (tf_idf, name) in [(false, "binary"), (true, "tf-idf")] {
            for similarity in SIMILARITIES {
                let name = RowName {
                    k: k.into(),
                    similarity: task::name(similarity).into(),
                    statistics: "collection".into(),
                    ..RowName::new(name, Compared::Vectors)
                };
                rows.push(name, task.term_vectors(k, tf_idf, None, similarity)?, Cell::Missing);
            }
        }
    }
    let paper = SpotsigsConfig { min_spots: 1, ..SpotsigsConfig::default() };
    let articles = SpotsigsConfig {
        anchors: ["is", "the", "a", "an"].map(str::to_owned).into(),
        ..paper.clone()
    };
    let sets = [
        ("spotsigs", DetectorConfig::Spotsigs(paper)),
        ("spotsigs, anchors is the a an", DetectorConfig::Spotsigs(articles)),
        ("minhash", DetectorConfig::Minhash(MinhashConfig::default())),
    ];
    for (name, config) in sets {
        for (similarity, shown) in
            [(Similarity::ExtendedJaccard, "jaccard"), (Similarity::Cosine, "cosine")]
        {
            let name =
                RowName { similarity: shown.into(), ..RowName::new(name, Compared::Vectors) };
            rows.push(name, task.sets(&config, similarity)?, Cell::Missing);
        }
    }
    signatures::add(task, rows)
}

/// The raw vectors of a learner and its default signatures.
fn learned_rows(task: &Task<'_>, learner: &Learner, rows: &mut Rows) -> Result<(), LabError> {
    let start = Instant::now();
    let models = task.train(learner)?;
    let seconds = start.elapsed().as_secs_f64() / models.len().max(1) as f64;
    let is_printed = learner.training == Training::Printed;
    let is_cosine = learner.similarity == Similarity::Cosine;
    let row = |suffix: &str, compared| RowName {
        k: learner.k.into(),
        similarity: task::name(learner.similarity).into(),
        statistics: learner.source.name().into(),
        is_reference: is_printed && is_cosine && learner.k == 1,
        ..RowName::new(format!("{}{suffix}", learner.training.name()), compared)
    };
    let raw = task.vectors(&models, None, learner.similarity)?;
    if is_printed {
        let signed = task.signed_vectors(&models, None, learner.similarity)?;
        rows.push(row("", Compared::Vectors), signed, Cell::Real(seconds, 1));
        let clipped = row(", weights below 0 as 0", Compared::Vectors);
        rows.push(RowName { is_reference: false, ..clipped }, raw, Cell::Missing);
    } else {
        rows.push(row("", Compared::Vectors), raw, Cell::Real(seconds, 1));
    }
    if learner.k > 1 {
        return Ok(());
    }
    if is_cosine {
        let (entries, name) = if is_printed {
            (PlaneEntries::Gaussian, ", 384 Gaussian bits (48 bytes)")
        } else {
            (PlaneEntries::Signs, ", 384 bits (48 bytes)")
        };
        let scores = task.hyperplanes(&models, entries, 384)?;
        rows.push(row(name, Compared::Signatures), scores, Cell::Missing);
        return Ok(());
    }
    for (config, name) in minima(is_printed) {
        let scores = task.minima(&models, &config)?;
        rows.push(row(name, Compared::Signatures), scores, Cell::Missing);
    }
    Ok(())
}

/// The signatures of minima: the paper's, or ours by two schemes.
fn minima(is_printed: bool) -> Vec<(AnddJaccardConfig, &'static str)> {
    if is_printed {
        return vec![(of_the_paper(80), ", 80 minima of weights (200 bytes)")];
    }
    let ours = |scheme| AnddJaccardConfig { scheme, ..AnddJaccardConfig::default() };
    vec![
        (ours(WeightedScheme::Unary), ", 80 unary minima of squares (320 bytes)"),
        (ours(WeightedScheme::Consistent), ", 80 consistent minima of squares (320 bytes)"),
    ]
}

/// So many minima of plain weights, 20 bits each.
fn of_the_paper(samples: usize) -> AnddJaccardConfig {
    AnddJaccardConfig {
        samples,
        minima: MinimaOf::Weights,
        value_bits: 20,
        ..AnddJaccardConfig::default()
    }
}
