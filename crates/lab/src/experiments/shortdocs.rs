//! Which documents a method cannot see: super shingles of 2 to 100 beside I-Match (Tables V, VI,
//! XI and Figure 4 of the 2002 paper).
//!
//! A super shingle needs so many kept shingles; a document with fewer is ignored. What is left is
//! longer the larger the super shingle, so that results on it say little about short documents.

use lookalike_detect::{Detector, Scratch};
use rayon::prelude::*;

use crate::compare::ComparedMethod;
use crate::{Cell, Collection, LabDocument, LabError, Outcome, Plot, Table};

/// The lengths of super shingles in the paper's tables.
const RUNS: &[usize] = &[2, 4, 5, 10, 15, 20, 25, 50, 75, 100];

/// Counts the documents that each method ignores.
pub fn run(collection: &Collection) -> Result<Outcome, LabError> {
    let columns = ["method", "ignored", "ignored_share", "mean_words_left", "mean_words"];
    let mut table = Table::new("Documents ignored for being short", &columns);
    let words: Vec<usize> = collection.documents.par_iter().map(count_words).collect();
    let mean_words = mean(words.iter().copied());
    let mut curve = Vec::new();
    let shingled = RUNS.iter().map(|run| (format!("dsc-ss:run={run}"), Some(*run)));
    for (name, run) in shingled.chain([("dsc".to_owned(), None), ("imatch".to_owned(), None)]) {
        let detector = collection.detector(&ComparedMethod::parse(&name)?.config)?;
        let signed = signed(&detector, &collection.documents);
        let n_ignored = signed.iter().filter(|signed| !**signed).count();
        let share = n_ignored as f64 / collection.len().max(1) as f64;
        let left = words.iter().zip(&signed).filter(|(_, signed)| **signed);
        table.push(vec![
            name.into(),
            n_ignored.into(),
            Cell::Real(share, 4),
            Cell::Real(mean(left.map(|(words, _)| *words)), 1),
            Cell::Real(mean_words, 1),
        ]);
        curve.extend(run.map(|run| (run as f64, share)));
    }
    table.note(format!(
        "{} documents; a document is ignored where the method has no signature for it.",
        collection.len()
    ));
    let mut plot = Plot::new("Documents ignored", "shingles in a super shingle", "share ignored");
    plot.push("dsc-ss", curve);
    Ok(Outcome { plot: Some(plot), ..table.into() })
}

fn signed(detector: &Detector, documents: &[LabDocument]) -> Vec<bool> {
    let is_signed = |scratch: &mut Scratch, document: &LabDocument| {
        detector.sign(&document.document(), scratch).is_ok()
    };
    documents.par_iter().map_init(Scratch::default, is_signed).collect()
}

fn count_words(document: &LabDocument) -> usize {
    document.text.split_whitespace().count()
}

fn mean(values: impl Iterator<Item = usize>) -> f64 {
    let (sum, n_values) = values.fold((0, 0usize), |(sum, n), value| (sum + value, n + 1));
    if n_values == 0 { 0.0 } else { sum as f64 / n_values as f64 }
}
