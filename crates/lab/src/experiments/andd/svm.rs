//! The support vector machine of the 2014 paper, which has no table of its own, by the same protocol.

use std::time::Instant;

use lookalike_detect::measure::VectorMeasure;
use lookalike_detect::represent::{Level, PairViews};
use lookalike_detect::train::SvmOptions;
use lookalike_learn::evaluate::MaxF1;
use lookalike_learn::{Cell, Collection, Outcome, Plot, Table};

use super::AnddExperiment;
use super::rows::{Compared, RowName, Rows};
use super::task::{StatisticsSource, Task};
use crate::LabError;

/// How many top terms are kept, in the paper's words k.
const TERMS: &[usize] = &[5, 10, 20, 30, 50, 100];

/// Choices of similarity functions: each alone, the paper's example of two, all.
const CHOICES: &[&[VectorMeasure]] = &[
    &[VectorMeasure::Jaccard],
    &[VectorMeasure::Cosine],
    &[VectorMeasure::Euclidean],
    &[VectorMeasure::ExtendedJaccard],
    &[VectorMeasure::Dice],
    &[VectorMeasure::Jaccard, VectorMeasure::Euclidean],
    &VectorMeasure::ALL,
];

const GAMMAS: &[f64] = &[0.05, 0.2, 1.0, 5.0];

/// What the 2014 paper leaves to its users: level, number and order of top terms, which similarity
/// functions, γ; each varied by itself, with the paper's features alone.
///
/// # Errors
/// A collection that nothing can be learned from.
pub fn choices(collection: &Collection, options: &AnddExperiment) -> Result<Outcome, LabError> {
    let task = Task::new(collection, options.halvings, options.seed)?;
    let columns = ["level", "terms", "order", "measures", "gamma", "max_f1", "precision", "recall"];
    let mut table = Table::new("Choices of the 2014 paper, Max F1 over random halvings", &columns);
    let mut plot = Plot::new("Max F1 over the number of top terms", "top terms", "Max F1");
    let usual = PairViews::of_the_paper();
    for level in [Level::Document, Level::Sentence] {
        for ordered in [false, true] {
            let mut curve = Vec::new();
            for &terms in TERMS {
                let views = PairViews { level, terms, ordered, ..usual.clone() };
                let f1 = choice(&task, views, None, &mut table)?;
                curve.push((terms as f64, f1));
            }
            let order = if ordered { ", in order" } else { "" };
            plot.push(format!("{}{order}", level_name(level)), curve);
        }
    }
    for measures in CHOICES {
        let views = PairViews { measures: measures.to_vec(), ..usual.clone() };
        choice(&task, views, None, &mut table)?;
    }
    for &gamma in GAMMAS {
        choice(&task, usual.clone(), Some(gamma), &mut table)?;
    }
    table.note(format!(
        "{} documents in {} clusters, {} halvings, seed {}; rbf kernel, cost 10; gamma is one over \
         the number of measures where none is given. Order: whether a term counts as shared only at \
         the same place of the order by weight.",
        collection.len(),
        task.n_clusters(),
        options.halvings,
        options.seed
    ));
    Ok(Outcome { plot: Some(plot), ..table.into() })
}

/// Appends the row of one choice; its Max F1.
fn choice(
    task: &Task<'_>,
    views: PairViews,
    gamma: Option<f64>,
    table: &mut Table,
) -> Result<f64, LabError> {
    let names: Vec<String> =
        views.measures.iter().map(|m| format!("{m:?}").to_lowercase()).collect();
    let mut row = vec![
        level_name(views.level).into(),
        views.terms.into(),
        views.ordered.into(),
        names.join(" ").into(),
        gamma.map_or(Cell::Missing, |gamma| Cell::Real(gamma, 2)),
    ];
    let options = SvmOptions { views, gamma, ..SvmOptions::default() };
    let scores = task.svm(&task.train_svm(&options, StatisticsSource::Collection)?)?;
    let mean =
        |part: fn(&MaxF1) -> f64| scores.iter().map(part).sum::<f64>() / scores.len().max(1) as f64;
    let f1 = mean(|score| score.f1);
    row.extend([f1, mean(|s| s.precision), mean(|s| s.recall)].map(|share| Cell::Real(share, 4)));
    table.push(row);
    Ok(f1)
}

fn level_name(level: Level) -> &'static str {
    match level {
        Level::Document => "document",
        Level::Sentence => "sentence",
    }
}

/// Appends the rows of the paper's features and of ours, with either statistics.
pub(super) fn add(task: &Task<'_>, rows: &mut Rows) -> Result<(), LabError> {
    for views in [PairViews::of_the_paper(), PairViews::default()] {
        for source in [StatisticsSource::Collection, StatisticsSource::TrainingClusters] {
            let start = Instant::now();
            let options = SvmOptions { views: views.clone(), ..SvmOptions::default() };
            let models = task.train_svm(&options, source)?;
            let seconds = start.elapsed().as_secs_f64() / models.len().max(1) as f64;
            let (name, measures) = if views.shingles.is_empty() {
                ("svm, paper's top terms", "five measures")
            } else {
                ("svm, top terms and shingles", "ten measures")
            };
            let name = RowName {
                k: 1usize.into(),
                similarity: measures.into(),
                statistics: source.name().into(),
                ..RowName::new(name, Compared::Vectors)
            };
            rows.push(name, task.svm(&models)?, Cell::Real(seconds, 1));
        }
    }
    Ok(())
}
