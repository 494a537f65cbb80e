//! What `find` finds in documents that are at hand, with everything a run does.

use std::path::Path;

use hashbrown::HashMap;
use lookalike::tune::TuneOutcome;
use lookalike::{
    Config, Context, Corpus, Interrupt, OwnedDocument, PairsWritten, RunConfig, Silent,
};
use lookalike_detect::train::TrainingPairs;
use lookalike_learn::evaluate::PairCounts;

use crate::LabError;

/// The pairs that `find` confirms, by the documents' places, the smaller first, ascending.
///
/// # Errors
/// Whatever stops a run.
pub(crate) fn found_pairs(
    documents: &[&OwnedDocument],
    config: &Config,
    temp_dir: &Path,
) -> Result<Vec<(usize, usize)>, LabError> {
    // Places are ids, so that no two documents have the same.
    let placed = |(place, document): (usize, &&OwnedDocument)| OwnedDocument {
        id: place.to_string(),
        ..(*document).clone()
    };
    let corpus = Corpus::from_documents(documents.iter().enumerate().map(placed));
    let mut config = config.clone();
    config.run.pairs = PairsWritten::All;
    let interrupt = Interrupt::new();
    let context = Context { progress: &Silent, interrupt: &interrupt, temp_dir };
    let findings = lookalike::find(&corpus, &config, &context).map_err(broken)?;
    let mut pairs = Vec::new();
    for pair in findings.pairs() {
        let pair = pair.map_err(broken)?;
        let place = |id: &str| id.parse::<usize>().map_err(broken);
        let (left, right) = (place(pair.a.id)?, place(pair.b.id)?);
        pairs.push((left.min(right), left.max(right)));
    }
    pairs.sort_unstable();
    Ok(pairs)
}

/// The pairs that `find` confirms with what `tune` chose, its model in a folder.
///
/// # Errors
/// Nothing was chosen, or whatever stops a run.
pub(crate) fn tuned_pairs(
    outcome: &TuneOutcome,
    run: &RunConfig,
    documents: &[&OwnedDocument],
    folder: &Path,
) -> Result<Vec<(usize, usize)>, LabError> {
    let best = outcome.best().ok_or_else(|| broken("no method could be tried"))?;
    let mut config = best.configuration(run);
    if let Some(model) = &outcome.model {
        let path = folder.join("model");
        std::fs::write(&path, model.to_bytes()).map_err(broken)?;
        config.run.model = Some(path);
    }
    found_pairs(documents, &config, folder)
}

/// Found pairs against clusters: right, wrong and missed ones.
pub(crate) fn count_pairs(pairs: &[(usize, usize)], clusters: &[u32]) -> PairCounts {
    let mut sizes: HashMap<u32, u64> = HashMap::new();
    for cluster in clusters {
        *sizes.entry(*cluster).or_insert(0) += 1;
    }
    let n_true: u64 = sizes.values().map(|size| size * (size - 1) / 2).sum();
    let n_right = pairs.iter().filter(|(l, r)| clusters[*l] == clusters[*r]).count() as u64;
    PairCounts {
        true_positives: n_right,
        false_positives: pairs.len() as u64 - n_right,
        false_negatives: n_true - n_right,
    }
}

/// Whatever stopped a run, in its own words.
pub(crate) fn broken(error: impl std::fmt::Display) -> LabError {
    LabError::Collection(error.to_string())
}

/// Found pairs against judged ones; others count neither way.
pub(crate) fn count_judged(pairs: &[(usize, usize)], judged: &TrainingPairs) -> PairCounts {
    let is_found = |&&(l, r): &&(u32, u32)| pairs.binary_search(&(l as usize, r as usize)).is_ok();
    let n_right = judged.positive.iter().filter(is_found).count() as u64;
    PairCounts {
        true_positives: n_right,
        false_positives: judged.negative.iter().filter(is_found).count() as u64,
        false_negatives: judged.positive.len() as u64 - n_right,
    }
}
