//! Whether `tune` keeps its word: clusters are halved at random, one half is given to `tune`, and
//! what it chose runs on the other half, whose precision and recall stand beside those promised.

use std::sync::Arc;
use std::time::Duration;

use lookalike::tune::{Candidate, Estimate, Goal, Labels, TuneOptions, tune};
use lookalike::{Context, Interrupt, OwnedDocument, PreparedCollection, Silent};
use lookalike_detect::Artifacts;
use lookalike_text::AnalyzerConfig;
use rayon::prelude::*;

use crate::collection::LabDocument;
use crate::evaluate::{Halving, PairCounts, halve_clusters};
use crate::join::join;
use crate::truth::{SetMeasure, all_pairs};
use crate::{Cell, Collection, LabError, Outcome, Table};

/// What is promised, and how often.
#[derive(Clone, Debug)]
pub struct PromiseOptions {
    /// Random halvings: so many promises.
    pub halvings: usize,
    /// Seed of the halvings.
    pub seed: u64,
    /// What `tune` is asked for.
    pub goal: Goal,
    /// What `tune` may choose from.
    pub candidates: Vec<Candidate>,
    /// Clusters by exact binary cosine instead of by label: documents joined by pairs at or above.
    pub cosine: Option<f64>,
}

/// Runs the experiment.
///
/// # Errors
/// Documents without labels, or labels that `tune` refuses.
pub fn run(collection: &Collection, options: &PromiseOptions) -> Result<Outcome, LabError> {
    let clusters = match options.cosine {
        Some(threshold) => cosine_clusters(collection, threshold)?,
        None => collection.clusters(),
    };
    let mut table = Table::new(
        "What tune promised on one half of the clusters, and what its choice reached on the other",
        &[
            "halving",
            "chosen",
            "threshold",
            "precision_promised",
            "precision_observed",
            "kept",
            "recall_promised",
            "recall_observed",
            "recall_kept",
        ],
    );
    let halvings = halve_clusters(&clusters, options.halvings, options.seed);
    for (number, halving) in halvings.iter().enumerate() {
        table.push(row(number + 1, collection, &clusters, halving, options)?);
    }
    let mut sizes = vec![0u64; clusters.iter().max().map_or(0, |most| *most as usize + 1)];
    for cluster in &clusters {
        sizes[*cluster as usize] += 1;
    }
    table.note(format!(
        "{} documents, {} clusters of two or more with {} pairs{}; seed {}. Promised: the mean over the \
         inner halvings and its 95 % interval. Kept: observed is not below the interval.",
        collection.len(),
        sizes.iter().filter(|size| **size > 1).count(),
        sizes.iter().map(|size| size * size.saturating_sub(1) / 2).sum::<u64>(),
        options.cosine.map_or(String::new(), |t| format!(" (joined by binary cosine of at least {t})")),
        options.seed,
    ));
    Ok(table.into())
}

fn row(
    number: usize,
    collection: &Collection,
    clusters: &[u32],
    halving: &Halving,
    options: &PromiseOptions,
) -> Result<Vec<Cell>, LabError> {
    let of = |half: &[usize]| -> Vec<u32> { half.iter().map(|&d| clusters[d]).collect() };
    let owned = |&document: &usize| {
        let LabDocument { id, text, title, url, .. } = collection.documents[document].clone();
        OwnedDocument { id, text, title, url, ..OwnedDocument::default() }
    };
    let documents: Vec<OwnedDocument> = halving.train.iter().map(owned).collect();
    let tuning = TuneOptions {
        goal: options.goal,
        budget: Duration::MAX,
        seed: options.seed,
        ..TuneOptions::default()
    };
    let (interrupt, temp_dir) = (Interrupt::new(), std::env::temp_dir());
    let context = Context { progress: &Silent, interrupt: &interrupt, temp_dir: &temp_dir };
    let labels = Labels::Clusters(of(&halving.train));
    let outcome = tune(&documents, &labels, options.candidates.clone(), &tuning, &context)
        .map_err(|error| LabError::Collection(error.to_string()))?;
    let no_choice = || LabError::Collection("no method could be tried".into());
    let best = outcome.ranking.first().ok_or_else(no_choice)?;
    let test = Collection {
        documents: halving.test.iter().map(|&d| collection.documents[d].clone()).collect(),
        n_unreadable: 0,
    };
    let config = &best.candidate.config;
    let mut artifacts = Artifacts { model: outcome.model.map(Arc::new), ..Artifacts::default() };
    if config.needs_statistics() {
        artifacts.statistics = Some(Arc::new(test.statistics(config.analyzer())?));
    }
    let signed_by = config.build(&artifacts)?;
    let counts = count(&join(&signed_by, &test.documents), &of(&halving.test));
    let promised = |e: &Estimate| format!("{:.3} ({:.3}-{:.3})", e.mean, e.low, e.high).into();
    Ok(vec![
        number.into(),
        best.candidate.name.as_str().into(),
        config.threshold().map_or(Cell::Missing, Cell::from),
        promised(&best.precision),
        counts.precision().into(),
        (counts.precision() >= best.precision.low).into(),
        promised(&best.recall),
        counts.recall().into(),
        (counts.recall() >= best.recall.low).into(),
    ])
}

