//! Max F1 over the length of signatures, the number of active terms and of labelled documents:
//! Figures 1, 2, 4 and 5 of the 2010 paper.

use lookalike_detect::detectors::{AnddJaccardConfig, DetectorConfig, SpotsigsConfig};
use lookalike_detect::measure::Similarity;
use lookalike_detect::sign::PlaneEntries;
use lookalike_learn::evaluate::MaxF1;
use lookalike_learn::{Cell, Outcome, Plot, Table};

use super::of_the_paper;
use super::task::{Learner, StatisticsSource, Task, Training};
use crate::LabError;

const BITS: &[usize] = &[64, 128, 256, 384, 512, 1024, 2048, 4096];
const SAMPLES: &[usize] = &[8, 16, 32, 48, 80, 128, 256];
const ACTIVE: &[usize] = &[5, 10, 20, 50, 100, 200];
const LABELLED: &[usize] = &[20, 40, 60, 100, 200, 400];

/// Adds the three tables, and the plot of the first.
pub(super) fn add(task: &Task<'_>, outcome: &mut Outcome) -> Result<(), LabError> {
    let (lengths, plot) = signature_lengths(task)?;
    outcome.further = vec![
        ("signature_length", lengths),
        ("active_terms", active_terms(task)?),
        ("labelled_documents", labelled_documents(task)?),
    ];
    outcome.plot = Some(plot);
    Ok(())
}

/// Figures 1 and 2.
fn signature_lengths(task: &Task<'_>) -> Result<(Table, Plot), LabError> {
    let mut table =
        Table::new("Signature length", &["training", "scheme", "values", "bytes", "max_f1"]);
    let mut plot = Plot::new("Max F1 over signature size", "bytes", "Max F1");
    for training in [Training::Printed, Training::Blocks] {
        let is_printed = training == Training::Printed;
        let learner = Learner { training, ..Learner::default() };
        let models = task.train(&learner)?;
        let (entries, scheme) = if is_printed {
            (PlaneEntries::Gaussian, "Gaussian bits")
        } else {
            (PlaneEntries::Signs, "bits")
        };
        let mut curve = Vec::new();
        let mut push = |scheme: &str, values: usize, bytes: usize, f1: f64| {
            let row = vec![training.name().into(), scheme.into(), values.into(), bytes.into()];
            table.push(row.into_iter().chain([Cell::Real(f1, 4)]).collect());
        };
        for &bits in BITS {
            let f1 = mean(&task.hyperplanes(&models, entries, bits)?);
            curve.push(((bits / 8) as f64, f1));
            push(scheme, bits, bits / 8, f1);
        }
        plot.push(format!("{}, cosine", training.name()), curve);
        let learner = Learner { similarity: Similarity::ExtendedJaccard, ..learner };
        let models = task.train(&learner)?;
        let mut curve = Vec::new();
        for &samples in SAMPLES {
            let (config, scheme) = if is_printed {
                (of_the_paper(samples), "minima of weights")
            } else {
                let ours = AnddJaccardConfig { samples, ..AnddJaccardConfig::default() };
                (ours, "unary minima of squares")
            };
            let bytes = samples * config.value_bits as usize / 8;
            let f1 = mean(&task.minima(&models, &config)?);
            curve.push((bytes as f64, f1));
            push(scheme, samples, bytes, f1);
        }
        plot.push(format!("{}, Jaccard", training.name()), curve);
    }
    Ok((table, plot))
}

/// Figure 4, which has no curve for spot signatures but their one figure.
fn active_terms(task: &Task<'_>) -> Result<Table, LabError> {
    let mut table = Table::new("Active terms", &["method", "active_terms", "max_f1"]);
    let counts = || ACTIVE.iter().map(|&count| Some(count)).chain([None]);
    let mut push = |method: &str, count: Option<usize>, scores: &[MaxF1]| {
        table.push(vec![method.into(), named(count), Cell::Real(mean(scores), 4)]);
    };
    for training in [Training::Printed, Training::Blocks] {
        let models = task.train(&Learner { training, ..Learner::default() })?;
        for count in counts() {
            let scores = if training == Training::Printed {
                task.signed_vectors(&models, count, Similarity::Cosine)?
            } else {
                task.vectors(&models, count, Similarity::Cosine)?
            };
            push(training.name(), count, &scores);
        }
    }
    for count in counts() {
        push("tf-idf", count, &task.term_vectors(1, true, count, Similarity::Cosine)?);
    }
    let spots =
        DetectorConfig::Spotsigs(SpotsigsConfig { min_spots: 1, ..SpotsigsConfig::default() });
    push("spotsigs", None, &task.sets(&spots, Similarity::Cosine)?);
    Ok(table)
}

