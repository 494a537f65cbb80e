//! What leaving out boilerplate does for a method, on a labelled collection of templated pages.

use std::sync::Arc;

use lookalike_detect::{Artifacts, DetectorConfig};
use lookalike_learn::evaluate::PairCounts;
use lookalike_learn::{Collection, Outcome, Table, join};
use lookalike_statistics::boilerplate::{BoilerplateOptions, BoilerplateReport, find_boilerplate};

use crate::LabError;

/// Most templates that the second table names.
const NAMED_TEMPLATES: usize = 100;

/// Precision, recall and F1 of a method at several thresholds, as the pages are and without their
/// boilerplate; the further table names the templates.
pub fn run(
    collection: &Collection,
    method: &DetectorConfig,
    thresholds: &[f64],
    options: BoilerplateOptions,
) -> Result<Outcome, LabError> {
    let texts = || collection.documents.iter().map(|document| document.text.as_str());
    let report = find_boilerplate(options, texts);
    let boilerplate = Arc::new(report.set());
    let columns =
        ["method", "ignore_boilerplate", "threshold", "precision", "recall", "f1", "pairs"];
    let mut table = Table::new("Boilerplate left out", &columns);
    for threshold in thresholds {
        let mut config = method.clone();
        config.set_threshold(*threshold);
        for ignored in [false, true] {
            let artifacts = Artifacts {
                boilerplate: ignored.then(|| Arc::clone(&boilerplate)),
                ..Artifacts::default()
            };
            let (counts, n_pairs) = judged(collection, &config, &artifacts)?;
            table.push(vec![
                config.name().into(),
                ignored.into(),
                (*threshold).into(),
                counts.precision().into(),
                counts.recall().into(),
                counts.f1().into(),
                n_pairs.into(),
            ]);
        }
    }
    table.note(format!(
        "{} of the paragraphs are boilerplate, in {} templates.",
        report.paragraphs.len(),
        report.templates().len()
    ));
    Ok(Outcome { table, further: vec![("templates", templates(&report))], plot: None })
}

/// The pairs a detector finds, against equal labels.
fn judged(
    collection: &Collection,
    config: &DetectorConfig,
    artifacts: &Artifacts,
) -> Result<(PairCounts, usize), LabError> {
    let detector = config.build(artifacts)?;
    let signed = join(&detector, &collection.documents);
    let clusters = collection.clusters();
    let mut sizes = vec![0u64; clusters.len()];
    for cluster in &clusters {
        sizes[*cluster as usize] += 1;
    }
    let n_true: u64 = sizes.iter().map(|size| size * size.saturating_sub(1) / 2).sum();
    let mut counts = PairCounts::default();
    let mut n_pairs = 0;
    for left in 0..collection.len() {
        for right in signed.partners(left).into_iter().filter(|right| *right > left) {
            n_pairs += 1;
            if clusters[left] == clusters[right] {
                counts.true_positives += 1;
            } else {
                counts.false_positives += 1;
            }
        }
    }
    counts.false_negatives = n_true - counts.true_positives;
    Ok((counts, n_pairs))
}

/// One row a template: its size, and an example of its paragraphs.
fn templates(report: &BoilerplateReport) -> Table {
    let columns = ["paragraphs", "documents", "otherwise_different", "example"];
    let mut table = Table::new("Templates", &columns);
    for template in report.templates().into_iter().take(NAMED_TEMPLATES) {
        // The longest paragraph says most.
        let longest = template.iter().max_by_key(|paragraph| paragraph.example.len());
        if let Some(longest) = longest {
            table.push(vec![
                template.len().into(),
                u64::from(longest.n_documents).into(),
                u64::from(longest.n_different).into(),
                longest.example.clone().into(),
            ]);
        }
    }
    table
}
