//! Max F1 over the length of signatures, the number of active terms and of labelled documents.

use lookalike_detect::measure::Similarity;
use lookalike_detect::sign::WeightedScheme;

use super::task::{Learner, StatisticsSource, Task};
use crate::evaluate::MaxF1;
use crate::{Cell, LabError, Outcome, Plot, Table};

const BITS: &[usize] = &[64, 128, 256, 384, 512, 1024, 2048, 4096];
const SAMPLES: &[usize] = &[8, 16, 32, 48, 80, 128, 256];
const ACTIVE: &[usize] = &[5, 10, 20, 50, 100, 200];
const LABELLED: &[usize] = &[20, 40, 60, 100, 200, 400];

/// Adds the three tables, and the plot of the first.
pub(super) fn add(task: &Task<'_>, outcome: &mut Outcome) -> Result<(), LabError> {
    let source = StatisticsSource::Collection;
    let cosine = Learner { source, ..Learner::default() };
    let jaccard = Learner { similarity: Similarity::ExtendedJaccard, ..cosine.clone() };
    let cosine_models = task.train(&cosine)?;
    let jaccard_models = task.train(&jaccard)?;

    let mut lengths = Table::new("Signature length", &["scheme", "values", "bytes", "max_f1"]);
    let mut plot = Plot::new("Max F1 over signature size", "bytes", "Max F1");
    let mut bits_curve = Vec::new();
    for &bits in BITS {
        let f1 = mean(&task.hyperplanes(&cosine_models, bits)?);
        bits_curve.push(((bits / 8) as f64, f1));
        lengths.push(vec!["bits".into(), bits.into(), (bits / 8).into(), Cell::Real(f1, 4)]);
    }
    let mut minima_curve = Vec::new();
    for &samples in SAMPLES {
        let f1 = mean(&task.minima(&jaccard_models, WeightedScheme::Unary, samples)?);
        minima_curve.push(((samples * 4) as f64, f1));
        let row = vec!["unary minima".into(), samples.into(), (samples * 4).into()];
        lengths.push(row.into_iter().chain([Cell::Real(f1, 4)]).collect());
    }
    plot.push("cosine, bits", bits_curve);
    plot.push("Jaccard, minima", minima_curve);

    let mut active = Table::new("Active terms", &["active_terms", "max_f1"]);
    for count in ACTIVE.iter().map(|&count| Some(count)).chain([None]) {
        let f1 = mean(&task.vectors(&cosine_models, count, Similarity::Cosine)?);
        let name = count.map_or_else(|| Cell::from("all"), |count| Cell::from(count.to_string()));
        active.push(vec![name, Cell::Real(f1, 4)]);
    }

    let mut labelled =
        Table::new("Labelled documents", &["labelled", "statistics", "max_f1", "lowest"]);
    for source in [StatisticsSource::Collection, StatisticsSource::TrainingClusters] {
        for count in LABELLED.iter().map(|&count| Some(count)).chain([None]) {
            let learner = Learner { labelled: count, source, ..Learner::default() };
            let scores = task.vectors(&task.train(&learner)?, None, Similarity::Cosine)?;
            let name = count.map_or_else(|| Cell::from("all"), |c| Cell::from(c.to_string()));
            let lowest = scores.iter().map(|score| score.f1).fold(1.0, f64::min);
            let f1 = Cell::Real(mean(&scores), 4);
            labelled.push(vec![name, source.name().into(), f1, Cell::Real(lowest, 4)]);
        }
    }
    outcome.further = vec![
        ("signature_length", lengths),
        ("active_terms", active),
        ("labelled_documents", labelled),
    ];
    outcome.plot = Some(plot);
    Ok(())
}

fn mean(scores: &[MaxF1]) -> f64 {
    scores.iter().map(|score| score.f1).sum::<f64>() / scores.len().max(1) as f64
}