/// Figure 5; its line *init* is the row without a labelled document.
fn labelled_documents(task: &Task<'_>) -> Result<Table, LabError> {
    let columns = ["training", "labelled", "statistics", "max_f1", "lowest"];
    let mut table = Table::new("Labelled documents", &columns);
    let mut push = |learner: &Learner, count: Cell| -> Result<(), LabError> {
        let models = task.train(learner)?;
        let scores = if learner.training == Training::Blocks {
            task.vectors(&models, None, Similarity::Cosine)?
        } else {
            task.signed_vectors(&models, None, Similarity::Cosine)?
        };
        let lowest = scores.iter().map(|score| score.f1).fold(1.0, f64::min);
        let (training, source) = (learner.training.name().into(), learner.source.name().into());
        let f1 = Cell::Real(mean(&scores), 4);
        table.push(vec![training, count, source, f1, Cell::Real(lowest, 4)]);
        Ok(())
    };
    push(&Learner { training: Training::Untrained, ..Learner::default() }, "none".into())?;
    for (training, source) in [
        (Training::Printed, StatisticsSource::Collection),
        (Training::Blocks, StatisticsSource::Collection),
        (Training::Blocks, StatisticsSource::TrainingClusters),
    ] {
        for count in LABELLED.iter().map(|&count| Some(count)).chain([None]) {
            let learner = Learner { training, labelled: count, source, ..Learner::default() };
            push(&learner, named(count))?;
        }
    }
    Ok(table)
}

fn named(count: Option<usize>) -> Cell {
    count.map_or_else(|| Cell::from("all"), |count| Cell::from(count.to_string()))
}

fn mean(scores: &[MaxF1]) -> f64 {
    scores.iter().map(|score| score.f1).sum::<f64>() / scores.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike_learn::{Collection, LabelledText};

    /// Short stories out of one small store of words, in menus that others have too: some terms are
    /// worth less than nothing, and nobody tells all pages apart.
    fn pages() -> Collection {
        let mut state = 1_u64;
        let mut below = |limit: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % limit
        };
        let mut words = |kind: &str, first: u64, limit: u64, count: usize| {
            let word = |_| format!("{kind}{}", first + below(limit));
            (0..count).map(word).collect::<Vec<_>>().join(" ")
        };
        let mut page = |story: u64, site: u64| LabelledText {
            id: format!("{story}-{site}"),
            text: format!(
                "{}\n\n{}",
                words("menu", 10 * site, 15, 20),
                words("tale", 3 * story, 8, 6)
            ),
            label: Some(story.to_string()),
            ..LabelledText::default()
        };
        let documents = (0..48).map(|n| page(n / 4, n % 4)).collect();
        Collection { documents, n_unreadable: 0 }
    }

    #[test]
    fn the_papers_active_terms_keep_their_weights_below_zero() {
        let collection = pages();
        let task = Task::new(&collection, 2, 1).unwrap();
        let models =
            task.train(&Learner { training: Training::Printed, ..Learner::default() }).unwrap();
        let signed = mean(&task.signed_vectors(&models, None, Similarity::Cosine).unwrap());
        let clipped = mean(&task.vectors(&models, None, Similarity::Cosine).unwrap());
        assert!((signed - clipped).abs() > 1e-6, "signed or clipped, {signed} and {clipped}");
        let table = active_terms(&task).unwrap();
        let all = table.numbers("max_f1")[ACTIVE.len()].unwrap();
        assert!((all - signed).abs() < 1e-9, "{all} instead of {signed}");
    }
}