/// The pairs a detector finds, as `find --pairs all` would, against the clusters.
fn count(signed: &PreparedCollection<'_>, clusters: &[u32]) -> PairCounts {
    let of_document = |left: usize| {
        let partners = signed.partners(left);
        let later = || partners.iter().filter(|right| **right > left);
        let n_right = later().filter(|right| clusters[**right] == clusters[left]).count();
        (n_right as u64, (later().count() - n_right) as u64)
    };
    let add = |one: (u64, u64), other: (u64, u64)| (one.0 + other.0, one.1 + other.1);
    let (true_positives, false_positives) =
        (0..clusters.len()).into_par_iter().map(of_document).reduce(|| (0, 0), add);
    let mut sorted = clusters.to_vec();
    sorted.sort_unstable();
    let pairs = |cluster: &[u32]| (cluster.len() * (cluster.len() - 1) / 2) as u64;
    let n_true: u64 = sorted.chunk_by(|left, right| left == right).map(pairs).sum();
    PairCounts { true_positives, false_positives, false_negatives: n_true - true_positives }
}

/// Documents that chains of pairs of at least this binary cosine join, each named by its least.
fn cosine_clusters(collection: &Collection, threshold: f64) -> Result<Vec<u32>, LabError> {
    let sets = collection.term_sets(&AnalyzerConfig::default())?;
    let mut names: Vec<usize> = (0..sets.len()).collect();
    for pair in all_pairs(&sets, SetMeasure::BinaryCosine, threshold) {
        let (left, right) = (root(&mut names, pair.left), root(&mut names, pair.right));
        names[left.max(right)] = left.min(right);
    }
    Ok((0..names.len()).map(|document| root(&mut names, document) as u32).collect())
}

/// The least document that this one is joined with.
fn root(names: &mut [usize], mut document: usize) -> usize {
    while names[document] != document {
        names[document] = names[names[document]];
        document = names[document];
    }
    document
}

#[cfg(test)]
mod tests {
    use lookalike::tune::candidates;

    use super::*;

    /// Stories that differ, each in versions that differ in a word.
    fn collection() -> Collection {
        let words =
            ["ferry", "harbor", "apricot", "valley", "council", "winter", "bridge", "market"];
        let mut documents = Vec::new();
        for story in 0..24 {
            for version in 0..3 {
                let word = |n: usize| format!("{}{}", words[(story + n) % 8], story * 31 + n);
                let text: Vec<String> = (0..40).map(word).collect();
                documents.push(LabDocument {
                    id: format!("{story}-{version}"),
                    text: format!("{} v{version}", text.join(" ")),
                    label: Some(story.to_string()),
                    ..LabDocument::default()
                });
            }
        }
        Collection { documents, n_unreadable: 0 }
    }

    fn options(cosine: Option<f64>) -> PromiseOptions {
        let cheap = |candidate: &Candidate| ["minhash", "exact"].contains(&candidate.config.name());
        PromiseOptions {
            halvings: 2,
            seed: 1,
            goal: Goal::F1,
            candidates: candidates().into_iter().filter(cheap).collect(),
            cosine,
        }
    }

    #[test]
    fn stories_that_are_easily_told_apart_are_promised_and_found() {
        let outcome = run(&collection(), &options(None)).unwrap();
        assert_eq!(outcome.table.numbers("precision_observed"), [Some(1.0), Some(1.0)]);
        assert_eq!(outcome.table.numbers("recall_observed"), [Some(1.0), Some(1.0)]);
    }

    #[test]
    fn clusters_by_cosine_are_those_of_the_labels_where_stories_differ() {
        let collection = collection();
        let clusters = cosine_clusters(&collection, 0.9).unwrap();
        let labels = collection.clusters();
        for left in 0..labels.len() {
            for right in 0..left {
                assert_eq!(clusters[left] == clusters[right], labels[left] == labels[right]);
            }
        }
        run(&collection, &options(Some(0.9))).unwrap();
    }
}
